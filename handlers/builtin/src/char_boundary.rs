//! Places in a text at which it may be cut.

/// Returns the last place up to this one that is not inside of a character.
pub(crate) fn at_or_before(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// Returns the first place from this one on that is not inside of a character.
pub(crate) fn at_or_behind(text: &str, at: usize) -> usize {
    (at..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_character_is_cut() {
        let text = "aé";
        assert_eq!([0, 1, 2, 3, 9].map(|at| at_or_before(text, at)), [0, 1, 1, 3, 3]);
        assert_eq!([0, 1, 2, 3, 9].map(|at| at_or_behind(text, at)), [0, 1, 3, 3, 3]);
    }
}
