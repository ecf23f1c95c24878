//! All pairs of sketches that share enough, through an inverted list; and star groups. See the reference's `overlaps`.

use super::listing::listed;
use crate::parallel;
use std::collections::HashMap;

/// Sketches as arrays: see the reference's `Sketches`.
pub struct Sketches<'a> {
    /// All hashes, ascending within a text.
    pub hashes: &'a [u64],
    /// Text i is `hashes[offsets[i]..offsets[i + 1]]`.
    pub offsets: &'a [i64],
    /// Up to which (inclusive) the hashes of a text are complete.
    pub limits: &'a [u64],
    /// Two numbers a text.
    pub digests: &'a [u64],
    /// Characters of the form; 0: nothing to compare.
    pub characters: &'a [i64],
}

/// A pair i < j: resemblance, the share of i that j has, the share of j that i has.
pub type Pair = (i64, i64, f64, f64, f64);

impl Sketches<'_> {
    /// Number of texts.
    pub fn len(&self) -> usize {
        self.limits.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.limits.is_empty()
    }

    fn of(&self, i: usize) -> &[u64] {
        &self.hashes[self.offsets[i] as usize..self.offsets[i + 1] as usize]
    }

    /// For each text the first one with the same form; itself where there is none or it is empty.
    pub fn leaders(&self) -> Vec<i64> {
        let mut first = HashMap::with_capacity(self.len());
        (0..self.len())
            .map(|i| {
                let digest = (self.digests[2 * i], self.digests[2 * i + 1]);
                if self.characters[i] > 0 { *first.entry(digest).or_insert(i as i64) } else { i as i64 }
            })
            .collect()
    }
}

struct Lists {
    /// The lowest limit of all: every sketch is complete up to it.
    floor: u64,
    /// Texts that take part.
    texts: Vec<usize>,
    /// (number of the hash, text) ascending by rarity: the numbers of text t at `starts[t]..starts[t + 1]`.
    numbers: Vec<u32>,
    starts: Vec<usize>,
    /// Texts that have hash number h, ascending: `owners[places[h]..places[h + 1]]`.
    owners: Vec<u32>,
    places: Vec<usize>,
}

impl Lists {
    fn of(sketches: &Sketches<'_>) -> Lists {
        let leaders = sketches.leaders();
        let texts: Vec<usize> =
            (0..sketches.len()).filter(|&i| leaders[i] == i as i64 && !sketches.of(i).is_empty()).collect();
        let all = listed(texts.len(), |at| sketches.of(texts[at]));
        // Groups of one hash; those of one text alone are in no pair.
        let mut groups: Vec<(u32, u32)> = Vec::new();
        let mut at = 0;
        while at < all.len() {
            let end = at + all[at..].iter().take_while(|one| one.0 == all[at].0).count();
            if end - at > 1 {
                groups.push(((end - at) as u32, at as u32));
            }
            at = end;
        }
        groups.sort_unstable(); // rarest first
        let floor = texts.iter().map(|&i| sketches.limits[i]).min().unwrap_or(u64::MAX);
        let (numbers, starts, owners, places) = (Vec::new(), Vec::new(), Vec::new(), vec![0]);
        let mut lists = Lists { floor, texts, numbers, starts, owners, places };
        let mut counts = vec![0usize; lists.texts.len() + 1];
        for &(often, start) in &groups {
            for &(_, owner) in &all[start as usize..(start + often) as usize] {
                lists.owners.push(owner);
                counts[owner as usize + 1] += 1;
            }
            lists.places.push(lists.owners.len());
        }
        for at in 1..counts.len() {
            counts[at] += counts[at - 1];
        }
        lists.starts = counts.clone();
        lists.numbers = vec![0; lists.owners.len()];
        for number in 0..groups.len() {
            for at in lists.places[number]..lists.places[number + 1] {
                let owner = lists.owners[at] as usize;
                lists.numbers[counts[owner]] = number as u32;
                counts[owner] += 1;
            }
        }
        lists
    }

