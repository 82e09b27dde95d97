//! Coordinator and workers in one process, over real connections on free ports. The shards search
//! small random graphs, as in the simulation: what is tested here is the network around them. Only `answers` has the
//! engine's shards.

#[path = "../simulation/disk.rs"]
#[expect(dead_code, reason = "only the simulation loses power")]
mod disk;
#[path = "../simulation/graph.rs"]
mod graph;
#[path = "../simulation/history.rs"]
#[expect(dead_code, reason = "only the simulation reads it")]
mod history;
#[path = "../simulation/journal.rs"]
mod journal;
#[path = "../simulation/levels.rs"]
mod levels;
#[path = "../simulation/random.rs"]
#[expect(dead_code, reason = "only the simulation rolls dice")]
mod random;
#[path = "../simulation/shard.rs"]
#[expect(dead_code, reason = "only the simulation looks into it")]
mod shard;
#[path = "../simulation/walk.rs"]
mod walk;

mod answers;
mod authority;
mod coordinator;
mod fixture;
mod limits;
mod loss;
mod peers;
mod searches;
mod tls;
mod token;
