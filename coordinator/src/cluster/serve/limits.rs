//! How much a coordinator takes on: whatever waits is held in memory.

use sokohive_proto::{Quantity, Refusal, SHARDS};

use super::caller::Caller;

/// Most jobs that may wait, and most of one caller: somebody with a large collection leaves room for
/// others.
const MOST_WAITING: usize = 10_000;
const MOST_WAITING_OF_CALLER: usize = 2_000;

/// Most bytes of boards that may wait.
const MOST_WAITING_BYTES: usize = 32 << 20;

/// Most workers that may be registered: as many as a job can have.
const MOST_WORKERS: usize = SHARDS;

/// A job that waits, as far as limits are about it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting<'j> {
    /// Who handed it in.
    pub(super) caller: &'j Caller,
    /// Bytes of its board.
    pub(super) bytes: usize,
}

/// Whether one more job may wait beside others.
///
/// # Errors
///
/// If that would be too many, too many of one caller, or too many bytes.
pub(super) fn admit<'j>(
    others: impl Iterator<Item = Waiting<'j>>,
    job: Waiting<'_>,
) -> Result<(), Refusal> {
    let (mut all, mut of_caller, mut bytes) = (1, 1, job.bytes);
    for other in others {
        all += 1;
        of_caller += usize::from(other.caller == job.caller);
        bytes += other.bytes;
    }
    at_most(Quantity::WaitingJobs, MOST_WAITING, all)?;
    at_most(Quantity::WaitingJobsOfClient, MOST_WAITING_OF_CALLER, of_caller)?;
    at_most(Quantity::WaitingBytes, MOST_WAITING_BYTES, bytes)
}

/// Whether so many workers may be registered.
///
/// # Errors
///
/// If they are too many.
pub(super) fn admit_workers(number: usize) -> Result<(), Refusal> {
    at_most(Quantity::Workers, MOST_WORKERS, number)
}

fn at_most(quantity: Quantity, limit: usize, found: usize) -> Result<(), Refusal> {
    if found <= limit {
        return Ok(());
    }
    Err(Refusal::TooMuch { quantity, limit: limit as u64, found: found as u64 })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Caller =
        Caller::Address(std::net::IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1)));
    const SECOND: Caller = Caller::Unknown;

    fn refusal(others: &[(&Caller, usize)], bytes: usize) -> Option<(Quantity, u64, u64)> {
        let others = others.iter().map(|&(caller, bytes)| Waiting { caller, bytes });
        match admit(others, Waiting { caller: &FIRST, bytes }) {
            Ok(()) => None,
            Err(Refusal::TooMuch { quantity, limit, found }) => Some((quantity, limit, found)),
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn a_caller_can_fill_its_share_and_not_the_others() {
        let mut waiting = vec![(&FIRST, 100); MOST_WAITING_OF_CALLER - 1];
        waiting.extend(vec![(&SECOND, 100); MOST_WAITING_OF_CALLER]);
        assert_eq!(refusal(&waiting, 100), None);
        waiting.push((&FIRST, 100));
        assert_eq!(refusal(&waiting, 100), Some((Quantity::WaitingJobsOfClient, 2_000, 2_001)));
    }

    #[test]
    fn the_queue_has_an_end() {
        let mut waiting = vec![(&SECOND, 1); MOST_WAITING - 1];
        assert_eq!(refusal(&waiting, 1), None);
        waiting.push((&SECOND, 1));
        assert_eq!(refusal(&waiting, 1), Some((Quantity::WaitingJobs, 10_000, 10_001)));
    }

    #[test]
    fn boards_that_wait_are_counted_in_bytes() {
        let waiting = [(&SECOND, MOST_WAITING_BYTES - 64)];
        assert_eq!(refusal(&waiting, 64), None);
        let limit = MOST_WAITING_BYTES as u64;
        assert_eq!(refusal(&waiting, 65), Some((Quantity::WaitingBytes, limit, limit + 1)));
    }

    #[test]
    fn workers_are_as_many_as_a_job_can_have() {
        assert_eq!(admit_workers(1024), Ok(()));
        let (limit, found, quantity) = (1024, 1025, Quantity::Workers);
        assert_eq!(admit_workers(1025), Err(Refusal::TooMuch { quantity, limit, found }));
    }
}