    fn numbers(&self, text: usize) -> &[u32] {
        &self.numbers[self.starts[text]..self.starts[text + 1]]
    }

    fn owners(&self, number: u32) -> &[u32] {
        &self.owners[self.places[number as usize]..self.places[number as usize + 1]]
    }

    /// How many hashes two texts share, or `None` once they cannot share `least`; both lists ascend.
    fn shared(&self, a: usize, b: usize, least: usize) -> Option<usize> {
        let (x, y) = (self.numbers(a), self.numbers(b));
        let (mut p, mut q, mut count) = (0, 0, 0);
        while p < x.len() && q < y.len() {
            let (here, there) = (x[p], y[q]);
            count += usize::from(here == there);
            p += usize::from(here <= there);
            q += usize::from(there <= here);
            if here != there && count + (x.len() - p).min(y.len() - q) < least {
                return None;
            }
        }
        (count >= least).then_some(count)
    }

    /// How many of a text's listed hashes, rarest first, must hold one that is shared when `share` of it is.
    ///
    /// Of n hashes any n - needed + 1 do; those of the text alone count as the rarest.
    fn prefix(&self, sketches: &Sketches<'_>, text: usize, share: f64) -> usize {
        (self.numbers(text).len() + 1).saturating_sub(self.needed(sketches, text, share))
    }

    /// How many hashes are at least shared when `share` of the text is, with whatever other sketch.
    fn needed(&self, sketches: &Sketches<'_>, text: usize, share: f64) -> usize {
        // Against a sketch that is complete to a lower limit, only the hashes below that limit count.
        let size = sketches.of(self.texts[text]).partition_point(|&hash| hash <= self.floor);
        ((share * size as f64 - 1e-9).ceil() as usize).max(1)
    }
}

/// The least shares asked for, and where the rare hashes of each text end.
struct Search<'a> {
    sketches: &'a Sketches<'a>,
    lists: Lists,
    resemblance: Option<f64>,
    containment: Option<f64>,
    /// For each hash the texts in whose rare part for resemblance it is: `rare[cuts[h]..cuts[h + 1]]`, ascending.
    rare: Vec<u32>,
    cuts: Vec<usize>,
}

/// Pairs of different forms that reach either threshold, sorted.
pub fn overlaps(
    sketches: &Sketches<'_>,
    resemblance: Option<f64>,
    containment: Option<f64>,
    threads: usize,
) -> Vec<Pair> {
    if resemblance.is_none() && containment.is_none() {
        return Vec::new();
    }
    let least = |share: Option<f64>| share.map(|share| share.max(1e-9));
    let lists = Lists::of(sketches);
    let n = lists.texts.len();
    let mut search = Search {
        sketches,
        lists,
        resemblance: least(resemblance),
        containment: least(containment),
        rare: Vec::new(),
        cuts: Vec::new(),
    };
    search.index();
    let mut found: Vec<Pair> =
        parallel::map(n, threads, |at| search.partners(at)).into_iter().flatten().collect();
    found.sort_unstable_by_key(|pair| (pair.0, pair.1));
    found.dedup_by_key(|pair| (pair.0, pair.1));
    found
}

