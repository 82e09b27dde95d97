//! What level files look like when people make them, one test per quirk. The figures are fewest
//! moves by brute force: a misread board has another one.

mod brute_force;

use brute_force::Verdict;
use sokohive_engine::{
    Collection, Level, LevelError, LevelErrorKind as Kind, Place, ReadOptions, Rule,
};

fn read(text: impl AsRef<[u8]>) -> Collection {
    let read = Collection::read(text.as_ref(), None, ReadOptions::default());
    read.unwrap_or_else(|error| panic!("{error}"))
}

/// Fewest moves under the classic rule; `None` if unsolvable.
fn moves(level: &Level) -> Option<u32> {
    match brute_force::solve(level, Rule::Classic, 1_000_000) {
        Verdict::Optimum { moves, .. } => Some(moves),
        Verdict::Unsolvable => None,
        Verdict::TooBig(limit) => panic!("more than {limit} states"),
    }
}

/// Name and fewest moves of each level; panics at a faulty one.
fn summary(text: impl AsRef<[u8]>) -> Vec<(Option<String>, Option<u32>)> {
    let level = |level: Result<Level, LevelError>| {
        let level = level.unwrap_or_else(|error| panic!("{error}"));
        (level.name().map(str::to_owned), moves(&level))
    };
    read(text).levels.into_iter().map(level).collect()
}

/// Fewest moves of each level.
fn all_moves(text: impl AsRef<[u8]>) -> Vec<u32> {
    summary(text).into_iter().map(|(_, moves)| moves.expect("a solution")).collect()
}

/// The error of the only level, or of the file: line, column and kind.
fn refused(text: impl AsRef<[u8]>) -> (usize, usize, Kind) {
    let error = match Collection::read(text.as_ref(), None, ReadOptions::default()) {
        Err(error) => error,
        Ok(mut read) => {
            assert_eq!(read.levels.len(), 1, "{:?}", read.levels);
            let only = read.levels.remove(0);
            only.expect_err("not refused")
        }
    };
    let Place { line, column } = error.place().expect("a place");
    (line, column, error.kind().clone())
}

const TINY: &str = "#####\n#@$.#\n#####\n";
const MIRROR: &str = "#####\n#.$@#\n#####\n";

fn named(name: &str, moves: u32) -> (Option<String>, Option<u32>) {
    (Some(name.to_owned()), Some(moves))
}

// A. Characters.

#[test]
fn a1_dash_and_underscore_are_floor() {
    assert_eq!(all_moves("_#####_\n_#---##\n##-$.-#\n#@-*--#\n#######\n"), [3]);
}

#[test]
fn a2_letters_may_stand_for_squares_between_walls() {
    let letters = Level::parse("#######\n#p-b-.#\n#--B--#\n#######").expect("legal");
    let signs = Level::parse("#######\n#@ $ .#\n#  *  #\n#######").expect("legal");
    assert!(letters.same_board(&signs));
    assert_eq!(moves(&letters), Some(3));
    let walls = Level::parse("WWWWW\nWPb.W\nWWWWW").expect("legal");
    assert!(walls.same_board(&Level::parse("#####\n#+$.#\n#####").expect("legal")));
}

#[test]
fn a2_a_word_of_such_letters_is_a_title() {
    assert_eq!(summary(format!("bbb\n{TINY}")), [named("bbb", 1)]);
    assert_eq!(summary(format!("PB\n\n{TINY}pWb\n{MIRROR}")), [named("PB", 1), named("pWb", 1)]);
}

#[test]
fn a3_other_alphabets_are_refused_where_they_begin() {
    assert_eq!(refused("XXXXXX\nX@ *.X\nXXXXXX\n"), (1, 1, Kind::UnknownSquare { found: 'X' }));
    assert_eq!(
        refused("~~####\n###@X#\n#.  O#\n######"),
        (2, 5, Kind::UnknownSquare { found: 'X' })
    );
    assert_eq!(refused("OOOOOO\nOR XSO\nOOOOOO"), (1, 1, Kind::UnknownSquare { found: 'O' }));
    assert_eq!(refused("######\n#@ o.#\n######"), (2, 4, Kind::UnknownSquare { found: 'o' }));
    // Among others it does not get lost.
    let levels = read(format!("{TINY}\nXXXXXX\nX@ *.X\nXXXXXX\n\n{MIRROR}")).levels;
    let numbers: Vec<_> = levels.iter().map(|level| level.as_ref().map(Level::number)).collect();
    assert!(matches!(&numbers[..], [Ok(1), Err(_), Ok(3)]), "{numbers:?}");
}

