//! What is written down of a search.

use prost::Message;
use sokohive_engine::{Reached, SearchChoice, Statistics};

use crate::bad_field::{moves_from_field, nonzero, required};
use crate::segment::check_number;
use crate::task::search_from_field;
use crate::{BadField, Epoch, Finish, JobKey, JobResult, Segment, Task, wire};

/// A segment and who wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedSegment {
    /// The segment.
    pub segment: Segment,
    /// Host and port of the worker that wrote it; empty for a search in one process.
    pub writer: String,
}

/// A search at a moment when one level was over and the next was not open yet. The states are in
/// segments of journals, the rest is here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Version of the program that wrote it.
    pub program: String,
    /// The job.
    pub job: JobKey,
    /// The largest epoch that any attempt has used, or is about to use.
    pub epoch: Epoch,
    /// What results are printed under.
    pub name: String,
    /// What is to be proven.
    pub task: Task,
    /// The ends that are searched from; never [`SearchChoice::Auto`].
    pub search: SearchChoice,
    /// How far the levels have got.
    pub reached: Reached,
    /// The best solution found.
    pub best: Option<Finish>,
    /// What has been counted up to there, over all attempts.
    pub statistics: Statistics,
    /// All of the tables.
    pub segments: Vec<PlacedSegment>,
    /// Host and port of every worker of the newest attempt; none for a search in one process.
    pub workers: Vec<String>,
    /// The result, once the search is over; the segments may be gone then.
    pub result: Option<JobResult>,
}

impl Checkpoint {
    /// The message, as bytes.
    pub fn encode(&self) -> Vec<u8> {
        wire::Checkpoint::from(self.clone()).encode_to_vec()
    }

    /// Reads the bytes of a message.
    ///
    /// # Errors
    ///
    /// If they are no such message, or one of its fields makes no sense.
    pub fn decode(bytes: &[u8]) -> Result<Self, BadField> {
        let broken = |error| BadField::new("checkpoint", format_args!("{error}"));
        wire::Checkpoint::decode(bytes).map_err(broken)?.try_into()
    }
}

impl From<Reached> for wire::Reached {
    fn from(reached: Reached) -> Self {
        let [closed_forward, closed_backward] = reached.closed;
        let Reached { lower_bound, levels, put_off, .. } = reached;
        Self { lower_bound, levels, closed_forward, closed_backward, put_off }
    }
}

impl TryFrom<wire::Reached> for Reached {
    type Error = BadField;

    fn try_from(reached: wire::Reached) -> Result<Self, BadField> {
        let closed = |field, f: Option<u32>| f.map(|f| moves_from_field(field, f)).transpose();
        Ok(Self {
            lower_bound: moves_from_field("reached.lower_bound", reached.lower_bound)?,
            levels: reached.levels,
            closed: [
                closed("reached.closed_forward", reached.closed_forward)?,
                closed("reached.closed_backward", reached.closed_backward)?,
            ],
            put_off: reached.put_off,
        })
    }
}

impl From<Checkpoint> for wire::Checkpoint {
    fn from(checkpoint: Checkpoint) -> Self {
        let placed = |placed: PlacedSegment| wire::PlacedSegment {
            segment: Some(placed.segment.into()),
            writer: placed.writer,
        };
        Self {
            program: checkpoint.program,
            job: checkpoint.job.get(),
            epoch: checkpoint.epoch.get(),
            name: checkpoint.name,
            task: Some(checkpoint.task.into()),
            search: wire::Search::from(checkpoint.search).into(),
            reached: Some(checkpoint.reached.into()),
            best: checkpoint.best.map(Into::into),
            statistics: Some(checkpoint.statistics.into()),
            segments: checkpoint.segments.into_iter().map(placed).collect(),
            workers: checkpoint.workers,
            result: checkpoint.result.map(Into::into),
        }
    }
}

impl TryFrom<wire::Checkpoint> for Checkpoint {
    type Error = BadField;

    fn try_from(checkpoint: wire::Checkpoint) -> Result<Self, BadField> {
        check_number(checkpoint.segments.len())?;
        let placed = |placed: wire::PlacedSegment| {
            let segment = Segment::from_field(placed.segment)?;
            Ok(PlacedSegment { segment, writer: placed.writer })
        };
        let search = search_from_field("search", checkpoint.search)?;
        if search == SearchChoice::Auto {
            return Err(BadField::new("search", "not decided"));
        }
        let segments: Vec<PlacedSegment> =
            checkpoint.segments.into_iter().map(placed).collect::<Result<_, _>>()?;
        let mut names: Vec<_> = segments.iter().map(|placed| &placed.segment.name).collect();
        names.sort();
        if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(BadField::new("segments", format_args!("{} is there twice", twice[0])));
        }
        Ok(Self {
            program: checkpoint.program,
            job: JobKey::new(nonzero("job", checkpoint.job)?),
            epoch: Epoch::from_field("epoch", checkpoint.epoch)?,
            name: checkpoint.name,
            task: Task::from_field(checkpoint.task)?,
            search,
            reached: required("reached", checkpoint.reached)?.try_into()?,
            best: checkpoint.best.map(Finish::try_from).transpose()?,
            statistics: checkpoint.statistics.unwrap_or_default().into(),
            segments,
            workers: checkpoint.workers,
            result: checkpoint.result.map(JobResult::try_from).transpose()?,
        })
    }
}
