//! The same words in another order.

use super::alignment::Change;
use super::facts::{Disagreement, Exchange, apart};
use super::lexicon::LEXICON;
use super::names::temporal;
use super::wording::{Kind, Token};

fn tells(one: &Token) -> bool {
    (one.kind == Kind::Label || !LEXICON.idle.contains_key(one.key.as_str()))
        && !temporal(one)
        && !one.key.starts_with("unit:")
}

fn weighs(one: &Token) -> bool {
    one.capital || one.is_hard()
}

/// The same words in another order.
pub(super) fn swapped(moved: &[Exchange<'_>], a: &[Token]) -> Option<Disagreement> {
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
