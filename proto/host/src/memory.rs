//! How much memory this machine, or the container it runs in, has and can still give, and how much of it
//! this process has.

use std::fs;
use std::path::{Path, PathBuf};

/// Share of the available memory that a search may use when nobody says otherwise, in percent. The rest
/// is for queues, connections and the system.
pub const DEFAULT_SHARE: u64 = 80;

/// Limits of this size and more are how systems say that there is none.
const NO_LIMIT: u64 = 1 << 62;

/// The limit of a search in bytes when none is given: [`DEFAULT_SHARE`] of what is available.
///
/// Without a limit a hard board would end by the system's out-of-memory killer, which reports no bound.
/// Where the system does not say what it has, there is no limit: `u64::MAX`.
pub fn default_limit() -> u64 {
    let machine = meminfo("MemAvailable:");
    let group = Groups::own().rest();
    let available = machine.into_iter().chain(group).min();
    available.map_or(u64::MAX, |bytes| bytes / 100 * DEFAULT_SHARE)
}

/// The most bytes that this process can ever have: the memory of the machine, or the limit of its control
/// group where that is less. `None` where the system does not say.
pub fn limit() -> Option<u64> {
    meminfo("MemTotal:").into_iter().chain(Groups::own().limit()).min()
}

/// Bytes this process is resident with now.
pub fn resident() -> Option<u64> {
    field(&fs::read_to_string("/proc/self/status").ok()?, "VmRSS:")
}

/// Most bytes this process has been resident with so far.
pub fn peak_resident() -> Option<u64> {
    field(&fs::read_to_string("/proc/self/status").ok()?, "VmHWM:")
}

fn meminfo(name: &str) -> Option<u64> {
    field(&fs::read_to_string("/proc/meminfo").ok()?, name)
}

/// A line such as `MemAvailable:   1024 kB`, in bytes.
fn field(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = rest.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

/// The control groups of a process, of both versions.
#[derive(Debug)]
struct Groups {
    /// For each group and those it is in: the file with its limit, and the one with its use.
    files: Vec<(PathBuf, PathBuf)>,
}

impl Groups {
    /// Those of this process.
    fn own() -> Self {
        let membership = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        Self::of(Path::new("/sys/fs/cgroup"), &membership)
    }

    /// Those that lines such as `0::/a/b` or `4:memory:/a/b` name. A limit of any group further up holds
    /// too. In a container the own group is often the root of what can be seen, whatever it is called.
    fn of(root: &Path, membership: &str) -> Self {
        let mut files = Vec::new();
        for line in membership.lines().chain(["0::/", "0:memory:/"]) {
            let mut parts = line.splitn(3, ':').skip(1);
            let (Some(controllers), Some(own)) = (parts.next(), parts.next()) else { continue };
            let (root, limit, used) = match controllers {
                "" => (root.to_owned(), "memory.max", "memory.current"),
                _ if controllers.split(',').any(|name| name == "memory") => {
                    (root.join("memory"), "memory.limit_in_bytes", "memory.usage_in_bytes")
                }
                _ => continue,
            };
            for group in Path::new(own.trim_start_matches('/')).ancestors() {
                let folder = root.join(group);
                files.push((folder.join(limit), folder.join(used)));
            }
        }
        Self { files }
    }

    /// The strictest limit, in bytes.
    fn limit(&self) -> Option<u64> {
        self.files.iter().filter_map(|(limit, _)| number(limit)).min()
    }

    /// What all groups together may still take, in bytes; none if none is limited.
    fn rest(&self) -> Option<u64> {
        let rest = |(limit, used): &(PathBuf, PathBuf)| {
            Some(number(limit)?.saturating_sub(number(used).unwrap_or(0)))
        };
        self.files.iter().filter_map(rest).min()
    }
}

/// The number in a file; `None` if there is none, as for `max`, or one that means no limit.
fn number(file: &Path) -> Option<u64> {
    let number = fs::read_to_string(file).ok()?.trim().parse().ok()?;
    (number < NO_LIMIT).then_some(number)
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

    #[test]
    fn this_process_has_memory() {
        assert!(resident().unwrap() > 0);
        assert!(peak_resident().unwrap() >= resident().unwrap() / 2);
        assert!(limit().unwrap() >= resident().unwrap());
        assert!(default_limit() <= limit().unwrap());
    }

    /// A tree of control groups, removed at the end.
    struct Tree(PathBuf);

    impl Tree {
        fn new(name: &str, files: &[(&str, &str)]) -> Self {
            let root = format!("sokohive-groups-{name}-{}", std::process::id());
            let root = std::env::temp_dir().join(root);
            for (path, contents) in files {
                let path = root.join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, contents).unwrap();
            }
            Self(root)
        }
    }

    impl Drop for Tree {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn the_strictest_limit_on_the_way_up_holds() {
        let tree = Tree::new(
            "v2",
            &[
                ("a/b/memory.max", "max\n"),
                ("a/b/memory.current", "100\n"),
                ("a/memory.max", "1000\n"),
                ("a/memory.current", "300\n"),
                ("memory.max", "5000\n"),
                ("other/memory.max", "10\n"),
            ],
        );
        let groups = Groups::of(&tree.0, "0::/a/b\n");
        assert_eq!(groups.limit(), Some(1000));
        assert_eq!(groups.rest(), Some(700));
        // As a container sees it: its own group at the root, under a name from outside.
        assert_eq!(Groups::of(&tree.0, "0::/../elsewhere\n").limit(), Some(5000));
        assert_eq!(Groups::of(&tree.0, "").limit(), Some(5000));
    }

    #[test]
    fn the_first_version_is_read_too() {
        let tree = Tree::new(
            "v1",
            &[
                ("memory/a/memory.limit_in_bytes", "2000\n"),
                ("memory/a/memory.usage_in_bytes", "500\n"),
                ("memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ],
        );
        let groups = Groups::of(&tree.0, "5:cpu,cpuacct:/x\n4:memory:/a\n0::/\n");
        assert_eq!(groups.limit(), Some(2000));
        assert_eq!(groups.rest(), Some(1500));
        assert_eq!(Groups::of(&tree.0, "4:memory:/\n").limit(), None);
    }
}
