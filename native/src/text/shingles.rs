//! Units and shingles of a form: see the reference, whose numbers these are.

use super::folding::{DIGIT, FOLDING, SEPARATOR, UNSPACED, WORD};

pub(super) const UNIT_BASE: u64 = 0x9e37_79b9_7f4a_7c15;
const SHINGLE_BASE: u64 = 0xd6e8_feb8_6659_fd93;

/// The finaliser of SplitMix64.
#[inline]
pub fn mix(value: u64) -> u64 {
    let mut z = value ^ (value >> 30);
    z = z.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z ^= z >> 27;
    z = z.wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The length of a shingle, in words where there are spaces and in characters where there are none.
#[derive(Clone, Copy)]
pub struct Window {
    /// Words.
    pub words: usize,
    /// Characters.
    pub characters: usize,
}

/// Calls `take(start, end, unspaced)` for each unit of a form, in order. The form is in code points, or in bytes
/// where it is ASCII.
pub fn units<C: Copy + Into<u32>>(codes: &[C], mut take: impl FnMut(usize, usize, bool)) {
    let table = &*FOLDING;
    let mut start = None;
    let mut before = SEPARATOR;
    let mut any = false;
    for (at, &one) in codes.iter().enumerate() {
        let code: u32 = one.into();
        let kind = table.kind(code);
        let inside = kind != SEPARATOR || (code != 32 && code < 128 && is_joined(codes, at));
        if start.is_some() && (!inside || kind == UNSPACED || before == UNSPACED) {
            take(start.unwrap_or(0), at, before == UNSPACED);
            any = true;
            start = None;
        }
        if inside && start.is_none() {
            start = Some(at);
        }
        before = kind;
    }
    if let Some(start) = start {
        take(start, codes.len(), before == UNSPACED && codes.len() - start == 1);
    } else if !any && !codes.is_empty() {
        take(0, codes.len(), false);
    }
}

/// Whether the ASCII sign at a place of a form belongs to the word around it.
pub(super) fn is_joined<C: Copy + Into<u32>>(codes: &[C], at: usize) -> bool {
    let kind = |place: usize| codes.get(place).map_or(SEPARATOR, |&one| FOLDING.kind(one.into()));
    let before = if at == 0 { SEPARATOR } else { kind(at - 1) };
    let sign: u32 = codes[at].into();
    joins(sign as u8, before, kind(at + 1)) || compares(&codes[at..])
}

/// Whether a sign belongs to the word around it, by the kinds of its neighbours.
fn joins(sign: u8, before: u8, after: u8) -> bool {
    let (figure_before, figure_after) = (before == DIGIT, after == DIGIT);
    let (lettered, letters) = (figure_before || before == WORD, figure_after || after == WORD);
    match sign {
        b'-' => figure_after && (figure_before || before == SEPARATOR),
        b'.' | b',' | b'/' | b':' => figure_before && figure_after,
        b'\'' | b'&' | b'_' => lettered && letters,
        b'<' | b'>' | b'=' => figure_after,
        b'%' => figure_before,
        b'#' => lettered || figure_after,
        _ => false,
    }
}

/// "p < 0.05" is not "p > 0.05".
fn compares<C: Copy + Into<u32>>(here: &[C]) -> bool {
    let [sign, space, next, ..] = here else { return false };
    matches!(((*sign).into(), (*space).into()), (60..=62, 32)) && FOLDING.kind((*next).into()) == DIGIT
}

/// Powers of the base, so that the terms of a word's hash do not wait for one another.
const POWERS: [u64; 32] = {
    let mut powers = [1u64; 32];
    let mut at = 1;
    while at < powers.len() {
        powers[at] = powers[at - 1].wrapping_mul(UNIT_BASE);
        at += 1;
    }
    powers
};

/// The sum of (code + 1) * base^place, mixed.
pub fn unit_hash<C: Copy + Into<u32>>(codes: &[C]) -> u64 {
    let parts = codes.chunks(POWERS.len()).rev();
    mix(parts.fold(0u64, |later, part| {
        let terms =
            part.iter().zip(POWERS).map(|(&code, power)| (u64::from(code.into()) + 1).wrapping_mul(power));
        let past = POWERS[POWERS.len() - 1].wrapping_mul(UNIT_BASE);
        terms.fold(later.wrapping_mul(past), u64::wrapping_add)
    }))
}

/// The units of a form, in order: their hashes, and whether each is a character of an unspaced script. In place of
/// what `out` held.
pub fn hashed_units<C: Copy + Into<u32>>(form: &[C], out: &mut Vec<(u64, bool)>) {
    out.clear();
    units(form, |start, end, unspaced| out.push((unit_hash(&form[start..end]), unspaced)));
}

/// Hashes of all shingles of units in order, repeats included, appended to `out`.
pub fn shingles(units: &[(u64, bool)], window: Window, seed: u64, out: &mut Vec<u64>) {
    let salt = mix(seed);
    let shingle = |some: &[(u64, bool)]| {
        let sum =
            some.iter().rev().fold(0u64, |sum, &(unit, _)| sum.wrapping_mul(SHINGLE_BASE).wrapping_add(unit));
        mix(sum ^ salt)
    };
    let first = out.len();
    if !units.iter().any(|unit| unit.1) {
        out.extend(units.windows(window.words).map(shingle));
    } else {
        let weigh = |unspaced: bool| if unspaced { window.words } else { window.characters };
        let (mut end, mut weight) = (0, 0);
        for start in 0..units.len() {
            while weight < window.words * window.characters && end < units.len() {
                weight += weigh(units[end].1);
                end += 1;
            }
            if weight < window.words * window.characters {
                break;
            }
            out.push(shingle(&units[start..end]));
            weight -= weigh(units[start].1);
        }
    }
    if out.len() == first && !units.is_empty() {
        out.push(shingle(units));
    }
}
