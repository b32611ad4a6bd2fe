//! JSON pointers (RFC 6901) with two wildcards, and what they lead to.
//!
//! A pointer that leads nowhere is one of two things. If an object does not have the key, the value
//! is *missing*, which can be tested. If there is no object, the pointer is *unclear*: a tool may
//! accept JSON in a string, or a list with one element for the element itself, and a guard that
//! took this for a missing value could be evaded.
//!
//! The libraries for pointers know neither the wildcards nor this difference, so the walk is our
//! own.

use serde_json::Value;

/// A step of a pointer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A key, or the number of an element.
    Key(String),
    /// `*`: any element of an array, any value of an object.
    Any,
    /// `**`, at the end only: any string here or below.
    Strings,
}

/// A value that a pointer leads to, or the reason that there is none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Found<'v> {
    /// A value.
    Value(&'v Value),
    /// An object without the key, an array without the element.
    Missing,
    /// A value on the way has neither keys nor elements. A tool may read it in its own way, such as
    /// a string that contains JSON.
    Unclear,
}

/// Reads a pointer.
///
/// # Errors
/// What is wrong, with the pointer that was most likely meant.
pub(super) fn tokens(pointer: &str) -> Result<Vec<Token>, String> {
    if pointer.is_empty() {
        return Ok(Vec::new());
    }
    let Some(rest) = pointer.strip_prefix('/') else {
        return Err(format!("it must begin with `/`: write `{}`", slashed(pointer)));
    };
    if pointer.trim() != pointer || pointer.chars().any(char::is_control) {
        return Err(format!(
            "write `{}`, without white space and control characters",
            slashed(pointer)
        ));
    }
    let last = rest.split('/').count() - 1;
    rest.split('/').enumerate().map(|(index, token)| read(token, index == last)).collect()
}

/// Reads one part of a pointer.
fn read(token: &str, last: bool) -> Result<Token, String> {
    match token {
        "" => Err("a key in it is empty: omit the `/` at the end, and write `\"\"` for the whole"
            .to_owned()),
        "*" => Ok(Token::Any),
        "**" if last => Ok(Token::Strings),
        "**" => Err("`**` means any string below, so it can only be at the end".to_owned()),
        token => {
            let escapes = token.matches('~').count();
            if escapes != token.matches("~0").count() + token.matches("~1").count() {
                return Err("inside a key `~` is written `~0`, and `/` is written `~1`".to_owned());
            }
            Ok(Token::Key(token.replace("~1", "/").replace("~0", "~")))
        }
    }
}

/// Returns the pointer that was meant by `command`, `.a.b`, `$.a.b`, `#/a` or ` /a `.
fn slashed(text: &str) -> String {
    let clean: String = text.trim().chars().filter(|c| !c.is_control()).collect();
    let clean = clean.trim_start_matches(['$', '#']);
    let path = match clean.strip_prefix('/') {
        Some(rest) => rest.to_owned(),
        None => clean.trim_start_matches('.').replace('.', "/"),
    };
    format!("/{path}")
}

/// Follows a pointer without wildcards. It does not allocate, and ends at the first step that leads
/// nowhere.
pub(super) fn follow<'v>(root: &'v Value, tokens: &[Token]) -> Found<'v> {
    let mut value = root;
    for token in tokens {
        let Token::Key(key) = token else { return Found::Unclear };
        match descend(value, key) {
            Found::Value(next) => value = next,
            other => return other,
        }
    }
    Found::Value(value)
}

/// Returns whether a pointer may lead to several values.
pub(super) fn is_wild(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| !matches!(token, Token::Key(_)))
}

/// Returns everything that a pointer leads to. Every value of the tree is visited once at most, so
/// the time is linear in its size.
pub(super) fn follow_all<'v>(root: &'v Value, tokens: &[Token]) -> Vec<Found<'v>> {
    let (mut out, mut open) = (Vec::new(), vec![(root, tokens)]);
    while let Some((value, tokens)) = open.pop() {
        let Some((token, rest)) = tokens.split_first() else {
            out.push(Found::Value(value));
            continue;
        };
        match token {
            Token::Key(key) => match descend(value, key) {
                Found::Value(next) => open.push((next, rest)),
                other => out.push(other),
            },
            Token::Any => match value {
                Value::Array(items) if !items.is_empty() => {
                    open.extend(items.iter().map(|item| (item, rest)));
                }
                Value::Object(map) if !map.is_empty() => {
                    open.extend(map.values().map(|item| (item, rest)));
                }
                Value::Array(_) | Value::Object(_) => out.push(Found::Missing),
                _ => out.push(Found::Unclear),
            },
            Token::Strings => strings(value, &mut out),
        }
    }
    out
}

