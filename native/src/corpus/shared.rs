//! What ascending lists of distinct hashes have in common, and some of many such lists.

use crate::parallel;

/// How many hashes the sets `a[i]` and `b[i]` share.
pub fn shared_counts(hashes: &[u64], offsets: &[i64], a: &[i64], b: &[i64]) -> Vec<i64> {
    const RUN: usize = 256;
    let set = |i: i64| &hashes[offsets[i as usize] as usize..offsets[i as usize + 1] as usize];
    let done = parallel::map(a.len().div_ceil(RUN), 0, |run| {
        let some = run * RUN..a.len().min((run + 1) * RUN);
        some.map(|at| shared(set(a[at]), set(b[at]))).collect::<Vec<_>>()
    });
    done.concat()
}

fn shared(one: &[u64], other: &[u64]) -> i64 {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    if short.len() * 16 < long.len() {
        return short.iter().filter(|hash| long.binary_search(hash).is_ok()).count() as i64;
    }
    let (mut i, mut j, mut count) = (0, 0, 0);
    while i < short.len() && j < long.len() {
        let (x, y) = (short[i], long[j]);
        count += i64::from(x == y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    count
}

/// Some rows of a ragged array, in the order asked for, and where each begins and the last ends.
pub fn gathered(values: &[u64], offsets: &[i64], chosen: &[i64]) -> (Vec<u64>, Vec<i64>) {
    let row = |i: i64| &values[offsets[i as usize] as usize..offsets[i as usize + 1] as usize];
    let mut found = Vec::with_capacity(chosen.iter().map(|&i| row(i).len()).sum());
    let mut ends = Vec::with_capacity(chosen.len() + 1);
    ends.push(0);
    for &i in chosen {
        found.extend_from_slice(row(i));
        ends.push(found.len() as i64);
    }
    (found, ends)
}
