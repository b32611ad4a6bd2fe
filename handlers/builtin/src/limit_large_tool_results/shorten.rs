//! Cuts the middle out of texts.

use serde_json::Value;

use crate::char_boundary::{at_or_before, at_or_behind};

/// How far a cut may move to fall between two lines.
const NEAR: usize = 200;

/// Tells whether the texts of a value, and all else in it, are not too long.
pub(super) fn is_short(value: &Value, max_bytes: usize) -> bool {
    let mut left = max_bytes;
    fits(value, &mut left)
}

fn fits(value: &Value, left: &mut usize) -> bool {
    let mut take = |bytes: usize| {
        let enough = *left >= bytes;
        *left = left.saturating_sub(bytes);
        enough
    };
    match value {
        Value::String(text) => take(text.len()),
        Value::Null | Value::Bool(_) | Value::Number(_) => take(4),
        Value::Array(items) => items.iter().all(|item| fits(item, left)),
        Value::Object(map) => map.iter().all(|(key, value)| {
            let enough = *left >= key.len();
            *left = left.saturating_sub(key.len());
            enough && fits(value, left)
        }),
    }
}

/// Shortens the texts of a value to a number of bytes in all, and returns how many were left out.
/// `place` is a part of the note: where the whole is.
pub(super) fn shorten_value(mut value: Value, max_bytes: usize, place: &str) -> (Value, usize) {
    let mut lengths = Vec::new();
    let mut others = 0;
    measure(&value, &mut lengths, &mut others);
    let room = max_bytes.saturating_sub(others);
    // Many short texts cannot be shortened one by one; nor can numbers.
    let longest = longest_allowed(&mut lengths, room).filter(|longest| *longest >= NEAR);
    match longest {
        Some(longest) => {
            let left_out = cut_in_place(&mut value, longest, place);
            (value, left_out)
        }
        None => {
            let (text, left_out) = shorten_text(&value.to_string(), max_bytes, place);
            (text.into(), left_out)
        }
    }
}

fn measure(value: &Value, lengths: &mut Vec<usize>, others: &mut usize) {
    match value {
        Value::String(text) => lengths.push(text.len()),
        Value::Null | Value::Bool(_) | Value::Number(_) => *others += 4,
        Value::Array(items) => items.iter().for_each(|item| measure(item, lengths, others)),
        Value::Object(map) => {
            for (key, value) in map {
                *others += key.len();
                measure(value, lengths, others);
            }
        }
    }
}

/// Returns how long a text may be, so that all of them fit: short ones leave their room to the others.
fn longest_allowed(lengths: &mut [usize], mut room: usize) -> Option<usize> {
    lengths.sort_unstable();
    let mut texts = lengths.len();
    for length in lengths {
        let share = room.checked_div(texts)?;
        if *length > share {
            return Some(share);
        }
        room -= *length;
        texts -= 1;
    }
    None
}

fn cut_in_place(value: &mut Value, longest: usize, place: &str) -> usize {
    match value {
        Value::String(text) if text.len() > longest => {
            let (short, left_out) = shorten_text(text, longest, place);
            *text = short;
            left_out
        }
        Value::Array(items) => {
            items.iter_mut().map(|item| cut_in_place(item, longest, place)).sum()
        }
        Value::Object(map) => {
            map.iter_mut().map(|(_, value)| cut_in_place(value, longest, place)).sum()
        }
        _ => 0,
    }
}

/// Keeps the beginning and the end of a text, and returns how many bytes were left out.
pub(super) fn shorten_text(text: &str, max_bytes: usize, place: &str) -> (String, usize) {
    let room = max_bytes.saturating_sub(place.len() + 60);
    let head = at_or_before(text, room / 2);
    let tail = at_or_behind(text, text.len().saturating_sub(room / 2).max(head));
    let (head, tail) = (end_of_line(text, head), start_of_line(text, tail));
    let left_out = tail.saturating_sub(head);
    let begin = text.get(..head).unwrap_or_default();
    let end = text.get(tail..).unwrap_or_default();
    let break_before = if begin.is_empty() || begin.ends_with('\n') { "" } else { "\n" };
    let note = format!("{break_before}[… {left_out} bytes are left out here{place} …]\n");
    (format!("{begin}{note}{end}"), left_out)
}

/// Moves a cut back to the end of a line, if there is one near.
fn end_of_line(text: &str, at: usize) -> usize {
    let near = at_or_before(text, at.saturating_sub(NEAR));
    let found = text.get(near..at).and_then(|part| part.rfind('\n'));
    found.map_or(at, |found| near + found + 1)
}

/// Moves a cut forward to the beginning of a line, if there is one near.
fn start_of_line(text: &str, at: usize) -> usize {
    let near = at_or_behind(text, at.saturating_add(NEAR).min(text.len()));
    let found = text.get(at..near).and_then(|part| part.find('\n'));
    found.map_or(at, |found| at + found + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_leave_their_room_to_long_ones() {
        assert_eq!(longest_allowed(&mut [10, 1000, 20, 2000], 530), Some(250));
        assert_eq!(longest_allowed(&mut [10, 1000], 530), Some(520));
        assert_eq!(longest_allowed(&mut [10, 20], 530), None);
        assert_eq!(longest_allowed(&mut [], 530), None);
    }
}
