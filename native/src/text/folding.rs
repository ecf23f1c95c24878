//! The folding table, read from the file that the Python reference reads too.

use std::collections::HashMap;
use std::sync::LazyLock;

/// One more than the last code point.
pub const SIZE: usize = 0x11_0000;

/// What a character is in a sequence of words.
pub const SEPARATOR: u8 = 0;
/// A letter or mark.
pub const WORD: u8 = 1;
/// A decimal digit.
pub const DIGIT: u8 = 2;
/// A character of a script without spaces.
pub const UNSPACED: u8 = 3;
/// A symbol that counts as a word.
pub const SYMBOL: u8 = 4;

/// In `entries`: the code point that a character becomes.
pub const INTO: u32 = 0x1f_ffff;
/// The character goes.
pub const REMOVED: u32 = 1 << 31;
/// One becomes several, or context decides.
pub const HARD: u32 = 1 << 30;
/// What the character becomes is Latin and nothing else.
pub const LATIN: u32 = 1 << 29;
/// It passes for a Latin letter beside Latin letters.
pub const LOOKALIKE: u32 = 1 << 28;

const LATIN_ONLY: &str = "bdfghklmnqrtuvwz";
const UNKNOWN: u8 = 1;
const JOINING: u8 = 2;
const MARK: u8 = 4;
const CAPITAL: u8 = 8;

/// The table; arrays over all code points, a few megabytes.
pub struct Folding {
    /// What each character becomes, with flags.
    pub entries: Vec<u32>,
    kinds: Vec<u8>,
    traits: Vec<u8>,
    becomes: HashMap<u32, Box<[u32]>>,
    cased: HashMap<u32, Box<[u32]>>,
    beside_latin: HashMap<u32, u32>,
}

/// The table, read at the first use.
pub static FOLDING: LazyLock<Folding> =
    LazyLock::new(|| Folding::read(include_str!("../../../src/reparto/kernels/reference/folding.txt")));

fn hex(word: &str) -> u32 {
    u32::from_str_radix(word, 16).expect("a hexadecimal number in folding.txt")
}

fn upper(code: u32) -> u32 {
    if (97..123).contains(&code) { code - 32 } else { code }
}

impl Folding {
    fn read(text: &str) -> Self {
        let mut table = Folding {
            entries: (0..SIZE as u32).collect(),
            kinds: vec![SEPARATOR; SIZE],
            traits: vec![0; SIZE],
            becomes: HashMap::new(),
            cased: HashMap::new(),
            beside_latin: HashMap::new(),
        };
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let mut words = line.split(' ');
            let letter = words.next().unwrap_or_default();
            let codes: Vec<u32> = words.map(hex).collect();
            match letter {
                "M" => drop(table.becomes.insert(codes[0], codes[1..].into())),
                "L" => drop(table.beside_latin.insert(codes[0], codes[1])),
                _ => table.span(letter, codes[0] as usize..=codes[1] as usize),
            }
        }
        table.derive();
        table
    }

    fn span(&mut self, letter: &str, range: std::ops::RangeInclusive<usize>) {
        let (bit, kind) = match letter {
            "N" => (UNKNOWN, 0),
            "J" => (JOINING, 0),
            "I" => (JOINING | MARK, 0),
            "P" => (CAPITAL, 0),
            "W" => (0, WORD),
            "D" => (0, DIGIT),
            "U" => (0, UNSPACED),
            _ => (0, SYMBOL),
        };
        for code in range {
            self.traits[code] |= bit;
            if kind != 0 {
                self.kinds[code] = kind;
            }
        }
    }

    fn derive(&mut self) {
        for (&code, into) in &self.becomes {
            self.entries[code as usize] = match into[..] {
                [] => REMOVED,
                [one] => one,
                _ => HARD,
            };
        }
        self.cased = self.becomes.clone();
        let mut capitals = Vec::new();
        for (&code, into) in &self.becomes {
            if self.traits[code as usize] & CAPITAL != 0 {
                let ascii = into.iter().all(|&one| one < 128);
                let image = if ascii { into.iter().map(|&one| upper(one)).collect() } else { [code].into() };
                self.cased.insert(code, image);
                if let [small] = into[..] {
                    capitals.extend(self.beside_latin.get(&small).map(|&latin| (code, upper(latin))));
                }
            }
        }
        for code in 0..SIZE {
            let into = self.entries[code];
            let joins = |at: u32| self.traits[at as usize] & JOINING != 0;
            if joins(code as u32) || (into < SIZE as u32 && joins(into)) {
                self.entries[code] = HARD;
            } else if into < SIZE as u32 {
                let latin = char::from_u32(into).is_some_and(|one| LATIN_ONLY.contains(one));
                let alike = self.beside_latin.contains_key(&into);
                self.entries[code] |= if latin { LATIN } else { 0 } | if alike { LOOKALIKE } else { 0 };
            }
        }
        self.beside_latin.extend(capitals);
    }

    /// The kind of a character.
    #[inline]
    pub fn kind(&self, code: u32) -> u8 {
        self.kinds[code as usize]
    }

    /// Whether Unicode 14 does not know the character.
    pub fn is_unknown(&self, code: u32) -> bool {
        self.traits[code as usize] & UNKNOWN != 0
    }

    /// Whether normalisation may compose the character with what precedes it, or move it.
    pub fn is_joining(&self, code: u32) -> bool {
        self.traits[code as usize] & JOINING != 0
    }

    /// Whether it is a combining mark that is dropped everywhere.
    pub fn is_mark(&self, code: u32) -> bool {
        self.traits[code as usize] & MARK != 0
    }

    /// Whether it is a capital letter.
    pub fn is_capital(&self, code: u32) -> bool {
        self.traits[code as usize] & CAPITAL != 0
    }

    /// What a look-alike becomes beside Latin letters.
    pub fn beside_latin(&self, code: u32) -> Option<u32> {
        self.beside_latin.get(&code).copied()
    }

    /// Appends what a character becomes.
    pub fn push(&self, code: u32, out: &mut Vec<u32>) {
        let entry = self.entries[code as usize];
        if entry & (HARD | REMOVED) == 0 {
            out.push(entry & INTO);
            return;
        }
        match self.becomes.get(&code) {
            Some(into) => out.extend_from_slice(into),
            None => out.push(code),
        }
    }

    /// Appends what a character becomes when capitals stay.
    pub fn push_cased(&self, code: u32, out: &mut Vec<u32>) {
        match self.cased.get(&code) {
            Some(into) => out.extend_from_slice(into),
            None => out.push(code),
        }
    }
}

/// Whether a letter is Latin and nothing else; capitals too when `any_case`.
pub fn is_latin_only(code: u32, any_case: bool) -> bool {
    let small = if any_case && (65..91).contains(&code) { code + 32 } else { code };
    char::from_u32(small).is_some_and(|one| LATIN_ONLY.contains(one))
}
