//! Orders of many documents: by id, and by priority. See `reparto.corpus.leaders`.

use std::cmp::Ordering;

/// Indices of strings in order of their code points.
pub fn by_text(texts: &[&str]) -> Vec<i64> {
    let mut rows: Vec<(u64, u32)> = texts.iter().map(|text| head(text)).zip(0..).collect();
    rows.sort_unstable_by(|one, other| {
        one.0.cmp(&other.0).then_with(|| compare(texts, one.1, other.1)).then(one.1.cmp(&other.1))
    });
    rows.into_iter().map(|(_, at)| i64::from(at)).collect()
}

/// The first eight bytes as a number of the same order.
fn head(text: &str) -> u64 {
    let mut first = [0; 8];
    let some = &text.as_bytes()[..text.len().min(8)];
    first[..some.len()].copy_from_slice(some);
    u64::from_be_bytes(first)
}

fn compare(texts: &[&str], one: u32, other: u32) -> Ordering {
    texts[one as usize].cmp(texts[other as usize])
}

/// Indices by gold first, moments ascending, longer first, text; moments are no NaN.
pub fn by_priority(gold: &[bool], moments: &[f64], characters: &[i64], texts: &[&str]) -> Vec<i64> {
    let mut rows: Vec<(u64, u64, u32)> = (0..texts.len())
        .map(|at| {
            let bits = (moments[at] + 0.0).to_bits(); // no negative zero
            let moment = if bits >> 63 == 0 { bits | 1 << 63 } else { !bits };
            let longer = (i64::MAX - characters[at]) as u64;
            (moment, longer | u64::from(!gold[at]) << 63, at as u32)
        })
        .collect();
    rows.sort_unstable_by(|one, other| {
        let gold = |row: &(u64, u64, u32)| row.1 >> 63;
        let plain = gold(one).cmp(&gold(other)).then(one.0.cmp(&other.0)).then(one.1.cmp(&other.1));
        plain.then_with(|| compare(texts, one.2, other.2)).then(one.2.cmp(&other.2))
    });
    rows.into_iter().map(|(_, _, at)| i64::from(at)).collect()
}
