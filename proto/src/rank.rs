//! The number of a box set.

use crate::BadField;

/// The rank of a box set: a number below 2²⁵⁶.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Rank([u8; 32]);

impl Rank {
    /// From 32 bytes, the least significant first.
    pub fn from_le_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its 32 bytes, the least significant first.
    pub fn to_le_bytes(self) -> [u8; 32] {
        self.0
    }

    /// Whether its number is the larger one. The order of the type is another, and means nothing.
    pub(crate) fn is_above(self, other: Self) -> bool {
        self.0.iter().rev().gt(other.0.iter().rev())
    }

    /// The shortest form on the wire: no zero byte at the end.
    pub(crate) fn to_wire(self) -> Vec<u8> {
        let len = self.0.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        self.0[..len].to_vec()
    }

    /// Reads a field of a message.
    pub(crate) fn from_field(field: &'static str, bytes: &[u8]) -> Result<Self, BadField> {
        let mut rank = [0; 32];
        match rank.get_mut(..bytes.len()) {
            Some(low) => low.copy_from_slice(bytes),
            None => {
                let problem = format!("{} bytes, at most 32 make a rank", bytes.len());
                return Err(BadField::new(field, problem));
            }
        }
        if bytes.last() == Some(&0) {
            return Err(BadField::new(field, "ends in a zero byte"));
        }
        Ok(Self(rank))
    }
}

impl From<u64> for Rank {
    fn from(number: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&number.to_le_bytes());
        Self(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::Rank;

    #[test]
    fn numbers_are_compared_as_such() {
        let numbers = [0, 1, 255, 256, 257, 65_535, u64::MAX];
        for one in numbers {
            for other in numbers {
                assert_eq!(Rank::from(one).is_above(Rank::from(other)), one > other);
            }
        }
    }

    #[test]
    fn the_wire_form_is_the_shortest_and_only_one() {
        for number in [0, 1, 255, 256, u64::MAX] {
            let rank = Rank::from(number);
            assert_eq!(Rank::from_field("rank", &rank.to_wire()), Ok(rank));
        }
        assert!(Rank::from(0).to_wire().is_empty());
        assert!(Rank::from_field("rank", &[1, 0]).is_err());
        assert!(Rank::from_field("rank", &[1; 33]).is_err());
        assert!(Rank::from_field("rank", &[1; 32]).is_ok());
    }
}
