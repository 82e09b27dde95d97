//! When is a level over?
//!
//! Mattern, "Algorithms for distributed termination detection", 1987, the four counter method:
//! the coordinator asks every worker in turn, in waves. If in two successive waves all workers
//! were idle and the numbers of batches sent and applied agree and have not changed, then nothing
//! was on its way at any moment between the waves, and nobody can become busy again.
//!
//! One wave is not enough. Workers answer at different times: one that has answered may be woken by a
//! batch whose sender is asked later, and the sums may agree by chance. A wave here is a set of
//! calls that starts after all answers of the wave before have come. What we changed: counts are
//! compared worker by worker rather than in sum, which is stricter and as cheap; batches are
//! counted when sealed and when applied, so a batch in an outbox, on the wire or in an inbox is on
//! its way.

/// What one worker says in one wave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Whether it has no work of the level.
    pub idle: bool,
    /// Batches ever sealed by it.
    pub sent: u64,
    /// Batches ever applied by it.
    pub applied: u64,
}

/// What a complete wave shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The level is over.
    Over,
    /// All is quiet: one more wave will tell.
    Confirm,
    /// Some worker is busy.
    Working,
    /// All are idle, batches are on their way.
    OnTheWay,
}

/// The waves of one level.
#[derive(Clone, Debug)]
pub struct Waves {
    current: Vec<Option<Counts>>,
    /// The wave before, if all was quiet in it.
    quiet: Option<Vec<Counts>>,
}

impl Waves {
    /// Waves over so many workers.
    pub fn new(workers: usize) -> Self {
        Self { current: vec![None; workers], quiet: None }
    }

    /// Takes note of an answer. A verdict comes with the last answer of a wave; the next wave may
    /// start then.
    pub fn record(&mut self, worker: usize, counts: Counts) -> Option<Verdict> {
        self.current[worker] = Some(counts);
        let wave: Vec<Counts> = self.current.iter().copied().collect::<Option<_>>()?;
        self.current.fill(None);
        let before = self.quiet.take();
        if wave.iter().any(|counts| !counts.idle) {
            return Some(Verdict::Working);
        }
        // Wrapping sums agree exactly when the sums do: no cluster sends 2⁶⁴ batches.
        let sum = |of: fn(&Counts) -> u64| wave.iter().map(of).fold(0, u64::wrapping_add);
        if sum(|counts| counts.sent) != sum(|counts| counts.applied) {
            return Some(Verdict::OnTheWay);
        }
        if before.as_ref() == Some(&wave) {
            return Some(Verdict::Over);
        }
        self.quiet = Some(wave);
        Some(Verdict::Confirm)
    }
}

#[cfg(test)]
mod tests {
    use super::{Counts, Verdict, Waves};

    fn idle(sent: u64, applied: u64) -> Counts {
        Counts { idle: true, sent, applied }
    }

    fn busy(sent: u64, applied: u64) -> Counts {
        Counts { idle: false, sent, applied }
    }

    /// One wave over two workers.
    fn wave(waves: &mut Waves, first: Counts, second: Counts) -> Verdict {
        assert_eq!(waves.record(0, first), None, "a wave is complete with its last answer");
        waves.record(1, second).unwrap()
    }

    #[test]
    fn two_quiet_waves_end_a_level() {
        let mut waves = Waves::new(2);
        assert_eq!(wave(&mut waves, busy(0, 0), idle(0, 0)), Verdict::Working);
        assert_eq!(wave(&mut waves, idle(3, 1), idle(1, 3)), Verdict::Confirm);
        assert_eq!(wave(&mut waves, idle(3, 1), idle(1, 3)), Verdict::Over);
    }

    #[test]
    fn the_last_active_worker_keeps_the_level_open() {
        let mut waves = Waves::new(2);
        assert_eq!(wave(&mut waves, idle(1, 0), idle(0, 1)), Verdict::Confirm);
        assert_eq!(wave(&mut waves, idle(1, 0), busy(0, 1)), Verdict::Working);
        assert_eq!(wave(&mut waves, idle(1, 0), idle(0, 1)), Verdict::Confirm, "starts anew");
        assert_eq!(wave(&mut waves, idle(1, 0), idle(0, 1)), Verdict::Over);
    }

    #[test]
    fn a_batch_on_its_way_keeps_the_level_open() {
        let mut waves = Waves::new(2);
        assert_eq!(wave(&mut waves, idle(2, 0), idle(0, 1)), Verdict::OnTheWay);
        assert_eq!(wave(&mut waves, idle(2, 0), idle(0, 2)), Verdict::Confirm);
    }

    /// The first worker answers, is woken by a batch that the second seals before it answers, and
    /// seals one itself that the second applies: the sums of the wave agree all the same.
    #[test]
    fn sums_that_agree_by_chance_do_not_end_a_level() {
        let mut waves = Waves::new(2);
        assert_eq!(wave(&mut waves, idle(0, 0), idle(1, 1)), Verdict::Confirm);
        assert_eq!(wave(&mut waves, idle(1, 1), idle(1, 1)), Verdict::Confirm);
        assert_eq!(wave(&mut waves, idle(1, 1), idle(1, 1)), Verdict::Over);
    }

    #[test]
    fn one_worker_alone_takes_two_waves_as_well() {
        let mut waves = Waves::new(1);
        assert_eq!(waves.record(0, idle(0, 0)), Some(Verdict::Confirm));
        assert_eq!(waves.record(0, idle(0, 0)), Some(Verdict::Over));
    }
}
