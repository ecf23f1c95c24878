//! Band keys: MinHash slots of shingle sets, hashed a few at a time. See `reparto.corpus.bands`, whose numbers these are.

use crate::parallel;
use crate::text::shingles::mix;

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
const BLOCK: usize = 32; // slots whose minima stay in registers while the hashes pass by

/// What slots and bands are made with.
#[derive(Clone, Copy)]
pub struct Shape<'a> {
    /// Odd multipliers, one a slot.
    pub multipliers: &'a [u32],
    /// Masks, one a slot.
    pub masks: &'a [u32],
    /// Slots of a band.
    pub rows: usize,
}

/// Makes the keys of one set after the other in the same space.
pub struct Bands<'a> {
    shape: Shape<'a>,
    short: Vec<u32>,
    slots: Vec<u32>,
}

impl<'a> Bands<'a> {
    /// For sets of any size.
    pub fn new(shape: Shape<'a>) -> Self {
        Bands { shape, short: Vec::new(), slots: vec![0; shape.masks.len()] }
    }

    /// Appends the keys of one set, one a band; zeros for an empty set.
    pub fn keys(&mut self, set: &[u64], out: &mut Vec<u64>) {
        let bands = self.shape.masks.len() / self.shape.rows;
        if set.is_empty() {
            out.extend(std::iter::repeat_n(0, bands));
            return;
        }
        self.short.clear();
        self.short.extend(set.iter().map(|&hash| (hash >> 32) as u32));
        minima(&self.short, self.shape, &mut self.slots);
        out.extend((0..bands).map(|band| {
            let start = (band as u64 + 1).wrapping_mul(GOLDEN);
            let own = &self.slots[band * self.shape.rows..(band + 1) * self.shape.rows];
            own.iter().fold(start, |key, &slot| mix(key ^ u64::from(slot)))
        }));
    }
}

/// Keys of each set, `bands` of them one after the other; zeros for an empty set.
pub fn band_keys(hashes: &[u64], offsets: &[i64], shape: Shape<'_>) -> Vec<u64> {
    const RUN: usize = 64;
    let sets = offsets.len() - 1;
    let done = parallel::map(sets.div_ceil(RUN), 0, |run| {
        let (mut keys, mut bands) = (Vec::new(), Bands::new(shape));
        for set in run * RUN..sets.min((run + 1) * RUN) {
            bands.keys(&hashes[offsets[set] as usize..offsets[set + 1] as usize], &mut keys);
        }
        keys
    });
    done.concat()
}

fn minima(short: &[u32], shape: Shape<'_>, slots: &mut [u32]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has what the function is compiled for.
        return unsafe { minima_avx2(short, shape, slots) };
    }
    least(short, shape, slots);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn minima_avx2(short: &[u32], shape: Shape<'_>, slots: &mut [u32]) {
    least(short, shape, slots);
}

#[inline(always)]
fn least(short: &[u32], shape: Shape<'_>, slots: &mut [u32]) {
    let mut at = 0;
    while at + BLOCK <= slots.len() {
        let (mut low, mut mask, mut by) = ([u32::MAX; BLOCK], [0; BLOCK], [0; BLOCK]);
        mask.copy_from_slice(&shape.masks[at..at + BLOCK]);
        by.copy_from_slice(&shape.multipliers[at..at + BLOCK]);
        for &hash in short {
            for p in 0..BLOCK {
                low[p] = low[p].min((hash ^ mask[p]).wrapping_mul(by[p]));
            }
        }
        slots[at..at + BLOCK].copy_from_slice(&low);
        at += BLOCK;
    }
    let rest = shape.masks[at..].iter().zip(&shape.multipliers[at..]);
    for (slot, (&mask, &by)) in slots[at..].iter_mut().zip(rest) {
        *slot = short.iter().map(|&hash| (hash ^ mask).wrapping_mul(by)).min().unwrap_or(u32::MAX);
    }
}
