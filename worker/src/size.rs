//! Sizes of memory as people write them.

use std::str::FromStr;

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
}
