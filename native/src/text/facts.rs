//! The fact guard: do two near-identical texts say the same? See the reference's `facts`, whose verdicts these are.

use super::alignment::{Change, Counts, changes, paired, sentences, unmatched};
use super::credits::without_credits;
use super::form::cased_form;
use super::hashing::Set;
use super::lexicon::LEXICON;
use super::unspaced::unspaced;
use super::wording::{Kind, Token, tokens};
use crate::parallel;
use std::borrow::Cow;

const SHORT: usize = 6;
const NAMES: usize = 8;
const BRIEF: usize = 2;
const LISTED: usize = 24;
const PREFIXES: [&str; 10] = ["un", "in", "im", "il", "ir", "dis", "non", "anti", "des", "mis"];
const TEMPORAL: [&str; 9] = ["month", "day", "near", "half", "span", "calendar", "season", "noon", "zone"];
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
type Pair<'a> = (&'a [Token], &'a [Token], Vec<Change>);

struct Exchange<'a> {
    change: Change,
    old: Vec<&'a Token>,
    new: Vec<&'a Token>,
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

fn apart<'a>(
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

/// The shorter of two words first; the first one where they are equally long.
fn by_length<'a>(x: &'a str, y: &'a str) -> (&'a str, &'a str) {
    if y.chars().count() < x.chars().count() { (y, x) } else { (x, y) }
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

fn temporal(one: &Token) -> bool {
    LEXICON.pairs(&one.key).iter().any(|(name, _)| TEMPORAL.contains(name))
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

fn named(old: &[Token], new: &[Token], change: Change, a: &[Token], b: &[Token]) -> Option<&'static str> {
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
fn other_names(together: &[Pair<'_>], a: &str, b: &str) -> Vec<Disagreement> {
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
fn list_of_names(old: &[Token], new: &[Token]) -> bool {
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

fn tells(one: &Token) -> bool {
    (one.kind == Kind::Label || !LEXICON.idle.contains_key(one.key.as_str()))
        && !temporal(one)
        && !one.key.starts_with("unit:")
}

fn weighs(one: &Token) -> bool {
    one.capital || one.is_hard()
}

/// The same words in another order.
fn swapped(moved: &[Exchange<'_>], a: &[Token]) -> Option<Disagreement> {
    let saying = |one: &&Token| LEXICON.idle.get(one.key.as_str()) == Some(&"saying");
    if moved.iter().any(|exchange| exchange.old.iter().chain(&exchange.new).any(saying)) {
        return None;
    }
    fn telling<'a>(some: &[&'a Token]) -> Vec<&'a Token> {
        some.iter().filter(|one| tells(one)).copied().collect()
    }
    let sides: Vec<(Change, Vec<&Token>, Vec<&Token>)> =
        moved.iter().map(|one| (one.change, telling(&one.old), telling(&one.new))).collect();
    for (at, (_, old, new)) in sides.iter().enumerate() {
        for (_, other_old, other_new) in &sides[at + 1..] {
            let (there, back) = (shared(old, other_new), shared(other_old, new));
            if !there.is_empty() && !back.is_empty() && there.iter().chain(&back).any(|one| weighs(one)) {
                return Some(apart(
                    old.iter().chain(other_old).copied(),
                    new.iter().chain(other_new).copied(),
                    "order",
                ));
            }
        }
    }
    let gone: Vec<&Token> = sides.iter().flat_map(|(_, old, _)| old).copied().collect();
    let come: Vec<&Token> = sides.iter().flat_map(|(_, _, new)| new).copied().collect();
    fn order<'a>(some: &[&'a Token]) -> Vec<&'a str> {
        some.iter().map(|one| one.key.as_str()).collect()
    }
    let (from, to) = (order(&gone), order(&come));
    fn sorted(mut some: Vec<&str>) -> Vec<&str> {
        some.sort_unstable();
        some
    }
    if gone.is_empty() || sorted(from.clone()) != sorted(to.clone()) {
        return None;
    }
    let verdict = || Some(apart(gone.iter().copied(), come.iter().copied(), "order"));
    if from != to {
        return verdict();
    }
    // One stretch moved as it is: that matters when it passes over its like, as in "12 to 5" and "5 to 12".
    let mut places =
        sides.iter().filter(|(_, old, new)| !old.is_empty() || !new.is_empty()).map(|side| side.0);
    let first = places.next()?;
    let last = places.next_back().unwrap_or(first);
    let passed: Vec<&Token> =
        a.get(first.end_a..last.start_a).unwrap_or(&[]).iter().filter(|one| tells(one)).collect();
    let both =
        |test: fn(&Token) -> bool| gone.iter().any(|one| test(one)) && passed.iter().any(|one| test(one));
    if gone.len() <= 4 && (both(Token::is_hard) || both(|one| one.capital)) { verdict() } else { None }
}

fn shared<'a>(some: &[&'a Token], others: &[&Token]) -> Vec<&'a Token> {
    some.iter().filter(|one| others.iter().any(|other| other.key == one.key)).copied().collect()
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
