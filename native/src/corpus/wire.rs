//! Which texts have one of some words at their ends. See `reparto.corpus.wire`.

use regex::Regex;

/// Whether `pattern` is found in the first or the last `edge` characters of each text.
pub fn mentions(texts: &[&str], pattern: &Regex, edge: usize) -> Vec<bool> {
    texts.iter().map(|text| found(text, pattern, edge)).collect()
}

/// Whether a pattern is found in the first or the last `edge` characters of a text.
pub fn found(text: &str, pattern: &Regex, edge: usize) -> bool {
    let head = text.char_indices().nth(edge).map_or(text.len(), |(at, _)| at);
    if head == text.len() {
        return pattern.is_match(text);
    }
    let tail = text.char_indices().rev().nth(edge - 1).map_or(0, |(at, _)| at);
    if tail <= head {
        pattern.is_match(text)
    } else {
        pattern.is_match(&text[..head]) || pattern.is_match(&text[tail..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_read_and_the_middle_is_not() {
        let pattern = Regex::new("AP|(?i:reuters)").expect("a pattern");
        let middle = format!("{}REUTERS{}", "ä".repeat(9), "ö".repeat(9));
        let texts = ["AP", "(ReuTers) it rains", "ap", &middle, "", "äöüäöüAP", "APäöüäöüäöüäöü"];
        assert_eq!(mentions(&texts, &pattern, 8), [true, true, false, false, false, true, true]);
        assert_eq!(mentions(&[&middle], &pattern, 16), [true]);
    }
}
