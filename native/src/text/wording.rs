//! Tokens of a sentence as the fact guard compares them: see the reference's `wording`.

use super::folding::FOLDING;
use super::lexicon::{LEXICON, Lexicon};
use super::numbers::{is_plain, is_whole, plain_number, shifted};
use super::shingles::units;
use super::spelling::respelled;
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A number.
    Figure,
    /// A word that counts in one sentence and only points in the next: "one".
    WeakFigure,
    /// Letters and digits in one word.
    Identifier,
    /// One capital letter, the name of something: "Group A".
    Label,
    /// Any other word.
    Plain,
}

/// `key` is what is compared, `surface` what was written.
#[derive(Clone, Debug)]
pub struct Token {
    /// What is compared.
    pub key: String,
    /// What was written.
    pub surface: String,
    /// What it is.
    pub kind: Kind,
    /// Whether it was capitalised.
    pub capital: bool,
}

impl Token {
    fn new(key: impl Into<String>, surface: impl Into<String>, kind: Kind) -> Self {
        Token { key: key.into(), surface: surface.into(), kind, capital: false }
    }

    /// A figure or identifier.
    pub fn is_hard(&self) -> bool {
        matches!(self.kind, Kind::Figure | Kind::Identifier)
    }

    fn counts(&self) -> bool {
        matches!(self.kind, Kind::Figure | Kind::WeakFigure)
    }
}

