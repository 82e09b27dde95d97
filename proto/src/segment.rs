//! Parts of journals.

use std::fmt;

use crate::bad_field::required;
use crate::{BadField, Epoch, Fence, JobKey, wire};

/// Most segments in one message or checkpoint.
pub const MAX_SEGMENTS: usize = 65_536;

/// Name of a segment's file: job, epoch, index of the worker, number of the file.
///
/// A name that has been read is of this form and no other, so it is no path to anywhere else.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SegmentName {
    text: String,
    job: JobKey,
    epoch: Epoch,
}

/// The first part of a segment's file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Segment {
    /// Name of the file.
    pub name: SegmentName,
    /// Length of the part, in bytes.
    pub bytes: u64,
    /// Records in it.
    pub records: u64,
}

impl SegmentName {
    /// Reads a name.
    ///
    /// # Errors
    ///
    /// If it is of another form.
    pub fn new(text: &str) -> Result<Self, BadField> {
        let parts = || {
            let mut parts = text.strip_suffix(".seg")?.split('-');
            let job = parts.next().filter(|job| {
                let digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
                job.len() == 16 && job.bytes().all(digit)
            })?;
            let mut number = || {
                let part = parts.next()?;
                // The one way to write a number, so that two names are never one file.
                let canonical = part == "0" || !part.starts_with(['0', '+']);
                part.parse::<u64>().ok().filter(|_| canonical)
            };
            let (epoch, _writer, _number) = (number()?, number()?, number()?);
            let job = u64::from_str_radix(job, 16).ok()?;
            let rest = parts.next();
            let epoch = Epoch::new(epoch)?;
            (job != 0 && rest.is_none()).then(|| (JobKey::new(job), epoch))
        };
        match parts() {
            Some((job, epoch)) => Ok(Self { text: text.to_owned(), job, epoch }),
            None => {
                let shown: String = text.chars().take(80).collect();
                Err(BadField::new("segment.name", format_args!("{shown:?} names no segment")))
            }
        }
    }

    /// What all names begin with that a worker of some index writes under a fence; the number of
    /// the file and `.seg` follow after a hyphen.
    pub fn prefix(fence: Fence, index: u16) -> String {
        format!("{}-{}-{index}", fence.job, fence.epoch)
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The job that it belongs to.
    pub fn job(&self) -> JobKey {
        self.job
    }

    /// The epoch that it was begun in.
    pub fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// Reads a list of names.
    pub(crate) fn list(names: &[String]) -> Result<Vec<Self>, BadField> {
        check_number(names.len())?;
        names.iter().map(|name| Self::new(name)).collect()
    }
}

impl fmt::Display for SegmentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<Segment> for wire::Segment {
    fn from(segment: Segment) -> Self {
        let Segment { name, bytes, records } = segment;
        Self { name: name.text, bytes, records }
    }
}

impl TryFrom<wire::Segment> for Segment {
    type Error = BadField;

    fn try_from(segment: wire::Segment) -> Result<Self, BadField> {
        let wire::Segment { name, bytes, records } = segment;
        Ok(Self { name: SegmentName::new(&name)?, bytes, records })
    }
}

impl Segment {
    /// Reads a list of segments.
    pub(crate) fn list(segments: Vec<wire::Segment>) -> Result<Vec<Self>, BadField> {
        check_number(segments.len())?;
        segments.into_iter().map(Self::try_from).collect()
    }

    /// Reads the field `segment` of a message.
    pub(crate) fn from_field(segment: Option<wire::Segment>) -> Result<Self, BadField> {
        required("segment", segment)?.try_into()
    }
}

pub(crate) fn check_number(segments: usize) -> Result<(), BadField> {
    if segments > MAX_SEGMENTS {
        let problem = format!("{segments} segments, expected at most {MAX_SEGMENTS}");
        return Err(BadField::new("segments", problem));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::SegmentName;
    use crate::{Epoch, Fence, JobKey};

    #[test]
    fn names_say_job_and_epoch() {
        let fence = Fence { job: JobKey::new(0xc0ffee), epoch: Epoch::after(2) };
        let text = format!("{}-17.seg", SegmentName::prefix(fence, 4));
        assert_eq!(text, "0000000000c0ffee-3-4-17.seg");
        let name = SegmentName::new(&text).unwrap();
        assert_eq!((name.job(), name.epoch()), (fence.job, fence.epoch));
        assert_eq!(name.to_string(), text);
    }

    #[test]
    fn nothing_else_is_a_name() {
        let bad = [
            "",
            ".seg",
            "../../0000000000c0ffee-3-4-17.seg",
            "0000000000c0ffee-3-4-17.seg/..",
            "0000000000C0FFEE-3-4-17.seg",
            "000000000c0ffee-3-4-17.seg",
            "0000000000c0ffee-3-4.seg",
            "0000000000c0ffee-3-4-17-1.seg",
            "0000000000c0ffee-3-4-.seg",
            "0000000000c0ffee-3-+4-1.seg",
            "0000000000c0ffee-03-4-1.seg",
            "0000000000c0ffee-0-4-1.seg",
            "0000000000000000-3-4-1.seg",
            "0000000000c0ffee-3-4-99999999999999999999999.seg",
            "0000000000c0ffee-3-4-17.seg\n",
            "0000000000c0ffee-3-4-17\0.seg",
        ];
        for text in bad {
            assert!(SegmentName::new(text).is_err(), "{text:?}");
        }
    }
}
