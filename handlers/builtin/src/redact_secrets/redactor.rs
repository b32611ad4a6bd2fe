//! Takes secrets out of values.

use hookgate_secrets::{Finder, is_key_with_random_value, is_path, is_random};
use serde_json::{Map, Value};

/// Why a value is secret whatever it looks like.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Why {
    /// It is none.
    Not,
    /// Its key says so, or one above it.
    Key,
    /// Its key says so if it looks random.
    IfRandom,
    /// Its key says so unless it is the path of a folder: `pwd`.
    UnlessPath,
}

/// Finds secrets in texts and values and replaces each by `[redacted:KIND]`. What was redacted once
/// is left alone.
pub(super) struct Redactor {
    finder: Finder,
}

impl Redactor {
    pub(super) fn new(finder: Finder) -> Self {
        Self { finder }
    }

    /// The text without its secrets, and how many there were; none where there are none.
    pub(super) fn text(&self, text: &str) -> Option<(String, u64)> {
        self.finder.redact(text)
    }

    /// The value without its secrets, and how many there were; none where there are none.
    pub(super) fn value(&self, value: &Value) -> Option<(Value, u64)> {
        if !self.suspects(value, Why::Not) {
            return None;
        }
        let mut redacted = value.clone();
        let count = self.clean(&mut redacted, Why::Not);
        (count > 0).then_some((redacted, count))
    }

    /// Whether there could be a secret. It decides whether a copy is made.
    fn suspects(&self, value: &Value, why: Why) -> bool {
        if self.hides(value, why) {
            return true;
        }
        match value {
            Value::String(text) => why != Why::Key && self.finder.suspects(text),
            Value::Array(items) => items
                .iter()
                .enumerate()
                .any(|(index, item)| self.suspects(item, self.why_of_item(items, index, why))),
            Value::Object(map) => {
                let named = self.is_named_secret(map);
                map.iter().any(|(key, value)| {
                    self.finder.suspects(key)
                        || self.suspects(value, self.why_of_field(key, value, named, why))
                })
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }

    fn clean(&self, value: &mut Value, why: Why) -> u64 {
        if self.hides(value, why) {
            *value = Value::String(Finder::field_placeholder());
            return 1;
        }
        match value {
            Value::String(text) => match self.text(text).filter(|_| why != Why::Key) {
                Some((redacted, count)) => {
                    *text = redacted;
                    count
                }
                None => 0,
            },
            Value::Array(items) => {
                // From the end, so that an item still sees the flag before it.
                let mut count = 0_u64;
                for index in (0..items.len()).rev() {
                    let why = self.why_of_item(items, index, why);
                    if let Some(item) = items.get_mut(index) {
                        count = count.saturating_add(self.clean(item, why));
                    }
                }
                count
            }
            Value::Object(map) => self.clean_object(map, why),
            Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        }
    }

    fn clean_object(&self, map: &mut Map<String, Value>, why: Why) -> u64 {
        let named = self.is_named_secret(map);
        let mut count = 0_u64;
        let mut renamed = false;
        for (key, value) in map.iter_mut() {
            let why = self.why_of_field(key, value, named, why);
            count = count.saturating_add(self.clean(value, why));
            renamed |= self.finder.suspects(key);
        }
        if renamed {
            for (key, value) in std::mem::take(map) {
                let (mut name, number) = self.text(&key).unwrap_or((key, 0));
                count = count.saturating_add(number);
                // Two secrets may have the same placeholder.
                if map.contains_key(&name) {
                    name = format!("{name} {}", map.len());
                }
                map.insert(name, value);
            }
        }
        count
    }

    /// Whether a value is hidden whole.
    fn hides(&self, value: &Value, why: Why) -> bool {
        match value {
            Value::String(text) => {
                let secret = match why {
                    Why::Not => false,
                    Why::Key => true,
                    Why::IfRandom => is_random(text),
                    Why::UnlessPath => !is_path(text),
                };
                secret && !text.is_empty() && !self.finder.is_placeholder(text)
            }
            Value::Number(_) => why == Why::Key,
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => false,
        }
    }

    fn why_of_field(&self, key: &str, value: &Value, named: bool, above: Why) -> Why {
        if above == Why::Key {
            // The type of a field is no secret: what describes a field is no value of it.
            return Why::Key;
        }
        if named && key.eq_ignore_ascii_case("value") {
            return Why::Key;
        }
        if !self.finder.is_secret_key(key) {
            return if is_key_with_random_value(key) { Why::IfRandom } else { Why::Not };
        }
        match value {
            Value::Object(field) if is_schema(field) => Why::Not,
            // The folder that a shell works in.
            Value::String(_) if key.len() <= 6 && key.to_ascii_lowercase().ends_with("pwd") => {
                Why::UnlessPath
            }
            _ => Why::Key,
        }
    }

    /// `["--password", "…"]`: the item behind the name of a secret flag is one.
    fn why_of_item(&self, items: &[Value], index: usize, above: Why) -> Why {
        let flag = index.checked_sub(1).and_then(|before| items.get(before)?.as_str());
        match flag {
            Some(flag) if above == Why::Not && flag.len() <= 40 => {
                let secret = flag.starts_with('-')
                    && !flag.contains(['=', ' '])
                    && self.finder.is_secret_key(flag)
                    && !items
                        .get(index)
                        .and_then(Value::as_str)
                        .is_some_and(|it| it.starts_with('-'));
                if secret { Why::Key } else { above }
            }
            _ => above,
        }
    }

    /// `{"name": "DB_PASSWORD", "value": …}`.
    fn is_named_secret(&self, map: &Map<String, Value>) -> bool {
        map.len() >= 2
            && map.len() <= 16
            && map.keys().any(|key| key.eq_ignore_ascii_case("value"))
            && map.iter().any(|(key, name)| {
                ["name", "key"].iter().any(|word| word.eq_ignore_ascii_case(key))
                    && name.as_str().is_some_and(|name| self.finder.is_secret_key(name))
            })
    }
}

/// Whether an object describes a field of this name instead of holding its value, as a JSON Schema
/// does.
fn is_schema(field: &Map<String, Value>) -> bool {
    const TYPES: &[&str] = &["string", "object", "array", "number", "integer", "boolean", "null"];
    field.get("$ref").is_some_and(Value::is_string)
        || field.get("type").and_then(Value::as_str).is_some_and(|name| TYPES.contains(&name))
}
