//! Everything that is read off a text once, in one pass over each: see `reparto.corpus.fingerprint`.

use super::bands::{Bands, Shape};
use super::edges::edges;
use super::sentences::Listener;
use super::wire::found;
use crate::parallel;
use crate::text::sketch::{Sketcher, Spec, Text};
use regex::Regex;

/// What prints are made with.
#[derive(Clone, Copy)]
pub struct Recipe<'a> {
    /// Of the shingles.
    pub spec: Spec,
    /// Of the bands.
    pub shape: Shape<'a>,
    /// Characters of a sentence that counts.
    pub least: usize,
    /// Of the sentences.
    pub seed: u64,
    /// What a text with a credit has at one of its ends.
    pub credit: &'a Regex,
    /// Characters of an end.
    pub edge: usize,
}

/// Columns of some texts. Sizes stand for offsets until parts are put together.
#[derive(Default)]
pub struct Prints {
    /// Shingle hashes of one text after the other, ascending and distinct.
    pub hashes: Vec<u64>,
    /// How many each has.
    pub sizes: Vec<i64>,
    /// Two a text.
    pub digests: Vec<u64>,
    /// Characters of each form.
    pub characters: Vec<i64>,
    /// Band keys, those of a text together.
    pub bands: Vec<u64>,
    /// Sentence keys.
    pub said: Vec<u64>,
    /// How many each has.
    pub said_sizes: Vec<i64>,
    /// A hash of the digits of each.
    pub figures: Vec<u64>,
    /// Two a text.
    pub edges: Vec<u64>,
    /// Whether a text may credit an agency, or has edges that are left to Python.
    pub marks: Vec<[bool; 2]>,
}

/// The prints of texts and their sources, on `threads` threads (0: all).
pub fn prints(texts: &[(&str, Option<&str>)], recipe: Recipe<'_>, threads: usize) -> Prints {
    let run = if threads == 1 { texts.len().max(1) } else { 64 };
    let parts = parallel::map(texts.len().div_ceil(run), threads, |at| {
        some(&texts[at * run..texts.len().min((at + 1) * run)], recipe)
    });
    let mut parts = parts.into_iter();
    let mut all = parts.next().unwrap_or_default();
    for part in parts {
        all.hashes.extend(part.hashes);
        all.sizes.extend(part.sizes);
        all.digests.extend(part.digests);
        all.characters.extend(part.characters);
        all.bands.extend(part.bands);
        all.said.extend(part.said);
        all.said_sizes.extend(part.said_sizes);
        all.figures.extend(part.figures);
        all.edges.extend(part.edges);
        all.marks.extend(part.marks);
    }
    all
}

fn some(texts: &[(&str, Option<&str>)], recipe: Recipe<'_>) -> Prints {
    let mut out = Prints::default();
    let mut sketcher = Sketcher::new(recipe.spec);
    let mut bands = Bands::new(recipe.shape);
    let mut listener = Listener::new(recipe.least, recipe.seed);
    let mut scratch = Vec::new();
    for &(text, source) in texts {
        let first = out.hashes.len();
        let sketched = sketcher.sketch(&Text::Plain(text), &mut out.hashes);
        out.sizes.push((out.hashes.len() - first) as i64);
        out.digests.extend(sketched.digest);
        out.characters.push(sketched.characters as i64);
        bands.keys(&out.hashes[first..], &mut out.bands);
        let first = out.said.len();
        out.figures.push(listener.said(text, &mut out.said));
        out.said_sizes.push((out.said.len() - first) as i64);
        let seen = source.map_or(Some([0; 2]), |source| edges(text, source, &mut scratch));
        out.edges.extend(seen.unwrap_or_default());
        out.marks.push([found(text, recipe.credit, recipe.edge), seen.is_none()]);
    }
    out
}

/// Rows as columns: of `rows` by `columns`, the other way round.
pub fn turned(values: &[u64], columns: usize) -> Vec<u64> {
    const TILE: usize = 64;
    let rows = values.len() / columns.max(1);
    let mut out = vec![0; values.len()];
    for low in (0..rows).step_by(TILE) {
        let high = rows.min(low + TILE);
        for column in 0..columns {
            for row in low..high {
                out[column * rows + row] = values[row * columns + column];
            }
        }
    }
    out
}
