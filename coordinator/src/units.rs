//! Sizes and times as people write them.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A number of bytes: `512M`, `4G`, `64MiB`, `1.5GB`, `1048576`.
///
/// A bare letter and the `iB` suffixes are powers of 1024, `KB`, `MB`, `GB` and `TB` powers of 1000.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Bytes(pub(crate) u64);

/// A span of time: `10` or `10s` (seconds), `500ms`, `2m`, `1.5h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Span(pub(crate) Duration);

/// A number of searching threads, from 1 to [`Threads::MOST`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Threads(pub(crate) usize);

impl Threads {
    /// Far more than any machine has cores, and few enough that every system can start them.
    const MOST: usize = 1024;
}

impl FromStr for Threads {
    type Err = BadQuantity;

    fn from_str(text: &str) -> Result<Self, BadQuantity> {
        let number = text.parse().ok().filter(|number| (1..=Self::MOST).contains(number));
        let expected = "a number of threads from 1 to 1024";
        number.map(Self).ok_or_else(|| BadQuantity { found: text.to_owned(), expected })
    }
}

impl fmt::Display for Threads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A quantity that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{found}' is not {expected}")]
pub(crate) struct BadQuantity {
    found: String,
    expected: &'static str,
}

/// Splits `64MiB` into its number and its unit.
fn split(text: &str) -> (Option<f64>, String) {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    (number.parse().ok(), unit.trim().to_ascii_lowercase())
}

impl FromStr for Bytes {
    type Err = BadQuantity;

    fn from_str(text: &str) -> Result<Self, BadQuantity> {
        let bad = || BadQuantity {
            found: text.to_owned(),
            expected: "a size such as 512M, 4G, 64MiB or a number of bytes",
        };
        let (number, unit) = split(text);
        let unit: u64 = match unit.as_str() {
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
        let bytes = number.ok_or_else(bad)? * unit as f64;
        // Above 2^63 a limit says nothing any more, and the conversion would saturate.
        if bytes < (1_u64 << 63) as f64 { Ok(Self(bytes as u64)) } else { Err(bad()) }
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
        let mut value = self.0 as f64;
        let mut unit = 0;
        while value >= 1024.0 && unit + 1 < UNITS.len() {
            value /= 1024.0;
            unit += 1;
        }
        let digits = usize::from(unit > 0 && value < 99.95);
        write!(f, "{value:.digits$} {}", UNITS[unit])
    }
}

impl FromStr for Span {
    type Err = BadQuantity;

    fn from_str(text: &str) -> Result<Self, BadQuantity> {
        let bad = || BadQuantity {
            found: text.to_owned(),
            expected: "a time such as 10, 10s, 500ms, 2m or 1h",
        };
        let (number, unit) = split(text);
        let unit = match unit.as_str() {
            "" | "s" => 1.0,
            "ms" => 1e-3,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            "d" => 86400.0,
            _ => return Err(bad()),
        };
        let seconds = number.ok_or_else(bad)? * unit;
        Duration::try_from_secs_f64(seconds).map(Self).map_err(|_| bad())
    }
}

/// A large count in few characters: `17`, `12.3 k`, `4.56 M`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Count(pub(crate) u64);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.0 as f64;
        match self.0 {
            0..10_000 => write!(f, "{}", self.0),
            10_000..1_000_000 => write!(f, "{:.1} k", value / 1e3),
            1_000_000..1_000_000_000 => write!(f, "{:.2} M", value / 1e6),
            _ => write!(f, "{:.2} G", value / 1e9),
        }
    }
}

/// `part` in terms of `whole`; 0 for nothing of nothing.
pub(crate) fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// A number with the noun it counts: `1 box`, `2 boxes`.
pub(crate) fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// A large count with the noun that it counts: `1 state`, `12.3 k states`.
pub(crate) fn counted_in_short(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", Count(number), if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        let cases = [
            ("0", 0),
            ("1048576", 1 << 20),
            ("512M", 512 << 20),
            ("4g", 4 << 30),
            ("64MiB", 64 << 20),
            ("64 MiB", 64 << 20),
            ("1.5GB", 1_500_000_000),
            ("0.5k", 512),
        ];
        for (text, bytes) in cases {
            assert_eq!(text.parse(), Ok(Bytes(bytes)), "{text}");
        }
        for text in ["", "M", "-1", "1X", "1e9", "9999999T", "1.2.3", "NaN", "inf"] {
            assert!(text.parse::<Bytes>().is_err(), "{text}");
        }
    }

    #[test]
    fn times_are_read() {
        let cases = [
            ("10", 10_000),
            ("10s", 10_000),
            ("0.25", 250),
            ("500ms", 500),
            ("2m", 120_000),
            ("1.5h", 5_400_000),
            ("0", 0),
        ];
        for (text, milliseconds) in cases {
            assert_eq!(text.parse(), Ok(Span(Duration::from_millis(milliseconds))), "{text}");
        }
        for text in ["", "s", "-1", "1y", "99999999999999999999999h"] {
            assert!(text.parse::<Span>().is_err(), "{text}");
        }
    }

    #[test]
    fn threads_are_at_least_one_and_not_without_bound() {
        for number in [1, 8, Threads::MOST] {
            assert_eq!(number.to_string().parse(), Ok(Threads(number)));
        }
        for text in ["", "0", "-1", "1.5", "two", "1025", "99999999999999999999"] {
            let error = text.parse::<Threads>().expect_err(text);
            assert!(error.to_string().ends_with("from 1 to 1024"), "{error}");
        }
    }

    #[test]
    fn sizes_and_counts_are_short() {
        assert_eq!(Bytes(1023).to_string(), "1023 B");
        assert_eq!(Bytes(1536).to_string(), "1.5 KiB");
        assert_eq!(Bytes(600 << 20).to_string(), "600 MiB");
        assert_eq!(Count(9_999).to_string(), "9999");
        assert_eq!(Count(28_300_000).to_string(), "28.30 M");
    }
}
