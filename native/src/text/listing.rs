//! Hashes in their order. They are uniform, so a scatter by their first bits leaves little to sort.

/// All (hash, owner) of the lists that `of` gives for the owners 0 to `owners` - 1, ascending: what an inverted list is made from.
pub fn listed<'a>(owners: usize, of: impl Fn(usize) -> &'a [u64]) -> Vec<(u64, u32)> {
    let total: usize = (0..owners).map(|owner| of(owner).len()).sum();
    let bits = (total / 8).max(2).ilog2();
    let bucket = |hash: u64| (hash >> (64 - bits)) as usize;
    let mut starts = vec![0usize; (1 << bits) + 1];
    for owner in 0..owners {
        of(owner).iter().for_each(|&hash| starts[bucket(hash) + 1] += 1);
    }
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    let mut all = vec![(0, 0); total];
    let mut next = starts.clone();
    for owner in 0..owners {
        for &hash in of(owner) {
            let place = &mut next[bucket(hash)];
            all[*place] = (hash, owner as u32);
            *place += 1;
        }
    }
    starts.windows(2).for_each(|two| all[two[0]..two[1]].sort_unstable());
    all
}

/// Appends hashes in ascending order, repeats included. `next` is scratch space.
pub fn sort_hashes(some: &[u64], next: &mut Vec<u32>, out: &mut Vec<u64>) {
    let bits = some.len().max(2).ilog2();
    let bucket = |hash: u64| (hash >> (64 - bits)) as usize;
    next.clear();
    next.resize((1 << bits) + 1, 0);
    some.iter().for_each(|&hash| next[bucket(hash) + 1] += 1);
    for at in 1..next.len() {
        next[at] += next[at - 1];
    }
    let first = out.len();
    out.resize(first + some.len(), 0);
    let sorted = &mut out[first..];
    for &hash in some {
        let place = &mut next[bucket(hash)];
        sorted[*place as usize] = hash;
        *place += 1;
    }
    // Now `next[b]` is where bucket b ends: one or two hashes each, unless a text repeats itself.
    let mut start = 0;
    for &end in &next[..1 << bits] {
        let end = end as usize;
        match end - start {
            0 | 1 => {}
            2 if sorted[start] <= sorted[start + 1] => {}
            2 => sorted.swap(start, start + 1),
            _ => sorted[start..end].sort_unstable(),
        }
        start = end;
    }
}

/// Drops repeats from what follows `first`, which ascends.
pub fn dedup_from(first: usize, some: &mut Vec<u64>) {
    let mut kept = first;
    for at in first..some.len() {
        if at == first || some[at] != some[kept - 1] {
            some[kept] = some[at];
            kept += 1;
        }
    }
    some.truncate(kept);
}
