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

/// A sentence in cased form with its figures in one spelling.
pub fn respelled(sentence: &str) -> Cow<'_, str> {
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
