//! Fewest moves among all solutions of fewest pushes, from where the keeper stands exactly.

use std::collections::HashMap;

use super::fan::Fan;
use super::walks::{Walks, Ways};
use super::{Cut, Optima, Searched, Unknown};
use crate::Control;
use crate::board::Square;
use crate::paths::Paths;
use crate::purse::Purse;
use crate::rank::Rank;
use crate::reconstruct::{Push, spell};
use crate::search::side::Side;

/// A state of a fan, with the keeper on a square of its region.
type Place = (Side, u32, Square);

/// Where the keeper stands right after a push, or at the start.
#[derive(Clone, Copy, Debug)]
struct Stand {
    at: Place,
    /// The least moves up to here, and in how many ways; these saturate.
    moves: u32,
    ways: u64,
    /// The push of one of these ways that came last, and the stand before it.
    last: Option<(u32, Push)>,
}

/// The ends of all solutions of fewest moves.
#[derive(Clone, Copy, Debug)]
struct End {
    moves: u32,
    ways: u64,
    /// The last stand of one of them.
    stand: u32,
}

/// Stands in the order of their pushes, each once.
#[derive(Debug, Default)]
struct Stands {
    all: Vec<Stand>,
    numbers: HashMap<Place, u32>,
}

impl Stands {
    /// Takes note of ways to a place.
    fn reach<E>(&mut self, stand: Stand, purse: &mut Purse<'_>) -> Result<(), Unknown<E>> {
        if let Some(&number) = self.numbers.get(&stand.at) {
            let known = &mut self.all[number as usize];
            if stand.moves < known.moves {
                *known = stand;
            } else if stand.moves == known.moves {
                known.ways = known.ways.saturating_add(stand.ways);
            }
            return Ok(());
        }
        let number = u32::try_from(self.all.len()).map_err(|_| Unknown::Memory)?;
        purse.push(&mut self.all, stand)?;
        purse.insert(&mut self.numbers, stand.at, number)?;
        Ok(())
    }

    /// The pushes up to a stand.
    fn pushes(&self, stand: u32) -> Vec<Push> {
        let mut pushes = Vec::new();
        let mut at = stand;
        while let Some((before, push)) = self.all[at as usize].last {
            pushes.push(push);
            at = before;
        }
        pushes.reverse();
        pushes
    }
}

/// The best of all solutions whose pushes lead through the forward fan, a cut, and the backward fan.
pub(super) fn fewest_moves<R: Rank, E>(
    searched: &Searched<'_, R>,
    fans: &mut [Fan<R>; 2],
    cuts: &mut [Cut],
    walks: &mut Walks<'_>,
    purse: &mut Purse<'_>,
    control: &Control,
) -> Result<Optima, Unknown<E>> {
    let Searched { board, rule, ranking, .. } = *searched;
    fans.iter_mut().for_each(Fan::order_by_time);
    cuts.sort_unstable_by_key(|cut| cut.forward);
    // A state that is cut is one of the backward fan from here on. Each is cut once: what joins it has its region.
    let place = |side, number, keeper| {
        let cut = cuts.binary_search_by_key(&number, |cut| cut.forward).ok();
        match cut.and_then(|cut| cuts[cut].backward).filter(|_| side == Side::Forward) {
            Some(backward) => (Side::Backward, backward, keeper),
            None => (side, number, keeper),
        }
    };
    let is_cut = |number| cuts.binary_search_by_key(&number, |cut| cut.forward).is_ok();
    let mut stands = Stands::default();
    for root in fans[Side::Forward as usize].roots() {
        let at = place(Side::Forward, root, board.keeper());
        stands.reach(Stand { at, moves: 0, ways: 1, last: None }, purse)?;
    }
    let mut best: Option<End> = None;
    let mut number = 0;
    // All ways to a stand begin at stands of one push less, which have all been taken before.
    while let Some(&Stand { at: (side, state, keeper), moves, ways, .. }) =
        stands.all.get(number as usize)
    {
        if control.stopped().is_some() {
            return Err(Unknown::Stopped);
        }
        let fan = &fans[side as usize];
        let (boxes, _) = fan.position(state, ranking);
        let is_end = match side {
            Side::Forward => is_cut(state),
            Side::Backward => fan.is_root(state),
        };
        if is_end {
            let walk = searched.last_walk(&boxes, keeper, walks).ok_or(Unknown::Unexplained)?;
            let moves = moves.saturating_add(walk.steps);
            let ways = ways.saturating_mul(walk.number);
            match &mut best {
                Some(best) if best.moves < moves => {}
                Some(best) if best.moves == moves => best.ways = best.ways.saturating_add(ways),
                _ => best = Some(End { moves, ways, stand: number }),
            }
        } else {
            let (pushes, next): (Vec<Push>, Vec<u32>) = fan.made_from(state).unzip();
            let sides: Vec<Square> = pushes.iter().map(|push| push.side).collect();
            let walked = walks.ways_to_each(&boxes, keeper, &sides, u32::MAX);
            for ((push, next), walk) in pushes.into_iter().zip(next).zip(walked) {
                let Some(Ways { steps, number: walks }) = walk else { continue };
                let stand = Stand {
                    at: place(side, next, push.from),
                    moves: moves.saturating_add(steps).saturating_add(1),
                    ways: ways.saturating_mul(walks),
                    last: Some((number, push)),
                };
                stands.reach(stand, purse)?;
            }
        }
        number += 1;
    }
    let End { ways, stand, .. } = best.ok_or(Unknown::Unexplained)?;
    let moves = spell(board, rule, Paths::new(board), &stands.pushes(stand));
    Ok(Optima { count: ways, moves })
}
