//! How much memory this machine, or the container it runs in, can still give.

use std::fs;
use std::path::Path;

/// Share of the available memory that a search may use when nobody says otherwise, in percent.
pub(crate) const DEFAULT_SHARE: u64 = 80;

/// The `--memory` limit when none is given: [`DEFAULT_SHARE`] of what is available.
///
/// Without a limit a hard board would end by the system's out-of-memory killer, which reports no bound.
/// Where the system does not say what it has, there is no limit.
pub(crate) fn default_limit() -> u64 {
    available().map_or(u64::MAX, |bytes| bytes / 100 * DEFAULT_SHARE)
}

/// Bytes that can be allocated without swapping, by the stricter of the machine and the control group.
fn available() -> Option<u64> {
    let machine =
        fs::read_to_string("/proc/meminfo").ok().and_then(|text| field(&text, "MemAvailable:"));
    let group = group_rest(Path::new("/sys/fs/cgroup"));
    match (machine, group) {
        (Some(machine), Some(group)) => Some(machine.min(group)),
        (machine, group) => machine.or(group),
    }
}

/// What the control group (version 2) may still take; none if it is not limited.
fn group_rest(root: &Path) -> Option<u64> {
    let number = |name: &str| fs::read_to_string(root.join(name)).ok()?.trim().parse::<u64>().ok();
    Some(number("memory.max")?.saturating_sub(number("memory.current").unwrap_or(0)))
}

/// Most bytes this process has been resident with so far.
pub(crate) fn peak_resident() -> Option<u64> {
    field(&fs::read_to_string("/proc/self/status").ok()?, "VmHWM:")
}

/// A line such as `MemAvailable:   1024 kB`, in bytes.
fn field(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = rest.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_read_in_bytes() {
        let text = "MemTotal:       2048 kB\nMemAvailable:   1024 kB\n";
        assert_eq!(field(text, "MemAvailable:"), Some(1 << 20));
        assert_eq!(field(text, "MemFree:"), None);
        assert_eq!(field("MemAvailable: many", "MemAvailable:"), None);
    }
}
