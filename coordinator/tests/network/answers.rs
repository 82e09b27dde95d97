//! The engine on three workers, over real connections: the answers of one process, whatever is asked for.

use std::net::SocketAddr;

use sokohive::cluster::{ClusterOptions, ClusterSolve, solve};
use sokohive_engine::{
    Control, Ending, EstimateChoice, Level, Objective, Rule, SearchChoice, Solution, Solver, Tie,
    builtin, verify_strict,
};
use sokohive_proto::{AllOptimal, Security};
use sokohive_worker::{EngineFoundry, Places, serve};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};

use crate::fixture::options;

const ALL: AllOptimal = AllOptimal { count: true, break_ties: true };

/// Three workers with the engine, for as long as the runtime lives.
fn three_workers() -> (Runtime, Vec<String>) {
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let start = || {
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let listener = runtime.block_on(TcpListener::bind(any)).unwrap();
        let advertise = listener.local_addr().unwrap().to_string();
        let options = sokohive_worker::Options { advertise: advertise.clone(), ..options() };
        let foundry = EngineFoundry::new(Places::default());
        runtime.spawn(serve(listener, foundry, options, std::future::pending()));
        advertise
    };
    let workers = (0..3).map(|_| start()).collect();
    (runtime, workers)
}

fn asked(workers: &[String], rule: Rule, objective: Objective) -> ClusterOptions {
    ClusterOptions {
        workers: workers.to_vec(),
        security: Security::none(),
        rule,
        objective,
        search: SearchChoice::Auto,
        estimate: EstimateChoice::Auto,
        dominance: true,
        deadlock_tables: true,
        memory: None,
        expansions: None,
        all: AllOptimal::default(),
    }
}

/// The solution that a cluster proves; `None` if it proves that there is none.
fn on_cluster(level: &Level, options: &ClusterOptions) -> Option<Solution> {
    let ClusterSolve { outcome, .. } =
        solve(level, "test", options, None, &Control::new(), |_| {}, |_| {});
    match outcome.unwrap().ending {
        Ending::Optimal(solution) => {
            verify_strict(level, options.rule, &solution.moves).unwrap();
            Some(solution)
        }
        Ending::Unsolvable(_) => None,
        ending => panic!("{ending:?}"),
    }
}

/// What can be said of a solution without saying which.
fn figures(solution: &Solution) -> (usize, usize, Tie, Option<u64>) {
    (solution.moves.len(), solution.moves.pushes(), solution.tie, solution.count)
}

/// Every way to search, by three workers and alone; with all optimal solutions wanted or not.
fn agree(id: &str, objective: Objective) {
    let (_runtime, workers) = three_workers();
    let level = &builtin::find(id).unwrap().level;
    let searches = ["auto", "forward", "backward", "two-sided"];
    let estimates = ["auto", "nearest", "matching", "walk", "none"];
    for rule in [Rule::Classic, Rule::KeeperOnGoal] {
        for (search, estimate) in
            searches.iter().flat_map(|search| estimates.map(|estimate| (search, estimate)))
        {
            let (search, estimate) = (search.parse().unwrap(), estimate.parse().unwrap());
            let alone = Solver::new(level).rule(rule).objective(objective).search(search);
            let alone = alone.estimate(estimate).count(true).break_ties(true).solve();
            let Ending::Optimal(alone) = alone.ending else { panic!("{id} has solutions") };
            let what = format!("{id}, {rule}, fewest {objective}, {search}, {estimate}");
            let options = asked(&workers, rule, objective);
            let any = ClusterOptions { search, estimate, ..options };
            let found = on_cluster(level, &any).unwrap();
            assert_eq!(found.cost(objective), alone.cost(objective), "{what}");
            assert_eq!((found.tie, found.count), (Tie::Any, None), "{what}");
            let found = on_cluster(level, &ClusterOptions { all: ALL, ..any }).unwrap();
            assert_eq!(figures(&found), figures(&alone), "{what}");
        }
    }
}

#[test]
fn three_workers_answer_like_one_process_where_moves_count() {
    agree("p3", Objective::Moves);
    agree("p9", Objective::Moves);
}

#[test]
fn three_workers_answer_like_one_process_where_pushes_count() {
    agree("p3", Objective::Pushes);
    agree("p9", Objective::Pushes);
}

#[test]
fn only_what_was_asked_for_is_said() {
    let (_runtime, workers) = three_workers();
    let level = &builtin::find("p9").unwrap().level;
    for objective in [Objective::Moves, Objective::Pushes] {
        for (count, break_ties) in [(true, false), (false, true)] {
            let all = AllOptimal { count, break_ties };
            let options = ClusterOptions { all, ..asked(&workers, level.rule(), objective) };
            let found = on_cluster(level, &options).unwrap();
            let tie = if break_ties { objective.tie() } else { Tie::Any };
            assert_eq!((found.tie, found.count.is_some()), (tie, count));
        }
    }
}

#[test]
fn boards_without_solutions_have_none_for_whoever_asks_for_all() {
    let (_runtime, workers) = three_workers();
    let level = Level::parse("#######\n#     #\n#@$$..#\n#######").unwrap();
    for objective in [Objective::Moves, Objective::Pushes] {
        let options = ClusterOptions { all: ALL, ..asked(&workers, Rule::Classic, objective) };
        assert_eq!(on_cluster(&level, &options), None);
    }
}
