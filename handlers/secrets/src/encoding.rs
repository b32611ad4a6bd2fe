//! The forms in which a value can stand in a text.

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The value as JSON writes it inside quotes.
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

/// The value as it stands in a URL, with the digits of its escapes in upper or lower case.
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

/// The value in hexadecimal digits.
pub(crate) fn hex(value: &str) -> String {
    value.bytes().map(|byte| format!("{byte:02x}")).collect()
}

/// What base64 shows of the value where so many bytes (0 to 2, modulo 3) stand before it: without
/// the characters into which its neighbours play.
pub(crate) fn base64_inside(value: &str, before: usize) -> String {
    let mut out = String::with_capacity(value.len() * 4 / 3 + 4);
    let (mut bits, mut count) = (0_u32, 0_u32);
    for byte in std::iter::repeat_n(0, before).chain(value.bytes()) {
        bits = (bits << 8 | u32::from(byte)) & 0xffff;
        count += 8;
        while count >= 6 {
            count -= 6;
            let index = usize::try_from(bits >> count & 63).unwrap_or_default();
            out.push(STANDARD.get(index).copied().unwrap_or_default().into());
        }
    }
    let skip = (before * 8).div_ceil(6);
    out.split_off(skip.min(out.len()))
}

/// Base64 as it stands in URLs and file names.
pub(crate) fn url_safe(base64: &str) -> String {
    base64.replace('+', "-").replace('/', "_")
}

/// Whether base64 holds `user:password`.
pub(crate) fn is_user_and_password(text: &str) -> bool {
    let (mut bits, mut count, mut colon) = (0_u32, 0_u32, false);
    for byte in text.trim_end_matches('=').bytes() {
        let byte = match byte {
            b'-' => b'+',
            b'_' => b'/',
            other => other,
        };
        let Some(index) = STANDARD.iter().position(|known| *known == byte) else { return false };
        bits = (bits << 6 | u32::try_from(index).unwrap_or_default()) & 0x3fff;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_known_at_every_offset() {
        // `user:` before the value, and `!` behind it.
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
