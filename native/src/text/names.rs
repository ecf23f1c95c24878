//! Names in two texts: whether one stands where the other text has another.

use super::alignment::Change;
use super::facts::{Disagreement, Pair, apart};
use super::form::cased_form;
use super::hashing::Set;
use super::lexicon::LEXICON;
use super::wording::{Kind, Token, tokens};

const LISTED: usize = 24;
const TEMPORAL: [&str; 9] = ["month", "day", "near", "half", "span", "calendar", "season", "noon", "zone"];

/// Whether a word tells a time.
pub(super) fn temporal(one: &Token) -> bool {
    LEXICON.pairs(&one.key).iter().any(|(name, _)| TEMPORAL.contains(name))
}

/// The shorter of two words first; the first one where they are equally long.
pub(super) fn by_length<'a>(x: &'a str, y: &'a str) -> (&'a str, &'a str) {
    if y.chars().count() < x.chars().count() { (y, x) } else { (x, y) }
}

/// Capitalised words that are no common words; of those that begin a sentence nobody can tell.
fn names<'a>(some: &'a [Token], first: bool) -> Set<&'a str> {
    let is_name = |(at, one): &(usize, &'a Token)| {
        one.capital
            && one.kind == Kind::Plain
            && (!first || *at > 0)
            && !LEXICON.idle.contains_key(one.key.as_str())
            && !LEXICON.negations.contains(one.key.as_str())
            && !temporal(one)
    };
    some.iter().enumerate().filter(is_name).map(|(_, one)| one.key.as_str()).collect()
}

/// Another name in the place of one, which neither text has elsewhere.
pub(super) fn named(
    old: &[Token],
    new: &[Token],
    change: Change,
    a: &[Token],
    b: &[Token],
) -> Option<&'static str> {
    let alone = old.len() == 1 && new.len() == 1;
    let own = |some, first: bool, others: &[Token]| {
        names(some, first && !alone).into_iter().any(|name| others.iter().all(|one| one.key != name))
    };
    if !own(old, change.start_a == 0, b) || !own(new, change.start_b == 0, a) {
        return None;
    }
    let capitals = |some: &[Token]| {
        some.iter().filter(|one| one.capital).map(|one| one.key.as_str()).collect::<Vec<_>>().concat()
    };
    let (mine, yours) = (capitals(old), capitals(new));
    let (short, long) = by_length(&mine, &yours);
    let fuller = if new.len() > old.len() { new } else { old };
    let initials: String =
        fuller.iter().filter(|one| one.capital).filter_map(|one| one.key.chars().next()).collect();
    let same =
        short == initials || (long.starts_with(short) && short.chars().count() > 3) || typo(short, long);
    (!same).then_some("name")
}

/// Two names or more that the other text has nowhere, on both sides of a sentence that is otherwise reworded.
pub(super) fn other_names(together: &[Pair<'_>], a: &str, b: &str) -> Vec<Disagreement> {
    let mut found = Vec::new();
    let mut stated: Option<[Set<String>; 2]> = None;
    for (one, other, differ) in together {
        let mine: Vec<&Token> =
            differ.iter().flat_map(|c| own_names(&one[c.start_a..c.end_a], c.start_a == 0)).collect();
        let yours: Vec<&Token> =
            differ.iter().flat_map(|c| own_names(&other[c.start_b..c.end_b], c.start_b == 0)).collect();
        if mine.len().min(yours.len()) < 2 {
            continue;
        }
        let all = |text: &str| tokens(&cased_form(text)).into_iter().map(|token| token.key).collect();
        let [in_a, in_b] = stated.get_or_insert_with(|| [all(a), all(b)]);
        let apart_from = |some: Vec<&'_ Token>, known: &Set<String>| -> Vec<Token> {
            some.into_iter().filter(|token| !known.contains(&token.key)).cloned().collect()
        };
        let (mine, yours) = (apart_from(mine, in_b), apart_from(yours, in_a));
        let distinct = |some: &[Token]| some.iter().map(|token| token.key.as_str()).collect::<Set<_>>().len();
        if distinct(&mine).min(distinct(&yours)) > 1 {
            found.push(apart(mine.iter(), yours.iter(), "name"));
        }
    }
    found
}

/// Whether nothing but names is said: one may stand in place of several.
pub(super) fn list_of_names(old: &[Token], new: &[Token]) -> bool {
    let said = |one: &Token| one.capital || LEXICON.idle.contains_key(one.key.as_str());
    old.len() + new.len() <= LISTED && old.iter().chain(new).all(said)
}

fn own_names(some: &[Token], first: bool) -> Vec<&Token> {
    let known = names(some, first);
    let own =
        |(at, one): &(usize, &Token)| known.contains(one.key.as_str()) && one.capital && (!first || *at > 0);
    some.iter().enumerate().filter(own).map(|(_, one)| one).collect()
}

/// Whether one letter too many is all that tells two long names apart.
fn typo(short: &str, long: &str) -> bool {
    let (short, long): (Vec<char>, Vec<char>) = (short.chars().collect(), long.chars().collect());
    if short.len() < 6 || long.len() != short.len() + 1 {
        return false;
    }
    let at = short.iter().zip(&long).position(|(x, y)| x != y).unwrap_or(short.len());
    short[at..] == long[at + 1..]
}
