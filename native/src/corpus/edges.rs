//! A quick look at how texts begin and end. See `reparto.corpus.boilerplate`, whose numbers these are.

use xxhash_rust::xxh3::xxh3_64;

const EDGE: usize = 16; // characters of the quick look

/// A hash of the source and the first characters of a text, and one of its last; `None` where they are not ASCII.
pub fn edges(text: &str, source: &str, scratch: &mut Vec<u8>) -> Option<[u64; 2]> {
    let bytes = text.as_bytes();
    let head = &bytes[..bytes.len().min(4 * EDGE)];
    let tail = &bytes[bytes.len().saturating_sub(4 * EDGE)..];
    if !head.is_ascii() || !tail.is_ascii() {
        return None;
    }
    let start = head.iter().position(|&byte| !is_space(byte)).unwrap_or(head.len());
    let head = &head[start..head.len().min(start + EDGE)];
    let end = tail.iter().rposition(|&byte| !is_space(byte)).map_or(0, |last| last + 1);
    let tail = &tail[end.saturating_sub(EDGE)..end];
    let mut hash = |mark: u8, part: &[u8]| {
        scratch.clear();
        scratch.push(mark);
        scratch.extend_from_slice(source.as_bytes());
        scratch.push(0);
        scratch.extend(part.iter().map(u8::to_ascii_lowercase));
        xxh3_64(scratch)
    };
    Some([hash(b'<', head), hash(b'>', tail)])
}

/// What Python strips.
fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | 28..=32)
}