#[test]
fn a4_a_stray_character_is_refused() {
    let (line, column, kind) = refused("|####\n#@$.#\n#####\n");
    assert_eq!((line, column), (1, 1));
    assert!(matches!(kind, Kind::MalformedRun { .. }), "{kind}");
    assert_eq!(refused("#####\n#@!$.#\n#####"), (2, 3, Kind::UnknownSquare { found: '!' }));
    assert_eq!(refused("#####\n#@é.#\n#####"), (2, 3, Kind::UnknownSquare { found: 'é' }));
    assert_eq!(refused(b"#####\n#@\xE9.#\n#####"), (2, 3, Kind::UnknownSquare { found: 'é' }));
}

#[test]
fn a4_a_stray_character_does_not_cut_a_board_in_two() {
    let board = "#####\n#   #\n#x@ #\n# $.#\n#####\n";
    assert_eq!(refused(board), (3, 2, Kind::UnknownSquare { found: 'x' }));
}

#[test]
fn a5_a_tab_before_every_row_is_indentation() {
    assert_eq!(all_moves("\t#####\n\t#@$.#\n\t#####\n"), [1]);
    let kind = Kind::Indentation { found: 0, expected: 1 };
    assert_eq!(refused("\t#####\n#@$.#\n\t#####\n"), (2, 1, kind));
}

#[test]
fn a5_c38_a_tab_between_squares_is_refused() {
    assert_eq!(refused("########\n#@\t$.#\n########"), (2, 3, Kind::Tab));
}

#[test]
fn a6_a_byte_order_mark_is_skipped() {
    assert_eq!(all_moves(b"\xEF\xBB\xBF#####\n#@$.#\n#####\n"), [1]);
    let level = Level::parse("\u{FEFF}#####\n#@$.#\n#####\n").expect("legal");
    assert_eq!(level.rows(), 3);
    assert_eq!(level.place(level.keeper()), Some(Place { line: 2, column: 2 }));
}

#[test]
fn a6_titles_may_be_latin_1() {
    let text = [b"; Caf\xE9\n", TINY.as_bytes(), b"Author: Andr\xE9\n"].concat();
    assert_eq!(summary(text), [named("Café", 1)]);
    assert_eq!(summary(format!("; Café\n{TINY}")), [named("Café", 1)]);
}

#[test]
fn a6_a_nul_on_a_line_of_its_own_ends_a_board() {
    assert_eq!(all_moves(format!("{TINY}\0\n{MIRROR}\0")), [1, 1]);
    // In a row it is neither floor nor end.
    assert_eq!(refused("######\n#@\0$.#\n######"), (2, 3, Kind::UnknownSquare { found: '\0' }));
}

#[test]
fn a6_utf_16_is_refused_by_name() {
    let error = Collection::read(b"\xFF\xFE#\0#\0", Some("a.txt"), ReadOptions::default());
    let text = error.expect_err("UTF-16").to_string();
    assert_eq!(text, "a.txt: found UTF-16 text, expected XSB text or digit boards");
}

#[test]
fn a7_every_line_end_ends_a_line() {
    let rows = "#####\r\n#@$.#\n#####\r";
    assert_eq!(all_moves(rows), [1]);
    let level = Level::parse(rows).expect("legal");
    assert_eq!((level.rows(), level.columns()), (3, 5));
    assert_eq!(level.place(level.keeper()), Some(Place { line: 2, column: 2 }));
}

#[test]
fn a7_c37_line_ends_and_trailing_blanks() {
    let rows = ["######", "#@ $.#", "######"];
    for end in ["\r\n", "\r", "\n", "  \r\n", " \t\n"] {
        for last in ["", end] {
            let text = format!("\u{FEFF}{}{last}", rows.join(end));
            assert_eq!(all_moves(&text), [2], "{text:?}");
            assert_eq!(Level::parse(&text).expect("legal").columns(), 6);
        }
    }
}

