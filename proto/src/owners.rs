//! Which worker owns which virtual shard.

use crate::BadField;

/// Number of virtual shards that box sets are hashed to.
pub const SHARDS: usize = 1024;

/// The owner of every virtual shard, as a worker's index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owners(Vec<u16>);

impl Owners {
    /// Deals the virtual shards out evenly.
    ///
    /// `workers` is taken as at least 1 and at most [`SHARDS`].
    pub fn even(workers: usize) -> Self {
        let workers = workers.clamp(1, SHARDS);
        // Fits: workers ≤ 1,024.
        Self((0..SHARDS).map(|shard| (shard % workers) as u16).collect())
    }

    /// The owner of every virtual shard: [`SHARDS`] numbers.
    pub fn as_slice(&self) -> &[u16] {
        &self.0
    }

    pub(crate) fn to_wire(&self) -> Vec<u32> {
        self.0.iter().map(|&owner| owner.into()).collect()
    }

    /// Reads the field `owners` of a message with so many peers.
    pub(crate) fn from_field(owners: &[u32], peers: usize) -> Result<Self, BadField> {
        if owners.len() != SHARDS {
            let problem = format!("{} numbers, expected {SHARDS}", owners.len());
            return Err(BadField::new("owners", problem));
        }
        let owner = |&owner: &u32| match u16::try_from(owner) {
            Ok(index) if usize::from(index) < peers => Ok(index),
            _ => Err(BadField::new("owners", format_args!("{owner} is no index of a peer"))),
        };
        owners.iter().map(owner).collect::<Result<_, _>>().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::{Owners, SHARDS};

    #[test]
    fn shards_are_dealt_out_evenly() {
        for workers in [1, 2, 3, 4, 7, 1024] {
            let owners = Owners::even(workers);
            let mut count = vec![0; workers];
            owners.as_slice().iter().for_each(|&owner| count[usize::from(owner)] += 1);
            let (least, most) = (count.iter().min().unwrap(), count.iter().max().unwrap());
            assert!(most - least <= 1, "{workers} workers: {least} to {most} shards");
            assert_eq!(Owners::from_field(&owners.to_wire(), workers), Ok(owners));
        }
    }

    #[test]
    fn a_table_of_the_wrong_size_or_with_unknown_owners_is_refused() {
        assert!(Owners::from_field(&[0; SHARDS - 1], 1).is_err());
        assert!(Owners::from_field(&[1; SHARDS], 1).is_err());
        assert!(Owners::from_field(&[70_000; SHARDS], 1).is_err());
    }
}
