//! A page of figures in the text format of Prometheus, version 0.0.4.

use std::fmt::{Display, Write};

use crate::memory;

/// A page of figures. Every figure has a name that begins with `sokohive_` and ends in its unit, and says
/// what it means.
#[derive(Clone, Debug, Default)]
pub struct Page {
    text: String,
}

impl Page {
    /// The type of its contents, for HTTP.
    pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

    /// A page that begins with what every process has: its version, and its resident memory.
    pub fn of_process(version: &str) -> Self {
        let mut page = Self::default();
        page.labelled_gauge(
            "sokohive_build_info",
            "Always 1; the label has the version of the program.",
            "version",
            [(version, 1)],
        );
        page.gauge_if_known(
            "sokohive_resident_memory_bytes",
            "Bytes that the process is resident with.",
            memory::resident(),
        );
        page.gauge_if_known(
            "sokohive_system_memory_limit_bytes",
            "Bytes that the machine or the control group gives to the process at most.",
            memory::limit(),
        );
        page
    }

    /// A figure that only grows, but for restarts of the process. Its name ends in `_total`.
    pub fn counter(&mut self, name: &str, help: &str, value: u64) {
        debug_assert!(name.ends_with("_total"), "{name}");
        self.head(name, help, "counter");
        self.sample(name, None, value);
    }

    /// A figure that only grows, once for each value of a label.
    pub fn labelled_counter<'l>(
        &mut self,
        name: &str,
        help: &str,
        label: &str,
        values: impl IntoIterator<Item = (&'l str, u64)>,
    ) {
        debug_assert!(name.ends_with("_total"), "{name}");
        self.head(name, help, "counter");
        for (value_of_label, value) in values {
            self.sample(name, Some((label, value_of_label)), value);
        }
    }

    /// A figure that goes up and down.
    pub fn gauge(&mut self, name: &str, help: &str, value: impl Display) {
        self.head(name, help, "gauge");
        self.sample(name, None, value);
    }

    /// A figure that goes up and down, and is not always known; left out then.
    pub fn gauge_if_known(&mut self, name: &str, help: &str, value: Option<impl Display>) {
        if let Some(value) = value {
            self.gauge(name, help, value);
        }
    }

    /// A figure that goes up and down, once for each value of a label.
    pub fn labelled_gauge<'l>(
        &mut self,
        name: &str,
        help: &str,
        label: &str,
        values: impl IntoIterator<Item = (&'l str, u64)>,
    ) {
        self.head(name, help, "gauge");
        for (value_of_label, value) in values {
            self.sample(name, Some((label, value_of_label)), value);
        }
    }

    /// The whole page.
    pub fn into_text(self) -> String {
        self.text
    }

    fn head(&mut self, name: &str, help: &str, kind: &str) {
        debug_assert!(name.starts_with("sokohive_"), "{name}");
        debug_assert!(!self.text.contains(&format!("# TYPE {name} ")), "{name} comes twice");
        let help = help.replace('\\', r"\\").replace('\n', r"\n");
        // Writing to a string cannot fail.
        let _ = write!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
    }

    fn sample(&mut self, name: &str, label: Option<(&str, &str)>, value: impl Display) {
        let _ = match label {
            None => writeln!(self.text, "{name} {value}"),
            Some((label, text)) => {
                let text = text.replace('\\', r"\\").replace('"', r#"\""#).replace('\n', r"\n");
                writeln!(self.text, "{name}{{{label}=\"{text}\"}} {value}")
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::Page;

    #[test]
    fn figures_come_with_help_and_type() {
        let mut page = Page::default();
        page.counter("sokohive_things_total", "Things, and a \\ in two\nlines.", 3);
        page.gauge("sokohive_load_ratio", "How full.", 0.5);
        page.gauge_if_known("sokohive_age_seconds", "How old.", None::<u64>);
        page.labelled_gauge("sokohive_info", "One.", "name", [("a \"b\" \\ c\n", 1)]);
        let expected = r#"# HELP sokohive_things_total Things, and a \\ in two\nlines.
# TYPE sokohive_things_total counter
sokohive_things_total 3
# HELP sokohive_load_ratio How full.
# TYPE sokohive_load_ratio gauge
sokohive_load_ratio 0.5
# HELP sokohive_info One.
# TYPE sokohive_info gauge
sokohive_info{name="a \"b\" \\ c\n"} 1
"#;
        assert_eq!(page.into_text(), expected);
    }

    #[test]
    fn a_process_knows_its_version_and_size() {
        let text = Page::of_process("1.2.3").into_text();
        assert!(text.contains("sokohive_build_info{version=\"1.2.3\"} 1\n"), "{text}");
        assert!(text.contains("\nsokohive_resident_memory_bytes "), "{text}");
    }
}
