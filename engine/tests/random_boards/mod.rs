//! Random small boards, the same for the same seed: 5 by 5 to 8 by 8 squares, one to four boxes.
//!
//! About half of them can be solved: every other board is made by pulling boxes from their goals.
//! There are more goals than boxes, rarely fewer; boxes that start on goals; keepers that start on
//! goals; nooks, ragged outlines, and decoration that nobody can reach.
#![allow(dead_code, reason = "every test uses its own part of this module")]

use std::collections::HashSet;

use sokohive_engine::{Level, Rule};

/// A sequence of numbers that look random (Steele, Lea and Flood, "Fast splittable pseudorandom
/// number generators", 2014).
#[derive(Clone, Debug)]
pub(crate) struct SplitMix(u64);

impl SplitMix {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^ (word >> 31)
    }

    /// A number below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }
}

/// A board and the rule to solve it by.
#[derive(Clone, Debug)]
pub(crate) struct RandomBoard {
    /// The seed to make it again.
    pub(crate) seed: u64,
    /// The board.
    pub(crate) level: Level,
    /// The rule.
    pub(crate) rule: Rule,
}

/// The board of a seed.
pub(crate) fn random_board(seed: u64) -> RandomBoard {
    let mut random = SplitMix::new(seed);
    let rule = if random.chance(50) { Rule::Classic } else { Rule::KeeperOnGoal };
    let text = loop {
        if let Some(sketch) = Sketch::new(&mut random, rule) {
            break sketch.text();
        }
    };
    let level = Level::parse(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
    RandomBoard { seed, level, rule }
}

/// A board being made, as a row-major grid with walls all around.
struct Sketch {
    columns: usize,
    wall: Vec<bool>,
    goal: Vec<bool>,
    crate_at: Vec<bool>,
    keeper: usize,
    /// Squares inside the wall that nobody sees: outside of a ragged outline.
    outside: Vec<bool>,
}

impl Sketch {
    /// Tries once; small random rooms often leave no space.
    fn new(random: &mut SplitMix, rule: Rule) -> Option<Self> {
        let (rows, columns) = (5 + random.below(4), 5 + random.below(4));
        let size = rows * columns;
        let density = random.below(30);
        let at_rim = |at: usize| {
            let (row, column) = (at / columns, at % columns);
            row == 0 || row + 1 == rows || column == 0 || column + 1 == columns
        };
        let wall: Vec<bool> = (0..size).map(|at| at_rim(at) || random.chance(density)).collect();
        let free: Vec<usize> = (0..size).filter(|&at| !wall[at]).collect();
        if free.is_empty() {
            return None;
        }
        let keeper = random.pick(&free);
        let mut sketch = Self {
            columns,
            outside: vec![false; size],
            goal: vec![false; size],
            crate_at: vec![false; size],
            wall,
            keeper,
        };
        let mut room = sketch.reach();
        let boxes = 1 + random.below(4);
        if room.len() < boxes + 3 {
            return None;
        }
        for at in (1..room.len()).rev() {
            room.swap(at, random.below(at + 1));
        }
        if random.chance(50) {
            sketch.place_by_pulling(random, &room, boxes, rule);
        } else {
            sketch.place_at_random(random, &room, boxes);
        }
        sketch.decorate(random);
        Some(sketch)
    }

    /// Squares the keeper reaches, boxes or not.
    fn reach(&self) -> Vec<usize> {
        let mut room = vec![self.keeper];
        let mut seen = self.wall.clone();
        seen[self.keeper] = true;
        let mut next = 0;
        while let Some(&at) = room.get(next) {
            next += 1;
            for to in [at - self.columns, at + self.columns, at - 1, at + 1] {
                if !std::mem::replace(&mut seen[to], true) {
                    room.push(to);
                }
            }
        }
        room
    }

    /// Starts finished and pulls boxes about, so that the board has a solution.
    fn place_by_pulling(
        &mut self,
        random: &mut SplitMix,
        room: &[usize],
        boxes: usize,
        rule: Rule,
    ) {
        for &at in &room[..boxes] {
            self.goal[at] = true;
            self.crate_at[at] = true;
        }
        self.keeper = room[boxes];
        self.goal[self.keeper] = rule == Rule::KeeperOnGoal || random.chance(20);
        self.goal[room[boxes + 1]] |= random.chance(20);
        for _ in 0..1 + random.below(8) {
            let pulled = self.pull_about(1 + random.below(300));
            // The later ones are further from being finished.
            let from = pulled.len() * 9 / 10;
            (self.crate_at, self.keeper) = random.pick(&pulled[from..]);
        }
        let reach = self.reach_around_boxes();
        self.keeper = random.pick(&reach);
    }

    /// Box squares and keeper after pulls, breadth first, up to so many.
    fn pull_about(&mut self, limit: usize) -> Vec<(Vec<bool>, usize)> {
        let columns = self.columns.cast_signed();
        let start = (self.crate_at.clone(), self.keeper);
        let mut seen = HashSet::new();
        let mut found = vec![start];
        let mut next = 0;
        while next < found.len() && found.len() < limit {
            (self.crate_at, self.keeper) = found[next].clone();
            next += 1;
            let reach = self.reach_around_boxes();
            for (&at, step) in
                reach.iter().flat_map(|at| [-columns, columns, -1, 1].map(|step| (at, step)))
            {
                let (to, behind) = (at.wrapping_add_signed(step), at.wrapping_add_signed(-step));
                if !self.crate_at[behind] || self.wall[to] || self.crate_at[to] {
                    continue;
                }
                let mut boxes = self.crate_at.clone();
                boxes.swap(at, behind);
                if seen.insert((boxes.clone(), to)) {
                    found.push((boxes, to));
                }
            }
        }
        found
    }

    /// The squares the keeper reaches without moving a box.
    fn reach_around_boxes(&mut self) -> Vec<usize> {
        let wall = self.wall.clone();
        self.wall.iter_mut().zip(&self.crate_at).for_each(|(wall, &here)| *wall |= here);
        let reach = self.reach();
        self.wall = wall;
        reach
    }

    fn place_at_random(&mut self, random: &mut SplitMix, room: &[usize], boxes: usize) {
        for &at in &room[..boxes] {
            self.crate_at[at] = true;
        }
        self.keeper = room[boxes];
        let goals = match random.below(20) {
            0 => boxes - 1,
            1..12 => boxes,
            _ => boxes + 1 + random.below(2),
        };
        for _ in 0..goals {
            let free: Vec<usize> = room.iter().copied().filter(|&at| !self.goal[at]).collect();
            if !free.is_empty() {
                self.goal[random.pick(&free)] = true;
            }
        }
    }

    /// Takes away walls nobody could touch, and puts things where nobody gets.
    fn decorate(&mut self, random: &mut SplitMix) {
        let columns = self.columns;
        let mut near = vec![false; self.wall.len()];
        for at in self.reach() {
            for row in [at - columns, at, at + columns] {
                near[row - 1..=row + 1].fill(true);
            }
        }
        let ragged = random.chance(50);
        for at in (0..near.len()).filter(|&at| !near[at]) {
            self.outside[at] = ragged && random.chance(70);
            if random.chance(3) {
                self.outside[at] = true;
                self.crate_at[at] = true;
                self.goal[at] = random.chance(90);
            }
        }
    }

    fn text(&self) -> String {
        let square = |at: usize| match (at == self.keeper, self.crate_at[at], self.goal[at]) {
            (true, _, false) => '@',
            (true, _, true) => '+',
            (_, true, false) => '$',
            (_, true, true) => '*',
            (_, _, true) => '.',
            _ if self.wall[at] && !self.outside[at] => '#',
            _ => '-',
        };
        let row = |row| (0..self.columns).map(move |column| square(row * self.columns + column));
        let rows = (0..self.wall.len() / self.columns).map(|at| row(at).chain(['\n']));
        rows.flatten().collect()
    }
}
