//! Numbers that a value of `serde_json` cannot hold, carried as marked texts to the line of JSON in which
//! they are digits again. So a program that reads the line meets the very text of the vector.

/// What a marked number begins with.
const MARK: &str = "\u{1}number:";

/// The fewest digits that no integer of 64 bits has.
const DIGITS: usize = 20;

/// Replaces the whole numbers in a JSON text that are too long by marked texts. Numbers within texts stay.
pub(crate) fn marked(json: &str) -> String {
    let (mut out, mut digits, mut in_text, mut escaped) =
        (String::new(), String::new(), false, false);
    for c in json.chars() {
        if !in_text && c.is_ascii_digit() {
            digits.push(c);
            continue;
        }
        if digits.len() >= DIGITS && matches!(c, ',' | '}' | ']' | ' ' | '\n') {
            // As it is written in a JSON text.
            out += &serde_json::Value::from(format!("{MARK}{digits}")).to_string();
        } else {
            out += &digits;
        }
        digits.clear();
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = in_text,
            '"' => in_text = !in_text,
            _ => {}
        }
        out.push(c);
    }
    out + &digits
}

/// Replaces the marked texts by the numbers.
pub(crate) fn restored(json: &str) -> String {
    let mark = serde_json::Value::from(MARK).to_string();
    let mark = mark.strip_suffix('"').unwrap();
    let mut parts = json.split(mark);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (digits, rest) = part.split_once('"').unwrap();
        out += digits;
        out += rest;
    }
    out
}
