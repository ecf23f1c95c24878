//! Spellings of a number, brought to one: see the reference's `wording`.

/// One spelling of a number: no thousands separators, a decimal point, no leading zeros.
pub fn plain_number(number: &str) -> String {
    let signs: Vec<char> = number.chars().filter(|one| !one.is_ascii_digit()).collect();
    if signs.iter().any(|sign| "/:-".contains(*sign)) {
        let ends: Vec<&str> = number.split('-').collect();
        if ends.len() == 2 && !signs.iter().any(|sign| "/:'".contains(*sign)) {
            let one = |end: &&str| if is_whole(end) { (*end).to_owned() } else { plain_number(end) };
            return ends.iter().map(one).collect::<Vec<_>>().join("-");
        }
        return number.into();
    }
    let mut groups: Vec<&str> = number.split(|one: char| !one.is_ascii_digit()).collect();
    let one_sign = signs.iter().all(|sign| *sign == signs[0]);
    let thousands =
        groups[1..].iter().all(|group| group.len() == 3) && groups[0].len() <= 3 && groups[0] != "0";
    let mut decimals = String::new();
    let grouped = one_sign && thousands;
    if !signs.is_empty() && !grouped {
        let last = signs.len() - 1;
        let mixed = signs[..last].iter().any(|sign| *sign != signs[0]);
        if last > 0 && (mixed || signs[last] == signs[0]) {
            return number.into(); // 1.2.3, a version
        }
        if !groups[1..groups.len() - 1].iter().all(|group| group.len() == 3) {
            return number.into();
        }
        decimals = format!(".{}", groups.pop().unwrap_or_default());
    }
    let whole = groups.concat();
    let whole = whole.trim_start_matches('0');
    format!("{}{decimals}", if whole.is_empty() { "0" } else { whole })
}

/// Digits and nothing else.
pub fn is_whole(number: &str) -> bool {
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// Digits and points.
pub fn is_plain(number: &str) -> bool {
    is_whole(&number.replace('.', ""))
}

/// A number times ten to the power of `zeros`.
pub fn shifted(value: &str, zeros: usize) -> String {
    let (sign, digits) = value.strip_prefix('-').map_or(("", value), |digits| ("-", digits));
    let (whole, rest) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{rest}");
    if !is_whole(&all) {
        let ends: Vec<&str> = value.split('-').collect();
        if ends.len() == 2 && ends.iter().all(|end| is_plain(end)) {
            return ends.iter().map(|end| shifted(end, zeros)).collect::<Vec<_>>().join("-");
        }
        return format!("{value}e{zeros}");
    }
    let padded = format!("{all}{}", "0".repeat(zeros.saturating_sub(rest.len())));
    let moved = padded[..whole.len() + zeros].trim_start_matches('0');
    let left = rest.get(zeros..).unwrap_or("").trim_end_matches('0');
    let moved = if moved.is_empty() { "0" } else { moved };
    if left.is_empty() { format!("{sign}{moved}") } else { format!("{sign}{moved}.{left}") }
}
