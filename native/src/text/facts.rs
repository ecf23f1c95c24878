//! The fact guard: do two near-identical texts say the same? See the reference's `facts`, whose verdicts these are.

use super::alignment::{Change, Counts, changes, paired, sentences, unmatched};
use super::credits::without_credits;
use super::form::cased_form;
use super::hashing::Set;
use super::lexicon::LEXICON;
use super::names::{by_length, list_of_names, named, other_names};
use super::swaps::swapped;
use super::unspaced::unspaced;
use super::wording::{Kind, Token, tokens};
use crate::parallel;
use std::borrow::Cow;

const SHORT: usize = 6;
const NAMES: usize = 8;
const BRIEF: usize = 2;
const PREFIXES: [&str; 10] = ["un", "in", "im", "il", "ir", "dis", "non", "anti", "des", "mis"];
const FEW: usize = 3;

/// What stands where, as written, and why it counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disagreement {
    /// Words of the first text.
    pub a: String,
    /// Words of the second.
    pub b: String,
    /// Why they disagree.
    pub why: String,
}

/// Where two near-identical texts disagree; nowhere: they are copies.
pub fn facts(a: &str, b: &str) -> Vec<Disagreement> {
    if a == b {
        return Vec::new();
    }
    if (a.chars().count(), a) > (b.chars().count(), b) {
        let turned = facts(b, a).into_iter();
        return turned.map(|one| Disagreement { a: one.b, b: one.a, why: one.why }).collect();
    }
    let (left_a, left_b) = unmatched(sentences(a), sentences(b));
    let cased = |left: Vec<Cow<'_, str>>| left.iter().map(|one| cased_form(one)).collect::<Vec<_>>();
    let (left_a, left_b) = unmatched(cased(left_a), cased(left_b));
    let (told_a, told_b) = (told(&left_a), told(&left_b));
    let pairs = paired(&told_a, &told_b);
    let together: Vec<(&[Token], &[Token])> =
        pairs.into_iter().map(|(i, j)| (told_a[i].as_slice(), told_b[j].as_slice())).collect();
    let together: Vec<Pair<'_>> =
        together.into_iter().map(|(one, other)| (one, other, changes(&keys(one), &keys(other)))).collect();
    let found: Vec<Disagreement> =
        together.iter().flat_map(|(one, other, differ)| disagreements(one, other, differ)).collect();
    if found.is_empty() { other_names(&together, a, b) } else { found }
}

/// Of each pair whether it disagrees anywhere, on all threads.
pub fn revisions<S: AsRef<str> + Sync>(a: &[S], b: &[S]) -> Vec<bool> {
    parallel::map(a.len().min(b.len()), 0, |at| !facts(a[at].as_ref(), b[at].as_ref()).is_empty())
}

fn told(left: &[String]) -> Vec<Vec<Token>> {
    let stated = left.iter().map(|one| without_credits(one)).filter(|one| !one.is_empty());
    stated.map(|one| tokens(&one)).filter(|some| !some.is_empty()).collect()
}

/// Two sentences that belong together, and where they differ.
pub(super) type Pair<'a> = (&'a [Token], &'a [Token], Vec<Change>);

/// Words that stand where the other text has others.
pub(super) struct Exchange<'a> {
    pub change: Change,
    pub old: Vec<&'a Token>,
    pub new: Vec<&'a Token>,
}

fn keys(some: &[Token]) -> Vec<&str> {
    some.iter().map(|one| one.key.as_str()).collect()
}

/// Figures and identifiers of a sentence that the other lacks.
fn spare<'a>(some: &'a [Token], others: &'a [Token]) -> Counts<&'a str> {
    let hard = Counts::of(some.iter().filter(|one| one.is_hard()).map(|one| one.key.as_str()));
    if hard.order.is_empty() {
        return hard;
    }
    hard.minus(&Counts::of(others.iter().map(|one| one.key.as_str())))
}

/// What two sentences that belong together disagree on.
fn disagreements(a: &[Token], b: &[Token], differ: &[Change]) -> Vec<Disagreement> {
    let (spare_a, spare_b) = (spare(a, b), spare(b, a));
    let mut found = Vec::new();
    let mut moved = Vec::new();
    let few = differ.len() <= FEW;
    for &change in differ {
        let (old, new) = (&a[change.start_a..change.end_a], &b[change.start_b..change.end_b]);
        moved.push(Exchange { change, old: old.iter().collect(), new: new.iter().collect() });
        let longest = old.len().max(new.len());
        let both = !old.is_empty() && !new.is_empty();
        let mut why = figures(old, new, &spare_a, &spare_b).or_else(|| negated(old, new));
        if both && longest <= SHORT {
            why = why.or_else(|| classes(old, new)).or_else(|| opposed(old, new));
            why = why.or_else(|| if few { unspaced(old, new, change, a, b) } else { None });
        }
        let listed = old.len().min(new.len()) <= BRIEF && list_of_names(old, new);
        if both && (longest <= NAMES || listed) {
            why = why.or_else(|| named(old, new, change, a, b));
        }
        if let Some(why) = why {
            found.push(apart(old.iter(), new.iter(), why));
        }
    }
    if found.is_empty() {
        found.extend(swapped(&moved, a));
    }
    if found.is_empty() && !spare_a.order.is_empty() && !spare_b.order.is_empty() {
        found.push(Disagreement {
            a: spare_a.order.join(" "),
            b: spare_b.order.join(" "),
            why: "figure".into(),
        });
    }
    found
}

pub(super) fn apart<'a>(
    old: impl Iterator<Item = &'a Token>,
    new: impl Iterator<Item = &'a Token>,
    why: &str,
) -> Disagreement {
    fn joined<'a>(some: impl Iterator<Item = &'a Token>) -> String {
        some.map(|one| one.surface.as_str()).collect::<Vec<_>>().join(" ")
    }
    Disagreement { a: joined(old), b: joined(new), why: why.into() }
}

