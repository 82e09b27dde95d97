//! What each event looks like to each reader.

use std::time::Duration;

use sokohive_engine::{
    Ending, EntryWidth, EstimateChoice, Limit, Objective, Progress, SearchChoice, Solution,
    Statistics, Tie, Unsolvable, Unsupported, builtin,
};

use super::live::LiveStyle;
use super::{Format, Reporter, Style, Verbosity};
use crate::board::{Board, Refusal};
use crate::event::{AllOptimal, Event, Report, Settings};
use crate::outcome::Outcome;
use crate::summary::Summary;
use crate::watch::Glance;

fn board() -> Board {
    let p1 = builtin::find("p1").expect("p1 is built in");
    let known = Some(p1.moves as usize);
    Board { id: "p1".to_owned(), file: None, level: p1.level.clone(), known }
}

fn settings() -> Settings {
    Settings {
        rule: board().level.rule(),
        objective: Objective::Moves,
        search: SearchChoice::Forward,
        estimate: EstimateChoice::Nearest,
        threads: 2,
        memory: 64 << 20,
        timeout: Some(Duration::from_millis(2_500)),
        expansions: u64::MAX,
        dominance: true,
        deadlocks: false,
        workers: Vec::new(),
        entry_width: Some(EntryWidth::Bytes16),
        spill: None,
        scout: false,
        all: AllOptimal::default(),
    }
}

fn report(ending: Ending) -> Report {
    Report {
        id: "p1".to_owned(),
        title: None,
        file: None,
        rule: board().level.rule(),
        objective: Objective::Moves,
        all: AllOptimal::default(),
        search: SearchChoice::Forward,
        ending: ending.into(),
        disk_fault: None,
        statistics: Statistics {
            expanded: 1,
            dominated: 2,
            stale: 3,
            attempts: 4,
            generated: 5,
            dead: 6,
            reopened: 0,
            states: 7,
            levels: 8,
            peak_bytes: 9,
            transferred: 0,
            filtered: 0,
            spilled_bytes: 0,
        },
        elapsed: Duration::from_millis(1_234),
        threads: 2,
        cluster: None,
    }
}

fn solution(lurd: &str) -> Solution {
    Solution::new(lurd.parse().expect("a move string"))
}

