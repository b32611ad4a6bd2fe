//! JSON pointers into the input of a tool, in which `*` stands for every element.

use std::fmt;

use serde_json::Value;

/// Why a pointer cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum PointerProblem {
    #[error("a JSON pointer begins with `/`, such as `/file_path`")]
    Slash,
    #[error("`~` in a JSON pointer is written `~0`, and `/` in a key is written `~1`")]
    Tilde,
    #[error("the pointer is of the tool's input: leave out `/tool_input`")]
    Envelope,
}

/// A JSON pointer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pointer {
    written: String,
    tokens: Vec<Token>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    /// Every element of an array or object.
    Each,
    Key(String),
}

/// What is at a pointer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found<'a> {
    /// The values; more than one only with `*`, and none if that is an empty list.
    Values(Vec<&'a Value>),
    /// Nothing is there, or null.
    Missing,
    /// A value on the way cannot hold the next one.
    Wrong(&'a Value),
}

impl Pointer {
    /// Reads a pointer. The empty one is the whole input.
    pub(super) fn read(text: &str) -> Result<Self, PointerProblem> {
        if text.is_empty() {
            return Ok(Self { written: String::new(), tokens: Vec::new() });
        }
        let rest = text.strip_prefix('/').ok_or(PointerProblem::Slash)?;
        if rest.starts_with("tool_input/") {
            return Err(PointerProblem::Envelope);
        }
        let tokens = rest.split('/').map(token).collect::<Option<_>>();
        let tokens = tokens.ok_or(PointerProblem::Tilde)?;
        Ok(Self { written: text.to_owned(), tokens })
    }

    /// Returns whether it is the whole input.
    pub(crate) const fn is_root(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Looks into an input.
    pub(crate) fn find<'a>(&self, input: &'a Value) -> Found<'a> {
        let mut values = vec![input];
        let mut each = false;
        for token in &self.tokens {
            let mut next = Vec::with_capacity(values.len());
            for value in values {
                match (token, value) {
                    (Token::Each, Value::Array(items)) => next.extend(items),
                    (Token::Each, Value::Object(map)) => next.extend(map.values()),
                    (Token::Key(key), Value::Object(map)) => match map.get(key) {
                        None | Some(Value::Null) if !each => return Found::Missing,
                        // One of several elements without the path: it is not known what it means.
                        None | Some(Value::Null) => return Found::Wrong(value),
                        Some(inner) => next.push(inner),
                    },
                    (Token::Key(key), Value::Array(items)) => {
                        match key.parse().ok().and_then(|at: usize| items.get(at)) {
                            Some(inner) => next.push(inner),
                            None => return Found::Missing,
                        }
                    }
                    (_, Value::Null) => return Found::Missing,
                    // An input that is one text has no arguments.
                    _ if std::ptr::eq(value, input) => return Found::Missing,
                    _ => return Found::Wrong(value),
                }
            }
            values = next;
            each |= *token == Token::Each;
        }
        match values.as_slice() {
            [Value::Null] => Found::Missing,
            _ => Found::Values(values),
        }
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

fn token(text: &str) -> Option<Token> {
    if text == "*" {
        return Some(Token::Each);
    }
    let mut key = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '~' => key.push(match chars.next()? {
                '0' => '~',
                '1' => '/',
                _ => return None,
            }),
            c => key.push(c),
        }
    }
    Some(Token::Key(key))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found<'a>(pointer: &str, input: &'a Value) -> Found<'a> {
        Pointer::read(pointer).unwrap().find(input)
    }

    #[test]
    fn what_is_at_a_pointer() {
        let input = json!({"a": "x", "n": null, "l": [{"p": "1"}, {"p": "2"}], "e": [], "a/b": 1});
        assert_eq!(found("/a", &input), Found::Values(vec![&json!("x")]));
        assert_eq!(found("/b", &input), Found::Missing);
        assert_eq!(found("/n", &input), Found::Missing);
        assert_eq!(found("/a~1b", &input), Found::Values(vec![&json!(1)]));
        assert_eq!(found("/l/*/p", &input), Found::Values(vec![&json!("1"), &json!("2")]));
        assert_eq!(found("/l/1/p", &input), Found::Values(vec![&json!("2")]));
        assert_eq!(found("/e/*", &input), Found::Values(vec![]));
        assert_eq!(found("/a/x", &input), Found::Wrong(&json!("x")));
        assert_eq!(found("/a", &json!("text")), Found::Missing);
        assert_eq!(found("/l/*/q", &input), Found::Wrong(&json!({"p": "1"})));
    }

    #[test]
    fn what_is_no_pointer_is_refused() {
        assert_eq!(Pointer::read("path"), Err(PointerProblem::Slash));
        assert_eq!(Pointer::read("$.path"), Err(PointerProblem::Slash));
        assert_eq!(Pointer::read("/a~b"), Err(PointerProblem::Tilde));
        assert_eq!(Pointer::read("/tool_input/path"), Err(PointerProblem::Envelope));
    }
}
