//! Sentence keys and figures of texts. See `reparto.corpus.sentences`, whose numbers these are.

use crate::parallel;
use crate::text::form::{ascii_form, form};
use crate::text::listing::dedup_from;
use crate::text::shingles::mix;
use std::sync::LazyLock;
use xxhash_rust::xxh3::xxh3_64;

const LONG: usize = 50; // characters of a line that may have been wrapped

/// Distinct sentence keys of one text, ascending, and a hash of its runs of digits.
pub struct Said {
    /// Keys.
    pub keys: Vec<u64>,
    /// One hash of all runs of digits.
    pub figures: u64,
}

/// Ranges of bytes of the sentences and lines of a text, white space around them included.
pub fn segments(text: &str, mut take: impl FnMut(usize, usize)) {
    let bytes = text.as_bytes();
    let mut start = 0;
    let (mut seen, mut line, mut last) = (0usize, 0usize, ' ');
    let mut chars = text.char_indices().peekable();
    while let Some((_, one)) = chars.next() {
        seen += 1;
        if is_stop(one) {
            last = one;
            let mut skip = |of: fn(char) -> bool| {
                let before = seen;
                while let Some((_, next)) = chars.next_if(|&(_, next)| of(next)) {
                    (seen, last) = (seen + 1, next);
                }
                seen > before
            };
            skip(is_stop);
            skip(is_closer);
            if !skip(is_blank) {
                continue;
            }
        } else if is_full_stop(one) {
            last = one;
            while let Some((_, next)) = chars.next_if(|&(_, next)| is_full_stop(next)) {
                (seen, last) = (seen + 1, next);
            }
        } else if is_break(one) {
            let (length, before) = (seen - 1 - line, last);
            let mut breaks = usize::from(one == '\n');
            let more = |next: char| is_break(next) || is_blank(next) || next == '\u{3000}';
            while let Some((_, next)) = chars.next_if(|&(_, next)| more(next)) {
                (seen, last) = (seen + 1, next);
                breaks += usize::from(next == '\n');
            }
            line = seen;
            // Wrapped: it goes on in small letters, or it is long and does not end as sentences do.
            let wrapped = length >= LONG && breaks == 1 && !is_end(before);
            if chars.peek().is_some_and(|&(_, next)| wrapped || is_small(next)) {
                continue;
            }
        } else {
            last = one;
            continue;
        }
        let end = chars.peek().map_or(bytes.len(), |&(next, _)| next);
        take(start, end);
        start = end;
    }
    if start < bytes.len() {
        take(start, bytes.len());
    }
}

fn is_stop(one: char) -> bool {
    matches!(one, '.' | '!' | '?' | '…')
}

fn is_end(one: char) -> bool {
    is_stop(one) || matches!(one, ':' | ';')
}

fn is_full_stop(one: char) -> bool {
    matches!(one, '。' | '！' | '？' | '｡')
}

fn is_closer(one: char) -> bool {
    matches!(one, '"' | '\'' | '”' | '’' | '»' | ')' | ']')
}

fn is_blank(one: char) -> bool {
    matches!(one, ' ' | '\t' | '\u{a0}')
}

