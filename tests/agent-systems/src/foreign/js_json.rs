//! JSON as JavaScript reads it. Half of a pair of surrogates (`"\udcff"`) is a character there, and an
//! error in Rust. Python writes such halves for the bytes of file names that are no UTF-8.

use serde::de::DeserializeOwned;

/// Reads JSON. Halves of pairs become replacement characters.
///
/// # Errors
/// If the text is no JSON for JavaScript either, or no `T`.
pub(crate) fn parse_js<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    let read = serde_json::from_str(text);
    if read.is_ok() || !text.contains(r"\u") {
        return read;
    }
    serde_json::from_str(&mended(text)).or(read)
}

fn mended(text: &str) -> String {
    let mut mended = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        mended.push_str(before);
        rest = after;
        let Some(code) = code(rest) else {
            // Another escape: its sign must not begin one.
            let end = rest.chars().next().map_or(0, char::len_utf8);
            let (sign, behind) = rest.split_at(end);
            mended.push('\\');
            mended.push_str(sign);
            rest = behind;
            continue;
        };
        let next = rest.get(5..).and_then(|rest| rest.strip_prefix('\\')).and_then(self::code);
        let is_pair = is_first(code) && next.is_some_and(is_second);
        let length = if is_pair { 11 } else { 5 };
        let (escape, behind) = rest.split_at_checked(length).unwrap_or((rest, ""));
        let is_half = !is_pair && (is_first(code) || is_second(code));
        mended.push('\\');
        mended.push_str(if is_half { "ufffd" } else { escape });
        rest = behind;
    }
    mended.push_str(rest);
    mended
}

/// Returns the number behind `u`.
fn code(escape: &str) -> Option<u16> {
    let digits = escape.strip_prefix('u')?.get(..4)?;
    let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    u16::from_str_radix(digits, 16).ok().filter(|_| is_hex)
}

const fn is_first(code: u16) -> bool {
    matches!(code, 0xd800..=0xdbff)
}

const fn is_second(code: u16) -> bool {
    matches!(code, 0xdc00..=0xdfff)
}

#[cfg(test)]
mod tests {
    use super::parse_js;

    #[test]
    fn half_of_a_pair_is_a_character_and_the_rest_is_as_it_was() {
        let cases = [
            (r#""\udcff""#, "\u{fffd}"),
            (r#""a\ud83db""#, "a\u{fffd}b"),
            (r#""\ud83d\ud83d\ude00""#, "\u{fffd}\u{1f600}"),
            (r#""\ud83d\\ude00 \u00e4""#, "\u{fffd}\\ude00 ä"),
            (r#""\\udcff""#, r"\udcff"),
        ];
        for (text, expected) in cases {
            assert_eq!(parse_js::<String>(text).unwrap(), expected, "{text}");
        }
        for text in [r#""\udcf""#, r#"{"a": "\udcff""#, r#""\uZZZZ""#, "\"\\ud83d\\", "\\"] {
            assert!(parse_js::<serde_json::Value>(text).is_err(), "{text}");
        }
    }
}