/// What the two streams hold after the events.
fn written(style: Style, live: LiveStyle, events: &[Event<'_>]) -> (String, String) {
    let (mut results, mut messages) = (Vec::new(), Vec::new());
    let reporter = Reporter::new(style, live, &mut results, &mut messages);
    for event in events {
        reporter.emit(event).expect("writing to memory");
    }
    drop(reporter);
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (text(results), text(messages))
}

fn result(format: Format, ending: Ending) -> String {
    let style = Style { format, solution: true, ..Style::default() };
    written(style, LiveStyle::Off, &[Event::Finished(&report(ending))]).0
}

const COUNTERS: &str = "expanded=1 generated=5 attempts=4 states=7 dominated=2 stale=3 dead=6 \
                        reopened=0 levels=8 peak_bytes=9 seconds=1.234 threads=2";

#[test]
fn an_optimal_ending_is_two_lines() {
    let text = result(Format::Text, Ending::Optimal(solution("rDDL")));
    let expected = format!(
        "RESULT p1 optimal=4 moves=4 pushes=3 {COUNTERS} tie=any\nSOLUTION p1 moves=4 rDDL\n"
    );
    assert_eq!(text, expected);
}

#[test]
fn what_is_proven_among_optimal_solutions_is_said_and_nothing_else() {
    for (tie, word) in [
        (Tie::Any, "any"),
        (Tie::FewestPushes, "fewest-pushes"),
        (Tie::FewestMoves, "fewest-moves"),
    ] {
        let ending = || Ending::Optimal(Solution { tie, ..solution("rDDL") });
        let text = result(Format::Text, ending());
        assert!(text.contains(&format!(" threads=2 tie={word}\n")), "{text}");
        let json = result(Format::Json, ending());
        assert!(json.contains(&format!(r#""tie":"{word}""#)), "{json}");
        let best = Some(Solution { tie, ..solution("rDDL") });
        let limit = Ending::Limit { limit: Limit::Time, lower_bound: 3, best };
        assert!(!result(Format::Text, limit).contains("tie="));
    }
}

#[test]
fn one_is_not_many() {
    let mut report = report(Ending::Optimal(solution("r")));
    report.statistics.attempts = 1;
    report.statistics.states = 1;
    let style = Style { verbosity: Verbosity::Verbose, ..Style::default() };
    let text = written(style, LiveStyle::Off, &[Event::Finished(&report)]).1;
    for one in [" 1 row expanded", " 1 attempt on", " 1 state stored"] {
        assert!(text.contains(one), "{text}");
    }
}

#[test]
fn a_disk_that_fails_is_named() {
    let limit = Ending::Limit { limit: Limit::Disk, lower_bound: 7, best: None };
    let disk_fault = Some("/fast: writing: no \"room\"".to_owned());
    let report = Report { disk_fault, ..report(limit) };
    let written = |format| {
        let style = Style { format, ..Style::default() };
        written(style, LiveStyle::Off, &[Event::Finished(&report)]).0
    };
    let text = written(Format::Text);
    assert!(text.starts_with("RESULT p1 optimal=DISK lower_bound=7 best_found=none "), "{text}");
    assert!(text.ends_with(" reason=\"/fast: writing: no 'room'\"\n"), "{text}");
    let json = written(Format::Json);
    assert!(json.contains(r#""reason":"/fast: writing: no \"room\"""#), "{json}");
}

#[test]
fn no_moves_at_all_are_a_solution_too() {
    let text = result(Format::Text, Ending::Optimal(solution("")));
    assert!(text.ends_with("\nSOLUTION p1 moves=0\n"), "{text}");
}

#[test]
fn no_answer_says_why() {
    let ending = Ending::Unsolvable(Unsolvable::TooFewGoals { boxes: 2, goals: 1 });
    let expected = format!("RESULT p1 optimal=UNSOLVABLE {COUNTERS} reason=\"2 boxes, 1 goal\"\n");
    assert_eq!(result(Format::Text, ending), expected);
    let ending = Ending::Unsupported(Unsupported::RankTooWide { bits: 301, limit: 240 });
    let text = result(Format::Text, ending);
    assert!(text.starts_with("RESULT p1 optimal=UNSUPPORTED expanded=1 "), "{text}");
    assert!(text.contains("301 bits"), "{text}");
}

#[test]
fn a_limit_has_bounds_and_never_a_solution_line() {
    let words = [
        (Limit::Time, "TIMEOUT"),
        (Limit::Memory, "MEMORY"),
        (Limit::Expansions, "LIMIT"),
        (Limit::Interrupted, "INTERRUPTED"),
    ];
    for (limit, word) in words {
        let ending = Ending::Limit { limit, lower_bound: 3, best: None };
        let expected =
            format!("RESULT p1 optimal={word} lower_bound=3 best_found=none {COUNTERS}\n");
        assert_eq!(result(Format::Text, ending), expected);
    }
    let best = Some(solution("rDDL"));
    let ending = Ending::Limit { limit: Limit::Time, lower_bound: 3, best };
    let text = result(Format::Text, ending);
    assert!(text.contains(" lower_bound=3 best_found=4 "), "{text}");
    assert!(text.ends_with("\nBEST_FOUND p1 moves=4 rDDL\n"), "{text}");
    assert!(!text.contains("SOLUTION"), "{text}");
}

#[test]
fn json_says_the_same() {
    let object = |ending| {
        let text = result(Format::Json, ending);
        assert_eq!(text.lines().count(), 1, "{text}");
        serde_json::from_str::<serde_json::Value>(&text).expect("JSON")
    };
    let optimal = object(Ending::Optimal(solution("rDDL")));
    assert_eq!(optimal["ending"], "optimal");
    assert_eq!(optimal["optimal"], 4);
    assert_eq!(optimal["search"], "forward");
    assert_eq!(optimal["pushes"], 3);
    assert_eq!(optimal["solution"], "rDDL");
    assert_eq!(optimal["statistics"]["peak_bytes"], 9);
    assert!(optimal.get("lower_bound").is_none());
    let limit =
        object(Ending::Limit { limit: Limit::Memory, lower_bound: 3, best: Some(solution("rD")) });
    assert_eq!(limit["ending"], "memory");
    assert_eq!(limit["lower_bound"], 3);
    assert_eq!(limit["best_found"]["cost"], 2);
    assert!(limit.get("optimal").is_none());
    let limit = object(Ending::Limit { limit: Limit::Time, lower_bound: 3, best: None });
    assert_eq!(limit.get("best_found"), Some(&serde_json::Value::Null));
    let none = object(Ending::Unsolvable(Unsolvable::Exhausted));
    assert_eq!(none["ending"], "unsolvable");
    assert!(none["reason"].is_string());
}

#[test]
fn bad_input_names_its_place() {
    let refusal = Refusal {
        id: "a.xsb:2".to_owned(),
        file: Some("a.xsb".into()),
        line: Some(3),
        column: Some(7),
        reason: "found 'X', expected a wall".to_owned(),
        hint: Some("build one"),
    };
    let event = [Event::Refused(&refusal)];
    let quiet = Style { verbosity: Verbosity::Quiet, ..Style::default() };
    let (results, messages) = written(quiet, LiveStyle::Off, &event);
    assert_eq!(results, "");
    assert_eq!(messages, "error: a.xsb:3:7: found 'X', expected a wall\n  hint: build one\n");
    let json = Style { format: Format::Json, ..Style::default() };
    let (results, _) = written(json, LiveStyle::Off, &event);
    let object: serde_json::Value = serde_json::from_str(&results).expect("JSON");
    assert_eq!((&object["line"], &object["column"]), (&3.into(), &7.into()));
}

#[test]
fn several_boards_are_summed_up() {
    let mut summary = Summary::default();
    summary.add(&report(Ending::Optimal(solution("rDDL"))));
    summary.add(&report(Ending::Limit { limit: Limit::Disk, lower_bound: 3, best: None }));
    summary.skip(Outcome::Unsolvable);
    summary.count(Outcome::BadInput);
    summary.leave(2);
    let event = [Event::Summed(&summary)];
    let (results, messages) = written(Style::default(), LiveStyle::Off, &event);
    assert_eq!(
        results,
        "SUMMARY boards=6 optimal=1 unsolvable=1 unsupported=0 limit=1 failed=0 bad_input=1 \
         not_begun=2 skipped=1 expanded=2 seconds=2.468\n"
    );
    assert_eq!(messages, "");
    let json = Style { format: Format::Json, ..Style::default() };
    let (results, _) = written(json, LiveStyle::Off, &event);
    let object: serde_json::Value = serde_json::from_str(&results).expect("JSON");
    assert_eq!(object, serde_json::json!({ "summary": summary.numbers() }));
}

#[test]
fn progress_is_a_line_at_least_every_two_seconds() {
    let (board, settings) = (board(), settings());
    let glance = |tenths: u64| Glance {
        progress: Progress {
            lower_bound: 5,
            best: Some(9),
            expanded: 12_345,
            states: 28_300_000,
            open: 10,
            memory: 96 << 20,
        },
        elapsed: Duration::from_millis(100 * tenths),
        states_per_second: 2_000_000,
    };
    let mut events = vec![Event::Started(&board, &settings)];
    events.extend((1..=60).map(|tenths| Event::Progress(&board.id, glance(tenths))));
    let (results, messages) = written(Style::default(), LiveStyle::Lines, &events);
    assert_eq!(results, "");
    let lines: Vec<&str> = messages.lines().collect();
    assert_eq!(lines.len(), 4, "{messages}");
    assert_eq!(
        lines[0],
        "p1 1.5 s: at least 5, best 9, 12.3 k expanded, 2.00 M states/s, 96.0 MiB"
    );
    let (_, messages) = written(Style::default(), LiveStyle::Off, &events);
    assert_eq!(messages, "");
}

#[test]
fn verbose_says_what_with_and_what_it_took() {
    let style = Style { verbosity: Verbosity::Verbose, ..Style::default() };
    let (board, settings, report) = (board(), settings(), report(Ending::Optimal(solution("r"))));
    let events = [Event::Started(&board, &settings), Event::Finished(&report)];
    let (_, messages) = written(style, LiveStyle::Off, &events);
    for part in [
        "7 rows, 6 columns, 1 box, 2 goals, rule keeper-on-goal",
        "fewest moves, search forward, estimate nearest, 2 threads, at most 64.0 MiB, \
         at most 2.5 s, without deadlock tests, entries of at least 16 bytes",
        "p1: forward search, 1 row expanded",
        "p1: 4 attempts on the table, 5 generated, 6 dead, 0 reopened",
    ] {
        assert!(messages.contains(part), "{part} in {messages}");
    }
    let report = Report { search: SearchChoice::Ida, ..report };
    let (_, messages) = written(style, LiveStyle::Off, &[Event::Finished(&report)]);
    assert!(messages.contains("p1: ida search, 1 state expanded"), "{messages}");
    assert!(messages.contains("iteration"), "{messages}");
}
