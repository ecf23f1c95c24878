//! Hashes for tables of words that live for one call: short keys, and texts whose authors might aim at collisions.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::LazyLock;
use xxhash_rust::xxh3::xxh3_64_with_seed;

static SECRET: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(0));

/// Builds hashers under a secret of this process; nothing that is written depends on it.
#[derive(Clone, Copy)]
pub struct Words(u64);

impl Default for Words {
    fn default() -> Self {
        Words(*SECRET)
    }
}

impl BuildHasher for Words {
    type Hasher = Word;

    fn build_hasher(&self) -> Word {
        Word(self.0)
    }
}

/// XXH3 of what it was shown.
pub struct Word(u64);

impl Hasher for Word {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh3_64_with_seed(bytes, self.0);
    }

    fn write_u8(&mut self, _: u8) {} // the mark after a string: keys of one table are of one shape
}

/// A table by words.
pub type Map<K, V> = std::collections::HashMap<K, V, Words>;
/// A set of words.
pub type Set<K> = std::collections::HashSet<K, Words>;
