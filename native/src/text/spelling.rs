//! One spelling for the figures of a sentence: see the reference's `spelling`.

use super::wording::pattern;
use regex::{Regex, RegexSet};
use std::borrow::Cow;
use std::sync::LazyLock;

struct Spellings {
    any: RegexSet,
    each: Vec<(Regex, &'static str)>,
}

static SPELLINGS: LazyLock<Spellings> = LazyLock::new(|| {
    let text = include_str!("../../../src/reparto/kernels/reference/spellings.txt");
    let pairs: Vec<(String, &str)> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split_once('\t').expect("a pattern, a tab, what stands in its place"))
        .map(|(what, to)| (what.replace(r"\b", r"(?-u:\b)"), to))
        .collect();
    Spellings {
        any: RegexSet::new(pairs.iter().map(|(what, _)| what)).expect("constant patterns"),
        each: pairs.iter().map(|(what, to)| (pattern(what), *to)).collect(),
    }
});

// The zeros of other scripts.
const ZEROS: [u32; 20] = [
    0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xDE6, 0xE50, 0xED0,
    0xF20, 0x1040, 0x1090, 0x17E0, 0x1810,
];

/// A European digit for one of another script, and the points of Arabic numbers.
fn european(one: char) -> char {
    let code = u32::from(one);
    match code {
        0x66B => '.',
        0x66C => ',',
        0x660.. => {
            let zero = ZEROS.iter().find(|zero| (**zero..**zero + 10).contains(&code));
            zero.and_then(|zero| char::from_digit(code - zero, 10)).unwrap_or(one)
        }
        _ => one,
    }
}

/// A sentence in cased form with its figures in one spelling and in European digits.
pub fn respelled(sentence: &str) -> Cow<'_, str> {
    if sentence.chars().any(|one| european(one) != one) {
        let plain: String = sentence.chars().map(european).collect();
        return Cow::Owned(spelled(&plain).into_owned());
    }
    spelled(sentence)
}

fn spelled(sentence: &str) -> Cow<'_, str> {
    let list = &*SPELLINGS;
    if !sentence.bytes().any(|byte| byte.is_ascii_digit()) || !list.any.is_match(sentence) {
        return Cow::Borrowed(sentence);
    }
    let mut out = sentence.to_owned();
    for (what, to) in &list.each {
        if let Cow::Owned(next) = what.replace_all(&out, *to) {
            out = next;
        }
    }
    Cow::Owned(out)
}
