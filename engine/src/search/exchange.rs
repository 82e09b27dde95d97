//! Which shard owns a box set, and the batches that carry successors there.
//!
//! All states of a box set have one owner, so that a row is whole where it lies: dominance and meetings stay local. A
//! batch holds successors of one side for one shard, as records of one size, sorted and without duplicates. The blocks of
//! a journal have the same form, unsorted.
//!
//! # Layout of a batch
//!
//! Little-endian. Header of 20 bytes: format version (1), side (1), bytes of an f (1), bytes of an estimate (1), the least
//! f (4), number of records (4), xxh3 of the records (8). A record: rank, keeper's square, f beyond the least, estimate;
//! each in as many bytes as the board, or for f the batch, needs.

use xxhash_rust::xxh3::xxh3_64;

use super::expand::Successor;
use super::side::Side;
use crate::board::Square;
use crate::rank::Rank;

/// Virtual shards that box sets are hashed to. Workers own them, whole.
pub const VIRTUAL_SHARDS: usize = 1024;

/// Version of the layout above.
const FORMAT: u8 = 1;
const HEADER: usize = 20;

/// Records of a sealed batch, at most.
pub(crate) const BATCH_RECORDS: usize = 8192;

/// Who owns what, and who we are.
#[derive(Clone, Debug)]
pub(crate) struct Exchange {
    format: BatchFormat,
    /// Worker of each virtual shard.
    owners: Vec<u16>,
    me: u16,
    workers: usize,
}

impl Exchange {
    /// `owners` has [`VIRTUAL_SHARDS`] entries, each below `workers`.
    pub(crate) fn new(format: BatchFormat, owners: Vec<u16>, me: u16, workers: usize) -> Self {
        debug_assert_eq!(owners.len(), VIRTUAL_SHARDS);
        debug_assert!(owners.iter().all(|&owner| usize::from(owner) < workers));
        Self { format, owners, me, workers }
    }

    pub(crate) fn workers(&self) -> usize {
        self.workers
    }

    pub(crate) fn me(&self) -> u16 {
        self.me
    }

    pub(crate) fn format(&self) -> &BatchFormat {
        &self.format
    }

    /// The worker that owns a box set.
    #[inline]
    pub(crate) fn owner<R: Rank>(&self, rank: R) -> u16 {
        self.owners[self.format.virtual_shard(rank)]
    }
}

/// Sizes of the fields of a record on one board; the same for all who search it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BatchFormat {
    rank_bits: u32,
    squares: usize,
    /// Whether successors carry an estimate.
    estimates: bool,
}

/// Why a batch cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BatchError {
    /// Shorter than a header.
    #[error("a batch of {0} bytes, expected at least {HEADER}")]
    NoHeader(usize),
    /// Written by a program that lays batches out in another way.
    #[error("batch format {0}, expected {FORMAT}")]
    Version(u8),
    /// A field of the header has no meaning.
    #[error("{field} of a batch is {found}")]
    Header {
        /// The field.
        field: &'static str,
        /// What it says.
        found: u64,
    },
    /// Not as long as the header says.
    #[error("a batch of {found} bytes, expected {expected}")]
    Length {
        /// Bytes there.
        found: usize,
        /// Bytes of header and records.
        expected: u64,
    },
    /// The records are not what was sent.
    #[error("the checksum of a batch is wrong")]
    Checksum,
    /// A record names no state of the board.
    #[error("record {0} of a batch names no state of the board")]
    Record(u32),
    /// A record belongs to another shard.
    #[error("record {0} of a batch belongs to another shard")]
    Owner(u32),
}

impl BatchFormat {
    pub(crate) fn new(rank_bits: u32, squares: usize, estimates: bool) -> Self {
        Self { rank_bits, squares, estimates }
    }

    /// The virtual shard of a box set: the ten highest bits of the xxh3 of its rank, in as many words of 64 bits as
    /// the board's ranks take.
    #[inline]
    pub(crate) fn virtual_shard<R: Rank>(&self, rank: R) -> usize {
        let hash = if self.rank_bits <= 64 {
            xxh3_64(&rank.word(0).to_le_bytes())
        } else {
            let mut bytes = [0; 32];
            for (index, word) in bytes.chunks_exact_mut(8).enumerate() {
                word.copy_from_slice(&rank.word(index as u32).to_le_bytes());
            }
            xxh3_64(&bytes)
        };
        (hash >> 54) as usize
    }

