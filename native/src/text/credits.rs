//! What an outlet puts around a story: datelines, bylines, time stamps, agency credits. See the reference's `credits`.

use super::lexicon::LEXICON;
use super::wording::pattern;
use regex::Regex;
use std::sync::LazyLock;

// Python's ASCII classes, spelled out: `\W`, `\b` and `\s` of the `regex` crate know all of Unicode.
const OTHER: &str = "[^A-Za-z0-9_]";
const END: &str = r"(?-u:\b)";

static NOTE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?i)^{OTHER}{{0,4}}(?:(?:additional |with )?(?:reporting|editing|writing) by{END}|con informacion de{END}|copyright{END}|\(c\) ?[0-9]|all rights reserved|todos los derechos|sources?:|fuentes?:|via:|photos?:|fotos?:|image:|imagen:|(?:the )?associated press{OTHER}{{0,4}}$|agencia [a-z]+{OTHER}{{0,4}}$|read more{END}|lea tambien|leer mas|follow us|siganos|click here|haga clic|[0-9]{{1,2}} min(?:ute)?s?(?: read| de lectura){END}|lectura de [0-9]{{1,2}} min)"
    ))
});
static BYLINE: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!(r"^{OTHER}{{0,4}}(?:By|BY|Por|POR) +[A-Z][^\n]{{2,80}}$")));
static LINK: LazyLock<Regex> =
    LazyLock::new(|| pattern("(https?://[^ \t\n\r\u{b}\u{c}?]*)\\?[^ \t\n\r\u{b}\u{c})\\]>\"']*"));
static WORDS: LazyLock<Regex> = LazyLock::new(|| pattern("[A-Za-z0-9_]+"));

struct Leads {
    credited: Regex,
    dashed: Regex,
    stamp: Regex,
}

static LEADS: LazyLock<Leads> = LazyLock::new(|| {
    let sorted = |mut words: Vec<&str>| {
        words.sort_unstable();
        words.join("|")
    };
    let agencies =
        sorted(LEXICON.idle.iter().filter(|(_, kind)| **kind == "agency").map(|(word, _)| *word).collect());
    let dated = |pairs: &[(&str, &str)]| matches!(pairs[0].0, "month" | "day");
    let dates =
        sorted(LEXICON.classes.iter().filter(|(_, pairs)| dated(pairs)).map(|(word, _)| *word).collect());
    Leads {
        credited: pattern(&format!(
            r"(?i)^{OTHER}{{0,4}}(?:(?:By|Por) [^\n]{{3,60}}? )?(?:[A-Z][A-Za-z.' /-]{{1,40}}?(?:, *[^\n()-]{{1,30}}?){{0,3}} *)?\((?:[A-Za-z]+[ /-])?(?:{agencies})(?:[ /-][A-Za-z]+)?\) *[.:]? *(?:-{{1,2}}|:)? *"
        )),
        dashed: pattern(&format!(
            r"^{OTHER}{{0,4}}([A-Z][A-Z.' ]{{2,30}})(?:, *[^\n()-]{{1,30}}){{0,3}} +-{{1,2}} +"
        )),
        stamp: pattern(&format!(
            r"(?i)^{OTHER}{{0,4}}(?:last |first |ultima )?(?:updated|published|posted|modified|revised|update|actualizad[oa]|actualizacion|publicad[oa]|modificad[oa]){OTHER}{{0,3}}(?:(?:on|at|el|a las?|de){OTHER}{{1,3}})?(?:(?:{dates}|[0-9][0-9:./-]*|am|pm|gmt|utc|e[ds]t|ces?t|h|hs|de|del|at|a las|on|el){END}[ ,.|:]*)+-{{0,2}} *"
        )),
    }
});

/// A sentence without the dateline or time stamp before it; empty when it is a byline or credit and nothing else.
pub fn without_credits(sentence: &str) -> String {
    if NOTE.is_match(sentence) || is_byline(sentence) || is_agency(sentence) {
        return String::new();
    }
    let sentence = if sentence.contains("://") { LINK.replace_all(sentence, "$1") } else { sentence.into() };
    let sentence = sentence.into_owned();
    let leads = &*LEADS;
    if let Some(found) = leads.stamp.find(&sentence) {
        let dated = found.as_str().bytes().any(|byte| byte.is_ascii_digit());
        return if dated { sentence[found.end()..].into() } else { sentence };
    }
    let brackets = sentence.contains('('); // asked first: the patterns go far before they miss it
    if let Some(found) = brackets.then(|| leads.credited.find(&sentence)).flatten() {
        return sentence[found.end()..].into();
    }
    let dashes = sentence.contains(" -");
    if let Some(found) = dashes.then(|| leads.dashed.captures(&sentence)).flatten() {
        let rest = &sentence[found[0].len()..];
        if is_place(&found[1]) && !shouts(rest) {
            return rest.into();
        }
    }
    sentence
}

fn is_place(capitals: &str) -> bool {
    let tells = |word: &str| LEXICON.classes.contains_key(word) || LEXICON.negations.contains(word);
    capitals.len() > 3 && !capitals.to_ascii_lowercase().split(' ').any(tells)
}

fn shouts(rest: &str) -> bool {
    let first = || rest.chars().take(4);
    first().any(|one| one.is_ascii_uppercase()) && !first().any(|one| one.is_ascii_lowercase())
}

fn is_byline(sentence: &str) -> bool {
    if !BYLINE.is_match(sentence) {
        return false;
    }
    let words: Vec<&str> = WORDS.find_iter(sentence).map(|found| found.as_str()).collect();
    if !(2..=12).contains(&words.len())
        || LEXICON.classes.contains_key(words[1].to_ascii_lowercase().as_str())
    {
        return false;
    }
    words.iter().all(|word| {
        !word.as_bytes()[0].is_ascii_lowercase()
            || LEXICON.idle.contains_key(word)
            || matches!(*word, "staff" | "writer" | "redaccion")
    })
}

fn is_agency(sentence: &str) -> bool {
    if !sentence.is_ascii() {
        return false;
    }
    let joins = |one: char| one.is_ascii_alphanumeric() || one == '_';
    let mut words = sentence.split(|one| !joins(one)).filter(|word| !word.is_empty());
    let mut some = words.by_ref().take(4).peekable();
    some.peek().is_some()
        && some.all(|word| LEXICON.idle.get(word.to_ascii_lowercase().as_str()) == Some(&"agency"))
        && words.next().is_none()
}