/// Collects the strings in a value. If the value is a string itself, it is collected too, but what
/// it may contain is unknown.
fn strings<'v>(value: &'v Value, out: &mut Vec<Found<'v>>) {
    let before = out.len();
    match value {
        Value::Array(_) | Value::Object(_) => {
            let mut open = vec![value];
            while let Some(value) = open.pop() {
                match value {
                    Value::Array(items) => open.extend(items),
                    Value::Object(map) => open.extend(map.values()),
                    Value::String(_) => out.push(Found::Value(value)),
                    _ => {}
                }
            }
            if out.len() == before {
                out.push(Found::Missing);
            }
        }
        Value::String(_) => out.extend([Found::Value(value), Found::Unclear]),
        _ => out.push(Found::Unclear),
    }
}

/// Follows one key.
fn descend<'v>(value: &'v Value, key: &str) -> Found<'v> {
    match value {
        Value::Object(map) => map.get(key).map_or(Found::Missing, Found::Value),
        Value::Array(items) => match index(key) {
            Some(index) => items.get(index).map_or(Found::Missing, Found::Value),
            None => Found::Unclear,
        },
        _ => Found::Unclear,
    }
}

/// Reads the index of an element, written without sign and leading zeros.
fn index(key: &str) -> Option<usize> {
    let digits = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit());
    // More digits than any array has elements: there is no such element.
    (digits && (key == "0" || !key.starts_with('0'))).then(|| key.parse().unwrap_or(usize::MAX))
}

/// Returns whether the last key of a pointer says that there is a path.
pub(super) fn names_path(pointer: &str) -> bool {
    let tokens = tokens(pointer).unwrap_or_default();
    let keys = tokens.iter().rev().filter_map(|token| match token {
        Token::Key(key) => Some(key.to_lowercase()),
        _ => None,
    });
    keys.take(1).any(|key| {
        ["path", "file", "dir", "folder", "cwd"].iter().any(|word| key.contains(word))
            && !key.contains("content")
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_wrong_pointer_is_refused_with_the_right_form() {
        for (pointer, right) in [
            ("command", "`/command`"),
            (".a.b", "`/a/b`"),
            ("$.a.b", "`/a/b`"),
            ("#/a", "`/a`"),
            ("a/b", "`/a/b`"),
            ("/command ", "`/command`"),
            ("/com\u{8}mand", "`/command`"),
            ("/a~2", "`~0`"),
            ("/a~", "`~0`"),
            ("/a/", "empty"),
            ("/", "empty"),
            ("/**/a", "at the end"),
        ] {
            let error = tokens(pointer).unwrap_err();
            assert!(error.contains(right), "{pointer}: {error}");
        }
        assert_eq!(tokens("").unwrap(), []);
        let key = |text: &str| Token::Key(text.to_owned());
        assert_eq!(tokens("/a~1b/~0/01").unwrap(), [key("a/b"), key("~"), key("01")]);
        assert_eq!(tokens("/a/*/**").unwrap(), [key("a"), Token::Any, Token::Strings]);
    }

    #[test]
    fn only_an_object_or_array_without_the_key_is_missing() {
        let value = json!({"text": "x", "null": null, "list": [1, "a"], "map": {}});
        let at = |pointer: &str| follow(&value, &tokens(pointer).unwrap());
        assert_eq!(at("/list/1"), Found::Value(&json!("a")));
        for missing in ["/gone", "/gone/deep", "/map/a", "/list/2", "/list/99999999999999999999999"]
        {
            assert_eq!(at(missing), Found::Missing, "{missing}");
        }
        for unclear in
            ["/text/a", "/text/a/b", "/null/a", "/list/0/a", "/list/a", "/list/-", "/list/01"]
        {
            assert_eq!(at(unclear), Found::Unclear, "{unclear}");
        }
    }

    #[test]
    fn every_value_is_met_once() {
        let deep = (0..100).fold(json!("x"), |inner, _| json!([inner, "y"]));
        assert_eq!(follow_all(&deep, &[Token::Strings]).len(), 101);
        let wide = json!(vec![json!({"a": 1, "b": [2, 3]}); 1000]);
        assert_eq!(follow_all(&wide, &tokens("/*/*/*").unwrap()).len(), 3000);
    }
}
