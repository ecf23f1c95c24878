//! Sketches of many texts: sorted distinct shingle hashes up to a limit, and an exact digest.

use super::ascii::{Powers, ascii_units};
use super::form::{ascii_form, form};
use super::listing::sort_hashes;
use super::shingles::{Window, hashed_units, shingles};
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

/// The units of texts, read one at a time into the same space.
#[derive(Default)]
pub struct Reader {
    ascii: Vec<u8>,
    wide: Vec<u32>,
    powers: Powers,
    /// Hashes of the units of the text read last, and whether each is a character of an unspaced script.
    pub units: Vec<(u64, bool)>,
}

impl Reader {
    /// Reads a text: its form, and the units of that.
    pub fn read(&mut self, text: &Text<'_>) {
        self.ascii.clear();
        self.wide.clear();
        match text {
            Text::Plain(text) if text.is_ascii() => {
                ascii_form(text.as_bytes(), &mut self.ascii);
                ascii_units(&self.ascii, &mut self.powers, &mut self.units);
                return;
            }
            Text::Plain(text) => form(text.chars().map(u32::from), &mut self.wide),
            Text::Wide(codes) => form(codes.iter().copied(), &mut self.wide),
        }
        hashed_units(&self.wide, &mut self.units);
    }

    /// Characters of the form, and its XXH3-128 in UTF-32LE. `bytes` is scratch space.
    fn digest(&self, bytes: &mut Vec<u8>) -> (usize, u128) {
        bytes.clear();
        bytes.extend(self.ascii.iter().flat_map(|&byte| [byte, 0, 0, 0])); // of the two forms one is empty
        bytes.extend(self.wide.iter().flat_map(|code| code.to_le_bytes()));
        (bytes.len() / 4, xxh3_128(bytes))
    }
}

#[derive(Default)]
struct Scratch {
    reader: Reader,
    bytes: Vec<u8>,
    unsorted: Vec<u64>,
}

fn sketch(text: &Text<'_>, spec: Spec, scratch: &mut Scratch) -> Sketch {
    scratch.reader.read(text);
    let (characters, digest) = scratch.reader.digest(&mut scratch.bytes);
    scratch.unsorted.clear();
    shingles(&scratch.reader.units, spec.window, spec.seed, &mut scratch.unsorted);
    let mut hashes = sort_hashes(&scratch.unsorted);
    hashes.dedup();
    let size = hashes.len();
    let mut limit = u64::MAX;
    if size > spec.least {
        limit = (u64::MAX / spec.scale).max(hashes[spec.least - 1]);
        hashes.truncate(hashes.partition_point(|&hash| hash <= limit));
    }
    Sketch { hashes, size, limit, digest: [(digest >> 64) as u64, digest as u64], characters }
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
