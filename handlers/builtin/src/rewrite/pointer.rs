//! A JSON pointer whose tokens are read once, so that following it allocates nothing.

use serde_json::Value;

use crate::error::BuiltinError;

/// A JSON pointer.
#[derive(Debug, Clone)]
pub(super) struct Pointer {
    written: String,
    tokens: Vec<String>,
}

impl Pointer {
    pub(super) fn new(written: &str) -> Result<Self, BuiltinError> {
        if !written.is_empty() && !written.starts_with('/') {
            return Err(BuiltinError::Pointer(written.to_owned()));
        }
        let tokens = written.split('/').skip(1);
        let tokens = tokens.map(|token| token.replace("~1", "/").replace("~0", "~")).collect();
        Ok(Self { written: written.to_owned(), tokens })
    }

    pub(super) fn as_str(&self) -> &str {
        &self.written
    }

    /// Returns the value that it leads to.
    pub(super) fn get<'a>(&self, value: &'a Value) -> Option<&'a Value> {
        self.tokens.iter().try_fold(value, |value, token| match value {
            Value::Object(map) => map.get(token),
            Value::Array(items) => items.get(token.parse::<usize>().ok()?),
            _ => None,
        })
    }

    /// As [`Pointer::get`], to change the value.
    pub(super) fn get_mut<'a>(&self, value: &'a mut Value) -> Option<&'a mut Value> {
        self.tokens.iter().try_fold(value, |value, token| match value {
            Value::Object(map) => map.get_mut(token),
            Value::Array(items) => items.get_mut(token.parse::<usize>().ok()?),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn it_leads_where_serde_json_says() {
        let mut value = json!({"a/b": [1, {"~": "x"}], "": 2});
        for written in ["", "/", "/a~1b/0", "/a~1b/1/~0", "/a~1b/2", "/a~1b/1/~0/x", "/no"] {
            let pointer = Pointer::new(written).unwrap();
            assert_eq!(pointer.get(&value), value.pointer(written), "{written}");
            let mut other = value.clone();
            assert_eq!(pointer.get_mut(&mut value), other.pointer_mut(written), "{written}");
        }
        assert!(Pointer::new("a").is_err());
    }
}
