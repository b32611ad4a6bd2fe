//! The object that many agents read: keys at the top, and those that one event knows in
//! `hookSpecificOutput`.

use serde_json::{Map, Value};

/// An answer that is put together.
#[derive(Debug, Default)]
pub(crate) struct Output {
    top: Map<String, Value>,
    specific: Map<String, Value>,
}

impl Output {
    /// Sets a key at the top.
    pub(crate) fn top(&mut self, key: &str, value: impl Into<Value>) {
        self.top.insert(key.to_owned(), value.into());
    }

    /// Sets a key at the top if there is a value.
    pub(crate) fn top_if(&mut self, key: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.top(key, value);
        }
    }

    /// Sets a key of the event.
    pub(crate) fn specific(&mut self, key: &str, value: impl Into<Value>) {
        self.specific.insert(key.to_owned(), value.into());
    }

    /// Sets a key of the event if there is a value.
    pub(crate) fn specific_if(&mut self, key: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.specific(key, value);
        }
    }

    /// Returns the object, or `None` if it says nothing.
    pub(crate) fn finish(mut self, event: &str) -> Option<Value> {
        if !self.specific.is_empty() {
            self.specific.insert("hookEventName".to_owned(), event.into());
            self.top.insert("hookSpecificOutput".to_owned(), Value::Object(self.specific));
        }
        (!self.top.is_empty()).then_some(Value::Object(self.top))
    }
}
