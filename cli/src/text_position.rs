//! Where something is in a text.

/// Returns line and column of a byte of a text, both from 1; the column counts characters.
pub(crate) fn position(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}
