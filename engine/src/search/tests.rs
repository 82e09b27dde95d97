//! The order of levels does not matter, and the search from both ends ends neither too early nor by luck.

use super::agenda::End;
use super::levels::Levels;
use super::shard::{Shard, Terms};
use super::side::{Level, Side};
use crate::board::tests::level;
use crate::plan::{OnBoard, Options, Plan};
use crate::rank::Rank;
use crate::walk::Ground;
use crate::{Control, Objective, Rule, SearchChoice, builtin};

/// A search from both ends with its levels in any order.
struct AnyOrder {
    /// For the order.
    random: u64,
    threads: usize,
    optimum: Option<u32>,
}

/// What such a search has seen.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// Moments at which enough was closed on both sides that the optimum had to be known.
    due: u32,
    /// Moments just before: one move less was closed than that, and the optimum was not known.
    early: u32,
    /// Moments at which the search might have ended.
    ends: u32,
}

impl OnBoard for AnyOrder {
    type Output = Seen;

    fn with<R: Rank, G: Ground>(self, plan: &Plan) -> Result<Seen, Self> {
        let terms = Terms {
            threads: self.threads,
            control: Control::new(),
            most_expansions: u64::MAX,
            exchange: None,
            wake: None,
            journal: None,
            restores: false,
            spill: None,
            scouts: false,
        };
        let Ok(shard) = plan.shard::<R, G>(u64::MAX, terms) else { return Err(self) };
        let seen = std::thread::scope(|scope| {
            for number in 0..self.threads {
                let shard = &shard;
                scope.spawn(move || shard.work(number));
            }
            // Whatever comes of it, the threads are sent home.
            let _home = SentHome(&shard);
            self.drive(&shard)
        });
        Ok(seen)
    }
}

struct SentHome<'s, R: Rank, G: Ground>(&'s Shard<R, G>);

impl<R: Rank, G: Ground> Drop for SentHome<'_, R, G> {
    fn drop(&mut self) {
        self.0.agenda.end(End::Finished);
    }
}

impl AnyOrder {
    fn drive<R: Rank, G: Ground>(&self, shard: &Shard<R, G>) -> Seen {
        let mut random = self.random;
        let mut levels = Levels::new(SearchChoice::TwoSided, 0);
        let optimum = self.optimum.unwrap_or(u32::MAX);
        let mut seen = Seen::default();
        let mut first = true;
        loop {
            let next = shard.agenda.wait_until_quiet().expect("no limits");
            let found = shard.incumbent.cost();
            assert!(found >= optimum, "a solution of {found} moves");
            if levels.advance(next, found).is_none() {
                seen.ends += 1;
                assert_eq!(found, optimum, "it would end here");
            }
            assert!(levels.lower_bound() <= optimum);
            let [forward, backward] = next.map(|next| next.map(|next| next.f));
            if std::mem::take(&mut first) {
                // A board that is finished at the start has nothing to open.
                let Some(f) = forward else { return seen };
                shard.agenda.open(Level::of_f(Side::Forward, f));
                continue;
            }
            if let (Some(forward), Some(backward)) = (forward, backward) {
                if optimum < forward + backward {
                    seen.due += 1;
                    assert_eq!(found, optimum, "closed below {forward} and {backward}");
                }
                if optimum == forward + backward && found > optimum {
                    seen.early += 1;
                }
            }
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let level = match (forward, backward) {
                (None, None) => return seen,
                (Some(f), None) => Level::of_f(Side::Forward, f),
                (None, Some(f)) => Level::of_f(Side::Backward, f),
                (Some(f), Some(_)) if random >> 40 & 7 < self.random & 7 => {
                    Level::of_f(Side::Forward, f)
                }
                (Some(_), Some(f)) => Level::of_f(Side::Backward, f),
            };
            shard.agenda.open(level);
        }
    }
}

/// Small boards with their fewest moves, and some without solution.
fn boards() -> Vec<(crate::Level, Rule, Option<u32>)> {
    let cases = [
        ("#######|##--#-#|##$--@#|#.-$.##|###---#|#######", Some(19)),
        ("######|##---#|#-*$.#|#-#--#|#---@#|######", Some(37)),
        ("######|#---##|#--$+#|######", Some(7)),
        ("#####|#+$-#|#-$.#|#---#|#####", Some(14)),
        ("######|#---.#|#--$@#|#---##|######", Some(8)),
        ("######|#.$--#|#$---#|#@.--#|######", None),
        ("#####|#@*-#|#####", Some(0)),
    ];
    let cases = cases.into_iter().map(|(text, moves)| (level(text), Rule::Classic, moves));
    let builtins = builtin::all().iter().filter(|board| board.moves < 60);
    let builtins =
        builtins.map(|board| (board.level.clone(), board.level.rule(), Some(board.moves)));
    cases.chain(builtins).collect()
}

#[test]
fn from_both_ends_every_solution_is_found_when_it_must_be_in_whatever_order() {
    let mut sum = Seen::default();
    let mut searches = 0;
    for (level, rule, optimum) in boards() {
        for dominance in [true, false] {
            for random in 0..16 {
                let search = SearchChoice::TwoSided;
                let options = Options { search, dominance, ..Options::default() };
                let plan =
                    Plan::new(&level, rule, Objective::Moves, options).expect("to be searched");
                let threads = 1 + random as usize / 4 % 2;
                let seen = plan.run(AnyOrder { random, threads, optimum }).expect("small");
                sum.due += seen.due;
                sum.early += seen.early;
                sum.ends += u32::from(seen.ends > 0);
                searches += 1;
            }
        }
    }
    println!("{sum:?} in {searches} searches");
    // All might end, and a rule that ends one move earlier would be wrong in some.
    assert_eq!(sum.ends, searches);
    assert!(sum.due > searches && sum.early > 0, "{sum:?}");
}
