//! Finds tokens that a line break has cut in two: a terminal or a program wrapped the line.
//!
//! Looked at is the end of a line that holds the beginning of a token, and too little of it to be one. What
//! follows on the next lines is put behind it, and the catalogue is asked again.

use std::ops::Range;

use memchr::{memchr_iter, memmem};

/// The beginnings of tokens that have one of their own.
const STARTS: [&str; 30] = [
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "xapp-",
    "sk-",
    "sk_live_",
    "rk_live_",
    "AKIA",
    "ASIA",
    "AIza",
    "ya29.",
    "eyJ",
    "npm_",
    "pypi-",
    "hf_",
    "SG.",
    "dop_v1_",
    "hvs.",
    "shpat_",
    "dckr_pat_",
    "gsk_",
    "xai-",
    "nvapi-",
];

/// Returns where a text has something that looks like a secret, and what kind it is.
type FindIn<'f> = &'f dyn Fn(&str) -> Option<(Range<usize>, &'static str)>;

/// The longest piece of a token in one line.
const LONGEST: usize = 512;

/// The most lines that a token may be on.
const MOST_LINES: usize = 8;

/// Finds the tokens in the order of the text; returns whether it came to the end. `find_in` returns where a
/// text has something that looks like a secret, and what kind it is.
pub(crate) fn find(
    text: &str,
    find_in: FindIn<'_>,
    found: &mut dyn FnMut(Range<usize>, &'static str) -> bool,
) -> bool {
    let bytes = text.as_bytes();
    let mut done = 0;
    for end in memchr_iter(b'\n', bytes) {
        if end < done {
            continue;
        }
        let Some((range, kind)) = broken_at(text, end, find_in) else { continue };
        done = range.end;
        if !found(range, kind) {
            return false;
        }
    }
    true
}

/// Returns whether a token may be broken at the line end with which a text ends, or at an earlier one.
pub(crate) fn is_open(before: &[u8]) -> bool {
    let mut rest = before;
    for _ in 0..MOST_LINES {
        let Some(text) = rest.strip_suffix(b"\n") else { return false };
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        let length = text.iter().rev().take(LONGEST).take_while(|byte| is_part(**byte)).count();
        let (above, piece) = text.split_at(text.len() - length);
        // Wherever in a word: what is redacted before it makes it the beginning of one.
        if STARTS.iter().any(|start| memmem::find(piece, start.as_bytes()).is_some()) {
            return true;
        }
        // What has begun further up goes on only over lines that are a piece and nothing else.
        rest = above;
    }
    false
}

/// Returns the token that is broken at a line end.
fn broken_at(text: &str, end: usize, find_in: FindIn<'_>) -> Option<(Range<usize>, &'static str)> {
    let bytes = text.as_bytes();
    if !bytes.get(end + 1).copied().is_some_and(is_part) {
        return None;
    }
    let before = bytes.get(end.saturating_sub(LONGEST)..end)?;
    let before = before.strip_suffix(b"\r").unwrap_or(before);
    let length = before.iter().rev().take_while(|byte| is_part(**byte)).count();
    let piece = before.get(before.len() - length..)?;
    let at = begin(piece)?;
    let start = end - (length - at) - usize::from(bytes.get(end.wrapping_sub(1)) == Some(&b'\r'));
    let first = piece.get(at..)?;
    let mut joined = std::str::from_utf8(first).ok()?.to_owned();
    // A token that is whole takes no word of the next line with it, but a rest that stands alone there.
    if find_in(&joined).is_some() && !is_rest(bytes.get(end + 1..)?) {
        return None;
    }
    let mut line_start = end + 1;
    for _ in 1..MOST_LINES {
        let rest = bytes.get(line_start..)?;
        let length = rest.iter().take(LONGEST).take_while(|byte| is_part(**byte)).count();
        let known = joined.len();
        joined.push_str(text.get(line_start..line_start + length)?);
        if let Some((range, kind)) = find_in(&joined)
            && range.end > known
        {
            return Some((start..line_start + range.end - known, kind));
        }
        let after = rest.get(length..)?;
        line_start += length
            + match after {
                [b'\n', ..] => 1,
                [b'\r', b'\n', ..] => 2,
                _ => return None,
            };
    }
    None
}

/// Returns where a token begins in a piece of text: at the beginning of one of its words.
fn begin(piece: &[u8]) -> Option<usize> {
    (0..piece.len()).find(|at| {
        let before = at.checked_sub(1).and_then(|before| piece.get(before));
        let begins_word = before.is_none_or(|byte| !byte.is_ascii_alphanumeric());
        let rest = piece.get(*at..).unwrap_or_default();
        begins_word && STARTS.iter().any(|start| rest.starts_with(start.as_bytes()))
    })
}

/// Whether a line is one piece of a token and nothing else.
fn is_rest(line: &[u8]) -> bool {
    let length = line.iter().take(LONGEST).take_while(|byte| is_part(**byte)).count();
    let piece = line.get(..length).unwrap_or_default();
    matches!(line.get(length), None | Some(b'\r' | b'\n')) && piece.iter().any(u8::is_ascii_digit)
}

const fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'+' | b'/' | b'=')
}
