//! All optimal solutions are compared, or not, but what is proven stays.

use sokohive_proto::{AskEnds, MAX_ENDS};

use super::*;

fn ranks(numbers: std::ops::Range<usize>) -> Vec<Rank> {
    numbers.map(|number| Rank::from(number as u64)).collect()
}

/// A job that wants ties broken.
fn wanting(workers: usize) -> Settings {
    let mut settings = settings(workers);
    settings.task.all.break_ties = true;
    settings
}

/// A job that has walked back to a solution that costs 9, and asks where others were found.
fn gathering(workers: usize) -> Bench {
    let mut bench = Bench::with(wanting(workers));
    run(&mut bench, &Report { best: Some(finish(9)), ..idle() });
    assert!(matches!(bench.others[..], [Command::WalkBack(_)]), "{:?}", bench.others);
    bench.event(Event::WalkedBack(Ok(())));
    assert_eq!(bench.calls.len(), workers);
    bench
}

/// The same when that is known, with what is to be compared.
fn comparing(workers: usize) -> (Bench, Optima) {
    let mut bench = gathering(workers);
    bench.answer(|worker, _| Some(Ok(Reply::Ends(Some(ranks(10 * worker..10 * worker + 2))))));
    let Some(Command::Compare(optima)) = bench.others.last() else {
        panic!("all is known: {:?}", bench.others);
    };
    let optima = optima.clone();
    (bench, optima)
}

fn ends_proven(mut bench: Bench) {
    run(&mut bench, &idle());
    assert_eq!(bench.ending(), Some(&Ending::Optimal(finish(9))));
}

#[test]
fn what_all_workers_found_is_compared_and_rows_are_read_for_it() {
    let (mut bench, optima) = comparing(2);
    let ends = [0, 1, 10, 11].map(Rank::from).to_vec();
    assert_eq!(optima, Optima { cost: 9, forward_closed_below: u32::MAX, ends });
    bench.event(Event::RowsWanted(vec![(1, ranks(0..3))]));
    bench.answer(steady(&idle()));
    assert!(matches!(bench.others.last(), Some(Command::Deliver(_))), "{:?}", bench.others);
    assert_eq!(bench.ending(), None);
    bench.event(Event::Compared);
    ends_proven(bench);
}

#[test]
fn a_worker_that_found_many_is_asked_until_it_has_told_all() {
    let mut bench = gathering(1);
    let mut asked = Vec::new();
    for (numbers, is_last) in [(0..MAX_ENDS, false), (MAX_ENDS..2 * MAX_ENDS, false), (0..0, true)]
    {
        let [(_, _, Request::Ends(AskEnds { cost: 9, after, .. }))] = bench.calls[..] else {
            panic!("{:?}", bench.calls);
        };
        asked.push(after);
        bench.answer(|_, _| Some(Ok(Reply::Ends(Some(ranks(numbers.clone()))))));
        let compares = matches!(bench.others.last(), Some(Command::Compare(_)));
        assert_eq!(compares, is_last);
    }
    let last = |end: usize| Some(Rank::from(end as u64 - 1));
    assert_eq!(asked, [None, last(MAX_ENDS), last(2 * MAX_ENDS)]);
}

#[test]
fn what_a_worker_does_not_know_is_not_compared() {
    let mut bench = gathering(2);
    bench.answer(|worker, _| Some(Ok(Reply::Ends((worker == 0).then(Vec::new)))));
    assert!(!bench.others.iter().any(|other| matches!(other, Command::Compare(_))));
    ends_proven(bench);
}

#[test]
fn a_worker_lost_after_the_proof_only_leaves_the_comparison_out() {
    let gone = || Err(CallError::Refused(Refusal::NoJob));
    let mut bench = gathering(2);
    bench.answer(|_, _| Some(gone()));
    ends_proven(bench);
    let (mut bench, _) = comparing(2);
    bench.event(Event::RowsWanted(vec![(1, ranks(0..3))]));
    bench.answer(|_, _| Some(gone()));
    ends_proven(bench);
    // Or it says nothing any more.
    for mut bench in [gathering(2), comparing(2).0] {
        bench.event(Event::RowsWanted(vec![(0, ranks(0..3)), (1, ranks(0..3))]));
        let limit = bench.now + 3 * LOST;
        while bench.ending().is_none() {
            assert!(bench.now < limit);
            bench.answer(|worker, request| {
                (worker == 0).then(|| steady(&idle())(0, request)).flatten()
            });
            if bench.ending().is_none() {
                bench.tick();
            }
        }
        ends_proven(bench);
    }
}

#[test]
fn rows_that_make_no_sense_only_leave_the_comparison_out() {
    let (mut bench, _) = comparing(2);
    bench.event(Event::RowsWanted(vec![(1, ranks(0..3))]));
    bench.answer(|_, _| Some(Ok(Reply::Rows(Vec::new()))));
    ends_proven(bench);
    let (mut bench, _) = comparing(2);
    bench.event(Event::RowsWanted(Vec::new()));
    ends_proven(bench);
}

#[test]
fn who_stops_a_comparison_gets_what_is_proven() {
    for reason in [StopReason::Time, StopReason::Interrupt, StopReason::Cancel] {
        let mut bench = gathering(2);
        bench.event(Event::Stop(reason));
        ends_proven(bench);
        let (mut bench, _) = comparing(2);
        bench.event(Event::Stop(reason));
        ends_proven(bench);
    }
}

#[test]
fn nothing_is_compared_that_nobody_wants() {
    let mut bench = Bench::new(2);
    run(&mut bench, &Report { best: Some(finish(9)), ..idle() });
    bench.event(Event::WalkedBack(Ok(())));
    ends_proven(bench);
}

/// Levels go on beyond the proof where all solutions are wanted.
#[test]
fn a_limit_that_comes_after_the_proof_leaves_it() {
    for (wants, proven) in [(true, true), (false, false)] {
        let mut bench = Bench::with(if wants { wanting(1) } else { settings(1) });
        bench.prepare();
        bench.answer(steady(&Report { open: open(9), ..idle() }));
        bench.answer(steady(&Report { open: open(9), ..idle() }));
        // In level 9 a solution of cost 9 is found.
        bench.answer(steady(&Report { best: Some(finish(9)), open: open(9), ..Report::default() }));
        bench.event(Event::Stop(StopReason::Time));
        for _ in 0..9 {
            bench.answer(steady(&Report { best: Some(finish(9)), ..idle() }));
            bench.tick();
        }
        bench.event(Event::WalkedBack(Ok(())));
        run(&mut bench, &idle());
        let ending = bench.ending().expect("it has ended");
        assert_eq!(matches!(ending, Ending::Optimal(_)), proven, "{ending:?}");
    }
}

#[test]
fn a_search_for_others_as_good_begins_with_what_is_known_of_them() {
    let statistics = Statistics { expanded: 5, levels: 3, ..Statistics::default() };
    let known = Some(Proven { cost: 9, statistics });
    let mut bench = Bench::with(Settings { proven: known, ..wanting(1) });
    bench.prepare();
    assert_eq!(bench.job.progress().best, Some(9));
    bench.answer(steady(&Report { open: open(8), ..idle() }));
    let [(_, _, Request::OpenLevel(open))] = &bench.calls[..] else { panic!("{:?}", bench.calls) };
    assert_eq!(open.incumbent, Some(9));
    let (counted, _) = bench.job.statistics();
    assert_eq!((counted.expanded, counted.levels), (5, 4));
    // It has to be found again.
    run(&mut bench, &idle());
    let (_, reason, _) = bench.failure();
    assert_eq!(reason, "internal error: a solution that is known was not found");
}
