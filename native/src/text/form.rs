//! The comparison form, in code points: a lone surrogate is a character like others.

use super::folding::{FOLDING, Folding, HARD, INTO, LATIN, LOOKALIKE, REMOVED, is_latin_only};
use unicode_normalization::UnicodeNormalization;

const SPACE: u32 = 32;

/// The comparison form of a text, appended to `out`.
pub fn form(text: impl Iterator<Item = u32> + Clone, out: &mut Vec<u32>) {
    let table = &*FOLDING;
    let start = out.len();
    let mut seen = 0;
    let mut gap = false;
    for code in text.clone() {
        let entry = table.entries[code as usize];
        seen |= entry;
        if entry & HARD != 0 {
            break;
        }
        if entry & REMOVED != 0 {
            continue;
        }
        let into = entry & INTO;
        if into == SPACE {
            gap = true;
            continue;
        }
        if gap && out.len() > start {
            out.push(SPACE);
        }
        gap = false;
        out.push(into);
    }
    if seen & HARD != 0 || (seen & LATIN != 0 && seen & LOOKALIKE != 0) {
        out.truncate(start);
        out.extend(settle(text.collect()));
    }
}

fn is_ascii_blank(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | 28..=32)
}

/// The comparison form of an ASCII text, in place of what `out` held: `form` in bytes, and several times as fast.
pub fn ascii_form(text: &[u8], out: &mut Vec<u8>) {
    let folded = |byte: &u8| if *byte == b'`' { b'\'' } else { byte.to_ascii_lowercase() };
    // Written without an early end, so that many bytes are looked at at a time.
    let plain = text.iter().fold(true, |so_far, byte| so_far & (32..127).contains(byte));
    let after = text.get(1..).unwrap_or(&[]);
    let gaps = text.iter().zip(after).fold(false, |so_far, (one, next)| so_far | (*one == 32 && *next == 32));
    out.clear();
    if plain && !gaps {
        out.extend(text.trim_ascii().iter().map(folded));
        return;
    }
    for word in text.split(|&byte| is_ascii_blank(byte)) {
        let before = out.len();
        if before > 0 && out[before - 1] != b' ' {
            out.push(b' ');
        }
        out.extend(word.iter().filter(|byte| !byte.is_ascii_control()).map(folded));
    }
    if out.last() == Some(&b' ') {
        out.pop();
    }
}

/// Folds until nothing changes: a few rounds, for texts with marks, expansions or mixed scripts.
fn settle(mut text: Vec<u32>) -> Vec<u32> {
    for _ in 0..8 {
        let folded = fold(&text);
        if folded == text {
            break;
        }
        text = folded;
    }
    text
}

fn fold(text: &[u32]) -> Vec<u32> {
    let table = &*FOLDING;
    let mut out = Vec::with_capacity(text.len());
    text.iter().for_each(|&code| table.push(code, &mut out));
    if out.iter().any(|&code| table.is_joining(code)) {
        out = composed(&out, table);
        out.retain(|&code| !table.is_mark(code));
    }
    latinise(&mut out, false);
    squeezed(&out)
}

/// White space folded to single spaces and dropped at the ends, as after translation by the table.
fn squeezed(text: &[u32]) -> Vec<u32> {
    let mut out = Vec::with_capacity(text.len());
    let mut gap = false;
    for &code in text {
        if matches!(code, 9..=13 | 28..=32) {
            gap = true;
        } else {
            if gap && !out.is_empty() {
                out.push(SPACE);
            }
            gap = false;
            out.push(code);
        }
    }
    out
}

/// NFC of Unicode 14: characters that it did not know are left alone, and so are surrogates.
fn composed(text: &[u32], table: &Folding) -> Vec<u32> {
    let mut out = Vec::with_capacity(text.len());
    let normal = |code: &u32| char::from_u32(*code).filter(|_| !table.is_unknown(*code));
    let mut at = 0;
    while at < text.len() {
        if normal(&text[at]).is_none() {
            out.push(text[at]);
            at += 1;
            continue;
        }
        let known = text[at..].iter().map_while(normal);
        let length = known.clone().count();
        out.extend(known.nfc().map(u32::from));
        at += length;
    }
    out
}

fn is_letter(code: u32, any_case: bool) -> bool {
    matches!(code, 97..=122 | 0x370..=0x58f | 0x13a0..=0x13ff | 0x1c80..=0x1c8f | 0x1f00..=0x1fff | 0xa640..=0xa69f)
        || (any_case && (65..91).contains(&code))
}

/// In words with a letter that is Latin and nothing else, what passes for Latin becomes it.
fn latinise(text: &mut [u32], any_case: bool) {
    let mut at = 0;
    while at < text.len() {
        if !is_letter(text[at], any_case) {
            at += 1;
            continue;
        }
        let end = at + text[at..].iter().take_while(|&&code| is_letter(code, any_case)).count();
        let word = &mut text[at..end];
        if word.iter().any(|&code| code > 127) && word.iter().any(|&code| is_latin_only(code, true)) {
            for code in word {
                *code = FOLDING.beside_latin(*code).unwrap_or(*code);
            }
        }
        at = end;
    }
}

/// The comparison form with its capitals and line breaks kept. Takes text without lone surrogates.
pub fn cased_form(text: &str) -> String {
    if text.is_ascii() {
        return text.replace('`', "'");
    }
    let table = &*FOLDING;
    let codes: Vec<u32> = text.chars().map(u32::from).collect();
    let mut out = Vec::with_capacity(codes.len());
    composed(&codes, table).iter().for_each(|&code| table.push_cased(code, &mut out));
    out.retain(|&code| !table.is_mark(code));
    latinise(&mut out, true);
    out.into_iter().filter_map(char::from_u32).collect()
}
