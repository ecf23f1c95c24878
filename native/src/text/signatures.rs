//! Stored signatures read back: see the reference's `from_bytes`, which also says what is wrong with one.

const MARK: usize = 8; // magic, format and normaliser
const HEADER: usize = 26;
const BODY: usize = HEADER + 6 * 8;

/// The columns of sketches.
#[derive(Default)]
pub struct Columns {
    /// All hashes.
    pub hashes: Vec<u64>,
    /// One more than there are signatures.
    pub offsets: Vec<i64>,
    /// Distinct shingles of each.
    pub sizes: Vec<i64>,
    /// Up to which the hashes are complete.
    pub limits: Vec<u64>,
    /// Two a signature.
    pub digests: Vec<u64>,
    /// Characters of each form.
    pub characters: Vec<i64>,
}

/// Signatures of one spec as columns; `None` where one is damaged or made otherwise than the first.
///
/// `mark` is how every signature of this version begins.
pub fn read(signatures: &[&[u8]], mark: &[u8]) -> Option<Columns> {
    let header = signatures.first()?.get(..HEADER).filter(|header| header.get(..MARK) == Some(mark))?;
    let mut found = Columns { offsets: vec![0], ..Columns::default() };
    for raw in signatures {
        if raw.get(..HEADER) != Some(header) {
            return None;
        }
        let body = numbers(raw.get(HEADER..BODY)?);
        let [characters, size, limit, high, low, stored] = body[..].try_into().ok()?;
        let start = found.hashes.len();
        found.hashes.extend(numbers(&raw[BODY..]));
        let own = &found.hashes[start..];
        let whole = (raw.len() - BODY).is_multiple_of(8) && own.len() as u64 == stored && size >= stored;
        let ascending =
            own.windows(2).all(|two| two[0] < two[1]) && own.last().is_none_or(|&last| last <= limit);
        if !whole || !ascending {
            return None;
        }
        found.offsets.push(found.hashes.len() as i64);
        found.sizes.push(i64::try_from(size).ok()?);
        found.limits.push(limit);
        found.digests.extend([high, low]);
        found.characters.push(i64::try_from(characters).ok()?);
    }
    Some(found)
}

/// Little-endian numbers; a rest of less than eight bytes is left out.
fn numbers(raw: &[u8]) -> Vec<u64> {
    let (eights, _) = raw.as_chunks::<8>();
    eights.iter().map(|eight| u64::from_le_bytes(*eight)).collect()
}
