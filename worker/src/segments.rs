//! The files of journals, as far as they outlive the shards that write them.

use std::path::Path;
use std::{fs, io};

use sokohive_proto::{Epoch, JobKey, Segment, SegmentName};
use tracing::warn;

/// Which of the segments are in a folder, and at least as long as they should be.
pub(crate) fn present(folder: &Path, segments: &[Segment]) -> Vec<bool> {
    let there = |segment: &Segment| {
        let found = fs::metadata(folder.join(segment.name.as_str()));
        found.is_ok_and(|found| found.is_file() && found.len() >= segment.bytes)
    };
    segments.iter().map(there).collect()
}

/// Deletes segments. Those that are not there do no harm.
pub(crate) fn remove(folder: &Path, names: &[SegmentName]) {
    for name in names {
        match fs::remove_file(folder.join(name.as_str())) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                warn!("segment {name} not deleted: {error}");
            }
            Ok(()) | Err(_) => {}
        }
    }
}

/// Deletes all segments of a job, or only those begun before some epoch, except those to be kept.
pub(crate) fn discard(folder: &Path, job: JobKey, before: Option<Epoch>, keep: &[SegmentName]) {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return,
        Err(error) => return warn!("{}: {error}", folder.display()),
    };
    let name = |entry: io::Result<fs::DirEntry>| {
        let name = entry.ok()?.file_name();
        SegmentName::new(name.to_str()?).ok()
    };
    let of_no_use = |name: &SegmentName| {
        name.job() == job
            && before.is_none_or(|before| name.epoch() < before)
            && !keep.contains(name)
    };
    let names: Vec<_> = entries.filter_map(name).filter(of_no_use).collect();
    remove(folder, &names);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_of_no_use_is_deleted() {
        let folder = format!("sokohive-segments-{}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        discard(&folder, JobKey::new(1), None, &[]);
        fs::create_dir_all(&folder).unwrap();
        let name = |job, epoch, number| {
            SegmentName::new(&format!("{job:016x}-{epoch}-0-{number}.seg")).unwrap()
        };
        let all = [name(1, 1, 0), name(1, 1, 1), name(1, 2, 0), name(2, 1, 0)];
        all.iter().for_each(|name| fs::write(folder.join(name.as_str()), "12345").unwrap());
        fs::write(folder.join("epoch"), "sokohive-epoch 1\n7\n").unwrap();
        let there = || {
            let segment = |name: &SegmentName| Segment { name: name.clone(), bytes: 5, records: 1 };
            present(&folder, &all.each_ref().map(segment))
        };
        assert_eq!(there(), [true; 4]);
        let longer = Segment { name: all[0].clone(), bytes: 6, records: 1 };
        assert_eq!(present(&folder, &[longer]), [false], "a shorter file is not the segment");
        discard(&folder, JobKey::new(1), Some(Epoch::after(1)), &all[1..2]);
        assert_eq!(there(), [false, true, true, true]);
        discard(&folder, JobKey::new(1), None, &[]);
        assert_eq!(there(), [false, false, false, true]);
        remove(&folder, &all);
        assert_eq!(there(), [false; 4]);
        assert!(folder.join("epoch").exists());
        fs::remove_dir_all(folder).unwrap();
    }
}
