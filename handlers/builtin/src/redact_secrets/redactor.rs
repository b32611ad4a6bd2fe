//! Takes secrets out of texts and values.

use std::ops::Range;

use serde_json::Value;

use super::shapes::{FIELD, Shapes};

/// The keys whose strings are secret whatever they look like.
const KEYS: &[&str] = &[
    "password",
    "secret",
    "token",
    "api_key",
    "apikey",
    "authorization",
    "private_key",
    "access_token",
    "refresh_token",
    "client_secret",
];

/// What a pass leaves may look like a secret again, next to the placeholders. Every pass takes
/// something away, so they come to an end; a pattern that eats one character a pass is stopped.
const PASSES: usize = 16;

/// A piece of a text that is to be replaced.
struct Piece {
    range: Range<usize>,
    kind: &'static str,
}

/// Finds secrets and replaces each by `[redacted:KIND]`. What was redacted once is left alone.
pub(super) struct Redactor {
    shapes: Shapes,
    keys: Vec<String>,
}

impl Redactor {
    /// A redactor for these shapes, and for these keys besides the usual ones.
    pub(super) fn new(shapes: Shapes, keys: &[&str]) -> Self {
        let keys = KEYS.iter().chain(keys).map(|key| key.replace('-', "_")).collect();
        Self { shapes, keys }
    }

    /// The text without its secrets, and how many there were; none where there are none.
    pub(super) fn text(&self, text: &str) -> Option<(String, u64)> {
        let (mut redacted, mut total) = self.pass(text)?;
        for _ in 1..PASSES {
            let Some((next, count)) = self.pass(&redacted) else { break };
            redacted = next;
            total = total.saturating_add(count);
        }
        Some((redacted, total))
    }

    /// The value without its secrets, and how many there were; none where there are none.
    pub(super) fn value(&self, value: &Value) -> Option<(Value, u64)> {
        if !self.suspects(value, false) {
            return None;
        }
        let mut redacted = value.clone();
        let count = self.clean(&mut redacted, false);
        (count > 0).then_some((redacted, count))
    }

