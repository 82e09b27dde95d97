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
        let relaxed = guard.relax(guard.mix(rank), keeper, cost, Side::Forward);
        let slots = guard.slots();
        let stored = matches!(relaxed, Relaxation::Accepted { new: true, .. });
        let loaded = guard.count(u64::from(stored));
        drop(guard);
        if loaded || relaxed == Relaxation::Full {
            let mut table = table.write().expect("no holder panics");
            if table.slots() == slots {
                table.grow().expect("rows are short");
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
    while table.can_grow() {
        table.grow().expect("empty");
    }
    let mut random = Random(7);
    let mut stored = 0;
    for number in 0.. {
        let rank = rank::<R>(number, rank_bits);
        for keeper in 0..1 + random.below(15) as usize {
            match table.relax(table.mix(rank), keeper, 5, Side::Forward) {
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
    assert_eq!(table.relax(mixed, 5, 30, Side::Forward), accepted(true, false, false));
    assert_eq!(table.relax(mixed, 5, 30, Side::Forward), Relaxation::Known);
    assert_eq!(table.relax(mixed, 5, 31, Side::Forward), Relaxation::Known);
    assert_eq!(table.relax(mixed, 5, 20, Side::Forward), accepted(false, false, false));
    // A second state of the row at the cost that the first waits at.
    assert_eq!(table.relax(mixed, 7, 20, Side::Forward), accepted(true, false, true));
    assert_eq!(table.relax(mixed, 9, 22, Side::Forward), accepted(true, false, false));
    let mut row = Row { cost: 20, ..Row::default() };
    table.open_row(mixed, Side::Forward, &mut row);
    let squares = |numbers: &[usize]| numbers.iter().map(|&n| Square::from_index(n)).collect();
    let opened = Row { opened: squares(&[5, 7]), ..row.clone() };
    assert_eq!(row, opened);
    assert!(row.cheaper.is_empty() && row.late.is_empty());
    // Closed now; a later one at the same cost is not covered by them.
    assert_eq!(table.relax(mixed, 11, 20, Side::Forward), accepted(true, false, false));
    table.open_row(mixed, Side::Forward, &mut row);
    assert_eq!(row, Row { opened: squares(&[11]), late: squares(&[5, 7]), ..row.clone() });
    row.cost = 22;
    table.open_row(mixed, Side::Forward, &mut row);
    let cheaper = [5, 7, 11].map(|n| (20, Square::from_index(n))).to_vec();
    assert_eq!(
        row,
        Row { cost: 22, cheaper, opened: squares(&[9]), late: squares(&[]), ..Row::default() }
    );
    assert_eq!(table.relax(mixed, 5, 19, Side::Forward), accepted(false, true, false), "reopened");
}

#[test]
fn sides_do_not_meet_in_one_entry() {
    let table = table::<u64>(30, 1 << 20);
    let mixed = table.mix(9);
    table.relax(mixed, 5, 30, Side::Forward);
    assert!(matches!(
        table.relax(mixed, 5, 40, Side::Backward),
        Relaxation::Accepted { new: true, .. }
    ));
    let keeper = Square::from_index(5);
    let entry = |cost, side| Entry { keeper, cost, closed: false, side };
    assert_eq!(table.row(mixed), [entry(30, Side::Forward), entry(40, Side::Backward)]);
    let mut row = Row { cost: 40, ..Row::default() };
    table.open_row(mixed, Side::Backward, &mut row);
    let (opened, other) = (vec![keeper], vec![(30, keeper)]);
    assert_eq!(row, Row { cost: 40, opened, other, ..Row::default() });
}
