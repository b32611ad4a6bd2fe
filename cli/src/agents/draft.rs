//! A text that only grows, so that it can be made what it was.

use std::ops::Range;

/// A text, and which parts of it were put in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Draft {
    text: String,
    added: Vec<Range<usize>>,
}

impl Draft {
    /// Begins with a text.
    pub(crate) const fn new(text: String) -> Self {
        Self { text, added: Vec::new() }
    }

    /// Returns the text as it is now.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text and the parts that were put in, as bytes from its start.
    pub(crate) fn into_parts(self) -> (String, Vec<Range<usize>>) {
        (self.text, self.added)
    }

    /// Puts a text in. `at` is the start of a character, or the end.
    pub(crate) fn insert(&mut self, at: usize, addition: &str) {
        self.text.insert_str(at, addition);
        let length = addition.len();
        let mut joined = false;
        for part in &mut self.added {
            if part.start <= at && at <= part.end {
                part.end += length;
                joined = true;
            } else if part.start > at {
                part.start += length;
                part.end += length;
            }
        }
        if !joined {
            self.added.push(at..at + length);
            self.added.sort_by_key(|part| part.start);
        }
    }
}

/// Takes parts out of a text. `None` if it has no such parts.
pub(crate) fn without(text: &str, parts: &[Range<usize>]) -> Option<String> {
    let mut kept = String::new();
    let mut from = 0;
    for part in parts {
        kept.push_str(text.get(from..part.start)?);
        from = part.end;
    }
    kept.push_str(text.get(from..)?);
    Some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_in_can_be_taken_out_again() {
        let mut draft = Draft::new("abc".to_owned());
        draft.insert(3, "END");
        draft.insert(1, "one");
        draft.insert(2, "-");
        draft.insert(0, "<");
        draft.insert(1, ">");
        assert_eq!(draft.text(), "<>ao-nebcEND");
        let (text, added) = draft.into_parts();
        assert_eq!(without(&text, &added).as_deref(), Some("abc"));
        assert_eq!(added.len(), 3);
    }

    #[test]
    fn parts_of_another_text_are_noticed() {
        assert_eq!(without("short", std::slice::from_ref(&(2..9))), None);
        assert_eq!(without("é", std::slice::from_ref(&(0..1))), None);
    }
}
