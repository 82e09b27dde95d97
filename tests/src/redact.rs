//! Blanking what differs from run to run, so that the rest can be compared word by word.

/// `text` with the values of all `name=value` counters, times and sizes replaced by `_`.
///
/// What the answer is (`optimal`, `moves`, `pushes`, `lower_bound`, `best_found`, `reason`) stays.
pub fn redact(text: &str) -> String {
    const BLANKED: [&str; 14] = [
        "expanded",
        "generated",
        "attempts",
        "states",
        "dominated",
        "stale",
        "dead",
        "reopened",
        "levels",
        "peak_bytes",
        "peak_resident_bytes",
        "states_per_second",
        "seconds",
        "threads",
    ];
    let word = |word: &str| match word.split_once('=') {
        Some((name, value)) if BLANKED.contains(&name) => {
            format!("{name}=_{}", if value.ends_with('\n') { "\n" } else { "" })
        }
        _ => word.to_owned(),
    };
    text.split_inclusive('\n')
        .map(|line| line.split(' ').map(word).collect::<Vec<_>>().join(" "))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::redact;

    #[test]
    fn only_figures_are_blanked() {
        let text = "RESULT p1 optimal=6 expanded=17 seconds=0.123\nSOLUTION p1 moves=6 rDlldR\n";
        let blank = "RESULT p1 optimal=6 expanded=_ seconds=_\nSOLUTION p1 moves=6 rDlldR\n";
        assert_eq!(redact(text), blank);
    }
}
