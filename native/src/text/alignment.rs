//! Which sentences of two texts belong together, and how two such sentences differ: see the reference's `alignment`.

use super::breaks::ends;
use super::folding::{FOLDING, SEPARATOR, SYMBOL, WORD};
use super::hashing::{Map, Words};
use super::wording::Token;
use std::borrow::Cow;
use std::hash::Hash;

const BREAKS: &str = "\n\r\u{b}\u{c}\u{85}\u{2028}\u{2029}";
const WRAPPED: usize = 40;
const CELLS: usize = 40_000;
const COMMON: usize = 24;

/// Sentences and lines of a text in order, white space folded; wrapped lines are joined.
pub fn sentences(text: &str) -> Vec<Cow<'_, str>> {
    let mut found = Vec::new();
    let (mut start, mut line) = (0, 0);
    let mut keep = |part| {
        let folded = squeezed(part);
        if !folded.is_empty() {
            found.push(folded);
        }
    };
    for (stop, after) in ends(text) {
        let gap = &text[stop..after];
        let broken = gap.contains(|one| BREAKS.contains(one));
        if gap.starts_with('.') && is_initial(&text[..stop]) {
            if !broken {
                continue;
            }
        } else if broken && goes_on(text, line, stop, after, gap) {
            line = after;
            continue;
        }
        keep(&text[start..after]);
        start = after;
        line = if broken { after } else { line };
    }
    keep(&text[start..]);
    found
}

fn is_space(one: char) -> bool {
    matches!(
        one,
        ' ' | '\t'
            | '\n'
            | '\r'
            | '\u{b}'
            | '\u{c}'
            | '\u{85}'
            | '\u{a0}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{3000}'
    )
}

fn squeezed(part: &str) -> Cow<'_, str> {
    let bare = part.trim_matches(is_space);
    let after = bare.as_bytes().get(1..).unwrap_or(&[]);
    // Written without an early end, so that many bytes are looked at at a time.
    let plain = bare.bytes().fold(true, |so_far, byte| so_far & (32..127).contains(&byte));
    let gaps = bare.bytes().zip(after).fold(false, |so_far, (one, next)| so_far | (one == 32 && *next == 32));
    if plain && !gaps {
        return Cow::Borrowed(bare);
    }
    let mut out = String::with_capacity(part.len());
    for word in bare.split(is_space).filter(|word| !word.is_empty()) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    Cow::Owned(out)
}

fn goes_on(text: &str, line: usize, stop: usize, after: usize, gap: &str) -> bool {
    let Some(following) = text[after..].chars().next() else { return false };
    let last = text[..stop].chars().next_back();
    let stopped = |one: char, signs: &str| signs.contains(one);
    if gap.matches('\n').count() > 1
        || text[stop..].chars().next().is_some_and(|one| stopped(one, ".!?…"))
        || last.is_some_and(|one| stopped(one, ".!?…:;"))
    {
        return false;
    }
    let code = u32::from(following);
    let kind = FOLDING.kind(code);
    if kind == WORD && !FOLDING.is_capital(code) {
        return true;
    }
    let length = if line <= stop { text[line..stop].chars().count() } else { 0 };
    length >= WRAPPED && kind != SEPARATOR && kind != SYMBOL
}

/// Whether a full stop follows one capital letter.
fn is_initial(before: &str) -> bool {
    let mut back = before.chars().rev().map(u32::from);
    let Some(last) = back.next() else { return false };
    FOLDING.is_capital(last) && back.next().is_none_or(|code| FOLDING.kind(code) != WORD)
}

/// How often each item occurs, keys in the order of their first occurrence.
pub struct Counts<K> {
    /// Keys in order.
    pub order: Vec<K>,
    counts: Map<K, i64>,
}

impl<K: Clone + Eq + Hash> Counts<K> {
    /// Counts items.
    pub fn of(items: impl Iterator<Item = K>) -> Self {
        let room = items.size_hint().1.unwrap_or(0).min(64);
        let counts = Map::with_capacity_and_hasher(room, Words::default());
        let mut counted = Counts { order: Vec::with_capacity(room), counts };
        for item in items {
            let count = counted.counts.entry(item.clone()).or_insert(0);
            if *count == 0 {
                counted.order.push(item);
            }
            *count += 1;
        }
        counted
    }

    /// How often an item occurs.
    pub fn get(&self, key: &K) -> i64 {
        self.counts.get(key).copied().unwrap_or(0)
    }