    /// Whether there could be a secret. It decides whether a copy is made.
    fn suspects(&self, value: &Value, secret: bool) -> bool {
        match value {
            Value::String(text) if secret => self.is_open(text),
            Value::String(text) => self.shapes.set.is_match(text),
            Value::Array(items) => items.iter().any(|item| self.suspects(item, secret)),
            Value::Object(map) => {
                map.iter().any(|(key, value)| self.suspects(value, self.is_secret(key)))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }

    fn clean(&self, value: &mut Value, secret: bool) -> u64 {
        match value {
            Value::String(text) if secret => {
                if !self.is_open(text) {
                    return 0;
                }
                *text = placeholder(FIELD);
                1
            }
            Value::String(text) => match self.text(text) {
                Some((redacted, count)) => {
                    *text = redacted;
                    count
                }
                None => 0,
            },
            Value::Array(items) => items.iter_mut().map(|item| self.clean(item, secret)).sum(),
            Value::Object(map) => {
                map.iter_mut().map(|(key, value)| self.clean(value, self.is_secret(key))).sum()
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        }
    }

    /// Whether the string under a secret key still shows something.
    fn is_open(&self, text: &str) -> bool {
        let whole =
            self.shapes.placeholder.find(text).is_some_and(|found| found.len() == text.len());
        !text.is_empty() && !whole
    }

    fn is_secret(&self, key: &str) -> bool {
        self.keys.iter().any(|secret| {
            key.len() == secret.len()
                && key.bytes().zip(secret.bytes()).all(|(k, s)| {
                    let k = if k == b'-' { b'_' } else { k };
                    k.eq_ignore_ascii_case(&s)
                })
        })
    }

    /// Replaces all that looks like a secret now; none where nothing does.
    fn pass(&self, text: &str) -> Option<(String, u64)> {
        if !self.shapes.set.is_match(text) {
            return None;
        }
        let pieces = self.pieces(text);
        if pieces.is_empty() {
            return None;
        }
        let mut redacted = String::with_capacity(text.len());
        let mut end = 0;
        for piece in &pieces {
            redacted.push_str(text.get(end..piece.range.start)?);
            redacted.push_str(&placeholder(piece.kind));
            end = piece.range.end;
        }
        redacted.push_str(text.get(end..)?);
        Some((redacted, pieces.len() as u64))
    }

    /// What is to be replaced, in order and without overlaps. All shapes are looked for in the
    /// same text: where two overlap, both are covered.
    fn pieces(&self, text: &str) -> Vec<Piece> {
        let done: Vec<Range<usize>> =
            self.shapes.placeholder.find_iter(text).map(|found| found.range()).collect();
        let mut found = Vec::new();
        for index in &self.shapes.set.matches(text) {
            let Some(shape) = self.shapes.each.get(index) else { continue };
            for captures in shape.regex.captures_iter(text) {
                let group = captures.iter().skip(1).flatten().next().or_else(|| captures.get(0));
                if let Some(group) = group {
                    without(group.range(), &done, shape.kind, &mut found);
                }
            }
        }
        // Stable: of two that begin together, the shape that is listed first names the kind.
        found.sort_by_key(|piece| piece.range.start);
        let mut pieces: Vec<Piece> = Vec::with_capacity(found.len());
        for piece in found {
            match pieces.last_mut() {
                Some(last) if piece.range.start < last.range.end => {
                    last.range.end = last.range.end.max(piece.range.end);
                }
                _ => pieces.push(piece),
            }
        }
        pieces
    }
}

/// Adds what remains of a range once the placeholders in it are taken out. Nothing but that may be
/// replaced, or redacting twice would differ from redacting once.
fn without(
    range: Range<usize>,
    done: &[Range<usize>],
    kind: &'static str,
    pieces: &mut Vec<Piece>,
) {
    let mut start = range.start;
    for placeholder in done {
        if placeholder.end <= start {
            continue;
        }
        if placeholder.start >= range.end {
            break;
        }
        if placeholder.start > start {
            pieces.push(Piece { range: start..placeholder.start, kind });
        }
        start = placeholder.end;
    }
    if start < range.end {
        pieces.push(Piece { range: start..range.end, kind });
    }
}

fn placeholder(kind: &str) -> String {
    format!("[redacted:{kind}]")
}

#[cfg(test)]
mod tests {
    use super::super::shapes::compile;
    use super::*;

    fn redactor(patterns: &[&str]) -> Redactor {
        Redactor::new(compile(patterns).unwrap(), &["X-Session"])
    }

    #[test]
    fn overlapping_secrets_are_both_covered() {
        let redactor = redactor(&["bbcc", "aabb"]);
        assert_eq!(redactor.text("-aabbcc-").unwrap().0, "-[redacted:custom]-");
    }

    #[test]
    fn a_greedy_pattern_takes_what_a_placeholder_leaves() {
        let redactor = redactor(&["(?m)^.*internal.*$"]);
        let (once, _) = redactor.text("the internal key AKIAIOSFODNN7EXAMPLE is here").unwrap();
        assert_eq!(once, "[redacted:custom]");
        let (next, _) = redactor.text("internal [redacted:aws_key] tail").unwrap();
        assert_eq!(next, "[redacted:custom][redacted:aws_key][redacted:custom]");
    }

    #[test]
    fn an_empty_match_and_a_creeping_one_come_to_an_end() {
        assert_eq!(redactor(&["x*"]).text("abc"), None);
        assert!(redactor(&[r"^.|\].?"]).text(&"a".repeat(100)).is_some());
    }

    #[test]
    fn nobody_hides_a_secret_in_a_placeholder_of_his_own() {
        let redactor = redactor(&["hunter2"]);
        assert_eq!(redactor.text("[redacted:hunter2]").unwrap().0, "[redacted:[redacted:custom]]");
    }

    #[test]
    fn keys_are_compared_loosely() {
        let redactor = redactor(&[]);
        for key in ["password", "API-Key", "Authorization", "x-session", "X_SESSION"] {
            assert!(redactor.is_secret(key), "{key}");
        }
        for key in ["passwords", "my_password", "", "toke"] {
            assert!(!redactor.is_secret(key), "{key}");
        }
    }
}