// B. Rows.

#[test]
fn b1_short_rows_are_padded_outside() {
    let level = Level::parse("####\n# .###\n# $  #\n##@  #\n #####\n").expect("legal");
    assert_eq!((level.rows(), level.columns()), (5, 6));
    assert_eq!(moves(&level), Some(1));
}

#[test]
fn b1_a_short_row_is_no_other_board() {
    let (line, column, kind) = refused("#######\n#@ $ .#\n#    \n#######\n");
    assert_eq!((line, column, kind), (3, 5, Kind::NotClosed));
}

#[test]
fn b2_a_floor_mark_is_an_interior_row() {
    let level = Level::parse(" ##\n-\n#####\n#@$.#\n#####\n").expect("legal");
    assert_eq!((level.rows(), level.keeper().row), (5, 3));
    assert_eq!(moves(&level), Some(1));
}

#[test]
fn b2_c41_an_empty_line_is_none() {
    let rows = "##--##\n-\n######\n#@-$.#\n######";
    assert_eq!(Level::parse(rows).expect("legal").rows(), 5);
    let read = read(rows.replace("\n-\n", "\n\n"));
    assert_eq!(read.levels.len(), 1);
    assert_eq!(read.notes.iter().map(|note| note.line).collect::<Vec<_>>(), [1]);
}

#[test]
fn b3_dashes_below_a_board_are_a_separator() {
    assert_eq!(Level::parse(&format!("{TINY}---\n")).expect("legal").rows(), 3);
    assert_eq!(Level::parse(&format!("-----------\n{TINY}---\n---\n")).expect("legal").rows(), 3);
    assert_eq!(all_moves(format!("{TINY}---\n{MIRROR}-----\n-----\n{TINY}")), [1, 1, 1]);
    assert_eq!(all_moves(format!("{TINY}=====\n{MIRROR}=====\n")), [1, 1]);
}

#[test]
fn b4_a_bar_separates_rows() {
    assert_eq!(all_moves("--####|###--#|#@$-.#|######|"), [2]);
    assert_eq!(all_moves("--####|\n###--#|#@$-.#|\n######"), [2]);
    let level = Level::parse("--####|###--#|#@$-.#|######|").expect("legal");
    assert_eq!(level.place(level.keeper()), Some(Place { line: 1, column: 16 }));
}

#[test]
fn b5_run_length_and_groups() {
    assert_eq!(all_moves("11#|#-@2(.$)3-#|#9-#|11#"), [12]);
    let nested = Level::parse("14#|#@-$.9-#|2(3(#-)#)|14#").expect("legal");
    assert_eq!(nested.to_string().lines().nth(2), Some("# # # ## # # #"));
}

#[test]
fn b5_a_number_above_run_length_rows_is_a_title() {
    let text = "305\n305#\n#@300-$.#\n305#\n12\n7#\n#@3-$.#\n8#\n";
    let levels: Vec<_> = read(text).levels.into_iter().flatten().collect();
    let names: Vec<_> = levels.iter().filter_map(Level::name).collect();
    assert_eq!(names, ["305", "12"]);
}

#[test]
fn b5_well_formed_run_length_may_still_be_open() {
    let (line, _, kind) = refused("7#|#@2(-$)2.#|7#");
    assert_eq!((line, kind), (1, Kind::NotClosed));
}

#[test]
fn b5_malformed_run_length_is_refused() {
    for (row, column) in [
        ("#@$.2(#", 6),
        ("#@$.)#", 5),
        ("#@0$.#", 3),
        ("#@2()$.#", 5),
        ("#@(-)$.#", 3),
        ("#@$.#3", 6),
    ] {
        let (line, at, kind) = refused(format!("########\n{row}\n########\n"));
        assert_eq!((line, at), (2, column), "{row}");
        assert!(matches!(kind, Kind::MalformedRun { .. }), "{row}: {kind}");
    }
    // A row may not be split over lines.
    assert!(Level::parse("2(##\n#)|#@$.#|5#").is_err());
}

