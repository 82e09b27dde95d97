//! The part of the open list that is on disk.
//!
//! Rows that are opened last wait in a file, so that memory is left to the table. The file is a row of blocks of one
//! size; a bucket knows its blocks, and blocks that were read are used again. The file has no name any more once it is
//! open, so that nothing is left of it however the process ends.
//!
//! # Layout of a block
//!
//! Little-endian. xxh3 of what follows, seeded with the number of the block (8); bytes that are used (4), runs (4); then
//! the runs: cost (4), rows (4), and the ranks, each in words of 64 bits.

use std::io;
use std::marker::PhantomData;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::nameless::Nameless;
use crate::rank::Rank;

/// Where rows of the open list may wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpillPlace {
    /// The folder; made if it is not there.
    pub directory: PathBuf,
    /// Most bytes on disk. Whatever is said here, a tenth of what is free at the start is left free.
    pub most_bytes: u64,
    /// Bytes of rows that stay in memory, as far as they can. With 0, successors of later levels are put off from the
    /// beginning, instead of from when the table can grow no more.
    pub share: u64,
}

/// Bytes of a block.
pub(crate) const BLOCK: usize = 64 << 10;
const HEADER: usize = 16;
const RUN_HEADER: usize = 8;

/// Rows of one cost.
pub(crate) type Run<R> = (u32, Vec<R>);

/// A file of blocks of rows.
pub(crate) struct Spill<R> {
    file: Nameless,
    /// Bytes of rows that stay in memory.
    share: u64,
    most_blocks: u64,
    blocks: Mutex<Blocks>,
    /// Bytes ever written.
    written: AtomicU64,
    rank: PhantomData<fn() -> R>,
}

#[derive(Default)]
struct Blocks {
    /// How many there are in the file.
    count: u64,
    /// Those that hold nothing any more.
    free: Vec<u64>,
}

impl<R: Rank> Spill<R> {
    /// Opens a file of its own in the folder.
    pub(crate) fn new(place: &SpillPlace) -> io::Result<Self> {
        let file = Nameless::new(place)?;
        Ok(Self {
            share: place.share,
            most_blocks: file.most_bytes() / BLOCK as u64,
            file,
            blocks: Mutex::default(),
            written: AtomicU64::new(0),
            rank: PhantomData,
        })
    }

    /// Bytes of rows that stay in memory, as far as they can.
    pub(crate) fn share(&self) -> u64 {
        self.share
    }

    /// What has gone wrong, for people; nothing is written any more then.
    pub(crate) fn fault(&self) -> Option<&str> {
        self.file.fault()
    }

    /// Bytes ever written.
    pub(crate) fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    /// Rows of one cost that a block holds.
    pub(crate) const fn rows_of_a_block() -> usize {
        (BLOCK - HEADER - RUN_HEADER) / (8 * R::WORDS)
    }

    /// Writes the first runs, as many as a block holds, splitting the last; takes from `runs` what it has written.
    pub(crate) fn write(&self, runs: &mut Vec<Run<R>>) -> io::Result<u64> {
        let Some(block) = self.allocate() else {
            return Err(self.file.full());
        };
        let (bytes, whole, rest) = Self::encode(runs, block);
        if let Err(error) = self.file.write(&bytes, block * BLOCK as u64) {
            self.free(block);
            return Err(error);
        }
        self.written.fetch_add(BLOCK as u64, Ordering::Relaxed);
        runs.drain(..whole);
        if rest > 0 {
            runs[0].1.drain(..rest);
        }
        Ok(block)
    }

    /// The block; how many runs are whole in it, and how many rows of the next.
    fn encode(runs: &[Run<R>], block: u64) -> (Vec<u8>, usize, usize) {
        let mut bytes = vec![0; HEADER];
        let (mut whole, mut rest) = (0, 0);
        let mut count = 0_u32;
        for (cost, rows) in runs {
            let room = (BLOCK - bytes.len()).saturating_sub(RUN_HEADER) / (8 * R::WORDS);
            let taken = rows.len().min(room);
            if taken == 0 && !rows.is_empty() {
                break;
            }
            count += 1;
            bytes.extend(cost.to_le_bytes());
            bytes.extend((taken as u32).to_le_bytes());
            for &rank in &rows[..taken] {
                (0..R::WORDS).for_each(|word| bytes.extend(rank.word(word as u32).to_le_bytes()));
            }
            if taken < rows.len() {
                rest = taken;
                break;
            }
            whole += 1;
        }
        let used = bytes.len() as u32;
        bytes[8..12].copy_from_slice(&used.to_le_bytes());
        bytes[12..16].copy_from_slice(&count.to_le_bytes());
        bytes.resize(BLOCK, 0);
        let sum = xxh3_64_with_seed(&bytes[8..], block);
        bytes[..8].copy_from_slice(&sum.to_le_bytes());
        (bytes, whole, rest)
    }

    /// Reads a block back. Its place is free from then on.
    pub(crate) fn read(&self, block: u64) -> io::Result<Vec<Run<R>>> {
        let mut bytes = vec![0; BLOCK];
        self.file.read(&mut bytes, block * BLOCK as u64)?;
        let runs = Self::decode(&bytes, block).ok_or_else(|| self.file.damaged())?;
        self.free(block);
        Ok(runs)
    }

