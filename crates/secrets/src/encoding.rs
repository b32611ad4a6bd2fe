//! The forms in which a value can be written in a text.
//!
//! A value inside of a longer base64 text looks different at each of three offsets, since three bytes
//! make four characters, and its first and last character depend on its neighbours. So a value has
//! three forms in base64, each without those characters.

use data_encoding::{BASE64_NOPAD, HEXLOWER};

/// Returns the value as JSON writes it between quotes.
pub(crate) fn json(value: &str) -> String {
    let mut out = String::with_capacity(value.len() + 8);
    for c in value.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

/// Returns the value as a URL has it, with the digits of its escapes in upper or lower case.
pub(crate) fn percent(value: &str, upper: bool, space: &str) -> String {
    let mut out = String::with_capacity(value.len() + 8);
    for byte in value.bytes() {
        match byte {
            b' ' => out.push_str(space),
            _ if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => out.push(byte.into()),
            _ if upper => out.push_str(&format!("%{byte:02X}")),
            _ => out.push_str(&format!("%{byte:02x}")),
        }
    }
    out
}

/// Returns the value in hexadecimal digits.
pub(crate) fn hex(value: &str) -> String {
    HEXLOWER.encode(value.as_bytes())
}

/// Returns what base64 shows of the value if `before` bytes (0 to 2, modulo 3) precede it, without
/// the characters that depend on its neighbours.
pub(crate) fn base64_inside(value: &str, before: usize) -> String {
    let mut bytes = vec![0; before];
    bytes.extend_from_slice(value.as_bytes());
    // Whole characters of 6 bits only.
    let (start, end) = ((before * 8).div_ceil(6), bytes.len() * 8 / 6);
    BASE64_NOPAD.encode(&bytes).get(start..end).unwrap_or_default().to_owned()
}

/// Returns base64 in the alphabet of URLs and file names.
pub(crate) fn url_safe(base64: &str) -> String {
    base64.replace('+', "-").replace('/', "_")
}

/// Returns whether base64, of either alphabet, holds `user:password` in printable characters.
///
/// It is more lenient than a decoder (a cut last character is not an error), stops at the first byte that
/// cannot be text, and does not allocate, so it can run on every word after `Basic`.
pub(crate) fn is_user_and_password(text: &str) -> bool {
    let (mut bits, mut count, mut colon) = (0_u32, 0_u32, false);
    for byte in text.trim_end_matches('=').bytes() {
        let Some(six_bits) = decode_character(byte) else { return false };
        bits = (bits << 6 | six_bits) & 0x3fff;
        count += 6;
        if count >= 8 {
            count -= 8;
            let decoded = bits >> count & 0xff;
            if decoded < 0x20 || decoded == 0x7f {
                return false;
            }
            colon |= decoded == u32::from(b':');
        }
    }
    colon
}

fn decode_character(byte: u8) -> Option<u32> {
    Some(match byte {
        b'A'..=b'Z' => u32::from(byte - b'A'),
        b'a'..=b'z' => u32::from(byte - b'a') + 26,
        b'0'..=b'9' => u32::from(byte - b'0') + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_known_at_every_offset() {
        // `user:` before the value, and `!` after it.
        assert_eq!(base64_inside("pass", 0), "cGFzc");
        assert!("dXNlcjpwYXNzIQ==".contains(&base64_inside("pass", 5 % 3)));
        assert!("YTpwYXNzIQ==".contains(&base64_inside("pass", 2)));
    }

    #[test]
    fn user_and_password_are_told_from_words() {
        assert!(is_user_and_password("dXNlcjpwYXNz") && is_user_and_password("YTpi"));
        for word in ["knowledge", "Authentication", "information", "dXNlcg=="] {
            assert!(!is_user_and_password(word), "{word}");
        }
    }
}
