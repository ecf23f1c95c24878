//! Which text holds which hash, in the order of the hashes: what an inverted list is made from.

/// All (hash, owner) of the lists that `of` gives for the owners 0 to `owners` - 1, ascending.
///
/// Hashes are uniform, so a scatter by their first bits leaves little to sort.
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
