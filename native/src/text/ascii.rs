//! Units of ASCII forms, 64 characters at a time: what `units` and `unit_hash` give, without a guess at every letter.

use super::folding::{FOLDING, SEPARATOR};
use super::shingles::{UNIT_BASE, is_joined, mix, unit_hash};

/// Powers of the base and of its inverse modulo 2^64, as far as a form has needed them.
#[derive(Default)]
pub struct Powers {
    up: Vec<u64>,
    down: Vec<u64>,
    /// Sum of (code + 1) * base^place up to each place of the form at hand.
    sums: Vec<u64>,
}

impl Powers {
    fn grow(&mut self, length: usize) {
        // Newton's iteration doubles the bits that are right: an odd number is its own inverse in the first three.
        let inverse =
            (0..5).fold(UNIT_BASE, |x, _| x.wrapping_mul(2u64.wrapping_sub(UNIT_BASE.wrapping_mul(x))));
        let (mut up, mut down) = (self.up.last().copied(), self.down.last().copied());
        while self.up.len() < length {
            let next = (
                up.map_or(1, |one| one.wrapping_mul(UNIT_BASE)),
                down.map_or(1, |one| one.wrapping_mul(inverse)),
            );
            self.up.push(next.0);
            self.down.push(next.1);
            (up, down) = (Some(next.0), Some(next.1));
        }
    }

    /// Hash of the unit from `start` to `end`: its sum, shifted to where a unit begins.
    fn hash(&self, start: usize, end: usize) -> u64 {
        mix(self.sums[end].wrapping_sub(self.sums[start]).wrapping_mul(self.down[start]))
    }
}

/// The units of a form, in order, as hashes; none is unspaced. In place of what `out` held.
pub fn ascii_units(form: &[u8], powers: &mut Powers, out: &mut Vec<(u64, bool)>) {
    out.clear();
    powers.grow(form.len());
    powers.sums.clear();
    powers.sums.push(0);
    let mut sum = 0u64;
    powers.sums.extend(form.iter().zip(&powers.up).map(|(&byte, &power)| {
        sum = sum.wrapping_add((u64::from(byte) + 1).wrapping_mul(power));
        sum
    }));
    let (mut start, mut inside) = (0, false);
    for (block, bytes) in form.chunks(64).enumerate() {
        let mask = members(form, block * 64, bytes);
        // Where the mask changes a unit begins or ends; the last bit of the block before stands before the first.
        let mut turns = mask ^ ((mask << 1) | u64::from(inside));
        while turns != 0 {
            let at = block * 64 + turns.trailing_zeros() as usize;
            if inside {
                out.push((powers.hash(start, at), false));
            }
            start = at;
            inside = !inside;
            turns &= turns - 1;
        }
    }
    if inside {
        out.push((powers.hash(start, form.len()), false));
    }
    if out.is_empty() && !form.is_empty() {
        out.push((unit_hash(form), false));
    }
}

/// A bit for each character of a block that belongs to a unit.
fn members(form: &[u8], first: usize, block: &[u8]) -> u64 {
    let table = &*FOLDING; // asked for once, not once a letter
    let (mut mask, mut signs) = (0u64, 0u64);
    for (at, &byte) in block.iter().enumerate() {
        let separates = table.kind(byte.into()) == SEPARATOR;
        mask |= u64::from(!separates) << at;
        signs |= u64::from(separates && byte != b' ') << at;
    }
    while signs != 0 {
        let at = signs.trailing_zeros() as usize;
        mask |= u64::from(is_joined(form, first + at)) << at;
        signs &= signs - 1;
    }
    mask
}
