//! Proposals of one band: each document with the first of its bucket. See `reparto.corpus.candidates`.

use crate::text::shingles::mix;

const SPLIT: u64 = 0x3c79_ac49_2ba7_b653;

/// A key, the rank that has it, and where its row came from.
type Row = (u64, u32, u32);

/// Codes (later << 32 | earlier), ascending and distinct: with the first `bucket` of a bucket, and where it is
/// crowded with the first `each` that state the same figures.
pub fn band_pairs(keys: &[u64], ranks: &[i64], figures: &[u64], bucket: usize, each: usize) -> Vec<u64> {
    let rows = bucketed(keys, ranks);
    let mut codes = Vec::new();
    let mut parts: Vec<Row> = Vec::new();
    for own in rows.chunk_by(|one, other| one.0 == other.0) {
        firsts(own, bucket, &mut codes);
        if own.len() > bucket {
            parts.extend(
                own.iter().map(|&(key, rank, at)| (mix(key ^ mix(figures[at as usize] ^ SPLIT)), rank, at)),
            );
        }
    }
    parts.sort_unstable();
    for own in parts.chunk_by(|one, other| one.0 == other.0) {
        firsts(own, each, &mut codes);
    }
    codes.sort_unstable();
    codes.dedup();
    codes
}

/// Codes of each document with the first `bucket` that have one of its keys too, ascending, one a key shared; keys of
/// more than `most` documents propose nothing.
pub fn sentence_pairs(keys: &[u64], ranks: &[i64], bucket: usize, most: usize) -> Vec<u64> {
    let mut codes = Vec::new();
    for own in bucketed(keys, ranks).chunk_by(|one, other| one.0 == other.0) {
        if own.len() <= most {
            firsts(own, bucket, &mut codes);
        }
    }
    codes.sort_unstable();
    codes
}

/// Rows in order, those alone with their key left out as far as a quick look tells.
fn bucketed(keys: &[u64], ranks: &[i64]) -> Vec<Row> {
    let bits = (16 * keys.len()).max(64).ilog2();
    let slot = |key: u64| ((key >> (64 - bits)) as usize / 64, 1u64 << ((key >> (64 - bits)) % 64));
    let (mut once, mut again) = (vec![0u64; 1 << (bits - 6)], vec![0u64; 1 << (bits - 6)]);
    for &key in keys {
        let (word, bit) = slot(key);
        again[word] |= once[word] & bit;
        once[word] |= bit;
    }
    let several = |key: u64| {
        let (word, bit) = slot(key);
        again[word] & bit != 0
    };
    let all = keys.iter().zip(ranks).enumerate().filter(|(_, (key, _))| several(**key));
    let mut rows: Vec<Row> = all.map(|(at, (&key, &rank))| (key, rank as u32, at as u32)).collect();
    rows.sort_unstable();
    rows
}

fn firsts(own: &[Row], bucket: usize, codes: &mut Vec<u64>) {
    for (at, &(_, later, _)) in own.iter().enumerate().skip(1) {
        codes.extend(
            own[..at.min(bucket)].iter().map(|&(_, earlier, _)| u64::from(later) << 32 | u64::from(earlier)),
        );
    }
}
