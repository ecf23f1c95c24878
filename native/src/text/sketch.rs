//! Sketches of many texts: sorted distinct shingle hashes up to a limit, and an exact digest.

use super::ascii::{Powers, ascii_units};
use super::form::{ascii_form, form};
use super::listing::{dedup_from, sort_hashes};
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

/// What a sketch says besides its hashes.
pub struct Sketched {
    /// Distinct shingles.
    pub size: usize,
    /// Up to which the hashes are complete.
    pub limit: u64,
    /// XXH3-128 of the form in UTF-32LE, high half first.
    pub digest: [u64; 2],
    /// Characters of the form.
    pub characters: usize,
}

/// Sketches one text after the other in the same space.
pub struct Sketcher {
    spec: Spec,
    reader: Reader,
    bytes: Vec<u8>,
    unsorted: Vec<u64>,
    places: Vec<u32>,
}

impl Sketcher {
    /// Of one spec.
    pub fn new(spec: Spec) -> Self {
        let (reader, bytes) = (Reader::default(), Vec::new());
        Sketcher { spec, reader, bytes, unsorted: Vec::new(), places: Vec::new() }
    }

    /// Appends the kept hashes of a text, ascending.
    pub fn sketch(&mut self, text: &Text<'_>, hashes: &mut Vec<u64>) -> Sketched {
        let spec = self.spec;
        self.reader.read(text);
        let (characters, digest) = self.reader.digest(&mut self.bytes);
        self.unsorted.clear();
        shingles(&self.reader.units, spec.window, spec.seed, &mut self.unsorted);
        let first = hashes.len();
        sort_hashes(&self.unsorted, &mut self.places, hashes);
        dedup_from(first, hashes);
        let own = &hashes[first..];
        let (size, mut limit) = (own.len(), u64::MAX);
        if size > spec.least {
            limit = (u64::MAX / spec.scale).max(own[spec.least - 1]);
            let kept = own.partition_point(|&hash| hash <= limit);
            hashes.truncate(first + kept);
        }
        Sketched { size, limit, digest: [(digest >> 64) as u64, digest as u64], characters }
    }
}

/// The sketch of each text, on `threads` threads (0: all).
pub fn fingerprint(texts: &[Text<'_>], spec: Spec, threads: usize) -> Vec<Sketch> {
    // A text too small to be worth a thread shares one with its neighbours.
    const RUN: usize = 16;
    let runs = texts.len().div_ceil(RUN);
    let done = parallel::map(runs, threads, |run| {
        let mut sketcher = Sketcher::new(spec);
        let part = &texts[run * RUN..texts.len().min((run + 1) * RUN)];
        let sketch = |text| {
            let mut hashes = Vec::new();
            let Sketched { size, limit, digest, characters } = sketcher.sketch(text, &mut hashes);
            Sketch { hashes, size, limit, digest, characters }
        };
        part.iter().map(sketch).collect::<Vec<_>>()
    });
    done.into_iter().flatten().collect()
}
