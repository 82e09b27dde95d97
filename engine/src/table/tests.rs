use std::collections::HashMap;
use std::sync::RwLock;

use ethnum::U256;

use super::layout::LEAST_BASE_BITS;
use super::*;

/// Numbers without pattern (S. Vigna, SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

const KEEPERS: usize = 60;

fn table<R: Rank>(rank_bits: u32, most_bytes: u64) -> Table<R> {
    let layout = Layout::new(R::WORDS, rank_bits, KEEPERS, 8, 4_000, 10).expect("fits");
    Table::new(layout, LEAST_BASE_BITS, most_bytes).expect("little memory")
}

fn rank<R: Rank>(number: u64, rank_bits: u32) -> R {
    // Far apart, so that every word of the key is used.
    R::from_word(number.wrapping_mul(0xD134_2543_DE82_EF95), 0)
        .add(R::from_word(number, 1))
        .add(R::from_word(number.rotate_left(17), 3))
        .low(rank_bits)
}

/// Relaxes, growing when asked to.
fn store<R: Rank>(table: &RwLock<Table<R>>, rank: R, keeper: usize, cost: u32) -> Relaxation {
    loop {
        let guard = table.read().expect("no holder panics");
        let relaxed = guard.relax(guard.mix(rank), keeper, cost, Side::Forward, |_| true);
        let slots = guard.slots();
        let stored = matches!(relaxed, Relaxation::Accepted { new: true, .. });
        let loaded = guard.count(u64::from(stored));
        drop(guard);
        if loaded || relaxed == Relaxation::Full {
            let mut table = table.write().expect("no holder panics");
            if table.slots() == slots {
                let bits = 1 + cost % 2;
                table.grow(bits, || false).expect("rows are short");
            }
        }
        if relaxed != Relaxation::Full {
            return relaxed;
        }
    }
}