    fn rank_bytes(&self) -> usize {
        self.rank_bits.div_ceil(8) as usize
    }

    fn keeper_bytes(&self) -> usize {
        bytes_for(self.squares as u64 - 1)
    }

    /// Sorts successors, drops all but the cheapest of each state, and writes the rest down.
    pub(crate) fn seal<R: Rank>(
        &self,
        side: Side,
        successors: &mut Vec<Successor<R>>,
    ) -> (Vec<u8>, u32) {
        successors.sort_unstable_by_key(|s| (s.rank, s.keeper, s.cost));
        successors.dedup_by_key(|s| (s.rank, s.keeper));
        (self.write(side, successors), successors.len() as u32)
    }

    /// Writes successors down as they are.
    pub(crate) fn write<R: Rank>(&self, side: Side, successors: &[Successor<R>]) -> Vec<u8> {
        let f = |s: &Successor<R>| s.cost + s.estimate;
        let least = successors.iter().map(f).min().unwrap_or(0);
        let beyond = |s: &Successor<R>| u64::from(f(s) - least);
        let cost_bytes = bytes_for(successors.iter().map(beyond).max().unwrap_or(0));
        let estimate = |s: &Successor<R>| u64::from(s.estimate);
        let estimate_bytes = match self.estimates {
            true => bytes_for(successors.iter().map(estimate).max().unwrap_or(0)),
            false => 0,
        };
        let record = self.rank_bytes() + self.keeper_bytes() + cost_bytes + estimate_bytes;
        let (rank_bytes, keeper_bytes) = (self.rank_bytes(), self.keeper_bytes());
        // Every field is written as eight bytes, and the ones too many are written over by the next.
        let mut bytes = vec![0; HEADER + record * successors.len() + 8];
        let mut put = |at: usize, word: u64| {
            bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
        };
        let mut at = HEADER;
        for successor in successors {
            for index in 0..rank_bytes.div_ceil(8) {
                put(at + 8 * index, successor.rank.word(index as u32));
            }
            at += rank_bytes;
            put(at, successor.keeper.index() as u64);
            at += keeper_bytes;
            put(at, beyond(successor));
            at += cost_bytes;
            if estimate_bytes > 0 {
                put(at, estimate(successor));
                at += estimate_bytes;
            }
        }
        bytes.truncate(at);
        bytes[..4].copy_from_slice(&[FORMAT, side as u8, cost_bytes as u8, estimate_bytes as u8]);
        bytes[4..8].copy_from_slice(&least.to_le_bytes());
        bytes[8..12].copy_from_slice(&(successors.len() as u32).to_le_bytes());
        let checksum = xxh3_64(&bytes[HEADER..]);
        bytes[12..HEADER].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads a batch; `sets` is the number of box sets of the board.
    pub(crate) fn open<'b, R: Rank>(
        &self,
        bytes: &'b [u8],
        sets: R,
    ) -> Result<OpenBatch<'b>, BatchError> {
        let Some((header, records)) = bytes.split_first_chunk::<HEADER>() else {
            return Err(BatchError::NoHeader(bytes.len()));
        };
        let [version, side, cost_bytes, estimate_bytes, ..] = *header;
        if version != FORMAT {
            return Err(BatchError::Version(version));
        }
        let bad = |field, found: u8| Err(BatchError::Header { field, found: found.into() });
        let side = match side {
            0 => Side::Forward,
            1 => Side::Backward,
            other => return bad("side", other),
        };
        if !(1..=4).contains(&cost_bytes) {
            return bad("bytes of a cost", cost_bytes);
        }
        if estimate_bytes > 4 {
            return bad("bytes of an estimate", estimate_bytes);
        }
        let number = |at: usize| little_endian(&header[at..at + 4]) as u32;
        let batch = OpenBatch {
            side,
            least: number(4),
            count: number(8),
            fields: [
                self.rank_bytes(),
                self.keeper_bytes(),
                cost_bytes.into(),
                estimate_bytes.into(),
            ],
            records,
        };
        let count = batch.count;
        let expected = HEADER as u64 + u64::from(count) * batch.record_bytes() as u64;
        if expected != bytes.len() as u64 {
            return Err(BatchError::Length { found: bytes.len(), expected });
        }
        if little_endian(&header[12..]) != xxh3_64(records) {
            return Err(BatchError::Checksum);
        }
        for (index, (rank, keeper, cost, estimate)) in batch.raw::<R>().enumerate() {
            let f = u64::from(batch.least) + cost;
            let legal = rank < sets
                && keeper < self.squares as u64
                && f < u64::from(u32::MAX / 2)
                && estimate <= f;
            if !legal {
                return Err(BatchError::Record(index as u32));
            }
        }
        Ok(batch)
    }
}

