//! What is written is read back, in every format, and what is not a file of results is refused with its place.

use std::time::Duration;

use sokohive_engine::{
    Ending, EstimateChoice, Level, Limit, Moves, Objective, Rule, SearchChoice, Solution,
    Statistics, Tie, Unsolvable,
};

use super::{Malformed, Row, csv, json, sok};
use crate::board::Board;
use crate::event::{AllOptimal, Report, Settings};

/// A title that needs quotes in one format and escapes in the other.
const TITLE: &str = "Said \"no\", and: left\tearly";

fn board(title: &str) -> Board {
    let text = format!("; {title}\n######\n#@ $.#\n######\n");
    let level = Level::parse(&text).expect("a board");
    Board { id: "a,b.xsb:3".to_owned(), file: None, level, known: None }
}

fn settings(milliseconds: Option<u64>, memory: u64) -> Settings {
    Settings {
        rule: Rule::Classic,
        objective: Objective::Moves,
        search: SearchChoice::Auto,
        estimate: EstimateChoice::Auto,
        threads: 2,
        memory,
        timeout: milliseconds.map(Duration::from_millis),
        expansions: u64::MAX,
        dominance: true,
        deadlocks: true,
        workers: Vec::new(),
        entry_width: None,
        spill: None,
        scout: false,
        all: AllOptimal::default(),
    }
}

fn row(title: &str, settings: &Settings, ending: Ending) -> Row {
    let board = board(title);
    let statistics = Statistics { expanded: 5, peak_bytes: 9, ..Statistics::default() };
    let report = Report {
        id: board.id.clone(),
        title: board.level.name().map(str::to_owned),
        file: None,
        rule: settings.rule,
        objective: settings.objective,
        all: AllOptimal::default(),
        search: SearchChoice::Forward,
        ending: ending.into(),
        statistics,
        disk_fault: None,
        elapsed: Duration::from_nanos(1_234_567),
        threads: 2,
        cluster: None,
    };
    Row::new(&board, settings, &report)
}

#[test]
fn a_larger_bound_proven_before_is_kept() {
    let row = |lower_bound, best| {
        let ending = Ending::Limit { limit: Limit::Time, lower_bound, best };
        row("", &settings(Some(1), 1), ending)
    };
    let solution = || Some(Solution::new("rR".parse::<Moves>().expect("moves")));
    let bound = |row: &Row| {
        let text = serde_json::to_value(row).expect("a row is an object");
        (text["lower_bound"].as_u64(), text["proven"].as_bool())
    };
    for (earlier, later, best, kept) in [
        (5, 3, None, (Some(5), Some(false))),
        (3, 5, None, (Some(5), Some(false))),
        (1, 0, solution(), (Some(1), Some(false))),
        (2, 0, solution(), (Some(2), Some(true))),
    ] {
        let mut later = row(later, best);
        later.keep_bound_of(&row(earlier, None));
        assert_eq!(bound(&later), kept);
    }
}

fn limit(limit: Limit) -> Ending {
    Ending::Limit { limit, lower_bound: 1, best: None }
}

fn rows() -> Vec<Row> {
    let solution = || Solution::new("rR".parse::<Moves>().expect("moves"));
    let limited = Ending::Limit { limit: Limit::Memory, lower_bound: 1, best: Some(solution()) };
    vec![
        row(
            TITLE,
            &settings(Some(300), 1 << 30),
            Ending::Optimal(Solution { tie: Tie::FewestPushes, ..solution() }),
        ),
        row("", &settings(None, u64::MAX), Ending::Unsolvable(Unsolvable::Exhausted)),
        row("42", &settings(Some(1), 1), limited),
        row("solved", &settings(Some(1), 1), Ending::Optimal(Solution::new(Moves::default()))),
    ]
}

/// As formats without room for the board give them back.
fn without_pictures(mut rows: Vec<Row>) -> Vec<Row> {
    rows.iter_mut().for_each(|row| row.picture.clear());
    rows
}

fn place(malformed: Malformed) -> (usize, String) {
    (malformed.line, malformed.problem)
}

#[test]
fn every_format_reads_back_what_it_wrote() {
    let rows = rows();
    assert_eq!(sok::read(&sok::write(&rows)).map_err(place), Ok(rows.clone()));
    let bare = without_pictures(rows);
    assert_eq!(csv::read(&csv::write(&bare)).map_err(place), Ok(bare.clone()));
    assert_eq!(
        csv::read(&csv::write(&bare).replace('\n', "\r\n")).map_err(place),
        Ok(bare.clone())
    );
    assert_eq!(json::read(&json::write(&bare).unwrap()).map_err(place), Ok(bare));
    assert_eq!(json::read(&json::write(&[]).unwrap()).map_err(place), Ok(Vec::new()));
}

#[test]
fn a_field_with_commas_or_quotes_is_quoted() {
    let text = csv::write(&rows());
    let row = text.lines().nth(1).expect("a row");
    assert!(row.starts_with("1,\"a,b.xsb:3\",\"Said \"\"no\"\", and: left\tearly\","), "{row}");
}

