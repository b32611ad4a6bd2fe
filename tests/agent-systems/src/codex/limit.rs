//! The length that a text for the model may have.

/// How many tokens of a text the model reads at most, unless the hook says otherwise.
pub(super) const DEFAULT_TOKENS: u64 = 2_500;

/// Codex does not count tokens, it takes four bytes for one.
const BYTES_PER_TOKEN: u64 = 4;

/// Returns the beginning and the end of a text that is too long, with a note between them. `None` if it
/// is short enough. Zero tokens mean that there is no limit.
pub(super) fn preview(text: &str, tokens: u64) -> Option<String> {
    let length = u64::try_from(text.len()).unwrap_or(u64::MAX);
    if tokens == 0 || length.div_ceil(BYTES_PER_TOKEN) <= tokens {
        return None;
    }
    let half = usize::try_from(tokens.saturating_mul(BYTES_PER_TOKEN) / 2).unwrap_or(usize::MAX);
    let is_boundary = |index: &usize| text.is_char_boundary(*index);
    let head = (0..=half).rev().find(is_boundary).and_then(|end| text.get(..end));
    let tail =
        (text.len().saturating_sub(half)..).find(is_boundary).and_then(|start| text.get(start..));
    let (head, tail) = (head.unwrap_or_default(), tail.unwrap_or_default());
    let left_out = text.len().saturating_sub(head.len() + tail.len());
    Some(format!("{head}\n[… {left_out} bytes left out …]\n{tail}"))
}

#[cfg(test)]
mod tests {
    use super::preview;

    #[test]
    fn only_a_long_text_is_shortened() {
        assert_eq!(preview(&"a".repeat(400), 100), None);
        assert_eq!(preview(&"a".repeat(100_000), 0), None, "zero is no limit");
        let text = format!("{}{}", "a".repeat(300), "z".repeat(300));
        let short = preview(&text, 100).unwrap();
        assert!(short.starts_with("aaa") && short.ends_with("zzz"), "{short}");
        assert!(short.contains("200 bytes left out"), "{short}");
    }

    #[test]
    fn a_letter_is_never_cut() {
        let text = "ä".repeat(5_000);
        let short = preview(&text, 101).unwrap();
        assert_eq!(short.matches('ä').count() * 2, 404, "{}", short.len());
    }
}
