//! Words that decide whether two near-identical sentences say the same, read from the file that Python reads.

use super::hashing::{Map, Set};
use std::sync::LazyLock;

/// The word list.
#[derive(Default)]
pub struct Lexicon {
    /// Word to its (class, value) pairs.
    pub classes: Map<&'static str, Vec<(&'static str, &'static str)>>,
    /// What a word counts.
    pub numbers: Map<&'static str, u64>,
    /// How many zeros a word adds.
    pub magnitudes: Map<&'static str, usize>,
    /// Words that negate.
    pub negations: Set<&'static str>,
    /// Words whose place or capital says nothing, and of which sort.
    pub idle: Map<&'static str, &'static str>,
}

/// The list, read at the first use.
pub static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    let mut list = Lexicon::default();
    let text = include_str!("../../../src/reparto/kernels/reference/words.txt");
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (head, words) = line.split_once(": ").expect("`class value: words` in words.txt");
        let (kind, value) = head.split_once(' ').expect("`class value` in words.txt");
        for word in words.split(' ') {
            match kind {
                "number" => drop(list.numbers.insert(word, value.parse().expect("a number"))),
                "magnitude" => drop(list.magnitudes.insert(word, value.parse().expect("a number"))),
                "negation" => drop(list.negations.insert(word)),
                "idle" => drop(list.idle.entry(word).or_insert(value)),
                _ => list.classes.entry(word).or_default().push((kind, value)),
            }
        }
    }
    list
});

impl Lexicon {
    /// The (class, value) pairs of a word.
    pub fn pairs(&self, word: &str) -> &[(&'static str, &'static str)] {
        self.classes.get(word).map_or(&[], Vec::as_slice)
    }

    /// The unit that a word names, if it does.
    pub fn unit(&self, word: &str) -> Option<&'static str> {
        self.pairs(word).iter().find(|(name, _)| *name == "unit").map(|(_, value)| *value)
    }
}