/// Many threads store the same states in different orders while the table grows from almost nothing; afterwards it holds
/// each of them once, at the least cost anybody stored.
fn nothing_is_lost<R: Rank>(rank_bits: u32) {
    const ROWS: u64 = 4_000;
    let shared = RwLock::new(table::<R>(rank_bits, 1 << 30));
    let stored: Vec<HashMap<(R, usize), u32>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|seed| {
                let shared = &shared;
                scope.spawn(move || {
                    let mut random = Random(seed);
                    let mut mine = HashMap::new();
                    for _ in 0..60_000 {
                        let rank = rank::<R>(random.below(ROWS), rank_bits);
                        let keeper = random.below(24) as usize;
                        let cost = random.below(4_000) as u32;
                        store(shared, rank, keeper, cost);
                        let least = mine.entry((rank, keeper)).or_insert(cost);
                        *least = cost.min(*least);
                    }
                    mine
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    let mut least: HashMap<(R, usize), u32> = HashMap::new();
    for (state, cost) in stored.into_iter().flatten() {
        let known = least.entry(state).or_insert(cost);
        *known = cost.min(*known);
    }
    let table = shared.into_inner().expect("no holder panics");
    assert_eq!(table.entries(), least.len() as u64);
    assert!(table.slots() > SLOTS << LEAST_BASE_BITS << 8, "grew many times");
    let mut found = 0;
    for number in 0..ROWS {
        let rank = rank::<R>(number, rank_bits);
        for entry in table.row(table.mix(rank)) {
            assert_eq!(least.get(&(rank, entry.keeper.index())), Some(&entry.cost));
            found += 1;
        }
    }
    assert_eq!(found, least.len());
}

#[test]
fn nothing_is_lost_with_many_threads_and_growth_in_every_width() {
    nothing_is_lost::<u64>(35);
    nothing_is_lost::<u128>(100);
    nothing_is_lost::<U256>(230);
}

/// A table that may not grow takes at least 85 % of its slots, in rows of the lengths that searches make.
fn load_before_full<R: Rank>(rank_bits: u32) -> f64 {
    let table = table::<R>(rank_bits, 4 << 20);
    let mut table = table;
    while table.can_grow(1) {
        table.grow(1, || false).expect("empty");
    }
    let mut random = Random(7);
    let mut stored = 0;
    for number in 0.. {
        let rank = rank::<R>(number, rank_bits);
        for keeper in 0..1 + random.below(15) as usize {
            match table.relax(table.mix(rank), keeper, 5, Side::Forward, |_| true) {
                Relaxation::Full => return f64::from(stored) / table.slots() as f64,
                _ => stored += 1,
            }
        }
    }
    unreachable!("the table is finite")
}

#[test]
fn a_table_fills_to_85_percent_before_it_must_grow() {
    assert!(load_before_full::<u64>(35) >= 0.85);
    assert!(load_before_full::<u128>(100) >= 0.85);
    assert!(load_before_full::<U256>(230) >= 0.85);
}

#[test]
fn slots_take_8_bytes_while_the_fields_fit_then_16_then_32() {
    assert_eq!(table::<u64>(37, 1 << 20).layout().slot_bytes(), 8);
    assert_eq!(table::<u128>(105, 1 << 20).layout().slot_bytes(), 16);
    assert_eq!(table::<U256>(230, 1 << 20).layout().slot_bytes(), 32);
}

#[test]
fn a_state_keeps_its_least_cost_and_closes_once() {
    let table = table::<u64>(30, 1 << 20);
    let mixed = table.mix(123_456);
    let accepted = |new, reopened, covered| Relaxation::Accepted { new, reopened, covered };
    assert_eq!(table.relax(mixed, 5, 30, Side::Forward, |_| true), accepted(true, false, false));
    assert_eq!(table.relax(mixed, 5, 30, Side::Forward, |_| true), Relaxation::Known);
    assert_eq!(table.relax(mixed, 5, 31, Side::Forward, |_| true), Relaxation::Known);
    assert_eq!(table.relax(mixed, 5, 20, Side::Forward, |_| true), accepted(false, false, false));
    // A second state of the row at the cost that the first waits at.
    assert_eq!(table.relax(mixed, 7, 20, Side::Forward, |_| true), accepted(true, false, true));
    assert_eq!(table.relax(mixed, 9, 22, Side::Forward, |_| true), accepted(true, false, false));
    let mut row = Row { cost: 20, ..Row::default() };
    table.open_row(mixed, Side::Forward, &mut row, |_| true);
    let squares = |numbers: &[usize]| numbers.iter().map(|&n| Square::from_index(n)).collect();
    let opened = Row { opened: squares(&[5, 7]), ..row.clone() };
    assert_eq!(row, opened);
    assert!(row.cheaper.is_empty() && row.late.is_empty());
    // Closed now; a later one at the same cost is not covered by them.
    assert_eq!(table.relax(mixed, 11, 20, Side::Forward, |_| true), accepted(true, false, false));
    table.open_row(mixed, Side::Forward, &mut row, |_| true);
    let late = |numbers: &[usize]| numbers.iter().map(|&n| (20, Square::from_index(n))).collect();
    assert_eq!(row, Row { opened: squares(&[11]), late: late(&[5, 7]), ..row.clone() });
    row.cost = 22;
    table.open_row(mixed, Side::Forward, &mut row, |_| true);
    let cheaper = [5, 7, 11].map(|n| (20, Square::from_index(n))).to_vec();
    assert_eq!(row, Row { cost: 22, cheaper, opened: squares(&[9]), ..Row::default() });
    assert_eq!(
        table.relax(mixed, 5, 19, Side::Forward, |_| true),
        accepted(false, true, false),
        "reopened"
    );
}

/// With an estimate that depends on the keeper, states of a row may wait at the same cost and not at the same f.
#[test]
fn states_that_do_not_agree_are_queued_and_opened_each_in_its_turn() {
    let table = table::<u64>(30, 1 << 20);
    let mixed = table.mix(77);
    let accepted = |covered| Relaxation::Accepted { new: true, reopened: false, covered };
    let is_even = |square: Square| square.index().is_multiple_of(2);
    let relax = |keeper: usize| {
        let agrees = |other| is_even(other) == keeper.is_multiple_of(2);
        table.relax(mixed, keeper, 20, Side::Forward, agrees)
    };
    let found = [5, 7, 8, 9, 10].map(relax);
    assert_eq!(found, [false, true, false, true, true].map(accepted));
    let squares = |numbers: &[usize]| numbers.iter().map(|&n| Square::from_index(n)).collect();
    let mut row = Row { cost: 20, ..Row::default() };
    table.open_row(mixed, Side::Forward, &mut row, is_even);
    assert_eq!(row, Row { cost: 20, opened: squares(&[8, 10]), ..Row::default() });
    assert_eq!(table.relax(mixed, 12, 19, Side::Forward, |_| true), accepted(false));
    row.cost = 19;
    table.open_row(mixed, Side::Forward, &mut row, is_even);
    // Closed before, and dearer.
    let late = [8, 10].map(|n| (20, Square::from_index(n))).to_vec();
    assert_eq!(row, Row { cost: 19, opened: squares(&[12]), late, ..Row::default() });
    row.cost = 20;
    table.open_row(mixed, Side::Forward, &mut row, |_| true);
    assert_eq!(row.opened, [5, 7, 9].map(Square::from_index));
}

#[test]
fn sides_do_not_meet_in_one_entry() {
    let table = table::<u64>(30, 1 << 20);
    let mixed = table.mix(9);
    table.relax(mixed, 5, 30, Side::Forward, |_| true);
    assert!(matches!(
        table.relax(mixed, 5, 40, Side::Backward, |_| true),
        Relaxation::Accepted { new: true, .. }
    ));
    let keeper = Square::from_index(5);
    let entry = |cost, side| Entry { keeper, cost, closed: false, side };
    assert_eq!(table.row(mixed), [entry(30, Side::Forward), entry(40, Side::Backward)]);
    let mut row = Row { cost: 40, ..Row::default() };
    table.open_row(mixed, Side::Backward, &mut row, |_| true);
    let (opened, other) = (vec![keeper], vec![(30, keeper)]);
    assert_eq!(row, Row { cost: 40, opened, other, ..Row::default() });
}

/// Meets other threads at a row, so that all of them work on it at once.
struct Meeting(std::sync::atomic::AtomicUsize);

impl Meeting {
    /// Waits until all of `threads` have come for the time number `turn`, from 0.
    fn wait(&self, threads: usize, turn: usize) {
        self.0.fetch_add(1, Ordering::SeqCst);
        let backoff = crossbeam_utils::Backoff::new();
        while self.0.load(Ordering::SeqCst) < threads * (turn + 1) {
            backoff.snooze();
        }
    }
}

/// Threads store states of one row while they open it, level by level, in the way of the search: whoever stores a state
/// that is not covered opens the row afterwards. In the end every state has been opened, once, at its least cost.
fn covered_states_are_opened_by_others<R: Rank>(rank_bits: u32, rows: u64) {
    const THREADS: usize = 2;
    const LEVELS: Range<u32> = 10..13;
    let mut table = table::<R>(rank_bits, 1 << 28);
    while table.slots() < rows as usize * 24 {
        table.grow(1, || false).expect("empty");
    }
    let meeting = Meeting(0.into());
    let shared = &table;
    type Opened = HashMap<(u64, usize), Vec<u32>>;
    let work = |thread: u64| {
        let mut random = Random(thread);
        let (mut opened, mut least): (Opened, HashMap<_, u32>) = Default::default();
        let mut covers = 0;
        let mut row = Row::default();
        for number in 0..rows {
            let mixed = shared.mix(rank::<R>(number, rank_bits));
            // For each level how often this thread has to open the row.
            let mut queued = [0; 16];
            for level in LEVELS {
                meeting.wait(
                    THREADS,
                    (number as usize * LEVELS.len()) + (level - LEVELS.start) as usize,
                );
                // Whoever is slower now and then finds other slots taken.
                for _ in 0..random.below(60) {
                    std::hint::spin_loop();
                }
                for _ in 0..1 + random.below(3) {
                    let keeper = random.below(8) as usize;
                    let cost = level + [0, 0, 0, 1, 2][random.below(5) as usize];
                    if cost >= LEVELS.end {
                        continue;
                    }
                    let known = least.entry((number, keeper)).or_insert(cost);
                    *known = cost.min(*known);
                    if let Relaxation::Accepted { covered, reopened, .. } =
                        shared.relax(mixed, keeper, cost, Side::Forward, |_| true)
                    {
                        assert!(!reopened);
                        covers += u64::from(covered);
                        queued[cost as usize] += u64::from(!covered);
                    }
                    if random.below(2) == 0 && queued[level as usize] > 0 {
                        queued[level as usize] -= 1;
                        row.cost = level;
                        shared.open_row(mixed, Side::Forward, &mut row, |_| true);
                        for square in &row.opened {
                            opened.entry((number, square.index())).or_default().push(level);
                        }
                    }
                }
                // Each of those queued, if the states were not opened meanwhile.
                while queued[level as usize] > 0 {
                    queued[level as usize] -= 1;
                    row.cost = level;
                    shared.open_row(mixed, Side::Forward, &mut row, |_| true);
                    for square in &row.opened {
                        opened.entry((number, square.index())).or_default().push(level);
                    }
                }
            }
        }
        (opened, least, covers)
    };
    let [one, other] = std::thread::scope(|scope| {
        let threads = [0, 1].map(|thread| scope.spawn(move || work(thread)));
        threads.map(|thread| thread.join().expect("no panic"))
    });
    let (mut opened, mut least, covers) = one;
    for (state, levels) in other.0 {
        opened.entry(state).or_default().extend(levels);
    }
    for (state, cost) in other.1 {
        let known = least.entry(state).or_insert(cost);
        *known = cost.min(*known);
    }
    for (state, cost) in &least {
        assert_eq!(opened.get(state), Some(&vec![*cost]), "row and keeper {state:?}");
    }
    assert_eq!(opened.len(), least.len());
    println!("{covers} of {} states covered", least.len());
    assert!(covers > rows / 100, "{covers}");
}

#[test]
fn every_state_is_opened_once_at_its_least_cost_though_covered_ones_queue_nothing() {
    covered_states_are_opened_by_others::<u64>(35, 60_000);
    covered_states_are_opened_by_others::<u128>(100, 30_000);
    covered_states_are_opened_by_others::<U256>(230, 20_000);
}

/// What a row looks like, whatever the order of its slots.
fn contents<R: Rank>(table: &Table<R>, rank: R) -> Vec<(usize, u32, bool, Side)> {
    let entry = |entry: Entry| (entry.keeper.index(), entry.cost, entry.closed, entry.side);
    let mut row: Vec<_> = table.row(table.mix(rank)).into_iter().map(entry).collect();
    row.sort_unstable();
    row
}

/// Growing carries every field of every entry over, in rows of one slot and of many lines.
fn growth_keeps_everything<R: Rank>(rank_bits: u32) {
    const ROWS: u64 = 400;
    let mut table = table::<R>(rank_bits, 1 << 28);
    let mut random = Random(11);
    let mut before: HashMap<R, Vec<_>> = HashMap::new();
    let mut stored = 0;
    for number in 0..ROWS {
        let rank = rank::<R>(number, rank_bits);
        let states = if number % 40 == 0 { 48 } else { 1 + random.below(6) };
        for keeper in 0..states as usize {
            let side = if random.below(3) == 0 { Side::Backward } else { Side::Forward };
            let cost = random.below(5) as u32;
            while table.relax(table.mix(rank), keeper, cost, side, |_| true) == Relaxation::Full {
                table.grow(1, || false).expect("rows are short");
            }
            stored += 1;
        }
        for side in [Side::Forward, Side::Backward] {
            let mut row = Row { cost: random.below(5) as u32, ..Row::default() };
            table.open_row(table.mix(rank), side, &mut row, |_| true);
        }
        before.insert(rank, contents(&table, rank));
    }
    let closed = before.values().flatten().filter(|(_, _, closed, _)| *closed).count();
    assert!(closed > 100 && closed < stored);
    for bits in [1, 2, 1, 1, 2, 1] {
        for (&rank, row) in &before {
            assert_eq!(contents(&table, rank), *row);
        }
        // No row has got longer by rows that are not there.
        let strangers = (ROWS..2 * ROWS).map(|number| rank::<R>(number, rank_bits));
        assert!(strangers.into_iter().all(|rank| contents(&table, rank).is_empty()));
        table.grow(bits, || false).expect("rows are short");
    }
    // What is known is still found known, not stored again.
    for (&rank, row) in &before {
        for &(keeper, cost, closed, side) in row {
            assert_eq!(
                table.relax(table.mix(rank), keeper, cost, side, |_| true),
                Relaxation::Known
            );
            if cost > 0 {
                let lower = table.relax(table.mix(rank), keeper, cost - 1, side, |_| true);
                assert!(
                    matches!(lower, Relaxation::Accepted { new: false, reopened, .. } if reopened == closed)
                );
            }
        }
    }
}

#[test]
fn growth_keeps_everything_in_every_width() {
    growth_keeps_everything::<u64>(35);
    growth_keeps_everything::<u64>(20);
    growth_keeps_everything::<u128>(100);
    growth_keeps_everything::<U256>(230);
}

/// Threads store and read the same few wide rows, new ones all the time: nobody ever takes a slot whose key is still
/// being written for another row's.
fn half_written_slots_are_waited_for<R: Rank>(rank_bits: u32) {
    const ROUNDS: u64 = 20_000;
    let mut table = table::<R>(rank_bits, 1 << 28);
    while table.slots() < 16 * ROUNDS as usize {
        table.grow(1, || false).expect("empty");
    }
    let meeting = Meeting(0.into());
    let shared = &table;
    let new = std::thread::scope(|scope| {
        let work = |thread: u64| {
            let mut new = 0;
            for round in 0..ROUNDS {
                meeting.wait(2, round as usize);
                // Ranks that differ in few bits, so that many share a line.
                for state in 0..4 {
                    let number = round * 2 + (state + thread) % 2;
                    let mixed = shared.mix(rank::<R>(number, rank_bits));
                    let keeper = (state / 2) as usize;
                    let cost = number as u32 % 4_000;
                    let relaxed = shared.relax(mixed, keeper, cost, Side::Forward, |_| true);
                    new += u64::from(matches!(relaxed, Relaxation::Accepted { new: true, .. }));
                    let row = shared.row(mixed);
                    assert!(row.iter().all(|entry| entry.cost == cost && entry.keeper.index() < 2));
                }
            }
            new
        };
        let threads = [0, 1].map(|thread| scope.spawn(move || work(thread)));
        threads.map(|thread| thread.join().expect("no panic")).iter().sum::<u64>()
    });
    assert_eq!(new, 4 * ROUNDS, "each state is new once");
}

#[test]
fn half_written_slots_are_waited_for_in_both_wide_widths() {
    half_written_slots_are_waited_for::<u128>(100);
    half_written_slots_are_waited_for::<U256>(230);
}
