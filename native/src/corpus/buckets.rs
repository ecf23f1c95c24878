//! Proposals of one band: each document with the first of its bucket. See `reparto.corpus.candidates`.

use crate::text::shingles::mix;

const SPLIT: u64 = 0x3c79_ac49_2ba7_b653;

/// A key, the rank that has it, and where its row came from.
type Row = (u64, u32, u32);

/// Codes (later << 32 | earlier), ascending and distinct: with the first `bucket` of a bucket, and where it is
/// crowded with the first `each` that state the same figures.
pub fn band_pairs(keys: &[u64], ranks: &[i64], figures: &[u64], bucket: usize, each: usize) -> Vec<u64> {
    let mut rows: Vec<Row> =
        keys.iter().zip(ranks).enumerate().map(|(at, (&key, &rank))| (key, rank as u32, at as u32)).collect();
    rows.sort_unstable();
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

fn firsts(own: &[Row], bucket: usize, codes: &mut Vec<u64>) {
    for (at, &(_, later, _)) in own.iter().enumerate().skip(1) {
        codes.extend(
            own[..at.min(bucket)].iter().map(|&(_, earlier, _)| u64::from(later) << 32 | u64::from(earlier)),
        );
    }
}
