//! Sizes of memory: as people write them, and as the system has them.

use std::fs;
use std::path::Path;
use std::str::FromStr;

/// Share of the available memory that a worker may use when nobody says otherwise, in percent. The
/// rest is for queues, connections and the system.
const DEFAULT_SHARE: u64 = 80;

/// A number of bytes: `512M`, `4G`, `64MiB`, `1.5GB`, `1048576`.
///
/// A bare letter and the `iB` suffixes are powers of 1024, `KB`, `MB`, `GB` and `TB` powers of 1000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes(pub u64);

/// Text that is no size.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a size such as 512M, 4G, 64MiB or a number of bytes")]
pub struct BadSize(String);

impl FromStr for Bytes {
    type Err = BadSize;

    fn from_str(text: &str) -> Result<Self, BadSize> {
        let bad = || BadSize(text.to_owned());
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, unit) = text.split_at(end);
        let unit: u64 = match unit.trim().to_ascii_lowercase().as_str() {
            "" | "b" => 1,
            "k" | "kib" => 1 << 10,
            "m" | "mib" => 1 << 20,
            "g" | "gib" => 1 << 30,
            "t" | "tib" => 1 << 40,
            "kb" => 1_000,
            "mb" => 1_000_000,
            "gb" => 1_000_000_000,
            "tb" => 1_000_000_000_000,
            _ => return Err(bad()),
        };
        let bytes = number.parse::<f64>().map_err(|_| bad())? * unit as f64;
        // Beyond 2⁶³ a limit says nothing any more, and the conversion would saturate.
        if bytes < (1_u64 << 63) as f64 { Ok(Self(bytes as u64)) } else { Err(bad()) }
    }
}

/// The memory that a worker may use when nobody says otherwise: a share of what the machine, or the
/// container that it runs in, can still give. No limit where the system does not say.
pub fn default_memory() -> u64 {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| available(&text));
    let group = group_rest(Path::new("/sys/fs/cgroup"));
    let bytes = machine.into_iter().chain(group).min();
    bytes.map_or(u64::MAX, |bytes| bytes / 100 * DEFAULT_SHARE)
}

fn available(meminfo: &str) -> Option<u64> {
    let rest = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = rest.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

/// What the control group may still take, in either version; none if it is not limited.
fn group_rest(root: &Path) -> Option<u64> {
    let number = |name: &str| fs::read_to_string(root.join(name)).ok()?.trim().parse::<u64>().ok();
    let rest =
        |most: &str, used: &str| Some(number(most)?.saturating_sub(number(used).unwrap_or(0)));
    rest("memory.max", "memory.current")
        .or_else(|| rest("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        let cases =
            [("0", 0), ("512M", 512 << 20), ("4g", 4 << 30), ("64 MiB", 64 << 20), ("1.5kB", 1500)];
        for (text, bytes) in cases {
            assert_eq!(text.parse(), Ok(Bytes(bytes)), "{text}");
        }
        for text in ["", "M", "-1", "1X", "9999999T", "1.2.3"] {
            assert!(text.parse::<Bytes>().is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_available_is_read_in_bytes() {
        assert_eq!(available("MemTotal: 9 kB\nMemAvailable:   1024 kB\n"), Some(1 << 20));
        assert_eq!(available("MemTotal: 9 kB\n"), None);
    }
}