    /// What is left when the other's are taken away.
    pub fn minus(mut self, other: &Self) -> Self {
        self.counts.retain(|key, count| {
            *count -= other.get(key);
            *count > 0
        });
        self.order.retain(|key| self.counts.contains_key(key));
        self
    }

    /// How many items there are.
    pub fn total(&self) -> i64 {
        self.counts.values().sum()
    }

    /// How many items both have.
    pub fn shared(&self, other: &Self) -> i64 {
        self.counts.iter().map(|(key, count)| (*count).min(other.get(key))).sum()
    }
}

/// What is left of two lists after equal items cancel out, in order.
pub fn unmatched<S: AsRef<str>>(a: Vec<S>, b: Vec<S>) -> (Vec<S>, Vec<S>) {
    let mut counts: Map<&str, [usize; 2]> =
        Map::with_capacity_and_hasher(a.len() + b.len(), Words::default());
    for (side, items) in [&a, &b].into_iter().enumerate() {
        items.iter().for_each(|item| counts.entry(item.as_ref()).or_default()[side] += 1);
    }
    counts.values_mut().for_each(|both| *both = [both[0].min(both[1]); 2]);
    let mut left = |items: &[S], side: usize| -> Vec<bool> {
        let spare = |item: &S| {
            let to_cancel = &mut counts.get_mut(item.as_ref()).expect("every item was counted")[side];
            *to_cancel = to_cancel.checked_sub(1)?;
            Some(())
        };
        items.iter().map(spare).map(|cancelled| cancelled.is_none()).collect()
    };
    let (left_a, left_b) = (left(&a, 0), left(&b, 1));
    let kept = |items: Vec<S>, left: Vec<bool>| {
        items.into_iter().zip(left).filter_map(|(item, left)| left.then_some(item)).collect()
    };
    (kept(a, left_a), kept(b, left_b))
}

/// Sentences that belong together, one to one, best first; then what is short and left over.
pub fn paired(a: &[Vec<Token>], b: &[Vec<Token>]) -> Vec<(usize, usize)> {
    fn counted(some: &[Vec<Token>]) -> Vec<Counts<&str>> {
        some.iter().map(|one| Counts::of(one.iter().map(|token| token.key.as_str()))).collect()
    }
    let (sets_a, sets_b) = (counted(a), counted(b));
    let mut places: Map<&str, Vec<usize>> = Map::default();
    for (j, keys) in sets_b.iter().enumerate() {
        for key in &keys.order {
            places.entry(key).or_default().push(j);
        }
    }
    let mut ranked = Vec::new();
    for (i, keys) in sets_a.iter().enumerate() {
        let mut partners: Vec<usize> = keys
            .order
            .iter()
            .filter_map(|key| places.get(key).filter(|some| some.len() <= COMMON))
            .flatten()
            .copied()
            .collect();
        partners.sort_unstable();
        partners.dedup();
        for j in partners {
            let shared = keys.shared(&sets_b[j]);
            let (x, y) = (keys.total(), sets_b[j].total());
            let (small, large) = (x.min(y), x.max(y));
            if 2 * shared >= large || (3 * shared >= 2 * small && small >= 3) {
                ranked.push((-2.0 * shared as f64 / (small + large) as f64, i.abs_diff(j), i, j));
            }
        }
    }
    ranked.sort_unstable_by(|x, y| x.0.total_cmp(&y.0).then((x.1, x.2, x.3).cmp(&(y.1, y.2, y.3))));
    let (mut free_a, mut free_b) = (vec![true; a.len()], vec![true; b.len()]);
    let mut found = Vec::new();
    for (_, _, i, j) in ranked {
        if free_a[i] && free_b[j] {
            free_a[i] = false;
            free_b[j] = false;
            found.push((i, j));
        }
    }
    let short = |some: &[Vec<Token>], free: &[bool]| -> Vec<usize> {
        (0..some.len()).filter(|&at| free[at] && some[at].len() <= 4).collect()
    };
    let (short_a, short_b) = (short(a, &free_a), short(b, &free_b));
    if short_a.len() == short_b.len() {
        found.extend(short_a.into_iter().zip(short_b));
    }
    found.sort_unstable();
    found
}

/// A stretch of the first sequence that stands where one of the second does; one of them may be empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Change {
    /// First token of the stretch in a.
    pub start_a: usize,
    /// One past its last.
    pub end_a: usize,
    /// First token of the stretch in b.
    pub start_b: usize,
    /// One past its last.
    pub end_b: usize,
}

