//! Tokens of a sentence as the fact guard compares them: see the reference's `wording`.

use super::folding::FOLDING;
use super::lexicon::{LEXICON, Lexicon};
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
const ORDINALS: [&str; 6] = ["st", "nd", "rd", "th", "o", "a"];
const WEAK: [&str; 5] = ["one", "uno", "un", "una", "once"];

pub(super) fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a constant pattern")
}

/// Tokens of one sentence in cased form.
pub fn tokens(sentence: &str) -> Vec<Token> {
    let words = &*LEXICON;
    let codes: Vec<u32> = respelled(sentence).chars().map(u32::from).collect();
    let mut found = Vec::new();
    let mut folded = Vec::new();
    units(&codes, |start, end, _| {
        folded.clear();
        codes[start..end].iter().for_each(|&code| FOLDING.push(code, &mut folded));
        let surface: String = codes[start..end].iter().filter_map(|&code| char::from_u32(code)).collect();
        let key: String = folded.iter().filter_map(|&code| char::from_u32(code)).collect();
        token(key, surface, FOLDING.is_capital(codes[start]), words, &mut found);
    });
    counted(&found, words)
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

/// One spelling of a number: no thousands separators, a decimal point, no leading zeros.
pub fn plain_number(number: &str) -> String {
    let signs: Vec<char> = number.chars().filter(|one| !one.is_ascii_digit()).collect();
    if signs.iter().any(|sign| "/:-".contains(*sign)) {
        return number.into();
    }
    let mut groups: Vec<&str> = number.split(|one: char| !one.is_ascii_digit()).collect();
    let one_sign = signs.iter().all(|sign| *sign == signs[0]);
    let thousands =
        groups[1..].iter().all(|group| group.len() == 3) && groups[0].len() <= 3 && groups[0] != "0";
    let mut decimals = String::new();
    let grouped = one_sign && thousands;
    if !signs.is_empty() && !grouped {
        let last = signs.len() - 1;
        let mixed = signs[..last].iter().any(|sign| *sign != signs[0]);
        if last > 0 && (mixed || signs[last] == signs[0]) {
            return number.into(); // 1.2.3, a version
        }
        if !groups[1..groups.len() - 1].iter().all(|group| group.len() == 3) {
            return number.into();
        }
        decimals = format!(".{}", groups.pop().unwrap_or_default());
    }
    let whole = groups.concat();
    let whole = whole.trim_start_matches('0');
    format!("{}{decimals}", if whole.is_empty() { "0" } else { whole })
}

/// A number times ten to the power of `zeros`.
pub fn shifted(value: &str, zeros: usize) -> String {
    let (sign, digits) = value.strip_prefix('-').map_or(("", value), |digits| ("-", digits));
    let (whole, rest) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{rest}");
    if all.is_empty() || !all.bytes().all(|byte| byte.is_ascii_digit()) {
        return value.into();
    }
    let padded = format!("{all}{}", "0".repeat(zeros.saturating_sub(rest.len())));
    let moved = padded[..whole.len() + zeros].trim_start_matches('0');
    let left = rest.get(zeros..).unwrap_or("").trim_end_matches('0');
    let moved = if moved.is_empty() { "0" } else { moved };
    if left.is_empty() { format!("{sign}{moved}") } else { format!("{sign}{moved}.{left}") }
}

/// Numbers in words become figures, and a figure takes the magnitude and the unit word after it.
fn counted(found: &[Token], words: &Lexicon) -> Vec<Token> {
    let mut out = Vec::with_capacity(found.len());
    let mut i = 0;
    while i < found.len() {
        let mut token = found[i].clone();
        if token.kind == Kind::Plain && words.numbers.contains_key(token.key.as_str()) {
            let (value, length) = in_words(found, i, words);
            let weak = length == 1 && WEAK.contains(&token.key.as_str());
            let surface =
                found[i..i + length].iter().map(|one| one.surface.as_str()).collect::<Vec<_>>().join(" ");
            token =
                Token::new(value.to_string(), surface, if weak { Kind::WeakFigure } else { Kind::Figure });
            i += length - 1;
        }
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

/// "two hundred and fifty": the value, and how many tokens it took.
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

fn room(last: u64) -> u64 {
    match last {
        100.. => 100,
        20..=99 if last.is_multiple_of(10) => 10,
        _ => 0,
    }
}
