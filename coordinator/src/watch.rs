//! Watching a search from beside it: the clock, the signals, and the figures for the reader.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use sokohive_engine::{Control, Progress, Stop};

use crate::interrupt::Interrupt;

/// How often the watcher looks: the delay of an interrupt, and of the newest figures.
const TICK: Duration = Duration::from_millis(50);

/// Window over which the rate is measured.
const RATE_WINDOW: Duration = Duration::from_secs(1);

/// A count that stands still for so long really does.
const STALE: Duration = Duration::from_secs(10);

/// A glance at a running search, with the time the engine does not know.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Glance {
    /// What the search shows.
    pub(crate) progress: Progress,
    /// Time since the start of the search.
    pub(crate) elapsed: Duration,
    /// States stored per second, lately.
    pub(crate) states_per_second: u64,
}

/// Runs `search` while a second thread stops it at `timeout` or on an interrupt, and calls `show`
/// about every [`TICK`] with what `look` sees.
///
/// The thread ends with the search, also when the search panics: it waits on a channel whose other
/// end the search's frame owns.
pub(crate) fn watched<T>(
    control: &Control,
    timeout: Option<Duration>,
    interrupt: &Interrupt,
    look: impl Fn() -> Progress + Send,
    mut show: impl FnMut(Glance) + Send,
    search: impl FnOnce() -> T,
) -> T {
    let start = Instant::now();
    let mut rate = Rate::new();
    thread::scope(|scope| {
        let (alive, over) = mpsc::channel::<()>();
        scope.spawn(move || {
            loop {
                let elapsed = start.elapsed();
                if interrupt.raised() {
                    control.stop(Stop::Interrupt);
                }
                let left = timeout.map(|timeout| timeout.saturating_sub(elapsed));
                if left == Some(Duration::ZERO) {
                    control.stop(Stop::Time);
                }
                let wait = left.filter(|left| !left.is_zero()).map_or(TICK, |left| left.min(TICK));
                match over.recv_timeout(wait) {
                    Err(RecvTimeoutError::Timeout) => {}
                    Ok(()) | Err(RecvTimeoutError::Disconnected) => break,
                }
                let (progress, elapsed) = (look(), start.elapsed());
                let states_per_second = rate.observe(elapsed, progress.states);
                show(Glance { progress, elapsed, states_per_second });
            }
        });
        let result = search();
        drop(alive);
        result
    })
}

/// A count's growth per second over the last [`RATE_WINDOW`].
#[derive(Debug)]
struct Rate {
    since: Duration,
    count: u64,
    latest: u64,
}

impl Rate {
    fn new() -> Self {
        Self { since: Duration::ZERO, count: 0, latest: 0 }
    }

    fn observe(&mut self, now: Duration, count: u64) -> u64 {
        let window = now.saturating_sub(self.since);
        // Figures that have not moved are old ones, unless they stay so.
        let moved = count != self.count || window >= STALE;
        let full = moved && window >= RATE_WINDOW;
        if full || self.since.is_zero() {
            self.latest = per_second(count.saturating_sub(self.count), window);
        }
        if full {
            (self.since, self.count) = (now, count);
        }
        self.latest
    }
}

/// `count` in `span`, per second; 0 for no time at all.
pub(crate) fn per_second(count: u64, span: Duration) -> u64 {
    let seconds = span.as_secs_f64();
    if seconds > 0.0 { (count as f64 / seconds) as u64 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_follows_the_last_second() {
        let mut rate = Rate::new();
        assert_eq!(rate.observe(Duration::from_millis(500), 500), 1_000);
        assert_eq!(rate.observe(Duration::from_millis(1_000), 1_000), 1_000);
        assert_eq!(rate.observe(Duration::from_millis(1_500), 9_000), 1_000, "the window is open");
        assert_eq!(rate.observe(Duration::from_millis(2_000), 11_000), 10_000);
    }

    #[test]
    fn time_stops_the_search_soon_after_it_is_over() {
        let control = Control::new();
        let start = Instant::now();
        let timeout = Some(Duration::from_millis(120));
        watched(
            &control,
            timeout,
            &Interrupt::default(),
            || control.progress(),
            |_| {},
            || {
                while control.stopped().is_none() {
                    thread::sleep(Duration::from_millis(1));
                }
            },
        );
        assert_eq!(control.stopped(), Some(Stop::Time));
        assert!(start.elapsed() >= Duration::from_millis(120));
        assert!(start.elapsed() < Duration::from_millis(1_000));
    }

    #[test]
    fn the_watcher_ends_with_a_panicking_search() {
        let control = Control::new();
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let (interrupt, look) = (Interrupt::default(), || control.progress());
            watched(&control, None, &interrupt, look, |_| {}, || panic!("on purpose"));
        }));
        assert!(caught.is_err());
    }
}
