//! Bytes as lower-case hexadecimal text, for hashes and signatures.
//!
//! A crate for this would be one more package that every embedder compiles; the engine has three callers.

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Writes bytes as text. By a table: the formatter takes many times as long, and a hash is in each record.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let text = bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect();
    // It is ASCII.
    String::from_utf8(text).unwrap_or_default()
}

/// Returns the digit of a value below 16.
pub(crate) fn digit(value: u8) -> u8 {
    DIGITS.get(usize::from(value)).map_or(b'?', |&digit| digit)
}

/// Reads 32 bytes. Upper case is refused: one hash has one text.
pub(crate) fn decode(text: &str) -> Option<[u8; 32]> {
    let digit = |byte: &u8| DIGITS.iter().position(|digit| digit == byte);
    let (pairs, []) = text.as_bytes().as_chunks::<2>() else { return None };
    let mut bytes = [0; 32];
    if pairs.len() != bytes.len() {
        return None;
    }
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        *byte = u8::try_from(digit(high)? << 4 | digit(low)?).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_nothing_else() {
        let bytes = std::array::from_fn(|index| (index * 8) as u8);
        let text = encode(&bytes);
        assert_eq!(decode(&text), Some(bytes));
        let cut = |from: usize| text.get(from..).unwrap_or_default().to_owned();
        for bad in [cut(1), cut(2), text.to_uppercase(), format!("{text}00"), "é".into()] {
            assert_eq!(decode(&bad), None, "{bad}");
        }
    }
}
