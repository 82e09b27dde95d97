//! Alarms use figures that there are, and the runbook has a word for each of them.

use std::collections::BTreeSet;

use serde_yaml_ng::Value;

const ALERTS: &str = include_str!("../../deploy/alerts.yaml");
const RUNBOOK: &str = include_str!("../../deploy/RUNBOOK.md");

/// Where figures are named.
const SOURCES: [&str; 3] = [
    include_str!("../../proto/host/src/metrics/page.rs"),
    include_str!("../../worker/src/metrics.rs"),
    include_str!("../../coordinator/src/cluster/serve/metrics.rs"),
];

/// The names of figures in a text.
fn names(text: &str) -> BTreeSet<&str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with("sokohive_")).collect()
}

fn alarms() -> Vec<(String, String)> {
    let file: Value = serde_yaml_ng::from_str(ALERTS).unwrap();
    let groups = file["groups"].as_sequence().unwrap();
    let rules = groups.iter().flat_map(|group| group["rules"].as_sequence().unwrap());
    let text = |rule: &Value, key: &str| rule[key].as_str().unwrap().to_owned();
    rules.map(|rule| (text(rule, "alert"), text(rule, "expr"))).collect()
}

#[test]
fn alarms_use_figures_that_there_are() {
    let there: BTreeSet<&str> = SOURCES
        .iter()
        .flat_map(|source| source.split('"').filter(|text| names(text).contains(text)))
        .collect();
    assert!(there.len() > 30, "{there:?}");
    let alarms = alarms();
    for (name, expression) in &alarms {
        let used = names(expression);
        assert!(used.is_subset(&there), "{name}: {:?}", used.difference(&there));
        assert!(!used.is_empty() || expression.starts_with("up{"), "{name} uses nothing");
    }
    let used = names(RUNBOOK);
    assert!(used.is_subset(&there), "the runbook: {:?}", used.difference(&there));
}

#[test]
fn every_alarm_is_in_the_runbook_and_no_other() {
    let headings: Vec<&str> = RUNBOOK.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    let alarms = alarms();
    let names: Vec<&str> = alarms.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(headings, names);
}
