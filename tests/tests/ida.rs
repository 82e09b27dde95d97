//! `--search ida`: its endings are those of every search, and flags that it has no use for are refused.

use sokohive::exit;
use sokohive_tests::{Scratch, boards, run, run_with_input};

#[test]
fn every_ending_has_its_exit_code() {
    let solved = run(&["solve", "p9", "--search", "ida", "--solution"]).expect(exit::SUCCESS);
    assert_eq!(solved.value("optimal"), "34");
    let moves = solved.line("SOLUTION").rsplit(' ').next().expect("a line has words");
    run(&["verify", "p9", moves]).expect(exit::SUCCESS);
    let ida = |flags: &[&str], board: &str| {
        let args = [&["solve", "-", "--search", "ida"], flags].concat();
        run_with_input(&args, board.as_bytes())
    };
    let unsolvable = ida(&[], boards::UNSOLVABLE).expect(exit::UNSOLVABLE);
    assert_eq!(unsolvable.value("optimal"), "UNSOLVABLE");
    let huge = ida(&[], &boards::huge()).expect(exit::BAD_INPUT);
    assert_eq!(huge.value("optimal"), "UNSUPPORTED");
    for (flags, word) in [
        (["--timeout", "300ms"], "TIMEOUT"),
        (["--memory", "1K"], "MEMORY"),
        (["--max-expansions", "1000"], "LIMIT"),
    ] {
        let limit = ida(&flags, boards::HARD).expect(exit::LIMIT);
        assert_eq!(limit.value("optimal"), word);
        assert!(limit.value("lower_bound").parse::<u32>().is_ok_and(|bound| bound > 0));
    }
}

#[test]
fn pushes_are_proven_too_and_the_search_is_named() {
    let args = ["solve", "p13", "--objective", "pushes", "--format", "json", "--search"];
    let optimum = |search: &str| {
        let answer = run(&[&args[..], &[search]].concat()).expect(exit::SUCCESS);
        let object: serde_json::Value = serde_json::from_str(&answer.stdout).expect("JSON");
        assert_eq!(object["search"], search);
        object["optimal"].as_u64().expect("a number")
    };
    assert_eq!(optimum("ida"), optimum("forward"));
    let bench = run(&["bench", "p1", "--search", "ida", "--quiet"]).expect(exit::SUCCESS);
    assert!(bench.line("BENCH").starts_with("BENCH p1 optimal=6 search=ida "), "{bench:?}");
}

#[test]
fn without_a_limit_it_plans_with_little_memory() {
    let answer = run(&["solve", "p1", "--search", "ida", "--verbose"]).expect(exit::SUCCESS);
    assert!(answer.stderr.contains("at most 64.0 MiB"), "{answer:?}");
    assert!(answer.value("peak_bytes").parse::<u64>().is_ok_and(|bytes| bytes <= 64 << 20));
}

#[test]
fn flags_that_it_has_no_use_for_are_refused() {
    let scratch = Scratch::new();
    let folder = &scratch.inside("folder");
    for flags in [
        &["--workers", "localhost:1"][..],
        &["--checkpoint", folder],
        &["--spill-dir", folder],
        &["--count"],
        &["--entry-width", "16"],
        &["--no-dominance"],
        &["--no-scout"],
    ] {
        let args = [&["solve", "p1", "--search", "ida"], flags].concat();
        let answer = run(&args).expect(exit::BAD_INPUT);
        let refusal = format!("error: {} is not for --search ida, which ", flags[0]);
        assert!(answer.stderr.starts_with(&refusal), "{flags:?} {answer:?}");
        assert_eq!(answer.stdout, "", "{flags:?}");
    }
    let answer = run(&["submit", "p1", "--search", "ida"]).expect(exit::BAD_INPUT);
    assert!(answer.stderr.contains("runs in one process"), "{answer:?}");
}
