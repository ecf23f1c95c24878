//! The distinct terms of texts, numbered: see the reference's `terms`, whose numbers these are.

use super::listing::{listed, sort_hashes};
use super::shingles::{UNIT_BASE, mix};
use super::sketch::{Reader, Text};

/// Characters of an unspaced script in a term.
const GRAM: usize = 4;
/// Scripts without spaces begin with Thai.
const FIRST_UNSPACED: u32 = 0xe00;

/// Which terms each text holds: those of text i, ascending, at `offsets[i]..offsets[i + 1]`.
pub struct Terms {
    /// Numbers of terms, below `vocabulary`.
    pub terms: Vec<i64>,
    /// One more than there are texts.
    pub offsets: Vec<i64>,
    /// Distinct terms of the texts and the query.
    pub vocabulary: usize,
}

/// The distinct terms of each text that the query does not hold.
pub fn terms(texts: &[Text<'_>], query: &Text<'_>) -> Terms {
    let all_spaced = texts.iter().chain([query]).all(is_spaced);
    let mut reader = Reader::default();
    let mut of = |text: &Text<'_>| {
        reader.read(text);
        distinct(&reader.units, all_spaced)
    };
    let held: Vec<Vec<u64>> = texts.iter().chain([query]).map(&mut of).collect();
    let asked = &held[texts.len()];
    let mut offsets = vec![0i64];
    for own in &held[..texts.len()] {
        let kept = own.iter().filter(|hash| asked.binary_search(hash).is_err()).count();
        offsets.push(offsets[offsets.len() - 1] + kept as i64);
    }
    // In the order of the hashes, so that the numbers of every text come out ascending.
    let mut next: Vec<usize> = offsets.iter().map(|&start| start as usize).collect();
    let mut numbers = vec![0i64; next[texts.len()]];
    let all = listed(held.len(), |owner| &held[owner]);
    let mut vocabulary = 0;
    for same in all.chunk_by(|one, other| one.0 == other.0) {
        let in_query = same.last().is_some_and(|one| one.1 as usize == texts.len());
        for &(_, owner) in same.iter().filter(|_| !in_query) {
            numbers[next[owner as usize]] = vocabulary as i64;
            next[owner as usize] += 1;
        }
        vocabulary += 1;
    }
    Terms { terms: numbers, offsets, vocabulary }
}

/// Sum of `weights` over each text's terms, in their order. All terms must have a weight.
pub fn sums(terms: &[i64], offsets: &[i64], weights: &[f64]) -> Vec<f64> {
    let sum = |two: &[i64]| {
        let own = &terms[two[0] as usize..two[1] as usize];
        own.iter().fold(0.0, |sum, &term| sum + weights[term as usize])
    };
    offsets.windows(2).map(sum).collect()
}

fn is_spaced(text: &Text<'_>) -> bool {
    match text {
        Text::Plain(text) => text.is_ascii() || text.chars().all(|one| u32::from(one) < FIRST_UNSPACED),
        Text::Wide(codes) => codes.iter().all(|&code| code < FIRST_UNSPACED),
    }
}

/// Hashes of a text's distinct terms, ascending. Where no text has an unspaced script the reference hashes words
/// once more, and so does this.
fn distinct(units: &[(u64, bool)], all_spaced: bool) -> Vec<u64> {
    let mut found = Vec::with_capacity(units.len());
    if all_spaced {
        found.extend(units.iter().map(|unit| mix(unit.0)));
    } else {
        for run in units.chunk_by(|one, other| one.1 && other.1) {
            if run[0].1 {
                found.extend(run.windows(GRAM.min(run.len())).map(gram));
            } else {
                found.push(run[0].0);
            }
        }
    }
    let (unsorted, mut found) = (found, Vec::new());
    sort_hashes(&unsorted, &mut Vec::new(), &mut found);
    found.dedup();
    found
}

fn gram(run: &[(u64, bool)]) -> u64 {
    mix(run.iter().fold(0u64, |sum, &(unit, _)| sum.wrapping_mul(UNIT_BASE).wrapping_add(unit)))
}
