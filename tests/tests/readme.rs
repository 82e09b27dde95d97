//! The README and the page about results show only commands that the command line understands.

/// The shell commands of the console blocks of both, without prompts, remarks and redirections.
fn commands() -> Vec<Vec<String>> {
    let pages = [include_str!("../../README.md"), include_str!("../../docs/results/README.md")];
    let lines = pages.into_iter().flat_map(str::lines);
    let lines = lines.filter_map(|line| line.strip_prefix("$ "));
    let parts = lines.flat_map(|line| line.split(" #").next().unwrap_or(line).split('|'));
    let words = |part: &str| {
        let redirection = part.find(['<', '>']).unwrap_or(part.len());
        part[..redirection].split_whitespace().map(str::to_owned).collect()
    };
    parts.map(words).collect()
}

#[test]
fn every_command_of_the_readme_parses() {
    let mut parsed = 0;
    for words in commands() {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let (["sokohive", args @ ..] | ["cargo", "run", "--release", "--", args @ ..]) =
            words.as_slice()
        else {
            continue;
        };
        let line = std::iter::once("sokohive").chain(args.iter().copied());
        let matches = sokohive::command().try_get_matches_from(line);
        assert!(matches.is_ok(), "{words:?}: {}", matches.unwrap_err());
        parsed += 1;
    }
    assert!(parsed >= 10, "only {parsed} commands found: has the README changed its form?");
}

#[test]
fn the_solution_shown_in_the_readme_replays() {
    let shown = commands().into_iter().find_map(|words| match words.as_slice() {
        [sokohive, verify, board, moves] if sokohive == "sokohive" && verify == "verify" => {
            (board == "p1").then(|| moves.clone())
        }
        _ => None,
    });
    let moves = shown.expect("the README verifies a solution of p1");
    sokohive_tests::run(&["verify", "p1", &moves]).expect(sokohive::exit::SUCCESS);
}

#[test]
fn the_first_screen_has_the_two_commands() {
    let first: Vec<_> = include_str!("../../README.md").lines().take(12).collect();
    let has = |command: &str| first.iter().any(|line| line.contains(command));
    assert!(has("cargo run --release -- solve p15 --solution"));
    assert!(has("cargo test --release --workspace"));
}

#[test]
fn every_exit_code_is_in_the_readme_and_in_the_help() {
    let readme = include_str!("../../README.md");
    let help = sokohive::command().render_long_help().to_string();
    use sokohive::exit::{
        BAD_INPUT, CLUSTER_FAILED, INTERNAL, LIMIT, OUTPUT_FAILED, SUCCESS, UNSOLVABLE,
    };
    for code in [SUCCESS, UNSOLVABLE, BAD_INPUT, LIMIT, CLUSTER_FAILED, INTERNAL, OUTPUT_FAILED] {
        assert!(readme.contains(&format!("\n| {code} | ")), "{code} in the README");
        assert!(help.contains(&format!("\n{code:>4}  ")), "{code} in the help");
    }
}