    fn decode(bytes: &[u8], block: u64) -> Option<Vec<Run<R>>> {
        if word(&bytes[..8]) != xxh3_64_with_seed(&bytes[8..], block) {
            return None;
        }
        // As it was written, so it makes sense; but a short slice is no reason to panic.
        let (used, count) = (word(&bytes[8..12]) as usize, word(&bytes[12..16]));
        let mut rest = bytes.get(HEADER..used)?;
        let mut runs = Vec::new();
        for _ in 0..count {
            let (head, after) = rest.split_at_checked(RUN_HEADER)?;
            let (cost, rows) = (word(&head[..4]) as u32, word(&head[4..]) as usize);
            let (ranks, after) = after.split_at_checked(rows.checked_mul(8 * R::WORDS)?)?;
            let rank = |bytes: &[u8]| {
                let words = bytes.chunks_exact(8).map(word).enumerate();
                words
                    .fold(R::ZERO, |rank, (index, word)| rank.add(R::from_word(word, index as u32)))
            };
            runs.push((cost, ranks.chunks_exact(8 * R::WORDS).map(rank).collect()));
            rest = after;
        }
        Some(runs)
    }

    fn allocate(&self) -> Option<u64> {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(block) = blocks.free.pop() {
            return Some(block);
        }
        if blocks.count >= self.most_blocks {
            return None;
        }
        blocks.count += 1;
        Some(blocks.count - 1)
    }

    fn free(&self, block: u64) {
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner).free.push(block);
    }

    #[cfg(test)]
    fn blocks(&self) -> u64 {
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner).count
    }
}

/// The number that up to eight bytes write, the least significant first.
fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use ethnum::U256;

    use super::*;

    fn spill<R: Rank>(most_bytes: u64) -> Spill<R> {
        let directory = std::env::temp_dir();
        Spill::new(&SpillPlace { directory, most_bytes, share: 0 }).expect("a file can be made")
    }

    fn ranks<R: Rank>(count: u64) -> Vec<R> {
        (0..count)
            .map(|n| (0..R::WORDS as u32).fold(R::ZERO, |r, w| r.add(R::from_word(n * 31 + 7, w))))
            .collect()
    }

    fn round_trip<R: Rank>() {
        let spill = spill::<R>(u64::MAX);
        let whole: Vec<Run<R>> =
            vec![(9, ranks(20_000)), (8, ranks(3)), (7, ranks(1)), (3, ranks(9_000))];
        let mut runs = whole.clone();
        let mut blocks = Vec::new();
        while !runs.is_empty() {
            blocks.push(spill.write(&mut runs).expect("there is room"));
        }
        assert!(blocks.len() > 2);
        let mut back: Vec<Run<R>> = Vec::new();
        for &block in &blocks {
            for (cost, rows) in spill.read(block).expect("as written") {
                match back.last_mut() {
                    Some(last) if last.0 == cost => last.1.extend(rows),
                    _ => back.push((cost, rows)),
                }
            }
        }
        assert_eq!(back, whole);
        // The places are used again.
        let mut runs = whole;
        while !runs.is_empty() {
            spill.write(&mut runs).expect("there is room");
        }
        assert_eq!(spill.blocks(), blocks.len() as u64);
    }

    #[test]
    fn rows_come_back_as_they_went() {
        round_trip::<u64>();
        round_trip::<u128>();
        round_trip::<U256>();
    }

    #[test]
    fn a_block_is_as_full_as_it_says() {
        let rows = Spill::<u64>::rows_of_a_block();
        let spill = spill::<u64>(u64::MAX);
        let mut runs = vec![(1, ranks(rows as u64))];
        spill.write(&mut runs).expect("there is room");
        assert!(runs.is_empty());
        let mut runs = vec![(1, ranks(rows as u64 + 1))];
        spill.write(&mut runs).expect("there is room");
        assert_eq!(runs[0].1.len(), 1);
    }

    #[test]
    fn no_more_is_written_than_allowed_and_nothing_is_lost() {
        let spill = spill::<u64>(2 * BLOCK as u64);
        let mut runs = vec![(1, ranks(40_000))];
        assert_eq!((spill.write(&mut runs).ok(), spill.write(&mut runs).ok()), (Some(0), Some(1)));
        let left = runs.clone();
        assert_eq!(spill.write(&mut runs).expect_err("full").kind(), io::ErrorKind::StorageFull);
        assert_eq!(runs, left);
        let fault = spill.fault().expect("it is full");
        let folder = std::env::temp_dir();
        assert!(fault.starts_with(&format!("{}: ", folder.display())), "{fault}");
        assert!(fault.contains("more than 131072 bytes there, the limit given to it"), "{fault}");
    }

    #[test]
    fn damage_is_found() {
        let spill = spill::<u64>(u64::MAX);
        let block = spill.write(&mut vec![(1, ranks(100))]).expect("there is room");
        for at in [0, 7, 8, 12, 16, 20, 24, 500, BLOCK as u64 - 1] {
            let mut byte = [0];
            spill.file.file.read_exact_at(&mut byte, at).expect("there");
            spill.file.file.write_all_at(&[byte[0] ^ 4], at).expect("there");
            let error = spill.read(block).expect_err("damaged");
            assert_eq!(error.kind(), io::ErrorKind::InvalidData, "byte {at}");
            assert!(spill.fault().is_some_and(|fault| fault.ends_with("not what was written")));
            spill.file.file.write_all_at(&byte, at).expect("there");
        }
        assert!(spill.read(block).is_ok());
        spill.file.file.set_len(500).expect("there");
        assert_eq!(spill.read(block).expect_err("cut").kind(), io::ErrorKind::UnexpectedEof);
    }
}