#[test]
fn b5_run_length_bombs_are_bounded() {
    let bomb = "9999(".repeat(40) + "#" + &")".repeat(40);
    for row in ["99999999999999999999999#", "16777217#", &bomb] {
        let (line, _, kind) = refused(format!("#####\n#@$.#\n{row}\n"));
        assert_eq!(line, 3);
        assert!(matches!(kind, Kind::TooLarge { .. }), "{kind}");
    }
    // One wide row pads all others.
    let (_, _, kind) = refused(format!("9999999#\n#@$.#\n{}", "#####\n".repeat(5)));
    assert!(matches!(kind, Kind::TooLarge { .. }), "{kind}");
    // Many that are each small enough are bounded together.
    let many = "16000000#\n16000000#\n\n".repeat(100);
    assert!(Collection::read(many.as_bytes(), None, ReadOptions::default()).is_err());
}

#[test]
fn b6_a_title_that_looks_like_a_row() {
    assert_eq!(summary(format!("#7 (2)\n\n{TINY}")), [named("#7 (2)", 1)]);
    assert_eq!(summary(format!("#7 (2)\n{TINY}")), [named("#7 (2)", 1)]);
    for title in ["# 5 #", "#1", "(#2)", "## 12 ##", "*** 3 ***", "12.", "#x#", "2-1", "1"] {
        assert_eq!(summary(format!("{title}\n{TINY}")), [named(title, 1)]);
        let two = summary(format!("{TINY}{title}\n{MIRROR}"));
        assert_eq!(two, [(None, Some(1)), named(title, 1)]);
    }
}

#[test]
fn b6_no_level_data() {
    assert_eq!(refused("#d#\n"), (1, 2, Kind::UnknownSquare { found: 'd' }));
    let read = |text: &str| Collection::read(text.as_bytes(), None, ReadOptions::default());
    for text in ["", "\n \n", "; a title\nAuthor: nobody\n", ":: # @ $ ::\n"] {
        let error = read(text).expect_err(text);
        assert_eq!((error.place(), error.kind()), (None, &Kind::NoBoard), "{text:?}");
    }
    assert!(read("Dear reader,\nthere is nothing here.\n").is_err());
}

#[test]
fn b7_quoting_marks_are_blanks() {
    assert_eq!(summary("> Quoted\n>\n> #####\n> #@$.#\n> #####\n"), [named("Quoted", 1)]);
    assert_eq!(all_moves(">#####\n>#@$.#\n>#####\n\n>> #####\n>> #@$.#\n>> #####\n"), [1, 1]);
    // Not quoted alike, nobody knows how the rows line up.
    let (line, _, kind) = refused("> #####\n#@$.#\n #####\n");
    assert_eq!((line, kind), (2, Kind::NotClosed));
}

// C. Levels.

#[test]
fn c1_an_open_level_is_refused_where_it_leaks() {
    assert_eq!(refused("#####\n#@$.\n#####\n"), (2, 4, Kind::NotClosed));
    assert_eq!(refused("#####\n#@$.#\n### #\n"), (3, 4, Kind::NotClosed));
}

#[test]
fn c1_the_edge_may_be_read_as_wall() {
    let options = ReadOptions::default().edge_is_wall(true);
    let level = Level::read(b"#####\n#@$.\n#####\n", options).expect("legal");
    assert_eq!(moves(&level), Some(1));
    // Every square outside the text is wall, and the level says so when it is written.
    assert_eq!(level.to_string(), "#####\n#@$.#\n#####\n");
    let level = Level::read(b"@-$-.\n-----\n---\n", options).expect("legal");
    assert_eq!(level.to_string(), "@-$-.\n-----\n");
    assert_eq!(moves(&level), Some(3));
}

#[test]
fn c2_decoration_outside_is_kept_and_harmless() {
    let level = Level::parse("*#####*\n #@$.#\n*#####*\n").expect("legal");
    assert_eq!(moves(&level), Some(1));
    assert_eq!(level.to_string(), "*#####*\n #@$.#\n*#####*\n");
}

#[test]
fn c3_a_box_out_of_reach_is_legal() {
    assert_eq!(moves(&Level::parse("########\n#@$.#$.#\n########").expect("legal")), None);
}

#[test]
fn c4_boxes_and_goals_need_not_match() {
    assert_eq!(all_moves("#######\n#@$ ..#\n#######\n"), [2]);
    let surplus = Level::parse("########\n#@ $ $ #\n#   .  #\n########\n").expect("legal");
    assert_eq!(moves(&surplus), None);
}

