//! What must hold in every history: one file each.

mod always_ends;
mod answer_equals_single_node;
mod bound_never_exceeds_the_optimum;
mod every_successor_applied_exactly_once;
mod failure_names_the_worker;
mod incumbent_never_rises;
mod level_never_ends_with_work_in_flight;
mod old_epoch_never_applied;
mod the_network_is_bad_enough;
