//! The mode with which code of some language opens a file.

/// Returns whether a text in the code is a mode that writes, `"w"` or `'ab+'` after a comma or `=`, or
/// begins with the `>` of Perl and Ruby.
pub(super) fn opens_to_write(code: &str) -> bool {
    let mut pieces = code.split(['"', '\'']);
    let Some(mut before) = pieces.next() else { return false };
    for piece in pieces {
        let is_argument = before.trim_end().ends_with([',', '=']);
        let is_mode = piece.len() <= 4 && piece.chars().all(|c| "rwaxbt+".contains(c));
        if piece.starts_with('>') || is_argument && is_mode && piece.contains(['w', 'a', 'x', '+'])
        {
            return true;
        }
        before = piece;
    }
    false
}
