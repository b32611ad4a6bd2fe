//! Replaces secrets in JSON values.
//!
//! A value goes through two passes. The first, `has_secret`, only looks: most values are clean, and
//! for those nothing is copied or allocated. The second replaces in a copy. Both walk down with a
//! [`HideRule`] that says what the keys above make of the value below: under `password` every string
//! is hidden, whatever it looks like.

use serde_json::{Map, Value};

use crate::field_name::is_key_with_random_value;
use crate::finder::Finder;
use crate::value::{is_path, is_random};

/// What the key of a value, or one above it, says about hiding it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HideRule {
    /// The key says nothing: only what looks like a secret is hidden.
    ByPattern,
    /// The key says that the value is a secret.
    Always,
    /// The value is a secret if it looks random: `stripe_key`.
    IfRandom,
    /// The value is a secret unless it is the path of a folder: `pwd`.
    UnlessPath,
}

/// Finds secrets in texts and values and replaces each by `[redacted:KIND]`. What was redacted once
/// is left alone.
///
/// ```
/// use hookgate_secrets::{Finder, Redactor};
/// use serde_json::json;
///
/// let redactor = Redactor::new(Finder::catalogue().clone());
/// let (redacted, count) = redactor.redact_value(&json!({"password": "x", "port": 80})).unwrap();
/// assert_eq!((redacted, count), (json!({"password": "[redacted:field]", "port": 80}), 1));
/// ```
#[derive(Debug, Clone)]
pub struct Redactor {
    finder: Finder,
}

impl Redactor {
    /// Creates one that replaces what this finder finds.
    #[must_use]
    pub const fn new(finder: Finder) -> Self {
        Self { finder }
    }

    /// Returns the finder.
    #[must_use]
    pub const fn finder(&self) -> &Finder {
        &self.finder
    }

    /// Returns the text without its secrets and their number, or `None` if it has none.
    #[must_use]
    pub fn redact_text(&self, text: &str) -> Option<(String, u64)> {
        self.finder.redact(text)
    }

    /// Returns the value without its secrets and their number, or `None` if it has none.
    #[must_use]
    pub fn redact_value(&self, value: &Value) -> Option<(Value, u64)> {
        if !self.has_secret(value, HideRule::ByPattern) {
            return None;
        }
        let mut redacted = value.clone();
        let count = self.redact_in_place(&mut redacted, HideRule::ByPattern);
        (count > 0).then_some((redacted, count))
    }

    /// Whether there may be a secret; decides whether a copy is made.
    fn has_secret(&self, value: &Value, rule: HideRule) -> bool {
        if self.hides(value, rule) {
            return true;
        }
        match value {
            Value::String(text) => rule != HideRule::Always && self.finder.suspects(text),
            Value::Array(items) => items
                .iter()
                .enumerate()
                .any(|(index, item)| self.has_secret(item, self.rule_of_item(items, index, rule))),
            Value::Object(map) => {
                let named = self.is_named_secret(map);
                map.iter().any(|(key, value)| {
                    self.finder.suspects(key)
                        || self.has_secret(value, self.rule_of_field(key, value, named, rule))
                })
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }

    fn redact_in_place(&self, value: &mut Value, rule: HideRule) -> u64 {
        if self.hides(value, rule) {
            *value = Value::String(Finder::field_placeholder());
            return 1;
        }
        match value {
            Value::String(text) => {
                match self.redact_text(text).filter(|_| rule != HideRule::Always) {
                    Some((redacted, count)) => {
                        *text = redacted;
                        count
                    }
                    None => 0,
                }
            }
            Value::Array(items) => {
                // From the end, so that an item still sees the flag before it.
                let mut count = 0_u64;
                for index in (0..items.len()).rev() {
                    let rule = self.rule_of_item(items, index, rule);
                    if let Some(item) = items.get_mut(index) {
                        count = count.saturating_add(self.redact_in_place(item, rule));
                    }
                }
                count
            }
            Value::Object(map) => self.redact_object(map, rule),
            Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        }
    }

    fn redact_object(&self, map: &mut Map<String, Value>, rule: HideRule) -> u64 {
        let named = self.is_named_secret(map);
        let mut count = 0_u64;
        let mut renamed = false;
        for (key, value) in map.iter_mut() {
            let rule = self.rule_of_field(key, value, named, rule);
            count = count.saturating_add(self.redact_in_place(value, rule));
            renamed |= self.finder.suspects(key);
        }
        if renamed {
            for (key, value) in std::mem::take(map) {
                let (mut name, found) = self.redact_text(&key).unwrap_or((key, 0));
                count = count.saturating_add(found);
                // Two secrets may have the same placeholder.
                if map.contains_key(&name) {
                    name = format!("{name} {}", map.len());
                }
                map.insert(name, value);
            }
        }
        count
    }

    /// Whether a value is hidden as a whole.
    fn hides(&self, value: &Value, rule: HideRule) -> bool {
        match value {
            Value::String(text) => {
                let secret = match rule {
                    HideRule::ByPattern => false,
                    HideRule::Always => true,
                    HideRule::IfRandom => is_random(text),
                    HideRule::UnlessPath => !is_path(text),
                };
                secret && !text.is_empty() && !self.finder.is_placeholder(text)
            }
            Value::Number(_) => rule == HideRule::Always,
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => false,
        }
    }

    fn rule_of_field(&self, key: &str, value: &Value, named: bool, above: HideRule) -> HideRule {
        if above == HideRule::Always {
            // Once hidden, all below is hidden, a schema too: it may hold a default value.
            return HideRule::Always;
        }
        if named && key.eq_ignore_ascii_case("value") {
            return HideRule::Always;
        }
        if !self.finder.is_secret_key(key) {
            return if is_key_with_random_value(key) {
                HideRule::IfRandom
            } else {
                HideRule::ByPattern
            };
        }
        match value {
            Value::Object(field) if is_schema(field) => HideRule::ByPattern,
            // The folder that a shell works in.
            Value::String(_) if key.len() <= 6 && key.to_ascii_lowercase().ends_with("pwd") => {
                HideRule::UnlessPath
            }
            _ => HideRule::Always,
        }
    }

    /// `["--password", "…"]`: the item after the name of a secret flag is a secret.
    fn rule_of_item(&self, items: &[Value], index: usize, above: HideRule) -> HideRule {
        let flag = index.checked_sub(1).and_then(|before| items.get(before)?.as_str());
        match flag {
            Some(flag) if above == HideRule::ByPattern && flag.len() <= 40 => {
                let secret = flag.starts_with('-')
                    && !flag.contains(['=', ' '])
                    && self.finder.is_secret_key(flag)
                    && !items
                        .get(index)
                        .and_then(Value::as_str)
                        .is_some_and(|item| item.starts_with('-'));
                if secret { HideRule::Always } else { above }
            }
            _ => above,
        }
    }

    /// Whether an object is a pair of the name of a secret and its value: `{"name": "DB_PASSWORD", "value": …}`.
    fn is_named_secret(&self, map: &Map<String, Value>) -> bool {
        map.len() >= 2
            && map.len() <= 16
            && map.keys().any(|key| key.eq_ignore_ascii_case("value"))
            && map.iter().any(|(key, name)| {
                ["name", "key"].iter().any(|name| name.eq_ignore_ascii_case(key))
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
