//! Scratch runner.
use sokohive_engine::*;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let threads: usize = args[2].parse().unwrap();
    let search: SearchChoice = args[3].parse().unwrap();
    let est: EstimateChoice = args.get(4).map_or("auto", |s| s).parse().unwrap();
    for b in builtin::all() {
        if args[1] != "all" && b.id != args[1] {
            continue;
        }
        let t = std::time::Instant::now();
        let o = Solver::new(&b.level).threads(threads).search(search).estimate(est).solve();
        let e = match &o.ending {
            Ending::Optimal(s) => format!(
                "{} {}",
                s.moves.len(),
                if args[1] == "all" { String::new() } else { s.moves.to_string() }
            ),
            x => format!("{x:?}"),
        };
        println!("{} {} {:.3}s {:?}", b.id, e, t.elapsed().as_secs_f64(), o.statistics);
    }
}
