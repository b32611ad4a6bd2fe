//! A text as JSON: in quotes, escaped as little as JSON allows, as serde_json does.
//!
//! Most of a step is text, and most of a text needs no escape. serde_json looks at each byte by itself and copies what
//! lies between two escapes; here up to sixteen bytes are looked at together. Beside it (4 KB, on one machine): a
//! fifth of the time for a text without escapes, a third with one in each line of prose, four fifths with three in each
//! line of a program. Texts of a few letters take as long.

/// Appends a text in quotes.
#[inline]
pub(super) fn write_text(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    out.reserve(bytes.len() + 2);
    out.push(b'"');
    match bytes.len() {
        0 => {}
        1 => write_escaped(out, bytes),
        2..4 => write_short::<2>(out, bytes),
        4..8 => write_short::<4>(out, bytes),
        8..=16 => write_short::<8>(out, bytes),
        _ => write_long(out, bytes),
    }
    out.push(b'"');
}

/// Appends a text of N to 2 N bytes. Most are so short. Its ends, which overlap, are compared and copied: so there is no
/// loop over the bytes, and no call of a function that copies.
#[inline]
fn write_short<const N: usize>(out: &mut Vec<u8>, bytes: &[u8]) {
    let word = |end: &[u8; N]| {
        let mut word = [b' '; 8];
        word.iter_mut().zip(end).for_each(|(to, byte)| *to = *byte);
        word
    };
    match (bytes.first_chunk(), bytes.last_chunk()) {
        (Some(first), Some(last))
            if escaped_in_word(word(first)) | escaped_in_word(word(last)) == 0 =>
        {
            out.extend_from_slice(first);
            out.truncate(out.len() + bytes.len() - 2 * N);
            out.extend_from_slice(last);
        }
        _ => write_escaped(out, bytes),
    }
}

fn write_long(out: &mut Vec<u8>, bytes: &[u8]) {
    // The last block overlaps the one before it: so there are no bytes left that are looked at one by one.
    let last = bytes.last_chunk().is_some_and(holds_escaped);
    if last || bytes.as_chunks().0.iter().any(holds_escaped) {
        write_escaped(out, bytes);
    } else {
        out.extend_from_slice(bytes);
    }
}

/// Returns whether one of sixteen bytes must be escaped. There is no branch for each byte, so that the compiler
/// compares all of them at once.
#[inline]
fn holds_escaped(bytes: &[u8; 16]) -> bool {
    bytes.iter().fold(false, |any, byte| any | is_escaped(*byte))
}

/// Compares eight bytes at once. The lowest bit that is set belongs to the first byte that must be escaped: it is the
/// highest bit of that byte. Bits above it say nothing.
#[inline]
const fn escaped_in_word(bytes: [u8; 8]) -> u64 {
    const EACH: u64 = u64::from_le_bytes([1; 8]);
    // A byte below the bound borrows from its highest bit, unless it had that bit itself. It may borrow from the bytes
    // after it as well.
    const fn below(word: u64, bound: u8) -> u64 {
        word.wrapping_sub(EACH * bound as u64) & !word
    }
    let word = u64::from_le_bytes(bytes);
    let (quote, backslash) = (word ^ (EACH * b'"' as u64), word ^ (EACH * b'\\' as u64));
    (below(word, b' ') | below(quote, 1) | below(backslash, 1)) & (EACH << 7)
}

#[inline]
const fn is_escaped(byte: u8) -> bool {
    byte < b' ' || byte == b'"' || byte == b'\\'
}

/// Appends a text in which something must be escaped. A word is copied before it is known whether all of it is wanted,
/// which takes less than to find out first.
fn write_escaped(out: &mut Vec<u8>, mut rest: &[u8]) {
    loop {
        while let Some((block, after)) = rest.split_first_chunk()
            && !holds_escaped(block)
        {
            out.extend_from_slice(block);
            rest = after;
        }
        let Some((word, after)) = rest.split_first_chunk() else { break };
        out.extend_from_slice(word);
        let escaped = escaped_in_word(*word);
        if escaped == 0 {
            rest = after;
            continue;
        }
        let plain = escaped.trailing_zeros() as usize / 8;
        out.truncate(out.len() + plain - word.len());
        let Some([byte, after @ ..]) = rest.get(plain..) else { break };
        write_escape(out, *byte);
        rest = after;
    }
    for byte in rest {
        if is_escaped(*byte) {
            write_escape(out, *byte);
        } else {
            out.push(*byte);
        }
    }
}

#[inline]
fn write_escape(out: &mut Vec<u8>, byte: u8) {
    const HEX: [u8; 16] = *b"0123456789abcdef";
    let short = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x08 => b'b',
        0x0c => b'f',
        _ => {
            let digit = |half: u8| HEX.get(usize::from(half)).copied().unwrap_or_default();
            out.extend_from_slice(&[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte & 15)]);
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

#[cfg(test)]
mod tests {
    use super::write_text;

    #[track_caller]
    fn check(text: &str) {
        let mut written = b"before".to_vec();
        write_text(&mut written, text);
        let expected = format!("before{}", serde_json::to_string(text).unwrap());
        assert_eq!(String::from_utf8(written).unwrap(), expected);
    }

    #[test]
    fn each_byte_is_escaped_at_each_place_of_a_text_of_any_length() {
        for byte in (0..=0x7f).map(char::from) {
            for length in 0..40 {
                for before in 0..=length {
                    check(&format!("{}{byte}{}", "x".repeat(before), "y".repeat(length - before)));
                }
            }
        }
    }

    #[test]
    fn escapes_beside_each_other_are_all_written() {
        for length in 0..40 {
            check(&"\"".repeat(length));
            check(&"\u{0}\n\u{1f} ".repeat(length));
            check(&"\u{e9}\\\u{1f600}\u{80}\u{7f}".repeat(length));
        }
    }
}
