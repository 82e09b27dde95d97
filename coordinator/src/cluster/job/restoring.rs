//! Which worker reads which segment.

use std::collections::BTreeSet;

use sokohive_proto::{ClusterFailure, Hello, PlacedSegment, Segment};

use super::shared::Shared;

/// Deals the segments of the checkpoint out to workers that can read them, so that all have about as
/// much to read: the longest first, each to whoever has the least so far.
///
/// # Errors
///
/// If one is nowhere.
pub(super) fn deal(shared: &Shared) -> Result<Vec<Vec<Segment>>, ClusterFailure> {
    let present = |hello: &Hello| hello.present.iter().copied().collect::<BTreeSet<u32>>();
    let present: Vec<BTreeSet<u32>> = shared
        .members
        .iter()
        .map(|member| member.hello.as_ref().map(present).unwrap_or_default())
        .collect();
    let mut dealt: Vec<(u64, Vec<Segment>)> = vec![(0, Vec::new()); present.len()];
    let Some(checkpoint) = shared.settings.checkpoint.as_deref() else {
        return Ok(dealt.into_iter().map(|(_, segments)| segments).collect());
    };
    let failed = |worker: Option<String>, reason: String, retryable| ClusterFailure {
        worker,
        level: shared.lower_bound,
        reason,
        retryable,
        saved: None,
    };
    if checkpoint.reached.levels > 0 && checkpoint.segments.is_empty() {
        return Err(failed(None, "the checkpoint names no states".to_owned(), false));
    }
    let mut order: Vec<(u32, &PlacedSegment)> = (0..).zip(&checkpoint.segments).collect();
    order.sort_by_key(|(_, placed)| std::cmp::Reverse(placed.segment.bytes));
    for (index, PlacedSegment { segment, writer }) in order {
        let readers = (0..present.len()).filter(|&worker| present[worker].contains(&index));
        let Some(reader) = readers.min_by_key(|&worker| dealt[worker].0) else {
            let worker = (!writer.is_empty()).then(|| writer.clone());
            let reason = format!("its segment {} is on none of the workers", segment.name);
            return Err(failed(worker, reason, true));
        };
        dealt[reader].0 += segment.bytes;
        dealt[reader].1.push(segment.clone());
    }
    Ok(dealt.into_iter().map(|(_, segments)| segments).collect())
}