/// Stretches of two sequences outside their longest common subsequence, in order.
pub fn changes(a: &[&str], b: &[&str]) -> Vec<Change> {
    let mut differ = Differ { a, b, found: Vec::new() };
    differ.compare(0, a.len(), 0, b.len());
    let mut merged: Vec<Change> = Vec::new();
    for mut one in differ.found {
        let touches = |last: &&Change| last.end_a == one.start_a && last.end_b == one.start_b;
        if let Some(last) = merged.last().filter(touches).copied() {
            one = Change { start_a: last.start_a, start_b: last.start_b, ..one };
            merged.pop();
        }
        merged.push(one);
    }
    merged
}

struct Differ<'a> {
    a: &'a [&'a str],
    b: &'a [&'a str],
    found: Vec<Change>,
}

impl Differ<'_> {
    fn compare(&mut self, mut i: usize, mut m: usize, mut j: usize, mut n: usize) {
        while i < m && j < n && self.a[i] == self.b[j] {
            (i, j) = (i + 1, j + 1);
        }
        while i < m && j < n && self.a[m - 1] == self.b[n - 1] {
            (m, n) = (m - 1, n - 1);
        }
        if i == m || j == n {
            if i < m || j < n {
                self.found.push(Change { start_a: i, end_a: m, start_b: j, end_b: n });
            }
        } else if (m - i) * (n - j) <= CELLS {
            self.table(i, m, j, n);
        } else {
            self.anchored(i, m, j, n);
        }
    }

    fn table(&mut self, i: usize, m: usize, j: usize, n: usize) {
        let (rows, columns) = (m - i, n - j);
        let width = columns + 1;
        let mut best = vec![0u32; (rows + 1) * width];
        for x in (0..rows).rev() {
            for y in (0..columns).rev() {
                best[x * width + y] = if self.a[i + x] == self.b[j + y] {
                    best[(x + 1) * width + y + 1] + 1
                } else {
                    best[(x + 1) * width + y].max(best[x * width + y + 1])
                };
            }
        }
        let equal = |x: usize, y: usize| x < rows && y < columns && self.a[i + x] == self.b[j + y];
        let (mut x, mut y) = (0, 0);
        let mut found = Vec::new();
        while x < rows || y < columns {
            let from = (x, y);
            while (x < rows || y < columns) && !equal(x, y) {
                if y == columns || (x < rows && best[(x + 1) * width + y] >= best[x * width + y + 1]) {
                    x += 1;
                } else {
                    y += 1;
                }
            }
            if (x, y) != from {
                found.push(Change { start_a: i + from.0, end_a: i + x, start_b: j + from.1, end_b: j + y });
            }
            while equal(x, y) {
                (x, y) = (x + 1, y + 1);
            }
        }
        self.found.append(&mut found);
    }

    /// Patience: tokens that occur once on each side anchor, in their longest increasing run.
    fn anchored(&mut self, mut i: usize, m: usize, mut j: usize, n: usize) {
        let once_a = Counts::of(self.a[i..m].iter().copied());
        let once_b = Counts::of(self.b[j..n].iter().copied());
        let at_b: Map<&str, usize> =
            (j..n).filter(|&y| once_b.get(&self.b[y]) == 1).map(|y| (self.b[y], y)).collect();
        let points: Vec<(usize, usize)> = (i..m)
            .filter(|&x| once_a.get(&self.a[x]) == 1)
            .filter_map(|x| at_b.get(self.a[x]).map(|&y| (x, y)))
            .collect();
        if points.is_empty() {
            self.found.push(Change { start_a: i, end_a: m, start_b: j, end_b: n });
            return;
        }
        for (x, y) in increasing(&points).into_iter().chain([(m, n)]) {
            self.compare(i, x, j, y);
            (i, j) = (x, y);
        }
    }
}

/// The longest run of points that ascends in both coordinates.
fn increasing(points: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let (mut tails, mut ends): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut before: Vec<Option<usize>> = Vec::new();
    for (index, &(_, y)) in points.iter().enumerate() {
        let at = tails.partition_point(|&tail| tail < y);
        before.push(at.checked_sub(1).map(|below| ends[below]));
        if at == tails.len() {
            tails.push(y);
            ends.push(index);
        } else {
            tails[at] = y;
            ends[at] = index;
        }
    }
    let mut run = Vec::new();
    let mut index = ends.last().copied();
    while let Some(at) = index {
        run.push(points[at]);
        index = before[at];
    }
    run.reverse();
    run
}
