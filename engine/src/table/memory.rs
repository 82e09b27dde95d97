//! The one place with `unsafe`: a reserved stretch of zeroed memory, seen as atomic words, and a prefetch hint.

use std::io;
use std::sync::atomic::AtomicU64;

use memmap2::{MmapMut, MmapOptions};

/// Address space for a table at its largest. The system commits a page when it is first touched.
pub(super) struct Reservation {
    /// INVARIANT: lives as long as `self` and is never touched but through [`Reservation::cells`].
    map: MmapMut,
    cells: usize,
}

impl Reservation {
    /// Reserves room for `cells` words of zero, aligned to a page.
    pub(super) fn new(cells: usize) -> io::Result<Self> {
        let bytes = cells.checked_mul(size_of::<AtomicU64>()).ok_or(io::ErrorKind::OutOfMemory)?;
        let map = MmapOptions::new().len(bytes.max(1)).no_reserve_swap().map_anon()?;
        Ok(Self { map, cells })
    }

    /// Asks for huge pages. Only worth it for a table of many pages; systems without them refuse, which does no harm.
    pub(super) fn prefer_huge_pages(&self, cells: usize) {
        #[cfg(target_os = "linux")]
        {
            let bytes = (cells * size_of::<AtomicU64>()).min(self.map.len());
            let _ = self.map.advise_range(memmap2::Advice::HugePage, 0, bytes);
        }
        #[cfg(not(target_os = "linux"))]
        let _ = cells;
    }

    /// All words.
    #[inline(always)]
    pub(super) fn cells(&self) -> &[AtomicU64] {
        let start = self.map.as_ptr().cast::<AtomicU64>();
        // SAFETY: `map` is one mapping of at least `cells * 8` bytes, made in `new` and unmapped only when `self` is
        // dropped, so the slice does not outlive it. A mapping starts at a page, hence aligned for a word. Anonymous
        // memory is zero at first, and every bit pattern is an `AtomicU64`. The mapping is private and writable, and
        // nothing else in this module reads or writes it, so all access is through atomics.
        unsafe { std::slice::from_raw_parts(start, self.cells) }
    }
}

/// Asks the processor to bring the cache line of a word near.
#[inline(always)]
pub(super) fn prefetch(cell: &AtomicU64) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch is a hint that neither reads nor writes as far as the program can tell, and the address
        // comes from a live reference. SSE, which it belongs to, is part of every x86-64 processor.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(cell).cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = cell;
}
