//! Sentence keys and figures of texts. See `reparto.corpus.sentences`, whose numbers these are.

use crate::parallel;
use crate::text::form::form;
use crate::text::shingles::mix;
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
    let salt = mix(seed);
    let done = parallel::map(texts.len().div_ceil(RUN), 0, |run| {
        let (mut codes, mut bytes) = (Vec::new(), Vec::new());
        let some = &texts[run * RUN..texts.len().min((run + 1) * RUN)];
        some.iter().map(|text| said(text, least, salt, &mut codes, &mut bytes)).collect::<Vec<_>>()
    });
    done.into_iter().flatten().collect()
}

fn said(text: &str, least: usize, salt: u64, codes: &mut Vec<u32>, bytes: &mut Vec<u8>) -> Said {
    let (mut keys, mut figures) = (Vec::new(), 0u64);
    segments(text, |start, end| {
        codes.clear();
        form(text[start..end].chars().map(u32::from), codes);
        if codes.len() >= least {
            bytes.clear();
            bytes.extend(codes.iter().flat_map(|code| code.to_le_bytes()));
            keys.push(mix(xxh3_64(bytes) ^ salt));
        }
        figures = figures.wrapping_add(runs_of_digits(codes));
    });
    keys.sort_unstable();
    keys.dedup();
    Said { keys, figures }
}

fn runs_of_digits(codes: &[u32]) -> u64 {
    let digit = |code: &u32| (48..58).contains(code);
    let mut sum = 0u64;
    for run in codes.chunk_by(|one, other| digit(one) && digit(other)) {
        if digit(&run[0]) {
            let value = run
                .iter()
                .fold(0u64, |value, &code| value.wrapping_mul(31).wrapping_add(u64::from(code) - 47));
            sum = sum.wrapping_add(mix(value));
        }
    }
    sum
}
