//! Where the sentences and lines of a text may end: see the reference's `alignment`.

use super::wording::pattern;
use regex::Regex;
use std::sync::LazyLock;

static END: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        "[.!?…]+[\"'”’»)\\]]*[ \t\u{a0}]+|[。！？｡]+[\"'”’」』）]*|[ \t]*[\n\r\u{b}\u{c}\u{85}\u{2028}\u{2029}]\
         [ \t\n\r\u{b}\u{c}\u{85}\u{a0}\u{2028}\u{2029}]*",
    )
});

/// Ranges of the signs and the white space at which a sentence or a line may end, in order.
pub fn ends(text: &str) -> Vec<(usize, usize)> {
    if text.is_ascii() {
        return ascii_ends(text.as_bytes());
    }
    END.find_iter(text).map(|found| (found.start(), found.end())).collect()
}

/// What the pattern finds, without its guesses.
fn ascii_ends(text: &[u8]) -> Vec<(usize, usize)> {
    let past = |mut at: usize, of: fn(u8) -> bool| {
        while at < text.len() && of(text[at]) {
            at += 1;
        }
        at
    };
    let mut found = Vec::new();
    let (mut from, mut at) = (0, 0);
    while let Some(next) = text[at..].iter().position(|&byte| is_stop(byte) || is_break(byte)) {
        let mut start = at + next;
        if is_break(text[start]) {
            at = past(start, |byte| is_blank(byte) || is_break(byte));
            while start > from && is_blank(text[start - 1]) {
                start -= 1;
            }
        } else {
            let closed = past(past(start, is_stop), is_closer);
            at = past(closed, is_blank);
            if at == closed {
                continue;
            }
        }
        found.push((start, at));
        from = at;
    }
    found
}

fn is_stop(byte: u8) -> bool {
    matches!(byte, b'.' | b'!' | b'?')
}

fn is_closer(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b')' | b']')
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn is_break(byte: u8) -> bool {
    matches!(byte, b'\n'..=b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_scan_finds_what_the_pattern_finds(text in "[ab.!?\"')\\] \t\n\r\u{b}\u{c}]{0,40}") {
            let found: Vec<_> = END.find_iter(&text).map(|one| (one.start(), one.end())).collect();
            prop_assert_eq!(ends(&text), found);
        }
    }
}