/// A batch whose records all name states of the board.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenBatch<'b> {
    pub(crate) side: Side,
    /// The least f.
    least: u32,
    pub(crate) count: u32,
    /// Bytes of rank, keeper, cost and estimate.
    fields: [usize; 4],
    records: &'b [u8],
}

impl OpenBatch<'_> {
    fn record_bytes(&self) -> usize {
        self.fields.iter().sum()
    }

    fn raw<R: Rank>(&self) -> impl Iterator<Item = (R, u64, u64, u64)> {
        let [rank, keeper, cost, _] = self.fields;
        self.records.chunks_exact(self.record_bytes()).map(move |record| {
            let (rank_field, rest) = record.split_at(rank);
            let (keeper_field, rest) = rest.split_at(keeper);
            let (cost_field, estimate_field) = rest.split_at(cost);
            let words = rank_field.chunks(8).map(little_endian).enumerate();
            let rank = words
                .fold(R::ZERO, |rank, (index, word)| rank.add(R::from_word(word, index as u32)));
            let [keeper, cost, estimate] =
                [keeper_field, cost_field, estimate_field].map(little_endian);
            (rank, keeper, cost, estimate)
        })
    }

    /// The successors, in the order they were written.
    pub(crate) fn successors<R: Rank>(&self) -> impl Iterator<Item = Successor<R>> {
        let f = self.least;
        self.raw::<R>().map(move |(rank, keeper, beyond, estimate)| {
            let estimate = estimate as u32;
            let keeper = Square::from_index(keeper as usize);
            Successor { rank, keeper, cost: f + beyond as u32 - estimate, estimate }
        })
    }
}

