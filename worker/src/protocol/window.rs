//! Which batches of a sender have been taken in.

/// How far ahead of the first missing number a sequence number may be. A sender has at most
/// [`MAX_IN_FLIGHT`](super::MAX_IN_FLIGHT) batches unacknowledged, so numbers beyond are nonsense.
const WIDTH: u64 = 64;

/// The sequence numbers taken in from one sender: applied exactly once, in any order, however
/// often they come.
#[derive(Clone, Debug, Default)]
pub(super) struct Window {
    /// All numbers up to this one have been taken in.
    floor: u64,
    /// Bit i: `floor + 1 + i` has been taken in. INVARIANT: bit 0 is clear.
    above: u64,
}

/// What a sequence number means to a [`Window`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    /// Not taken in yet.
    Fresh,
    /// Taken in before.
    Repeated,
    /// Too far ahead; the largest number that would do.
    TooFar(u64),
}

impl Window {
    /// What `sequence` means now.
    pub(super) fn look(&self, sequence: u64) -> Arrival {
        let Some(ahead) = sequence.checked_sub(self.floor + 1) else {
            return Arrival::Repeated;
        };
        if ahead >= WIDTH {
            Arrival::TooFar(self.floor + WIDTH)
        } else if self.above >> ahead & 1 == 1 {
            Arrival::Repeated
        } else {
            Arrival::Fresh
        }
    }

    /// Takes in a number that is [`Arrival::Fresh`].
    pub(super) fn accept(&mut self, sequence: u64) {
        debug_assert_eq!(self.look(sequence), Arrival::Fresh);
        self.above |= 1 << (sequence - self.floor - 1);
        let run = self.above.trailing_ones();
        self.floor += u64::from(run);
        self.above = self.above.checked_shr(run).unwrap_or(0);
    }
}

#[cfg(test)]
mod tests {
    use super::{Arrival, WIDTH, Window};

    #[test]
    fn any_order_is_taken_in_once() {
        let mut window = Window::default();
        for sequence in [3, 1, 2, 5, 4, 64, 65] {
            assert_eq!(window.look(sequence), Arrival::Fresh, "{sequence}");
            window.accept(sequence);
            assert_eq!(window.look(sequence), Arrival::Repeated, "{sequence}");
        }
        assert_eq!(window.floor, 5);
        assert_eq!(window.look(0), Arrival::Repeated);
        assert_eq!(window.look(6), Arrival::Fresh);
        assert_eq!(window.look(5 + WIDTH + 1), Arrival::TooFar(5 + WIDTH));
        assert_eq!(window.look(u64::MAX), Arrival::TooFar(5 + WIDTH));
    }

    #[test]
    fn a_full_window_moves_on() {
        let mut window = Window::default();
        (1..=WIDTH).rev().for_each(|sequence| window.accept(sequence));
        assert_eq!(window.floor, WIDTH);
        assert_eq!(window.look(WIDTH + 1), Arrival::Fresh);
    }
}