impl Search<'_> {
    /// Two texts that resemble share a hash that is rare in both.
    fn index(&mut self) {
        let Some(share) = self.resemblance else { return };
        let n = self.lists.texts.len();
        let prefixes: Vec<usize> = (0..n).map(|text| self.lists.prefix(self.sketches, text, share)).collect();
        self.cuts = vec![0; self.lists.places.len()];
        for (text, &prefix) in prefixes.iter().enumerate() {
            self.lists.numbers(text)[..prefix].iter().for_each(|&number| self.cuts[number as usize + 1] += 1);
        }
        for at in 1..self.cuts.len() {
            self.cuts[at] += self.cuts[at - 1];
        }
        self.rare = vec![0; self.cuts.last().copied().unwrap_or(0)];
        let mut next = self.cuts.clone();
        for (text, &prefix) in prefixes.iter().enumerate() {
            for &number in &self.lists.numbers(text)[..prefix] {
                self.rare[next[number as usize]] = text as u32;
                next[number as usize] += 1;
            }
        }
    }

    fn rare(&self, number: u32) -> &[u32] {
        &self.rare[self.cuts[number as usize]..self.cuts[number as usize + 1]]
    }

    /// Pairs that text `at` proposes: what resembles it, and what may contain it.
    fn partners(&self, at: usize) -> Vec<Pair> {
        let mine = self.lists.numbers(at);
        let mut others: Vec<u32> = Vec::new();
        let mut needed = usize::MAX;
        if let Some(share) = self.resemblance {
            needed = self.lists.needed(self.sketches, at, share);
            for &number in &mine[..self.lists.prefix(self.sketches, at, share)] {
                others.extend(self.rare(number).iter().take_while(|&&other| (other as usize) < at));
            }
        }
        if let Some(share) = self.containment {
            needed = needed.min(self.lists.needed(self.sketches, at, share));
            for &number in &mine[..self.lists.prefix(self.sketches, at, share)] {
                others.extend_from_slice(self.lists.owners(number));
            }
        }
        others.sort_unstable();
        others.dedup();
        // Many partners are cheaper counted all at once, along the lists.
        let all: usize = mine.iter().map(|&number| self.lists.owners(number).len()).sum();
        let mut counts = Vec::new();
        if all < others.len() * 32 {
            counts = vec![0u32; self.lists.texts.len()];
            let listed = mine.iter().flat_map(|&number| self.lists.owners(number));
            listed.for_each(|&one| counts[one as usize] += 1);
        }
        let judged = others.into_iter().map(|other| other as usize).filter(|&other| other != at);
        judged
            .filter_map(|other| {
                let shared = match counts.get(other) {
                    Some(&count) => count as usize,
                    None => self.lists.shared(at, other, needed)?,
                };
                let (i, j) = (self.lists.texts[at.min(other)], self.lists.texts[at.max(other)]);
                judge(self.sketches, i, j, shared, self.resemblance, self.containment)
            })
            .collect()
    }
}

fn judge(
    sketches: &Sketches<'_>,
    i: usize,
    j: usize,
    shared: usize,
    resemblance: Option<f64>,
    containment: Option<f64>,
) -> Option<Pair> {
    let limit = sketches.limits[i].min(sketches.limits[j]);
    let below = |text: usize| {
        let hashes = sketches.of(text);
        if sketches.limits[text] == limit {
            hashes.len()
        } else {
            hashes.partition_point(|&hash| hash <= limit)
        }
    };
    let (own_i, own_j) = (below(i), below(j));
    let alike = shared as f64 / (own_i + own_j - shared) as f64;
    let (contained, containing) = (shared as f64 / own_i as f64, shared as f64 / own_j as f64);
    let keep = resemblance.is_some_and(|least| alike >= least)
        || containment.is_some_and(|least| contained >= least || containing >= least);
    (keep && shared > 0).then_some((i as i64, j as i64, alike, contained, containing))
}

/// Star groups in rank order over verified pairs (i, j), i < j: the centre of each text.
pub fn star(n: usize, pairs: &[(i64, i64)]) -> Vec<i64> {
    let mut sorted = pairs.to_vec();
    sorted.sort_unstable();
    let mut centres = vec![-1; n];
    let mut at = 0;
    for i in 0..n as i64 {
        let free = centres[i as usize] < 0;
        if free {
            centres[i as usize] = i;
        }
        while at < sorted.len() && sorted[at].0 <= i {
            let (from, to) = sorted[at];
            if free && from == i && centres[to as usize] < 0 {
                centres[to as usize] = i;
            }
            at += 1;
        }
    }
    centres
}