#[test]
fn c5_a_board_solved_at_the_start_costs_nothing() {
    assert_eq!(all_moves("######\n#@*  #\n#    #\n######\n"), [0]);
}

#[test]
fn c6_exactly_one_keeper() {
    let first = Place { line: 2, column: 2 };
    assert_eq!(refused("######\n#@$.@#\n######\n"), (2, 5, Kind::SecondKeeper { first }));
    assert_eq!(refused("######\n#+$.@#\n######\n"), (2, 5, Kind::SecondKeeper { first }));
    assert_eq!(refused("######\n# $. #\n######\n"), (1, 1, Kind::NoKeeper));
}

#[test]
fn c7_an_unsolvable_level_is_legal() {
    for text in ["######\n#.@ $#\n#    #\n######", "#########\n#@ $ $..#\n#########"] {
        assert_eq!(moves(&Level::parse(text).expect("legal")), None);
    }
}

#[test]
fn c8_big_boards_are_read() {
    let level = Level::parse("70005#|#@$70000-.#|70005#").expect("legal");
    assert_eq!((level.rows(), level.columns()), (3, 70_005));
    let tall = format!("3#|{}#$#|#.#|3#", "#@#|".to_owned() + &"#-#|".repeat(5000));
    assert_eq!(Level::parse(&tall).expect("legal").rows(), 5005);
}

// D. Files.

#[test]
fn d1_the_last_remark_before_a_board_names_it() {
    let text = format!(
        "; made up for this note\n; second remark\n\n; 1\n\n{TINY}\n;2 mirror\n{MIRROR}; the end\n"
    );
    assert_eq!(summary(&text), [named("1", 1), named("2 mirror", 1)]);
    let numbers: Vec<_> = read(&text).levels.into_iter().map(|l| l.map(|l| l.number())).collect();
    assert_eq!(numbers, [Ok(1), Ok(2)]);
}

#[test]
fn d2_raw_comments_are_neither_rows_nor_titles() {
    let text = format!(":: Wall...: # :: Pusher...: @ ::\n\n{TINY}");
    assert_eq!(summary(text), [(None, Some(1))]);
    assert_eq!(summary(format!(":: ### @ $ . ###\n{TINY}:: #\n")), [(None, Some(1))]);
}

#[test]
fn d3_keys_belong_to_the_board_above() {
    let text = "#####\n#@$.#\n#####\nTitle: tiny\nAuthor: nobody\n\
                Comment:\n#####\n#@ $.#\nthis is prose\n\n#####\nComment-End:\n";
    assert_eq!(summary(text), [named("tiny", 1)]);
    let text = format!("Title: All of them\nauthor: x\n\n{TINY}TITLE: one\n\n{MIRROR}ID: 22409\n");
    assert_eq!(read(&text).title.as_deref(), Some("All of them"));
    assert_eq!(summary(&text), [named("one", 1), (None, Some(1))]);
}

#[test]
fn d3_a_comment_without_end_hides_nothing() {
    let text = format!("{TINY}Comment: short\n\n{MIRROR}Comment:\n{TINY}Comment-End:\n\n{TINY}");
    assert_eq!(all_moves(text), [1, 1, 1]);
    assert_eq!(all_moves(format!("{TINY}Comment:\n\n{MIRROR}")), [1, 1]);
}

#[test]
fn d3_c40_keys_and_titles_that_touch_boards() {
    let text = "; 0\n######\n#@-$.#\n######\nAuthor: a\nAuthor: b\n; 1\n######\n#@$-.#\n######";
    assert_eq!(summary(text), [named("0", 2), named("1", 2)]);
    for title in ["; $ # @", "Title: $ # @", ":: $ # @", "\n$ # @\n"] {
        assert_eq!(all_moves(format!("{title}\n{TINY}{title}\n{MIRROR}")), [1, 1], "{title}");
    }
}

#[test]
fn d4_unknown_keys_are_ignored() {
    let text = format!(
        "Date Created: 2026-01-01 00:00:00\nCollection: x\n\n{TINY}Date of Last Change: y\n"
    );
    assert_eq!(summary(text), [(None, Some(1))]);
}

