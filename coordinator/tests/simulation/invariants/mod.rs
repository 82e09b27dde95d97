//! What must hold in every history: one file each.

mod always_ends;
mod answer_equals_single_node;
mod answer_survives_any_kill;
mod bound_never_exceeds_the_optimum;
mod checkpoint_names_only_what_is_durable;
mod every_successor_applied_exactly_once;
mod failure_names_the_worker;
mod incumbent_never_rises;
mod level_never_ends_with_work_in_flight;
mod no_epoch_is_reused;
mod nothing_needed_is_deleted;
mod old_epoch_never_applied;
mod rivals_take_turns;
mod the_faults_are_many_enough;
mod the_network_is_bad_enough;
mod work_lost_is_bounded;
