//! Numbers for distinct hashes, in the order in which they are first seen.

use std::hash::{BuildHasher, RandomState};

/// A table of hashes with open places, at most half full.
pub struct Numbering {
    /// One more than the number of the hash that is there; 0: open.
    places: Vec<u32>,
    /// The hashes, by number.
    pub hashes: Vec<u64>,
    /// Where a hash lies is another matter in every call, so that no text can be made whose words all want one place.
    odd: u64,
}

impl Numbering {
    /// An empty table.
    pub fn new() -> Self {
        Numbering { places: vec![0; 1 << 10], hashes: Vec::new(), odd: RandomState::new().hash_one(0u64) | 1 }
    }

    /// The number of a hash, a new one where it has none.
    #[inline]
    pub fn number(&mut self, hash: u64) -> u32 {
        if 2 * (self.hashes.len() + 1) > self.places.len() {
            self.places = vec![0; 4 * self.places.len()];
            for number in 0..self.hashes.len() {
                let at = self.place(self.hashes[number]);
                self.places[at] = number as u32 + 1;
            }
        }
        let at = self.place(hash);
        if self.places[at] == 0 {
            self.hashes.push(hash);
            self.places[at] = self.hashes.len() as u32;
        }
        self.places[at] - 1
    }

    /// Where a hash is, or would be.
    #[inline]
    fn place(&self, hash: u64) -> usize {
        let mask = self.places.len() - 1;
        let mut at = (hash.wrapping_mul(self.odd) >> 32) as usize & mask;
        while self.places[at] != 0 && self.hashes[self.places[at] as usize - 1] != hash {
            at = (at + 1) & mask;
        }
        at
    }
}

impl Default for Numbering {
    fn default() -> Self {
        Self::new()
    }
}
