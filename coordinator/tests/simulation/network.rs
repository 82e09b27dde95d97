//! What may happen to a message.

use std::time::Duration;

use crate::random::Random;

/// How bad the network is; drawn once a simulation.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    /// Messages lost, in a thousand.
    drop: u64,
    /// Messages delivered twice, in a thousand.
    duplicate: u64,
    /// Longest usual delay, in microseconds.
    delay: u64,
    /// Messages that take up to twenty seconds, in a thousand.
    straggle: u64,
}

impl Network {
    pub(crate) fn random(random: &mut Random) -> Self {
        let some =
            |random: &mut Random, most| if random.permille(400) { 0 } else { random.below(most) };
        Self {
            drop: some(random, 40),
            duplicate: some(random, 200),
            delay: [200, 2_000, 30_000][random.below(3) as usize],
            straggle: some(random, 60),
        }
    }

    /// When the copies of a message arrive, after it is sent: none, one or two.
    pub(crate) fn send(&self, random: &mut Random) -> Vec<Duration> {
        if random.permille(self.drop) {
            return Vec::new();
        }
        let mut copies = vec![self.delay(random)];
        if random.permille(self.duplicate) {
            copies.push(self.delay(random));
        }
        copies
    }

    fn delay(&self, random: &mut Random) -> Duration {
        let longest = match random.permille(self.straggle) {
            true => [300_000, 2_000_000, 20_000_000][random.below(3) as usize],
            false => self.delay,
        };
        Duration::from_micros(random.between(20, longest))
    }
}
