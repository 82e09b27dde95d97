//! Reading the text format of Prometheus, strictly: what its own readers forgive is an error here.

use std::collections::{BTreeMap, BTreeSet};

/// Figures, by their names with labels as they are written.
pub type Figures = BTreeMap<String, f64>;

/// Reads a page.
///
/// # Errors
///
/// If anything is against the format, or against what is agreed on for names: they begin with
/// `sokohive_`, counters end in `_total` and others do not, and there is a help text that ends in a full
/// stop.
pub fn read(page: &str) -> Result<Figures, String> {
    let mut figures = Figures::new();
    let mut families = BTreeSet::new();
    // Name and kind of the family being read, and the help that has come before its type.
    let mut family: Option<(String, String)> = None;
    let mut help: Option<String> = None;
    if !page.ends_with('\n') {
        return Err("no line feed at the end".to_owned());
    }
    for (number, line) in (1..).zip(page.lines()) {
        let bad = |what: &str| Err(format!("line {number}: {what}: {line:?}"));
        if let Some(rest) = line.strip_prefix("# HELP ") {
            let Some((name, text)) = rest.split_once(' ') else { return bad("no help text") };
            if help.is_some() || !text.ends_with('.') || !escapes_are_known(text, "\\n") {
                return bad("bad help text");
            }
            help = Some(name.to_owned());
        } else if let Some(rest) = line.strip_prefix("# TYPE ") {
            let Some((name, kind)) = rest.split_once(' ') else { return bad("no type") };
            if help.take().as_deref() != Some(name) {
                return bad("no help text right before");
            }
            if !is_name(name) || !name.starts_with("sokohive_") {
                return bad("bad name");
            }
            if !["counter", "gauge"].contains(&kind)
                || (kind == "counter") != name.ends_with("_total")
            {
                return bad("the name does not go with the type");
            }
            if !families.insert(name.to_owned()) {
                return bad("the same family again");
            }
            family = Some((name.to_owned(), kind.to_owned()));
        } else {
            let Some((name, kind)) = family.as_ref().filter(|_| help.is_none()) else {
                return bad("a figure without help and type");
            };
            let Some((series, value)) = line.rsplit_once(' ') else { return bad("no value") };
            let Some(labels) = series.strip_prefix(name.as_str()) else {
                return bad("a figure of another family");
            };
            if !labels_are_good(labels) {
                return bad("bad labels");
            }
            let Ok(value) = value.parse::<f64>() else { return bad("the value is no number") };
            if !value.is_finite() || (kind == "counter" && value < 0.0) {
                return bad("bad value");
            }
            if figures.insert(series.to_owned(), value).is_some() {
                return bad("the same figure again");
            }
        }
    }
    if help.is_some() {
        return Err("help without a type at the end".to_owned());
    }
    Ok(figures)
}

fn is_name(name: &str) -> bool {
    let first = name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
    first && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// Nothing, or one or more `name="value"` in braces.
fn labels_are_good(text: &str) -> bool {
    if text.is_empty() {
        return true;
    }
    let Some(mut rest) = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) else {
        return false;
    };
    loop {
        let Some((name, after)) = rest.split_once("=\"") else { return false };
        // The quote that no backslash stands before; one before that would be escaped itself.
        let mut escaped = false;
        let end = after.bytes().position(|byte| {
            let ends = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            ends
        });
        let Some(end) = end else { return false };
        if !is_name(name) || !escapes_are_known(&after[..end], "\\n\"") {
            return false;
        }
        match after[end + 1..].strip_prefix(',') {
            Some(more) => rest = more,
            None => return after.len() == end + 1,
        }
    }
}

/// Whether every backslash stands before one of these.
fn escapes_are_known(text: &str, known: &str) -> bool {
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c == '\\' && !chars.next().is_some_and(|next| known.contains(next)) {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::read;

    const GOOD: &str = "# HELP sokohive_a_total A.\n# TYPE sokohive_a_total counter\n\
        sokohive_a_total{why=\"x \\\"y\\\"\"} 1\nsokohive_a_total{why=\"z\"} 2\n\
        # HELP sokohive_b_bytes B.\n# TYPE sokohive_b_bytes gauge\nsokohive_b_bytes 0.5\n";

    #[test]
    fn a_good_page_is_read() {
        let figures = read(GOOD).unwrap();
        assert_eq!(figures["sokohive_a_total{why=\"z\"}"], 2.0);
        assert_eq!(figures["sokohive_b_bytes"], 0.5);
    }

    #[test]
    fn every_fault_is_found() {
        for (from, to) in [
            ("# HELP sokohive_a_total A.\n", ""),
            ("# TYPE sokohive_b_bytes gauge\n", ""),
            (" counter", " gauge"),
            (" gauge", " histogram"),
            ("A.", "A"),
            ("A.", "A\\q."),
            ("\"z\"", "\"z"),
            ("\"z\"", "\"\\z\""),
            ("why=\"z\"", "why=\"x \\\"y\\\"\""),
            ("b_bytes 0.5", "b_bytes NaN"),
            ("b_bytes 0.5", "b_bytes"),
            ("b_bytes 0.5", "c_bytes 0.5"),
            ("0.5\n", "0.5"),
            ("0.5\n", "0.5\n\n"),
            ("} 1", "} -1"),
            ("sokohive_b", "other_b"),
        ] {
            let page = GOOD.replace(from, to);
            assert_ne!(page, GOOD);
            assert!(read(&page).is_err(), "{from:?} by {to:?}");
        }
        assert!(read(&format!("{GOOD}{GOOD}")).is_err());
    }
}
