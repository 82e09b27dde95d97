//! Nodes without a network: batches are carried by hand, and every board comes out as in one process.

mod cluster;

use cluster::{Answer, Cluster, Left};
use sokohive_engine::{
    Course, Level, Node, NodeError, Rule, SearchChoice, Share, Statistics, VIRTUAL_SHARDS, builtin,
};

fn agrees(id: &str, nodes: usize, threads: usize, search: SearchChoice) -> Answer {
    let builtin = builtin::find(id).expect("built in");
    let rule = builtin.level.rule();
    let mut course = Course::new(rule);
    course.search = search;
    let cluster = Cluster::new(&builtin.level, course, nodes, threads).expect("fits");
    let answer = cluster.solve(&builtin.level, rule);
    assert_eq!(answer.moves(), Some(builtin.moves), "{id} on {nodes} nodes, {search}");
    answer
}

#[test]
fn small_boards_have_the_same_optimum_on_1_to_4_nodes_from_every_end() {
    for id in (1..=14).map(|n| format!("p{n}")) {
        for nodes in 1..=4 {
            for search in [SearchChoice::TwoSided, SearchChoice::Forward, SearchChoice::Backward] {
                agrees(&id, nodes, 1 + nodes % 2, search);
            }
        }
    }
}

#[test]
fn a_large_board_is_shared_out_evenly_and_sent_in_few_bytes() {
    // Debug builds check every access; a smaller board will do there.
    let id = if cfg!(debug_assertions) { "p13" } else { "level1" };
    for nodes in 2..=4 {
        let answer = agrees(id, nodes, 1, SearchChoice::Auto);
        let states: Vec<u64> = answer.statistics.iter().map(|s| s.states).collect();
        let sum = |count: fn(&Statistics) -> u64| answer.statistics.iter().map(count).sum::<u64>();
        println!(
            "{id} on {nodes} nodes: states {states:?}, {} transferred of {} generated, {} filtered, {:.2} bytes each",
            answer.records,
            sum(|s| s.generated),
            sum(|s| s.filtered),
            answer.bytes as f64 / answer.records as f64
        );
        assert_eq!(answer.records, sum(|s| s.transferred));
        assert!(answer.bytes <= 8 * answer.records);
    }
}

/// Leaves a search after some levels, and goes on with other numbers of nodes: twice, so that the second attempt reads
/// segments of both before.
fn survives(id: &str, counts: [usize; 3], search: SearchChoice) {
    let builtin = builtin::find(id).expect("built in");
    let (level, rule) = (&builtin.level, builtin.level.rule());
    let mut course = Course::new(rule);
    course.search = search;
    let name = format!("sokohive-nodes-{}-{id}-{counts:?}-{search}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    let mut left: Option<Left> = None;
    for (attempt, count) in (0..).zip(counts) {
        let journal = Some((folder.as_path(), attempt));
        let restores = left.is_some();
        let cluster =
            Cluster::with_journal(level, course, (count, 2), journal, restores).expect("fits");
        let mut answer = Answer::default();
        let mut levels = match &left {
            None => cluster.navigator.levels(),
            Some(left) => {
                cluster.restore(&folder, left);
                cluster.wait_until_quiet(&mut answer);
                cluster.navigator.levels_from(left.reached)
            }
        };
        let best = left.as_ref().and_then(|left| left.best);
        let most = if attempt == 2 { u64::MAX } else { 15 * u64::from(attempt + 1) };
        match cluster.search(&mut levels, (best, None), most, &mut answer) {
            Ok(best) => {
                cluster.finish(level, rule, best, &mut answer);
                assert_eq!(answer.moves(), Some(builtin.moves), "{id}, {counts:?} nodes, {search}");
                break;
            }
            Err(mut now) => {
                // What was read back is journalled by nobody, and stays part of what there is.
                now.segments.extend(left.into_iter().flat_map(|left| left.segments));
                left = Some(now);
            }
        }
    }
    std::fs::remove_dir_all(folder).expect("there");
}

#[test]
fn searches_go_on_with_other_numbers_of_nodes() {
    for counts in [[2, 3, 1], [1, 4, 2], [3, 3, 3], [3, 1, 4]] {
        for search in [SearchChoice::TwoSided, SearchChoice::Forward, SearchChoice::Backward] {
            for id in ["p9", "p13"] {
                survives(id, counts, search);
            }
        }
    }
}

#[test]
fn unsolvable_and_finished_boards_end() {
    let jammed = Level::parse("#########\n#@ $ $..#\n#########").expect("legal");
    let finished = Level::parse("######\n#@*  #\n#    #\n######").expect("legal");
    for nodes in [1, 3, 8, 64] {
        for (level, expected) in [(&jammed, None), (&finished, Some(0))] {
            let course = Course::new(Rule::Classic);
            let cluster = Cluster::new(level, course, nodes, 1).expect("fits");
            assert_eq!(cluster.solve(level, Rule::Classic).moves(), expected);
        }
    }
}

#[test]
fn a_share_that_does_not_fit_is_refused() {
    let level = &builtin::find("p1").expect("built in").level;
    let course = Course::new(level.rule());
    let share = Share {
        owners: vec![0; 7],
        me: 0,
        nodes: 1,
        memory: 1 << 20,
        threads: 1,
        journal: None,
        restores: false,
        spill: None,
    };
    let start = |share: Share| Node::start(level, course, share, || {}).err();
    assert!(matches!(start(share.clone()), Some(NodeError::Share(_))));
    let owners = vec![1; VIRTUAL_SHARDS];
    assert!(matches!(start(Share { owners, ..share.clone() }), Some(NodeError::Share(_))));
    let share = Share { owners: vec![0; VIRTUAL_SHARDS], memory: 100, ..share };
    assert!(matches!(start(share), Some(NodeError::Memory(100))));
}

#[test]
fn a_node_says_where_solutions_were_found_only_if_it_knows() {
    let level = &builtin::find("p1").expect("built in").level;
    for (wants_all, restores) in [(true, false), (false, false), (true, true)] {
        let mut course = Course::new(level.rule());
        course.wants_all = wants_all;
        let share = Share {
            owners: vec![0; VIRTUAL_SHARDS],
            me: 0,
            nodes: 1,
            memory: 1 << 20,
            threads: 1,
            journal: None,
            restores,
            spill: None,
        };
        let node = Node::start(level, course, share, || {}).expect("fits");
        let none = (wants_all && !restores).then(Vec::new);
        assert_eq!(node.ends(6, None, 9), none, "all {wants_all}, restores {restores}");
    }
}
