//! What holds of any text: forms settle, verdicts are symmetric, pairs are those that a plain loop finds.

use proptest::prelude::*;
use reparto_native::text::facts::{facts, figures_agree};
use reparto_native::text::form::{cased_form, form};
use reparto_native::text::overlaps::{Sketches, overlaps, star};
use reparto_native::text::shingles::Window;
use reparto_native::text::sketch::{Sketch, Spec, Text, fingerprint};
use std::collections::HashSet;

fn formed(codes: &[u32]) -> Vec<u32> {
    let mut out = Vec::new();
    form(codes.iter().copied(), &mut out);
    out
}

/// Code points, surrogates included, thick where folding has work to do.
fn code() -> impl Strategy<Value = u32> {
    prop_oneof![
        4 => 0x20u32..0x7f,
        1 => 0u32..0x110000,
        1 => 0x300u32..0x370,
        1 => 0x370u32..0x530,
        1 => 0x1100u32..0x1200,
        1 => 0x3040u32..0x3100,
        1 => 0xff00u32..0xfff0,
        1 => 0xd800u32..0xe000,
    ]
}

fn sentence() -> impl Strategy<Value = String> {
    let words = [
        "the",
        "mayor",
        "of",
        "Hull",
        "opened",
        "12",
        "new",
        "piers",
        "on",
        "Monday",
        "not",
        "in",
        "May",
        "5%",
        "$3",
        "two",
        "and",
        "before",
        "said.",
        "no",
        "Smith",
        "1,000",
        "\n",
        "(Reuters)",
        "-",
        "漢",
        "é",
        "isn't",
    ];
    proptest::collection::vec(proptest::sample::select(words.to_vec()), 0..24).prop_map(|some| some.join(" "))
}

struct Columns {
    hashes: Vec<u64>,
    offsets: Vec<i64>,
    limits: Vec<u64>,
    digests: Vec<u64>,
    characters: Vec<i64>,
}

fn columns(some: &[Sketch]) -> Columns {
    let mut offsets = vec![0];
    for one in some {
        offsets.push(offsets[offsets.len() - 1] + one.hashes.len() as i64);
    }
    Columns {
        hashes: some.iter().flat_map(|one| one.hashes.clone()).collect(),
        offsets,
        limits: some.iter().map(|one| one.limit).collect(),
        digests: some.iter().flat_map(|one| one.digest).collect(),
        characters: some.iter().map(|one| one.characters as i64).collect(),
    }
}

/// All pairs, one by one.
fn plainly(some: &[Sketch], resemblance: f64, containment: f64) -> Vec<(i64, i64)> {
    let mut found = Vec::new();
    let first = |i: usize| (0..i).all(|before| some[before].digest != some[i].digest);
    for j in 0..some.len() {
        for i in 0..j {
            if !first(i) || !first(j) {
                continue;
            }
            let limit = some[i].limit.min(some[j].limit);
            let set = |at: usize| {
                some[at].hashes.iter().filter(|hash| **hash <= limit).copied().collect::<HashSet<u64>>()
            };
            let (a, b) = (set(i), set(j));
            let shared = a.intersection(&b).count();
            let alike = shared as f64 / (a.len() + b.len() - shared) as f64;
            let most = (shared as f64 / a.len() as f64).max(shared as f64 / b.len() as f64);
            if shared > 0 && (alike >= resemblance || most >= containment) {
                found.push((i as i64, j as i64));
            }
        }
    }
    found.sort_unstable();
    found
}

proptest! {
    #[test]
    fn forms_settle(codes in proptest::collection::vec(code(), 0..40)) {
        let once = formed(&codes);
        prop_assert_eq!(formed(&once), once);
    }

    #[test]
    fn verdicts_are_symmetric(a in sentence(), b in sentence(), any in "\\PC{0,60}") {
        for (x, y) in [(&a, &b), (&a, &any)] {
            prop_assert_eq!(facts(x, y).len(), facts(y, x).len());
            prop_assert_eq!(figures_agree(x, y), figures_agree(y, x));
        }
        prop_assert!(facts(&any, &any).is_empty());
        let cased = cased_form(&any);
        prop_assert!(cased.chars().count() <= 18 * any.chars().count());
    }

    #[test]
    fn pairs_are_those_of_a_plain_loop(
        texts in proptest::collection::vec("[a-d]( [a-d]){0,14}", 0..14),
        least in 1usize..12,
        asked in proptest::sample::select(&[(0.6, 0.8), (0.3, 0.5), (0.9, 1.0), (0.01, 0.01)][..]),
    ) {
        let spec = Spec { window: Window { words: 2, characters: 4 }, scale: 3, least, seed: 5 };
        let lent: Vec<Text<'_>> = texts.iter().map(|text| Text::Plain(text)).collect();
        let sketched = fingerprint(&lent, spec, 1);
        let held = columns(&sketched);
        let sketches = Sketches {
            hashes: &held.hashes,
            offsets: &held.offsets,
            limits: &held.limits,
            digests: &held.digests,
            characters: &held.characters,
        };
        let found: Vec<(i64, i64)> =
            overlaps(&sketches, Some(asked.0), Some(asked.1), 2).iter().map(|pair| (pair.0, pair.1)).collect();
        prop_assert_eq!(&found, &plainly(&sketched, asked.0, asked.1));
        let centres = star(texts.len(), &found);
        for (at, &centre) in centres.iter().enumerate() {
            prop_assert!(centre == at as i64 || (centres[centre as usize] == centre && found.contains(&(centre, at as i64))));
        }
    }
}