#[test]
fn d5_bare_numbers_and_quoted_titles() {
    let text = format!("17\n{TINY}'Nearly #2'\n{MIRROR}Title: second\n");
    assert_eq!(summary(text), [named("17", 1), named("second", 1)]);
    let text = format!("; 44\n\n'Duh!'\n\n{TINY}");
    assert_eq!(summary(text), [named("'Duh!'", 1)]);
}

#[test]
fn d6_solutions_are_kept_and_snapshots_are_no_levels() {
    let text = format!(
        "First\n\n{TINY}\nSolution/Moves 1/1\nR\n\nSnapshot\n*\n\nSecond\n\n{MIRROR}\nSolution\n2l\n"
    );
    assert_eq!(summary(&text), [named("First", 1), named("Second", 1)]);
    let levels: Vec<Level> = read(&text).levels.into_iter().flatten().collect();
    let solutions = |level: &Level| {
        let all = level.solutions().iter();
        all.map(|s| (s.title.clone(), s.line, s.text.clone())).collect::<Vec<_>>()
    };
    assert_eq!(solutions(&levels[0]), [("Solution/Moves 1/1".to_owned(), 8, "R".to_owned())]);
    assert_eq!(solutions(&levels[1]), [("Solution".to_owned(), 20, "2l".to_owned())]);
}

#[test]
fn d6_wrapped_solutions_and_titles_called_solution() {
    let text = format!(
        "{TINY}Best Solution 230/97 (X 2.8)\n\nrrll[2]\nuUdD 3l\n\nSolution: rR\n\nSolution\n{MIRROR}"
    );
    assert_eq!(summary(&text), [(None, Some(1)), named("Solution", 1)]);
    let first = read(&text).levels.remove(0).expect("legal");
    let texts: Vec<_> = first.solutions().iter().map(|solution| &solution.text[..]).collect();
    assert_eq!(texts, ["rrll[2]\nuUdD 3l", "rR"]);
}

#[test]
fn d6_rows_of_boxes_below_a_heading_are_no_moves() {
    let text = format!("{TINY}Savegame\n\n * *\n#####\n#.$@#\n#####\n");
    let second = read(text).levels.remove(1).expect("legal");
    assert_eq!((second.rows(), moves(&second)), (4, Some(1)));
}

#[test]
fn d7_slc_xml_is_refused_by_name() {
    let xml = "\u{FEFF}<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<SokobanLevels>\n\
               <L> #####</L>\n<L> #@$.#</L>\n<L> #####</L>\n";
    let error = Collection::read(xml.as_bytes(), Some("a.slc"), ReadOptions::default());
    let error = error.expect_err("XML");
    assert_eq!(error.kind(), &Kind::Foreign { format: "an SLC file (XML, SokobanLev.dtd)" });
    assert!(error.hint().is_some());
}

#[test]
fn d8_any_other_line_ends_a_board() {
    for between in ["", " \t", "text", "; 2", "---", "Key: value", "::", "\0"] {
        assert_eq!(all_moves(format!("{TINY}{between}\n{MIRROR}")), [1, 1], "{between:?}");
    }
}

#[test]
fn one_bad_level_does_not_harm_the_others() {
    let text = format!("{TINY}\n; bad\n#####\n#@$.\n#####\n\n; good\n{MIRROR}");
    let levels = Collection::read(text.as_bytes(), Some("file.xsb"), ReadOptions::default());
    let levels = levels.expect("two good ones").levels;
    assert_eq!(levels.len(), 3);
    let error = levels[1].as_ref().expect_err("open");
    assert_eq!(error.number(), Some(2));
    assert_eq!(
        error.to_string(),
        "file.xsb:7:4: level 2: the level is not closed: found nothing beyond this square, \
         expected a wall"
    );
    let good = levels[2].as_ref().expect("legal");
    assert_eq!((good.name(), good.number(), good.source()), (Some("good"), 3, Some("file.xsb")));
}

#[test]
fn c8_very_many_rows_on_one_line_are_read_at_once() {
    let text = format!("3#|#@#|{}#$#|#.#|3#", "#-#|".repeat(300_000));
    assert_eq!(Level::parse(&text).expect("legal").rows(), 300_005);
}
