//! Names where the script has neither spaces nor capitals to tell them by: see the reference's `unspaced`.

use super::alignment::Change;
use super::lexicon::LEXICON;
use super::wording::Token;

fn is_han(one: char) -> bool {
    matches!(one, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}')
}

fn is_katakana(one: char) -> bool {
    matches!(one, '\u{30a1}'..='\u{30fa}' | '\u{30fc}')
}

/// One Han character in place of another; more where they look like names; katakana, which write names.
pub(super) fn unspaced(
    old: &[Token],
    new: &[Token],
    change: Change,
    a: &[Token],
    b: &[Token],
) -> Option<&'static str> {
    let joined = |some: &[Token]| some.iter().map(|one| one.key.as_str()).collect::<String>();
    let (mine, yours) = (joined(old), joined(new));
    let letters = || mine.chars().chain(yours.chars());
    if mine.is_empty() || yours.is_empty() || !letters().all(|one| is_han(one) || is_katakana(one)) {
        return None;
    }
    if old.iter().chain(new).any(|one| LEXICON.idle.contains_key(one.key.as_str())) {
        return None;
    }
    let lengths = (mine.chars().count(), yours.chars().count());
    if letters().any(is_katakana) || lengths == (1, 1) {
        return Some("name");
    }
    let is = |word: &str, kind: &str| LEXICON.pairs(word).iter().any(|(name, _)| *name == kind);
    let first = |side: &str| side.chars().next().map(String::from).unwrap_or_default();
    let titled = |some: &[Token], end: usize| some.get(end).is_some_and(|one| is(&one.key, "suffix"));
    let named = (titled(a, change.end_a) && titled(b, change.end_b))
        || (is(&mine, "place") && is(&yours, "place"))
        || (lengths.0 == lengths.1 && is(&first(&mine), "surname") && is(&first(&yours), "surname"));
    named.then_some("name")
}
