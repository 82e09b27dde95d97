//! The search as it goes: one line kept fresh on a terminal, plain lines elsewhere.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::Verbosity;
use crate::event::Event;
use crate::units::{Bytes, Count};
use crate::watch::Glance;

/// Time between plain lines. Readers are promised one every two seconds; the rest is slack.
const LINE_INTERVAL: Duration = Duration::from_millis(1_500);

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LiveStyle {
    /// Not at all.
    Off,
    /// As lines of text.
    Lines,
    /// As one line that changes.
    Terminal,
}

impl LiveStyle {
    /// What suits standard error.
    pub(super) fn standard(verbosity: Verbosity) -> Self {
        match verbosity {
            Verbosity::Quiet => Self::Off,
            _ if io::stderr().is_terminal() => Self::Terminal,
            _ => Self::Lines,
        }
    }
}

/// Shows progress events.
#[derive(Debug)]
pub(super) enum Live {
    /// Nothing is shown.
    Off,
    /// The next line is due at this time of the board's search.
    Lines(Duration),
    /// The line on the terminal, while a board is searched.
    Terminal(Option<ProgressBar>),
}

impl Live {
    pub(super) fn new(style: LiveStyle) -> Self {
        match style {
            LiveStyle::Off => Self::Off,
            LiveStyle::Lines => Self::Lines(LINE_INTERVAL),
            LiveStyle::Terminal => Self::Terminal(None),
        }
    }

    pub(super) fn show(&mut self, event: &Event<'_>, out: &mut impl Write) -> io::Result<()> {
        match (self, event) {
            (Self::Lines(due), Event::Started(..)) => *due = LINE_INTERVAL,
            (Self::Lines(due), Event::Progress(id, glance)) if glance.elapsed >= *due => {
                *due = glance.elapsed + LINE_INTERVAL;
                writeln!(out, "{}", line(id, glance))?;
            }
            (Self::Terminal(bar), Event::Started(..)) => *bar = Some(new_bar()),
            (Self::Terminal(bar), Event::Progress(id, glance)) => {
                bar.get_or_insert_with(new_bar).set_message(line(id, glance));
            }
            (Self::Terminal(bar), _) => {
                if let Some(bar) = bar.take() {
                    bar.finish_and_clear();
                }
            }
            _ => {}
        }
        Ok(())
    }
}

fn new_bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    // The template is a constant; if it were wrong, the default style would do.
    if let Ok(style) = ProgressStyle::with_template("{wide_msg}") {
        bar.set_style(style);
    }
    bar
}

/// The figures, the more important ones first: a narrow terminal cuts the end off.
fn line(id: &str, glance: &Glance) -> String {
    let progress = &glance.progress;
    let best = progress.best.map_or_else(|| "none".to_owned(), |best| best.to_string());
    format!(
        "{id} {:.1} s: at least {}, best {best}, {} expanded, {} states/s, {}",
        glance.elapsed.as_secs_f64(),
        progress.lower_bound,
        Count(progress.expanded),
        Count(glance.states_per_second),
        Bytes(progress.memory),
    )
}
