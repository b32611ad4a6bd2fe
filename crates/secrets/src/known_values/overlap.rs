//! The piece of a value that is left at the cut of a text.

/// The fewest characters of a value that are hidden at a cut.
const MIN_PIECE: usize = 4;

/// Returns how many bytes at the end of `before` are the beginning of `after`, or `None` if they are
/// fewer than four. It is the prefix function of Knuth, Morris and Pratt: linear in both.
pub(super) fn overlap(before: &[u8], after: &[u8]) -> Option<usize> {
    let most = before.len().min(after.len());
    // The prefix function of `after`, run over the end of `before`: linear in both.
    let after = after.get(..most)?;
    let before = before.get(before.len() - most..)?;
    let mut fallback = vec![0; most];
    let mut length = 0;
    for at in 1..most {
        length = extend(after, &fallback, length, after.get(at).copied());
        if let Some(slot) = fallback.get_mut(at) {
            *slot = length;
        }
    }
    length = 0;
    for byte in before {
        if length == most {
            length = fallback.get(most - 1).copied().unwrap_or_default();
        }
        length = extend(after, &fallback, length, Some(*byte));
    }
    (length >= MIN_PIECE).then_some(length)
}

fn extend(pattern: &[u8], fallback: &[usize], mut length: usize, byte: Option<u8>) -> usize {
    while length > 0 && pattern.get(length).copied() != byte {
        length = fallback.get(length - 1).copied().unwrap_or_default();
    }
    if pattern.get(length).copied() == byte { length + 1 } else { length }
}
