//! Where events go: results to one stream, progress and messages to another.

mod json;
mod live;
mod text;

use std::io::{self, Write};
use std::sync::Mutex;

use crate::event::Event;
use live::{Live, LiveStyle};

pub(crate) use text::{limit_word, message};

/// How results are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// One line a fact, `name=value` words.
    #[default]
    Text,
    /// One JSON object a board and line.
    Json,
}

/// How much is said beside the results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Verbosity {
    /// Errors only.
    Quiet,
    /// Errors and progress.
    #[default]
    Normal,
    /// Also what each board is searched with, and every counter at its end.
    Verbose,
}

/// What the reader asked to see.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Style {
    /// How results are written.
    pub(crate) format: Format,
    /// How much is said beside them.
    pub(crate) verbosity: Verbosity,
    /// Whether move strings are printed.
    pub(crate) solution: bool,
}

/// Takes events from any thread and writes what the reader asked for.
///
/// One lock around both streams keeps lines whole and in order: the progress line is taken off the
/// terminal before a result is written.
pub(crate) struct Reporter<O, E> {
    style: Style,
    streams: Mutex<Streams<O, E>>,
}

struct Streams<O, E> {
    results: O,
    messages: E,
    live: Live,
}

impl Reporter<io::Stdout, io::Stderr> {
    /// Results on standard output, the rest on standard error.
    pub(crate) fn standard(style: Style) -> Self {
        Self::new(style, LiveStyle::standard(style.verbosity), io::stdout(), io::stderr())
    }
}

impl Reporter<io::Sink, io::Stderr> {
    /// Progress and messages on standard error, for a command that prints results its own way.
    pub(crate) fn messages_only(style: Style) -> Self {
        Self::new(style, LiveStyle::standard(style.verbosity), io::sink(), io::stderr())
    }
}

impl<O: Write, E: Write> Reporter<O, E> {
    fn new(style: Style, live: LiveStyle, results: O, messages: E) -> Self {
        let live = Live::new(live);
        Self { style, streams: Mutex::new(Streams { results, messages, live }) }
    }

    /// Writes what `event` means to the reader.
    ///
    /// # Errors
    ///
    /// Only if the results cannot be written. A reader who closed the messages does not stop a proof.
    pub(crate) fn emit(&self, event: &Event<'_>) -> io::Result<()> {
        // A panic while the lock was held leaves a line unfinished, nothing worse.
        let mut streams = self.streams.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let Streams { results, messages, live } = &mut *streams;
        let _ = live.show(event, messages);
        let _ = text::write_messages(event, self.style.verbosity, messages);
        match self.style.format {
            Format::Text => text::write_results(event, self.style.solution, results)?,
            Format::Json => json::write_results(event, self.style.solution, results)?,
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
