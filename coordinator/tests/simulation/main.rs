//! Seeded simulation of the cluster protocol: the real state machines of coordinator and workers,
//! on a network that delays, reorders, duplicates and drops, with workers that are killed, started
//! again and cut off. Everything follows from the seed.
//!
//! Every seed runs two jobs on the same workers. Faults strike in the first; the second must
//! succeed whatever is left over from the first.
//!
//! | invariant | in words |
//! |---|---|
//! | `level_never_ends_with_work_in_flight` | when a level ends, every worker is idle and every batch applied |
//! | `every_successor_applied_exactly_once` | whatever is sent is relaxed once, by its owner |
//! | `old_epoch_never_applied` | nothing of the first job reaches the tables of the second |
//! | `incumbent_never_rises` | workers prune by falling bounds only |
//! | `bound_never_exceeds_the_optimum` | what is called proven is so |
//! | `answer_equals_single_node` | optimum, unsolvability and the path are those of a plain search |
//! | `failure_names_the_worker` | a failure names a worker that a fault struck, and is in time |
//! | `always_ends` | no job hangs |
//!
//! Every seed also runs one job with checkpoints. Workers and the coordinator are killed again and again,
//! disks lose what was not safe or are full for a while, and attempts follow until one succeeds.
//!
//! | invariant | in words |
//! |---|---|
//! | `answer_survives_any_kill` | the answer is that of a plain search |
//! | `checkpoint_names_only_what_is_durable` | no manifest is written before all that it names is safe |
//! | `nothing_needed_is_deleted` | what the newest manifest names stays |
//! | `work_lost_is_bounded` | at most an interval and a level is lost, and none when given up in good order |
//! | `no_epoch_is_reused` | no two attempts run under one epoch |
//!
//! And every seed runs two or three jobs that start at about the same time, on workers that they share,
//! each with a list in an order of its own; laying out may take longer than a coordinator may be silent.
//!
//! | invariant | in words |
//! |---|---|
//! | `rivals_take_turns` | all get their answers, and no two search on one worker at a time |
//!
//! 500 seeds of each run by default. `SOKOHIVE_SEED=17` runs one, `SOKOHIVE_SEEDS=5000` runs more.

mod attempts;
mod disk;
mod durable;
mod graph;
mod history;
mod invariants;
mod journal;
mod levels;
mod looks;
mod network;
mod node;
mod random;
mod seeds;
mod shard;
mod walk;
mod world;