static NUMBER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^([^0-9a-z+-]*)([+-]?)([^0-9a-z+-]*)([0-9]+(?:[.,/:'-][0-9]+)*)([^0-9]*)$"));
static PREFIXED: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(us|usd|eur|gbp)(\$?)([0-9].*)$"));
const ORDINALS: [&str; 11] = ["st", "nd", "rd", "th", "o", "a", "er", "ere", "re", "eme", "e"];
const WEAK: [&str; 5] = ["one", "uno", "un", "una", "once"];
const DOZEN: [&str; 3] = ["dozen", "docena", "docenas"];
const BETWEEN: [&str; 5] = ["between", "entre", "zwischen", "tra", "fra"];
const AND: [&str; 5] = ["and", "y", "und", "et", "e"];
const MEASURED: [&str; 12] = ["%", "usd", "eur", "gbp", "jpy", "peso", "km", "m", "cm", "mm", "kg", "ft"];
const RANGE: [&str; 5] = ["to", "a", "al", "bis", "ate"];
const KANA: [&str; 3] = ["ません", "なかっ", "ない"];

pub(super) fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a constant pattern")
}

/// What each ASCII character becomes in a key; 0 where that is no single one.
static ASCII_KEYS: LazyLock<[u8; 128]> = LazyLock::new(|| {
    std::array::from_fn(|code| {
        let mut folded = Vec::new();
        FOLDING.push(code as u32, &mut folded);
        if let [one @ 1..128] = folded[..] { one as u8 } else { 0 }
    })
});

/// Tokens of one sentence in cased form.
pub fn tokens(sentence: &str) -> Vec<Token> {
    let words = &*LEXICON;
    let sentence = respelled(sentence);
    let mut found = Vec::with_capacity(sentence.len() / 4);
    if sentence.is_ascii() {
        let keys = &*ASCII_KEYS;
        let becomes = |byte: u8| keys[usize::from(byte)];
        if sentence.bytes().all(|byte| becomes(byte) > 0) {
            units(sentence.as_bytes(), |start, end, _| {
                let surface = &sentence[start..end];
                let key = surface.bytes().map(|byte| char::from(becomes(byte))).collect();
                let capital = FOLDING.is_capital(surface.as_bytes()[0].into());
                token(key, surface.to_owned(), capital, words, &mut found);
            });
            return labelled(measured(counted(&found, words)));
        }
    }
    let codes: Vec<u32> = sentence.chars().map(u32::from).collect();
    let mut folded = Vec::new();
    units(&codes, |start, end, _| {
        folded.clear();
        codes[start..end].iter().for_each(|&code| FOLDING.push(code, &mut folded));
        let surface: String = codes[start..end].iter().filter_map(|&code| char::from_u32(code)).collect();
        let key: String = folded.iter().filter_map(|&code| char::from_u32(code)).collect();
        token(key, surface, FOLDING.is_capital(codes[start]), words, &mut found);
    });
    if !sentence.is_ascii() {
        found = negating(&found);
    }
    labelled(measured(counted(&found, words)))
}

/// Japanese verbs carry their "not" as a suffix of some kana: one token, so that it can be found.
fn negating(found: &[Token]) -> Vec<Token> {
    let mut out = Vec::with_capacity(found.len());
    let mut i = 0;
    while i < found.len() {
        let ahead = &found[i..found.len().min(i + 3)];
        let single = found[i].key.chars().count() == 1;
        let keys: String = ahead.iter().map(|one| one.key.as_str()).collect();
        match KANA.iter().find(|word| single && keys.starts_with(**word)) {
            Some(word) => {
                let length = word.chars().count();
                let whole = found[i..found.len().min(i + length)].iter();
                let surface: String = whole.map(|one| one.surface.as_str()).collect();
                out.push(Token::new(*word, surface, Kind::Plain));
                i += length;
            }
            None => {
                out.push(found[i].clone());
                i += 1;
            }
        }
    }
    out
}

/// `A` in `Group A` is a name of something, whatever the letter means as a word; not where a sentence begins.
fn labelled(mut some: Vec<Token>) -> Vec<Token> {
    for one in some.iter_mut().skip(1) {
        let letter = one.surface.len() == 1 && one.surface.bytes().all(|byte| byte.is_ascii_uppercase());
        if one.kind == Kind::Plain && letter && one.surface != "I" {
            one.kind = Kind::Label;
        }
    }
    some
}

fn token(key: String, surface: String, capital: bool, words: &Lexicon, out: &mut Vec<Token>) {
    if !key.bytes().any(|byte| byte.is_ascii_digit()) {
        if key.ends_with("n't") || key == "cannot" {
            let stem = match key.as_str() {
                "won't" => "will",
                "can't" | "cannot" => "can",
                other => &other[..other.len() - 3],
            };
            out.push(Token { capital, ..Token::new(stem, surface.as_str(), Kind::Plain) });
            out.push(Token::new("not", surface, Kind::Plain));
            return;
        }
        let mut key = key;
        if capital && key.ends_with("'s") && key.chars().count() > 3 {
            key.truncate(key.len() - 2);
        }
        out.push(Token { capital, ..Token::new(key, surface, Kind::Plain) });
        return;
    }
    if let Some(parts) = NUMBER.captures(&key) {
        figure(&parts, &surface, words, out);
        return;
    }
    if let Some(prefix) = PREFIXED.captures(&key)
        && let Some(inner) = NUMBER.captures(&prefix[3])
    {
        figure(&inner, &surface, words, out);
        out.push(unit(if &prefix[1] == "us" { "usd" } else { &prefix[1] }, &surface));
        return;
    }
    out.push(Token { capital, ..Token::new(key, surface, Kind::Identifier) });
}

fn unit(name: &str, surface: &str) -> Token {
    Token::new(format!("unit:{name}"), surface, Kind::Plain)
}

fn figure(parts: &Captures<'_>, surface: &str, words: &Lexicon, out: &mut Vec<Token>) {
    let (before, sign, between) = (&parts[1], &parts[2], &parts[3]);
    let mut after = &parts[5];
    let value = format!("{}{}", if sign == "-" { "-" } else { "" }, plain_number(&parts[4]));
    let marks = || [before, between].into_iter().filter(|mark| !mark.is_empty());
    let units = marks().map(|mark| unit(words.unit(mark).unwrap_or(mark), surface));
    if marks().next().is_some() {
        after = match after {
            "m" => "million",
            "k" => "thousand",
            other => other,
        };
    }
    if let Some(&zeros) = words.magnitudes.get(after) {
        out.push(Token::new(shifted(&value, zeros), surface, Kind::Figure));
        out.extend(units);
        return;
    }
    let ordinal = ORDINALS.contains(&after);
    let lettered = after.bytes().any(|byte| byte.is_ascii_lowercase());
    if lettered && !ordinal && words.unit(after).is_none() && before.is_empty() {
        out.push(Token::new(value + after, surface, Kind::Identifier));
        return;
    }
    out.push(Token::new(value, surface, Kind::Figure));
    out.extend(units);
    if !after.is_empty() && !ordinal {
        out.push(unit(words.unit(after).unwrap_or(after), surface));
    }
}

/// Numbers in words become figures, and a figure takes the magnitude and the unit word after it.
fn counted(found: &[Token], words: &Lexicon) -> Vec<Token> {
    let mut out = Vec::with_capacity(found.len());
    let mut i = 0;
    while i < found.len() {
        let mut token = found[i].clone();
        if token.kind == Kind::Plain && words.numbers.contains_key(token.key.as_str()) {
            let (value, length) = in_words(found, i, words);
            let weak = length == 1 && WEAK.contains(&token.key.as_str()) && !spans(found.get(i + 1), words);
            let surface =
                found[i..i + length].iter().map(|one| one.surface.as_str()).collect::<Vec<_>>().join(" ");
            token =
                Token::new(value.to_string(), surface, if weak { Kind::WeakFigure } else { Kind::Figure });
            i += length - 1;
        }
        joined(found, &mut token, &mut i, words);
        let mut units = Vec::new();
        while token.counts() && i + 1 < found.len() {
            let after = &found[i + 1];
            if after.key.starts_with("unit:") {
                units.push(after.clone());
            } else if let Some(&zeros) =
                words.magnitudes.get(after.key.as_str()).filter(|_| after.kind == Kind::Plain)
            {
                let surface = format!("{} {}", token.surface, after.surface);
                token = Token::new(shifted(&token.key, zeros), surface, Kind::Figure);
            } else {
                break;
            }
            i += 1;
        }
        let firm = token.kind == Kind::Figure;
        out.push(token);
        out.append(&mut units);
        if firm && i + 1 < found.len() && found[i + 1].kind == Kind::Plain {
            let next = &found[i + 1];
            let cent = found.get(i + 2).filter(|one| matches!(one.key.as_str(), "cent" | "ciento"));
            if let (true, Some(cent)) = (matches!(next.key.as_str(), "per" | "por"), cent) {
                out.push(unit("%", &format!("{} {}", next.surface, cent.surface)));
                i += 2;
            } else if let Some(name) = words.unit(&next.key) {
                i += 1;
                out.push(unit(name, &found[i].surface));
            }
        }
        i += 1;
    }
    out
}

/// Whether a span of time follows, so that "one" counts: one hour, un año; one day may be any.
fn spans(after: Option<&Token>, words: &Lexicon) -> bool {
    after
        .is_some_and(|one| words.pairs(&one.key).iter().any(|(name, value)| *name == "span" && *value != "4"))
}

/// A figure with the end of its range (`10 to 12`) or the parts it counts (`two thirds`).
fn joined(found: &[Token], token: &mut Token, i: &mut usize, words: &Lexicon) {
    let (true, Some(after)) = (token.kind == Kind::Figure, found.get(*i + 1)) else { return };
    let parts = words.pairs(&after.key).iter().find(|(name, _)| *name == "parts");
    if let (Some((_, value)), Kind::Plain, true) = (parts, after.kind, is_whole(&token.key)) {
        let surface = format!("{} {}", token.surface, after.surface);
        *token = Token::new(format!("{}/{value}", token.key), surface, Kind::Figure);
        *i += 1;
        return;
    }
    let unit = after.key.starts_with("unit:").then_some(after.key.as_str());
    if let Some((range, end)) = ranged(found, token, *i + usize::from(unit.is_some()), unit, words) {
        *token = range;
        *i = end;
    }
}

/// `10 to 12`, `between 10 and 12`, `10% to 12%`. `i` is where the first end ends.
fn ranged(
    found: &[Token],
    token: &Token,
    i: usize,
    unit: Option<&str>,
    words: &Lexicon,
) -> Option<(Token, usize)> {
    let (link, mut other) = (found.get(i + 1)?, found.get(i + 2)?.clone());
    if link.kind != Kind::Plain || !is_plain(&token.key) {
        return None;
    }
    let before = || {
        let first = i.checked_sub(token.surface.split(' ').count())?;
        (unit.is_none() && BETWEEN.contains(&found[first].key.as_str())).then_some(())
    };
    let key = link.key.as_str();
    let linked = RANGE.contains(&key) || (AND.contains(&key) && before().is_some());
    if !linked {
        return None;
    }
    let mut length = 1;
    let counts = words.numbers.contains_key(other.key.as_str()) && !WEAK.contains(&other.key.as_str());
    if other.kind == Kind::Plain && counts {
        let value;
        (value, length) = in_words(found, i + 2, words);
        let some = found[i + 2..i + 2 + length].iter();
        let surface = some.map(|one| one.surface.as_str()).collect::<Vec<_>>().join(" ");
        other = Token::new(value.to_string(), surface, Kind::Figure);
    }
    let end = i + 1 + length;
    let unlike = unit.is_some_and(|unit| found.get(end + 1).is_none_or(|one| one.key != unit));
    if other.kind != Kind::Figure || !is_plain(&other.key) || unlike {
        return None;
    }
    let surface = format!("{} {} {}", token.surface, link.surface, other.surface);
    Some((Token::new(format!("{}-{}", token.key, other.key), surface, Kind::Figure), end))
}

/// Figures with a unit, without zeros at their end: `3.50 m` is `3.5 m`.
fn measured(mut some: Vec<Token>) -> Vec<Token> {
    for at in 1..some.len() {
        let unit = some[at].key.strip_prefix("unit:").is_some_and(|name| MEASURED.contains(&name));
        let one = &mut some[at - 1];
        if unit && one.kind == Kind::Figure && one.key.contains('.') {
            let trimmed = |end: &str| match end.contains('.') {
                true => end.trim_end_matches('0').trim_end_matches('.').to_owned(),
                false => end.to_owned(),
            };
            one.key = one.key.split('-').map(trimmed).collect::<Vec<_>>().join("-");
        }
    }
    some
}

/// "two hundred and fifty", "twenty first": the value, and how many tokens it took.
fn in_words(found: &[Token], start: usize, words: &Lexicon) -> (u64, usize) {
    let mut total = words.numbers[found[start].key.as_str()];
    let (mut last, mut i) = (total, start + 1);
    while i < found.len() {
        let linked = matches!(found[i].key.as_str(), "and" | "y") && i + 1 < found.len();
        let joined = if linked { i + 1 } else { i };
        let key = found[joined].key.as_str();
        if key == "hundred" && joined == i && 0 < total && total < 100 {
            total *= 100;
            last = 100;
        } else if DOZEN.contains(&key) && joined == i && 0 < total && total < 100 {
            total *= 12;
            last = 0;
        } else if let Some(nth) = nth(key, words).filter(|nth| *nth < room(last)) {
            total += nth;
            last = 0;
        } else if let Some(&value) =
            words.numbers.get(key).filter(|value| 0 < **value && **value < last && room(last) > **value)
        {
            total += value;
            last = value;
        } else {
            break;
        }
        i = joined + 1;
    }
    (total, i - start)
}

/// What an ordinal counts after tens; "second" may be one of time.
fn nth(key: &str, words: &Lexicon) -> Option<u64> {
    let found = words.pairs(key).iter().find(|(name, _)| *name == "ordinal" && key != "second");
    found.and_then(|(_, value)| value.parse().ok()).filter(|value| *value > 0)
}

fn room(last: u64) -> u64 {
    match last {
        100.. => 100,
        20..=99 if last.is_multiple_of(10) => 10,
        _ => 0,
    }
}
