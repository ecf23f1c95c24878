//! The distinct terms of texts, numbered: see the reference's `terms`, whose numbers these are.

use super::numbering::Numbering;
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
    let (mut reader, mut hashes) = (Reader::default(), Vec::new());
    let mut numbering = Numbering::new();
    reader.read(query);
    hashed(&reader.units, all_spaced, &mut hashes);
    hashes.iter().for_each(|&hash| _ = numbering.number(hash));
    let asked = numbering.hashes.len() as u32;
    // Which term is held by which text, a text's own in the order of reading, each once.
    let (mut held, mut last, mut offsets) = (Vec::new(), Vec::new(), vec![0i64]);
    for (owner, text) in texts.iter().enumerate() {
        reader.read(text);
        hashes.clear();
        hashed(&reader.units, all_spaced, &mut hashes);
        for &hash in &hashes {
            let number = numbering.number(hash);
            last.resize(numbering.hashes.len(), usize::MAX);
            if number >= asked && last[number as usize] != owner {
                last[number as usize] = owner;
                held.push((number, owner as u32));
            }
        }
        offsets.push(held.len() as i64);
    }
    let numbers = in_order(&held, &offsets, &numbering.hashes);
    Terms { terms: numbers, offsets, vocabulary: numbering.hashes.len() }
}

/// The terms of each text, numbered by the order of their hashes, so that those of every text ascend.
fn in_order(held: &[(u32, u32)], offsets: &[i64], hashes: &[u64]) -> Vec<i64> {
    let mut ascending: Vec<u32> = (0..hashes.len() as u32).collect();
    ascending.sort_unstable_by_key(|&number| hashes[number as usize]);
    // The texts that hold each term, one term after the other.
    let mut starts = vec![0usize; hashes.len() + 1];
    held.iter().for_each(|one| starts[one.0 as usize + 1] += 1);
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    let (mut next, mut owners) = (starts.clone(), vec![0u32; held.len()]);
    for &(number, owner) in held {
        let place = &mut next[number as usize];
        owners[*place] = owner;
        *place += 1;
    }
    let mut next: Vec<usize> = offsets.iter().map(|&start| start as usize).collect();
    let mut numbers = vec![0i64; held.len()];
    for (rank, &number) in ascending.iter().enumerate() {
        for &owner in &owners[starts[number as usize]..starts[number as usize + 1]] {
            numbers[next[owner as usize]] = rank as i64;
            next[owner as usize] += 1;
        }
    }
    numbers
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

/// Hashes of a text's terms, repeats included, appended to `found`. Where no text has an unspaced script the reference
/// hashes words once more, and so does this.
fn hashed(units: &[(u64, bool)], all_spaced: bool, found: &mut Vec<u64>) {
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
}

fn gram(run: &[(u64, bool)]) -> u64 {
    mix(run.iter().fold(0u64, |sum, &(unit, _)| sum.wrapping_mul(UNIT_BASE).wrapping_add(unit)))
}