fn figures(
    old: &[Token],
    new: &[Token],
    spare_a: &Counts<&str>,
    spare_b: &Counts<&str>,
) -> Option<&'static str> {
    let own = |some: &[Token], spare: &Counts<&str>| {
        some.iter().any(|one| one.is_hard() && spare.get(&one.key.as_str()) > 0)
    };
    let (mine, yours) = (own(old, spare_a), own(new, spare_b));
    if mine != yours && old.len() == 1 && new.len() == 1 && ordinal(&old[0], &new[0]) {
        return None;
    }
    if mine != yours && old.len() == new.len() && old.iter().zip(new).any(|(x, y)| miscounted(x, y)) {
        return Some("figure");
    }
    let weak = old.iter().chain(new).any(|one| one.kind == Kind::WeakFigure);
    let level = old.len() == new.len() && (old.len() == 1 || weak);
    ((mine && yours) || ((mine || yours) && level)).then_some("figure")
}

/// "2" and a word that counts something else: "a year", "two years".
fn miscounted(one: &Token, other: &Token) -> bool {
    let word = if one.is_hard() { other } else { one };
    let counts = LEXICON.pairs(&word.key).iter().any(|(name, _)| matches!(*name, "count" | "single"));
    one.is_hard() != other.is_hard() && counts && !ordinal(one, other)
}

/// "1st" and "first"; "3" and a word for it; "4" and "IV".
fn ordinal(one: &Token, other: &Token) -> bool {
    let (figure, word) = if one.is_hard() { (one, other) } else { (other, one) };
    let digits = figure.surface.bytes().take_while(u8::is_ascii_digit).count();
    let counts = digits == 0 || digits == figure.surface.len();
    if counts && is_roman(&word.surface) {
        return roman(&word.surface).to_string() == figure.key;
    }
    let told = |name: &str| if counts { matches!(name, "count" | "single") } else { name == "ordinal" };
    LEXICON.pairs(&word.key).iter().any(|(name, value)| told(name) && *value == figure.key)
}

fn is_roman(surface: &str) -> bool {
    !surface.is_empty() && surface.bytes().all(|byte| b"IVXLCDM".contains(&byte))
}

fn roman(numeral: &str) -> i64 {
    let value = |byte: u8| {
        let at = b"IVXLCDM".iter().position(|one| *one == byte).unwrap_or(0);
        10_i64.pow((at / 2) as u32) * if at % 2 == 1 { 5 } else { 1 }
    };
    let values: Vec<i64> = numeral.bytes().map(value).collect();
    let signed = |(at, x): (usize, &i64)| if values.get(at + 1).is_some_and(|y| x < y) { -x } else { *x };
    values.iter().enumerate().map(signed).sum()
}

fn negated(old: &[Token], new: &[Token]) -> Option<&'static str> {
    let count =
        |some: &[Token]| some.iter().filter(|one| LEXICON.negations.contains(one.key.as_str())).count();
    let most = if old.is_empty() || new.is_empty() { 4 } else { 3 };
    (count(old) != count(new) && old.len().max(new.len()) <= most).then_some("negation")
}

fn values(some: &[Token]) -> Vec<(&'static str, Set<&str>)> {
    let mut found: Vec<(&'static str, Set<&str>)> = Vec::new();
    for one in some {
        let unit = one.key.strip_prefix("unit:").map(|name| ("unit", name));
        for (name, value) in unit.into_iter().chain(LEXICON.pairs(&one.key).iter().copied()) {
            match found.iter_mut().find(|(known, _)| *known == name) {
                Some((_, set)) => drop(set.insert(value)),
                None => found.push((name, Set::from_iter([value]))),
            }
        }
    }
    found
}

fn classes(old: &[Token], new: &[Token]) -> Option<&'static str> {
    let yours = values(new);
    let against = |name: &str, mine: &Set<&str>| {
        // "due" and "six" count in one language and mean something else in the next.
        let told = name != "count" || old.len() == new.len();
        told && yours.iter().any(|(other, theirs)| *other == name && mine.is_disjoint(theirs))
    };
    values(old).iter().find(|(name, mine)| against(name, mine)).map(|(name, _)| *name)
}

/// "lawful" against "unlawful"; "Group A" against "Group B"; "Henry VII" against "Henry VIII".
fn opposed(old: &[Token], new: &[Token]) -> Option<&'static str> {
    let opposite = |(x, y): (&Token, &Token)| {
        if x.kind == Kind::Label && y.kind == Kind::Label {
            return Some("name");
        }
        if is_roman(&x.surface) && is_roman(&y.surface) {
            return Some("figure");
        }
        let (short, long) = by_length(&x.key, &y.key);
        let prefixed = long.strip_suffix(short).is_some_and(|prefix| PREFIXES.contains(&prefix));
        (short.chars().count() > 3 && prefixed).then_some("opposite")
    };
    if old.len() == new.len() { old.iter().zip(new).find_map(opposite) } else { None }
}

/// Whether two texts that only vectors brought together can state the same.
pub fn figures_agree(a: &str, b: &str) -> bool {
    let (mine, yours) = (stated(a), stated(b));
    mine.is_subset(&yours) || yours.is_subset(&mine)
}

fn stated(text: &str) -> Set<String> {
    let mut found = Set::default();
    for one in tokens(&cased_form(text)) {
        for (name, value) in LEXICON.pairs(&one.key) {
            if *name == "day" || (*name == "month" && one.capital) {
                found.insert(format!("{name}:{value}"));
            }
        }
        if one.is_hard() {
            found.insert(one.key);
        }
    }
    found
}
