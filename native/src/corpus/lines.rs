//! Lines of JSON as columns, where every line is a document without fault. See `reparto.corpus.lines`.
//!
//! Nothing is decided here: a block with one line that is not as plain as could be is left to the reader of Python.

use memchr::memchr2;

const DEPTH: usize = 64; // of values that nobody reads
const DIGITS: usize = 1000; // of a number that nobody reads

/// Strings end to end, one a document.
#[derive(Default)]
pub struct Strings {
    /// UTF-8.
    pub bytes: Vec<u8>,
    /// Where each begins, and where the last ends.
    pub offsets: Vec<i64>,
    /// Which are not there at all.
    pub absent: Vec<bool>,
}

impl Strings {
    fn end(&mut self) {
        self.offsets.push(self.bytes.len() as i64);
    }
}

/// The fields that groups of copies depend on, in the order of [`NAMES`].
#[derive(Default)]
pub struct Columns {
    /// Their values.
    pub fields: [Strings; KEPT],
    /// Whether the tier is gold.
    pub gold: Vec<bool>,
}

const KEPT: usize = 5;
const TIER: usize = 5;
/// Fields that are strings or nothing; those after the tier are only checked.
const NAMES: [&str; 10] =
    ["id", "text", "source", "published", "url", "tier", "title", "language", "concept", "version"];

/// The documents of the lines of a block; `None` where a line is not plain.
pub fn columns(block: &[u8]) -> Option<Columns> {
    std::str::from_utf8(block).ok()?;
    let mut found = Columns::default();
    found.fields.iter_mut().for_each(Strings::end);
    let mut scratch = Vec::new();
    for line in block.split_inclusive(|&byte| byte == b'\n') {
        if !line.iter().all(|byte| matches!(byte, b' ' | 9..=13)) {
            Line { bytes: line, at: 0 }.document(&mut found, &mut scratch)?;
        }
    }
    Some(found)
}

struct Line<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Line<'_> {
    fn document(&mut self, into: &mut Columns, scratch: &mut Vec<u8>) -> Option<()> {
        let mut seen = [false; NAMES.len()];
        let (mut gold, mut metadata) = (false, false);
        self.blank();
        self.take(b'{')?;
        self.blank();
        loop {
            let start = self.at;
            self.skip_string()?;
            let key = &self.bytes[start + 1..self.at - 1];
            if key.contains(&b'\\') {
                return None;
            }
            self.blank();
            self.take(b':')?;
            self.blank();
            if let Some(field) = NAMES.iter().position(|name| name.as_bytes() == key) {
                if std::mem::replace(&mut seen[field], true) {
                    return None;
                }
                if self.peek()? == b'n' {
                    self.word(b"null")?;
                    seen[field] = false; // as if it were not there; a second one is left to Python
                    if field < 2 {
                        return None;
                    }
                } else if field < KEPT {
                    self.string(&mut into.fields[field].bytes)?;
                } else {
                    scratch.clear();
                    self.string(scratch)?;
                    gold |= field == TIER && scratch == b"gold";
                }
            } else if key == b"metadata" {
                if std::mem::replace(&mut metadata, true) || self.peek()? != b'{' {
                    return None;
                }
                self.skip(0)?;
            } else if key == b"markup" {
                self.skip_string()?;
            } else {
                self.skip(0)?;
            }
            self.blank();
            match self.next()? {
                b',' => self.blank(),
                b'}' => break,
                _ => return None,
            }
        }
        self.blank();
        let id = &into.fields[0];
        let named = id.bytes.len() as i64 > *id.offsets.last()?;
        if self.at < self.bytes.len() || !seen[0] || !seen[1] || !named {
            return None;
        }
        for (field, known) in into.fields.iter_mut().zip(seen) {
            field.end();
            field.absent.push(!known);
        }
        into.gold.push(gold);
        Some(())
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let one = self.peek()?;
        self.at += 1;
        Some(one)
    }

    fn take(&mut self, wanted: u8) -> Option<()> {
        (self.next()? == wanted).then_some(())
    }

    fn word(&mut self, wanted: &[u8]) -> Option<()> {
        let found = self.bytes[self.at..].starts_with(wanted);
        self.at += wanted.len();
        found.then_some(())
    }

    fn blank(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Letters up to the next quote or escape, none of them a control character.
    fn run(&mut self) -> Option<&[u8]> {
        let start = self.at;
        self.at += memchr2(b'"', b'\\', &self.bytes[start..])?;
        let run = &self.bytes[start..self.at];
        run.iter().fold(true, |plain, &byte| plain & (byte >= 32)).then_some(run)
    }

    fn string(&mut self, into: &mut Vec<u8>) -> Option<()> {
        self.take(b'"')?;
        loop {
            into.extend_from_slice(self.run()?);
            if self.next()? == b'"' {
                return Some(());
            }
            let one = match self.next()? {
                same @ (b'"' | b'\\' | b'/') => char::from(same),
                b'b' => '\u{8}',
                b'f' => '\u{c}',
                b'n' => '\n',
                b'r' => '\r',
                b't' => '\t',
                b'u' => self.escaped()?,
                _ => return None,
            };
            into.extend_from_slice(one.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }

    fn escaped(&mut self) -> Option<char> {
        let high = self.hex()?;
        if !(0xd800..0xe000).contains(&high) {
            return char::from_u32(high);
        }
        self.word(b"\\u")?;
        let low = self.hex()?;
        let both = high < 0xdc00 && (0xdc00..0xe000).contains(&low);
        both.then(|| char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00)))?
    }

    fn hex(&mut self) -> Option<u32> {
        let digits = self.bytes.get(self.at..self.at + 4)?;
        self.at += 4;
        digits.iter().try_fold(0, |value, &digit| Some(value * 16 + char::from(digit).to_digit(16)?))
    }

    fn skip_string(&mut self) -> Option<()> {
        self.take(b'"')?;
        loop {
            self.run()?;
            if self.next()? == b'"' {
                return Some(());
            }
            match self.next()? {
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {}
                b'u' => drop(self.hex()?),
                _ => return None,
            }
        }
    }

    /// A value that nobody reads.
    fn skip(&mut self, depth: usize) -> Option<()> {
        match self.peek()? {
            b'"' => self.skip_string(),
            b't' => self.word(b"true"),
            b'f' => self.word(b"false"),
            b'n' => self.word(b"null"),
            b'{' | b'[' if depth < DEPTH => self.skip_within(depth),
            b'-' | b'0'..=b'9' => self.skip_number(),
            _ => None,
        }
    }

    fn skip_within(&mut self, depth: usize) -> Option<()> {
        let object = self.next()? == b'{';
        let close = if object { b'}' } else { b']' };
        self.blank();
        if self.peek()? == close {
            self.at += 1;
            return Some(());
        }
        loop {
            if object {
                self.skip_string()?;
                self.blank();
                self.take(b':')?;
                self.blank();
            }
            self.skip(depth + 1)?;
            self.blank();
            match self.next()? {
                b',' => self.blank(),
                end if end == close => return Some(()),
                _ => return None,
            }
        }
    }

    fn skip_number(&mut self) -> Option<()> {
        let start = self.at;
        if self.peek()? == b'-' {
            self.at += 1;
        }
        if self.peek()? == b'0' {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        (self.at - start <= DIGITS).then_some(())
    }

    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }
}
