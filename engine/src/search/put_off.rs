//! Successors that are not looked up yet, on disk.
//!
//! When the table is as large as it gets, memory is for states that have been opened, and for those of the open level. Other
//! successors whose state the table does not know are *put off*: they wait in a file, by f, duplicates and all, and are
//! looked up when their level is opened (delayed duplicate detection, R. E. Korf, *Best-first frontier search with delayed
//! duplicate detection*, 2004). A search can so have many times more states waiting than fit its memory.
//!
//! The file has no name once it is open. It is only appended to; the places of what was read are given back to the file
//! system. An extent is the xxh3 of its payload, seeded with its place (8 bytes), and a payload in the form of a batch.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{FallocateFlags, fallocate};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::nameless::Nameless;
use super::spill::SpillPlace;

/// Where some successors of one side and f are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    place: u64,
    length: u32,
    /// How many successors.
    pub(crate) count: u32,
}

/// A file of extents.
pub(crate) struct PutOff {
    file: Nameless,
    /// Where the next extent goes.
    end: AtomicU64,
    /// Bytes of extents that have not been read.
    held: AtomicU64,
    written: AtomicU64,
}

impl PutOff {
    /// Opens a file of its own in the folder.
    pub(crate) fn new(place: &SpillPlace) -> io::Result<Self> {
        Ok(Self {
            file: Nameless::new(place)?,
            end: AtomicU64::new(0),
            held: AtomicU64::new(0),
            written: AtomicU64::new(0),
        })
    }

    /// What has gone wrong, for people.
    pub(crate) fn fault(&self) -> Option<&str> {
        self.file.fault()
    }

    /// Bytes ever written.
    pub(crate) fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    /// Writes payloads of so many successors each, in one go.
    pub(crate) fn write(&self, payloads: &[(Vec<u8>, u32)]) -> io::Result<Vec<Extent>> {
        let length: usize = payloads.iter().map(|(payload, _)| 8 + payload.len()).sum();
        let start = self.end.fetch_add(length as u64, Ordering::Relaxed);
        let mut bytes = Vec::with_capacity(length);
        let mut extents = Vec::with_capacity(payloads.len());
        for (payload, count) in payloads {
            let place = start + bytes.len() as u64;
            bytes.extend(xxh3_64_with_seed(payload, place).to_le_bytes());
            bytes.extend(payload);
            extents.push(Extent { place, length: 8 + payload.len() as u32, count: *count });
        }
        let held = self.held.fetch_add(length as u64, Ordering::Relaxed) + length as u64;
        if held > self.file.most_bytes() {
            return Err(self.file.full());
        }
        self.file.write(&bytes, start)?;
        self.written.fetch_add(length as u64, Ordering::Relaxed);
        Ok(extents)
    }

    /// Reads a payload back, and gives its place up.
    pub(crate) fn read(&self, extent: Extent) -> io::Result<Vec<u8>> {
        let Extent { place, length, .. } = extent;
        let mut bytes = vec![0; length as usize];
        self.file.read(&mut bytes, place)?;
        let payload = bytes.split_off(8);
        if bytes != xxh3_64_with_seed(&payload, place).to_le_bytes() {
            return Err(self.file.damaged());
        }
        self.held.fetch_sub(length.into(), Ordering::Relaxed);
        // Not every file system can; then the room comes back at the end.
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        let _ = fallocate(&self.file.file, flags, place, length.into());
        Ok(payload)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use super::*;

    fn put_off(most_bytes: u64) -> PutOff {
        let directory = std::env::temp_dir();
        PutOff::new(&SpillPlace { directory, most_bytes, share: 0 }).expect("a file can be made")
    }

    #[test]
    fn payloads_come_back_and_damage_is_found() {
        let file = put_off(1 << 20);
        let payloads: Vec<(Vec<u8>, u32)> =
            (1..50_u8).map(|n| (vec![n; usize::from(n) * 300], n.into())).collect();
        let first = file.write(&payloads).expect("there is room");
        let second = file.write(&payloads[..3]).expect("there is room");
        for (extent, (payload, count)) in first.iter().zip(&payloads) {
            assert_eq!((file.read(*extent).ok().as_ref(), extent.count), (Some(payload), *count));
        }
        for at in [0, 7, 8, 200] {
            let place = second[0].place + at;
            let mut byte = [0];
            file.file.file.read_exact_at(&mut byte, place).expect("there");
            file.file.file.write_all_at(&[byte[0] ^ 1], place).expect("there");
            assert_eq!(
                file.read(second[0]).expect_err("damaged").kind(),
                io::ErrorKind::InvalidData
            );
            file.file.file.write_all_at(&byte, place).expect("there");
        }
        assert!(file.read(second[0]).is_ok());
    }

    #[test]
    fn no_more_waits_than_allowed_but_more_may_pass_through() {
        let file = put_off(1_000);
        for _ in 0..10 {
            let extents = file.write(&[(vec![7; 500], 1)]).expect("there is room");
            assert!(file.read(extents[0]).is_ok());
        }
        assert!(file.write(&[(vec![7; 500], 1), (vec![7; 500], 1)]).is_err());
        assert!(file.fault().is_some_and(|fault| fault.contains("more than 1000 bytes there")));
    }
}