#[test]
fn a_bound_that_a_solution_reaches_is_proven() {
    let cells = |row: &Row| {
        let cells = row.cells().into_iter();
        let wanted = ["outcome", "lower_bound", "moves", "proven", "tie"];
        let cells = cells.filter(|(name, _)| wanted.contains(&name.as_str()));
        cells.map(|(_, cell)| cell).collect::<Vec<_>>().join(" ")
    };
    let words: Vec<String> = rows().iter().map(cells).collect();
    assert_eq!(
        words,
        [
            "optimal 2 2 true fewest-pushes",
            "unsolvable   false any",
            "memory 1 2 false any",
            "optimal 0 0 true any"
        ]
    );
}

#[test]
fn what_is_malformed_is_named_with_its_line() {
    let rows = rows();
    let (sok, csv) = (sok::write(&rows), csv::write(&rows));
    let json = json::write(&rows).unwrap();
    let cases = [
        (csv::read(""), 1, "found '', expected the columns level,id,"),
        (csv::read(&csv.replacen("level,", "number,", 1)), 1, "expected the columns level,id,"),
        (
            csv::read(&csv.replacen(",optimal,", ",best,", 1)),
            2,
            "unknown outcome 'best', expected one of optimal,",
        ),
        (
            csv::read(&csv.replacen(",unsolvable,", ",unsolvable,x", 1)),
            3,
            "column lower_bound: invalid type: string \"x\"",
        ),
        (csv::read(&csv.replacen("42,", "42,,", 1)), 4, "found 23 fields, expected 22"),
        (csv::read(&csv[..csv.len() - 9]), 5, "fields, expected 22"),
        (csv::read(&csv.replacen("early\"", "early", 1)), 3, "a quoted field"),
        (csv::read(&csv.replacen(",42,", ",4\"2,", 1)), 4, "expected quotes around"),
        (
            json::read(&json.replacen("\"outcome\":\"unsolvable\"", "\"outcome\":3", 1)),
            3,
            "invalid type: integer `3`, expected a string",
        ),
        (json::read(&json.replacen("\"seconds\"", "\"hours\"", 1)), 2, "unknown field `hours`"),
        (json::read(&json[..json.len() / 2]), 3, "EOF"),
        (
            sok::read(&sok.replacen("Rule: classic", "Rule: chess", 1)),
            8,
            "column rule: unknown rule 'chess', expected classic or",
        ),
        (
            sok::read(&sok.replacen("Level: ", "Number: ", 1)),
            4,
            "found 'Number: 1', expected Level: and its value",
        ),
        (sok::read("hello\n"), 1, "found 'hello', expected the rows of a board"),
        (sok::read("#####\n#@$.#\n#####\n"), 4, "found '', expected Level: and its value"),
        (
            sok::read(&sok.replacen("\nrR\n", "\nrX\n", 1)),
            26,
            "column solution: line 1, column 2: found 'X', expected one of",
        ),
        (
            sok::read(&sok.replacen("\nSolution\nrR\n", "\nSolution\n", 1)),
            25,
            "found 'Solution', expected Solution and a line of moves",
        ),
    ];
    for (number, (found, line, part)) in cases.into_iter().enumerate() {
        let malformed = found.expect_err(part);
        assert_eq!(malformed.line, line, "{number}: {malformed:?}");
        assert!(malformed.problem.contains(part), "{number}: {malformed:?}");
    }
}

#[test]
fn a_row_is_settled_if_as_much_was_given_before() {
    let short = settings(Some(100), 1 << 20);
    let settled = |ending: &Ending, now: &Settings, memory: Option<u64>| {
        row("", &short, ending.clone()).is_settled(now, memory)
    };
    let (same, longer) = (settings(Some(100), 1 << 20), settings(Some(101), 1 << 20));
    let endless = settings(None, 1 << 20);
    for ending in [limit(Limit::Time), limit(Limit::Memory)] {
        assert!(settled(&ending, &same, Some(1 << 20)));
        assert!(settled(&ending, &settings(Some(50), 1), Some(1)), "less is no use");
        assert!(settled(&ending, &settings(Some(100), 1 << 40), None), "no memory asked for");
        assert!(!settled(&ending, &longer, Some(1 << 20)));
        assert!(!settled(&ending, &endless, Some(1 << 20)));
        assert!(!settled(&ending, &same, Some(1 << 21)));
    }
    let expansions = |expansions| Settings { expansions, ..short.clone() };
    let counted = limit(Limit::Expansions);
    assert!(settled(&counted, &expansions(5), None));
    assert!(!settled(&counted, &expansions(6), None));
    assert!(!settled(&counted, &same, None), "without a limit there is more to come");
    assert!(settled(&Ending::Unsolvable(Unsolvable::Exhausted), &endless, Some(1 << 40)));
    assert!(!settled(&limit(Limit::Disk), &same, None), "there may be room now");
}