fn is_break(one: char) -> bool {
    matches!(one, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_small(one: char) -> bool {
    matches!(one, 'a'..='z' | 'ß'..='ö' | 'ø'..='ÿ' | 'α'..='ω' | 'а'..='џ')
}

/// The sentence keys of each text; only sentences of at least `least` characters have one.
pub fn sentence_keys(texts: &[&str], least: usize, seed: u64) -> Vec<Said> {
    const RUN: usize = 32;
    let done = parallel::map(texts.len().div_ceil(RUN), 0, |run| {
        let mut listener = Listener::new(least, seed);
        let some = &texts[run * RUN..texts.len().min((run + 1) * RUN)];
        let said = some.iter().map(|text| {
            let mut keys = Vec::new();
            let figures = listener.said(text, &mut keys);
            Said { keys, figures }
        });
        said.collect::<Vec<_>>()
    });
    done.into_iter().flatten().collect()
}

/// Hears one text after the other in the same space.
pub struct Listener {
    least: usize,
    salt: u64,
    ascii: Vec<u8>,
    codes: Vec<u32>,
    bytes: Vec<u8>,
}

impl Listener {
    /// Of sentences of at least `least` characters.
    pub fn new(least: usize, seed: u64) -> Self {
        Listener { least, salt: mix(seed), ascii: Vec::new(), codes: Vec::new(), bytes: Vec::new() }
    }

    /// Appends the distinct keys of a text, ascending; gives the hash of its runs of digits.
    pub fn said(&mut self, text: &str, keys: &mut Vec<u64>) -> u64 {
        let (first, mut figures) = (keys.len(), 0u64);
        let mut take = |start, end| figures = figures.wrapping_add(self.sentence(&text[start..end], keys));
        if text.is_ascii() {
            ascii_segments(text.as_bytes(), &mut take)
        } else {
            segments(text, take)
        }
        keys[first..].sort_unstable();
        dedup_from(first, keys);
        figures
    }

    fn sentence(&mut self, own: &str, keys: &mut Vec<u64>) -> u64 {
        self.bytes.clear();
        let (figures, characters) = if own.is_ascii() {
            ascii_form(own.as_bytes(), &mut self.ascii);
            self.bytes.extend(self.ascii.iter().flat_map(|&byte| [byte, 0, 0, 0]));
            (runs_of_digits(&self.ascii), self.ascii.len())
        } else {
            self.codes.clear();
            form(own.chars().map(u32::from), &mut self.codes);
            self.bytes.extend(self.codes.iter().flat_map(|code| code.to_le_bytes()));
            (runs_of_digits(&self.codes), self.codes.len())
        };
        if characters >= self.least {
            keys.push(mix(xxh3_64(&self.bytes) ^ self.salt));
        }
        figures
    }
}

/// What may end a sentence or a line, among ASCII characters.
static ENDS: LazyLock<[bool; 256]> = LazyLock::new(|| {
    std::array::from_fn(|code| code < 128 && (is_stop(code as u8 as char) || is_break(code as u8 as char)))
});

/// The segments of an ASCII text.
fn ascii_segments(text: &[u8], mut take: impl FnMut(usize, usize)) {
    let is = |at: usize, of: fn(char) -> bool| text.get(at).is_some_and(|&byte| of(byte.into()));
    let past = |mut at: usize, of: fn(char) -> bool| {
        while is(at, of) {
            at += 1;
        }
        at
    };
    let (mut start, mut line, mut at) = (0, 0, 0);
    let ends = &*ENDS;
    while let Some(next) = text[at..].iter().position(|&byte| ends[usize::from(byte)]) {
        let sign = at + next;
        if is(sign, is_stop) {
            let closed = past(past(sign, is_stop), is_closer);
            at = past(closed, is_blank);
            if at == closed {
                continue;
            }
        } else {
            at = past(sign, |one| is_break(one) || is_blank(one));
            let breaks = text[sign..at].iter().filter(|&&byte| byte == b'\n').count();
            let ended = sign > 0 && is(sign - 1, is_end);
            let wrapped = sign - line >= LONG && breaks == 1 && !ended;
            line = at;
            if at < text.len() && (wrapped || is(at, is_small)) {
                continue;
            }
        }
        take(start, at);
        start = at;
    }
    if start < text.len() {
        take(start, text.len());
    }
}

fn runs_of_digits<C: Copy + Into<u32>>(codes: &[C]) -> u64 {
    let digit = |code: &C| (48..58).contains(&(*code).into());
    let mut sum = 0u64;
    // Written without an early end, so that many characters are looked at at a time.
    if !codes.iter().fold(false, |so_far, code| so_far | digit(code)) {
        return sum;
    }
    for run in codes.chunk_by(|one, other| digit(one) && digit(other)) {
        if digit(&run[0]) {
            let value = run
                .iter()
                .fold(0u64, |value, &code| value.wrapping_mul(31).wrapping_add(u64::from(code.into()) - 47));
            sum = sum.wrapping_add(mix(value));
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ascii_is_cut_like_everything_else(text in "[aB1.!?\"')\\]:; \t\n\r\u{b}]{0,90}") {
            let (mut fast, mut slow) = (Vec::new(), Vec::new());
            ascii_segments(text.as_bytes(), |start, end| fast.push((start, end)));
            segments(&text, |start, end| slow.push((start, end)));
            prop_assert_eq!(fast, slow);
        }
    }
}
