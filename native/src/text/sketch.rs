//! Sketches of many texts: sorted distinct shingle hashes up to a limit, and an exact digest.

use super::form::{ascii_form, form};
use super::shingles::{Window, shingles};
use crate::parallel;
use xxhash_rust::xxh3::xxh3_128;

/// What sketches are made with.
#[derive(Clone, Copy)]
pub struct Spec {
    /// The shingle.
    pub window: Window,
    /// One hash in so many of a long text is kept.
    pub scale: u64,
    /// How many are kept at least.
    pub least: usize,
    /// Makes the sample unpredictable.
    pub seed: u64,
}

/// A text as Python holds it.
pub enum Text<'a> {
    /// Valid Unicode.
    Plain(&'a str),
    /// Code points with lone surrogates among them.
    Wide(&'a [u32]),
}

/// The sketch of one text.
pub struct Sketch {
    /// Kept hashes, ascending.
    pub hashes: Vec<u64>,
    /// Distinct shingles.
    pub size: usize,
    /// Up to which the hashes are complete.
    pub limit: u64,
    /// XXH3-128 of the form in UTF-32LE, high half first.
    pub digest: [u64; 2],
    /// Characters of the form.
    pub characters: usize,
}

#[derive(Default)]
struct Scratch {
    ascii: Vec<u8>,
    wide: Vec<u32>,
    units: Vec<(u64, bool)>,
    bytes: Vec<u8>,
}

fn sketch(text: &Text<'_>, spec: Spec, scratch: &mut Scratch) -> Sketch {
    let Scratch { ascii, wide, units, bytes } = scratch;
    wide.clear();
    match text {
        Text::Plain(text) if text.is_ascii() => {
            ascii_form(text.as_bytes(), ascii);
            return sketch_of(ascii, spec, units, bytes);
        }
        Text::Plain(text) => form(text.chars().map(u32::from), wide),
        Text::Wide(codes) => form(codes.iter().copied(), wide),
    }
    sketch_of(wide, spec, units, bytes)
}

/// The sketch of a form.
fn sketch_of<C: Copy + Into<u32>>(
    form: &[C],
    spec: Spec,
    units: &mut Vec<(u64, bool)>,
    bytes: &mut Vec<u8>,
) -> Sketch {
    bytes.clear();
    bytes.resize(form.len() * 4, 0);
    for (four, &code) in bytes.chunks_exact_mut(4).zip(form) {
        four.copy_from_slice(&code.into().to_le_bytes());
    }
    let digest = xxh3_128(bytes);
    let mut hashes = Vec::with_capacity(form.len() / 5 + 1);
    shingles(form, spec.window, spec.seed, units, &mut hashes);
    hashes.sort_unstable();
    hashes.dedup();
    let size = hashes.len();
    let mut limit = u64::MAX;
    if size > spec.least {
        limit = (u64::MAX / spec.scale).max(hashes[spec.least - 1]);
        hashes.truncate(hashes.partition_point(|&hash| hash <= limit));
    }
    let digest = [(digest >> 64) as u64, digest as u64];
    Sketch { hashes, size, limit, digest, characters: form.len() }
}

/// The sketch of each text, on `threads` threads (0: all).
pub fn fingerprint(texts: &[Text<'_>], spec: Spec, threads: usize) -> Vec<Sketch> {
    // A text too small to be worth a thread shares one with its neighbours.
    const RUN: usize = 16;
    let runs = texts.len().div_ceil(RUN);
    let done = parallel::map(runs, threads, |run| {
        let mut scratch = Scratch::default();
        let part = &texts[run * RUN..texts.len().min((run + 1) * RUN)];
        part.iter().map(|text| sketch(text, spec, &mut scratch)).collect::<Vec<_>>()
    });
    done.into_iter().flatten().collect()
}
