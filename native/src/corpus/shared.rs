//! What two ascending lists of distinct hashes have in common.

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