fn bytes_for(largest: u64) -> usize {
    (64 - largest.leading_zeros()).div_ceil(8).max(1) as usize
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// What a thread has sent lately: states it need not send again at the same cost or more.
///
/// Holds whole keys, never fingerprints: a state is only held back if it has gone out at no greater cost.
pub(crate) struct SentFilter<R> {
    slots: Vec<Option<(R, Square, Side, u32)>>,
}

impl<R: Rank> SentFilter<R> {
    const SLOTS: usize = 1 << 15;

    pub(crate) fn new() -> Self {
        Self { slots: vec![None; Self::SLOTS] }
    }

    /// Whether a state must be sent; if so it is remembered.
    #[inline]
    pub(crate) fn admits(&mut self, mixed: R, side: Side, successor: &Successor<R>) -> bool {
        let key = mixed.word(0) ^ (successor.keeper.index() as u64).wrapping_mul(0x9E37_79B9);
        let slot = &mut self.slots[key as usize % Self::SLOTS];
        if let Some((rank, keeper, sent_side, cost)) = slot
            && *rank == successor.rank
            && *keeper == successor.keeper
            && *sent_side == side
            && *cost <= successor.cost
        {
            return false;
        }
        *slot = Some((successor.rank, successor.keeper, side, successor.cost));
        true
    }
}

#[cfg(test)]
mod tests {
    use ethnum::U256;

    use super::*;

    fn successors<R: Rank>(count: u64, sets: u64) -> Vec<Successor<R>> {
        let state = |n: u64| Successor {
            rank: R::from_word(n * n % sets, 0),
            keeper: Square::from_index((n * 7 % 61) as usize),
            cost: 100 + (n % 50) as u32,
            estimate: (n % 3) as u32,
        };
        (0..count).map(state).collect()
    }

    fn round_trip<R: Rank>(rank_bits: u32, estimates: bool) {
        let format = BatchFormat::new(rank_bits, 61, estimates);
        let mut sent = successors::<R>(3_000, 1_000);
        if !estimates {
            sent.iter_mut().for_each(|successor| successor.estimate = 0);
        }
        let all = sent.clone();
        let (bytes, records) = format.seal(Side::Backward, &mut sent);
        assert_eq!(records as usize, sent.len());
        let sets = R::from_word(1_000, 0);
        let batch = format.open::<R>(&bytes, sets).expect("as sealed");
        assert_eq!(batch.side, Side::Backward);
        let got: Vec<Successor<R>> = batch.successors().collect();
        assert_eq!(got, sent);
        assert!(got.windows(2).all(|w| (w[0].rank, w[0].keeper) < (w[1].rank, w[1].keeper)));
        for state in all {
            let found = got.iter().find(|s| (s.rank, s.keeper) == (state.rank, state.keeper));
            assert!(found.is_some_and(|found| found.cost <= state.cost));
        }
    }

    #[test]
    fn batches_come_out_sorted_without_duplicates_at_least_cost() {
        for estimates in [false, true] {
            round_trip::<u64>(24, estimates);
            round_trip::<u128>(100, estimates);
            round_trip::<U256>(231, estimates);
        }
    }

    #[test]
    fn a_record_of_p15_takes_5_bytes() {
        let format = BatchFormat::new(24, 61, false);
        let mut sent = successors::<u64>(1_000, 1 << 24);
        sent.iter_mut().for_each(|successor| successor.estimate = 0);
        let (bytes, records) = format.seal(Side::Backward, &mut sent);
        assert_eq!(bytes.len() - HEADER, 5 * records as usize);
    }

    #[test]
    fn damage_is_found_wherever_it_is() {
        let format = BatchFormat::new(24, 61, true);
        let (bytes, _) = format.seal(Side::Backward, &mut successors::<u64>(40, 1_000));
        let open = |bytes: &[u8]| format.open::<u64>(bytes, 1_000).map(|_| ());
        assert_eq!(open(&bytes), Ok(()));
        for at in 0..bytes.len() {
            assert!(open(&bytes[..at]).is_err(), "cut at {at}");
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                // Whoever carries a batch vouches for side and least f.
                let vouched = at == 1 || (4..8).contains(&at);
                assert!(vouched || open(&damaged).is_err(), "bit {bit} of byte {at}");
            }
        }
        let mut longer = bytes.clone();
        longer.push(0);
        assert!(matches!(open(&longer), Err(BatchError::Length { .. })));
        assert_eq!(format.open::<u64>(&bytes, 3).err(), Some(BatchError::Record(2)));
    }

    #[test]
    fn virtual_shards_are_even_and_do_not_depend_on_the_width() {
        let format = BatchFormat::new(40, 61, false);
        let mut count = vec![0; VIRTUAL_SHARDS];
        for n in 0..1 << 20 {
            let shard = format.virtual_shard::<u64>(n);
            assert_eq!(shard, format.virtual_shard::<u128>(n.into()));
            count[shard] += 1;
        }
        let (least, most) = (count.iter().min().expect("1024"), count.iter().max().expect("1024"));
        assert!(*least > 850 && *most < 1200, "{least} to {most}");
    }

    #[test]
    fn the_filter_holds_back_only_what_went_out_at_no_greater_cost() {
        let mut filter = SentFilter::<u64>::new();
        let state = successors::<u64>(9, 1_000)[8];
        let costs = |cost| Successor { cost, ..state };
        assert!(filter.admits(77, Side::Forward, &costs(20)));
        assert!(!filter.admits(77, Side::Forward, &costs(20)));
        assert!(!filter.admits(77, Side::Forward, &costs(21)));
        assert!(filter.admits(77, Side::Forward, &costs(19)));
        assert!(filter.admits(77, Side::Backward, &costs(25)));
        let other = Successor { rank: state.rank + 1, ..costs(30) };
        assert!(filter.admits(77, Side::Backward, &other));
    }
}
