//! Searches that were cut off and taken up again come to the same answer.

mod brute_force;
mod options;
mod random_boards;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use brute_force::Verdict;
use options::{Options, SEARCHES, WIDTHS, check};
use random_boards::{RandomBoard, SplitMix, random_board};
use sokohive_engine::{
    Checkpoint, Control, DurableError, Ending, JournalPlace, Level, Limit, Outcome, Rule,
    SearchChoice, SpillPlace, Stop, builtin,
};

/// A folder of its own, gone when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("sokohive-durable-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).expect("a folder can be made");
        Self(path)
    }

    fn place(&self, attempt: u32) -> JournalPlace {
        JournalPlace { directory: self.0.clone(), prefix: format!("attempt{attempt}") }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What happens at the edge that a search is left at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Leave {
    /// It is stopped there.
    Stopped,
    /// It is stopped some edges later, so that the segments hold more than the checkpoint says.
    Later,
    /// Its journal is begun anew there, and it is stopped some edges later, at the first checkpoint after.
    Compacted,
}

/// Searches up to the edge of that number, from 1, and leaves it with a checkpoint; or to the end, if that comes first.
fn leave(
    options: &Options,
    (level, rule): (&Level, Rule),
    place: JournalPlace,
    resume: Option<Checkpoint>,
    (edge, how): (u64, Leave),
) -> Result<(Outcome, Option<Checkpoint>), DurableError> {
    let control = Control::new();
    let (mut passed, mut kept) = (0, None);
    let stop = control.clone();
    let mut solver = options.solver(level, rule).control(control);
    if edge < 100 && edge % 4 == 3 {
        // What was put off is in the journal as well.
        let directory = std::env::temp_dir();
        solver = solver.spill(SpillPlace { directory, most_bytes: u64::MAX, share: 0 });
    }
    let durable = solver.durable(place, |at| {
        passed += 1;
        assert_eq!(at.fault(), None);
        if passed == edge {
            if how == Leave::Compacted {
                at.compact();
            }
            at.syncer().sync().expect("the disk takes it");
            kept = Some(at.checkpoint().clone());
        } else if how == Leave::Compacted && passed > edge {
            kept = Some(at.checkpoint().clone());
        }
        if passed == edge + if how == Leave::Stopped { 0 } else { 2 } {
            stop.stop(Stop::Interrupt);
        }
    });
    let durable = match resume {
        Some(checkpoint) => durable.resume(checkpoint),
        None => durable,
    };
    let outcome = durable.solve()?;
    Ok((outcome, kept))
}

fn draw(random: &mut SplitMix, search: (SearchChoice, sokohive_engine::EstimateChoice)) -> Options {
    Options {
        search: search.0,
        estimate: search.1,
        dominance: random.chance(80),
        deadlocks: random.chance(80),
        width: random.pick(&WIDTHS),
        threads: random.pick(&[1, 2, 3]),
        table: random.pick(&[None, Some(1)]),
        scout: random.chance(50),
    }
}

/// Cuts a search off up to three times, and takes it up again set up in another way each time.
fn survives(seed: u64, board: (&Level, Rule), moves: Option<u32>, most_edges: usize) -> u32 {
    let mut random = SplitMix::new(!seed);
    let search = random.pick(&SEARCHES);
    let folder = Folder::new();
    let mut checkpoint = None;
    for attempt in 0..3 {
        let options = draw(&mut random, search);
        let edge = 1 + random.below(most_edges) as u64;
        let how = random.pick(&[Leave::Stopped, Leave::Later, Leave::Compacted]);
        let before: Option<Checkpoint> = checkpoint.clone();
        let (outcome, kept) =
            leave(&options, board, folder.place(attempt), checkpoint, (edge, how))
                .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let Ending::Limit { limit, lower_bound, .. } = outcome.ending else {
            check(&outcome, board.0, board.1, moves)
                .unwrap_or_else(|fault| panic!("seed {seed}: {fault}\nwith {options}, {how:?}"));
            return attempt;
        };
        assert_eq!(limit, Limit::Interrupted);
        assert!(moves.is_none_or(|moves| lower_bound <= moves), "seed {seed}");
        if let Some(before) = before {
            assert!(lower_bound >= before.reached.lower_bound, "seed {seed}");
        }
        checkpoint = kept;
    }
    let options = draw(&mut random, search);
    let resume = checkpoint.expect("left three times");
    let (outcome, _) =
        leave(&options, board, folder.place(9), Some(resume), (u64::MAX, Leave::Stopped))
            .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    check(&outcome, board.0, board.1, moves)
        .unwrap_or_else(|fault| panic!("seed {seed}: {fault}\nwith {options}"));
    3
}

#[test]
fn random_boards_come_out_right_however_often_they_are_cut_off() {
    let (mut decided, mut cut) = (0, 0);
    for seed in 0..700 {
        let RandomBoard { level, rule, .. } = random_board(seed);
        let moves = match brute_force::solve(&level, rule, 100_000) {
            Verdict::Optimum { moves, .. } => Some(moves),
            Verdict::Unsolvable => None,
            Verdict::TooBig(_) => continue,
        };
        decided += 1;
        cut += survives(seed, (&level, rule), moves, 4);
    }
    println!("{decided} boards, cut off {cut} times");
    assert!(decided >= 500 && cut >= 400);
}

#[test]
fn built_in_boards_come_out_right_however_often_they_are_cut_off() {
    // The largest takes long, and has nothing that the others have not.
    for builtin in builtin::all().iter().filter(|builtin| builtin.id != "p15") {
        let board = (&builtin.level, builtin.level.rule());
        for seed in 0..if builtin.id == "level1" { 1 } else { 4 } {
            let cut = survives(seed, board, Some(builtin.moves), 40);
            println!("{}: cut off {cut} times", builtin.id);
        }
    }
}

/// A checkpoint in the middle of a search, its folder, and the board.
fn in_the_middle() -> (Folder, Checkpoint, &'static Level, u32) {
    let builtin = builtin::find("p9").expect("built in");
    let folder = Folder::new();
    let board = (&builtin.level, builtin.level.rule());
    let options = Options::default();
    let (_, kept) =
        leave(&options, board, folder.place(0), None, (9, Leave::Stopped)).expect("can");
    (folder, kept.expect("passed"), &builtin.level, builtin.moves)
}

fn taken_up(
    folder: &Folder,
    checkpoint: Checkpoint,
    level: &Level,
) -> Result<Outcome, DurableError> {
    static ATTEMPT: AtomicU64 = AtomicU64::new(100);
    let place = folder.place(ATTEMPT.fetch_add(1, Ordering::Relaxed) as u32);
    let last = (u64::MAX, Leave::Stopped);
    let board = (level, level.rule());
    leave(&Options::default(), board, place, Some(checkpoint), last).map(|(outcome, _)| outcome)
}

#[test]
fn damaged_segments_are_refused_and_never_answer_wrongly() {
    let (folder, checkpoint, level, moves) = in_the_middle();
    let segment = checkpoint.segments[0].clone();
    let path = folder.0.join(&segment.name);
    let sound = fs::read(&path).expect("written");
    let mut random = SplitMix::new(7);
    let mut refused = 0;
    for _ in 0..300 {
        let mut damaged = sound.clone();
        let at = random.below(damaged.len());
        match random.below(3) {
            0 => damaged[at] ^= 1 << random.below(8),
            1 => damaged.truncate(at),
            _ => {
                let end = (at + 1 + random.below(64)).min(damaged.len());
                damaged[at..end].fill(random.next() as u8);
            }
        }
        fs::write(&path, &damaged).expect("can be written");
        match taken_up(&folder, checkpoint.clone(), level) {
            Err(DurableError::Segment(error)) => {
                assert!(error.to_string().contains(&segment.name), "{error}");
                refused += 1;
            }
            Err(other) => panic!("{other}"),
            // Beyond what was committed, or no damage at all.
            Ok(outcome) => check(&outcome, level, level.rule(), Some(moves)).expect("right"),
        }
    }
    println!("{refused} of 300 refused");
    assert!(refused > 200);
    fs::remove_file(&path).expect("there");
    assert!(matches!(taken_up(&folder, checkpoint, level), Err(DurableError::Segment(_))));
}

#[test]
fn the_checkpoint_of_another_search_is_refused() {
    let (folder, checkpoint, level, _) = in_the_middle();
    let other = &builtin::find("p8").expect("built in").level;
    let error = taken_up(&folder, checkpoint.clone(), other).expect_err("another board");
    assert!(error.to_string().contains("another search"), "{error}");
    let options = Options { search: SearchChoice::Forward, ..Options::default() };
    let board = (level, level.rule());
    let last = (u64::MAX, Leave::Stopped);
    let error = leave(&options, board, folder.place(1), Some(checkpoint.clone()), last);
    assert!(matches!(error, Err(DurableError::Segment(_))));
    let board = (level, Rule::Classic);
    let error = leave(&Options::default(), board, folder.place(2), Some(checkpoint), last);
    assert!(matches!(error, Err(DurableError::Segment(_))));
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error() {
    let level = &builtin::find("p1").expect("built in").level;
    let directory = Path::new("/dev/null/nowhere").to_owned();
    let place = JournalPlace { directory, prefix: "x".to_owned() };
    let last = (u64::MAX, Leave::Stopped);
    let error = leave(&Options::default(), (level, level.rule()), place, None, last);
    let Err(error @ DurableError::Journal { .. }) = error else { panic!("{error:?}") };
    assert!(error.to_string().contains(" in /dev/null"), "{error}");
}

#[test]
fn a_checkpoint_keeps_what_is_proven_and_what_is_shown_goes_on_from_it() {
    let level = &builtin::find("p13").expect("built in").level;
    for (search, estimate) in SEARCHES {
        let options = Options { search, estimate, ..Options::default() };
        let (folder, control) = (Folder::new(), Control::new());
        let (watch, mut edges) = (control.clone(), Vec::<Checkpoint>::new());
        let solver = options.solver(level, level.rule()).control(control);
        let outcome = solver.durable(folder.place(0), |at| {
            if let Some(last) = edges.last() {
                // The bound of the level that has been opened since.
                assert_eq!(last.reached.lower_bound, watch.progress().lower_bound, "{options}");
            }
            at.syncer().sync().expect("the disk takes it");
            edges.push(at.checkpoint().clone());
        });
        check(&outcome.solve().expect("it can be kept"), level, level.rule(), Some(78)).unwrap();
        let middle = edges.swap_remove(edges.len() / 2);
        let (control, before) = (Control::new(), middle.statistics.expanded);
        let (watch, mut shown) = (control.clone(), None);
        let solver = options.solver(level, level.rule()).control(control);
        let resumed = solver.durable(folder.place(1), |_| {
            shown.get_or_insert_with(|| watch.progress());
        });
        let bound = middle.reached.lower_bound;
        let outcome = resumed.resume(middle).solve().expect("it can be read");
        check(&outcome, level, level.rule(), Some(78)).unwrap();
        let shown = shown.expect("there is an edge where it goes on");
        assert!(before > 0 && bound > 0);
        assert_eq!((shown.expanded, shown.lower_bound), (before, bound), "{options}");
    }
}

#[test]
fn counters_go_on_where_they_were() {
    let builtin = builtin::find("p13").expect("built in");
    let board = (&builtin.level, builtin.level.rule());
    let options = Options::default();
    let whole = options.solver(board.0, board.1).solve().statistics;
    let folder = Folder::new();
    let (_, kept) =
        leave(&options, board, folder.place(0), None, (20, Leave::Stopped)).expect("can");
    let kept = kept.expect("passed");
    let last = (u64::MAX, Leave::Stopped);
    let (outcome, _) = leave(&options, board, folder.place(1), Some(kept), last).expect("can");
    let resumed = outcome.statistics;
    assert_eq!((resumed.states, resumed.levels), (whole.states, whole.levels));
    assert_eq!((resumed.expanded, resumed.generated), (whole.expanded, whole.generated));
    assert_eq!(resumed.attempts, whole.attempts);
}
