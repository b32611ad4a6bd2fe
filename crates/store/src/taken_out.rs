//! What hooks took out of a step: it is not kept anywhere in its entry.
//!
//! A host sends the same text in several places, and a hook may name it in its reason. So what a rewrite has taken out
//! of a field is looked for in all that lies in the body.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use crate::json_text::as_json;

/// What stands in place of a text that was taken out.
const PLACEHOLDER: &str = "[rewritten]";

/// How many characters a text has at least that is looked for elsewhere: a shorter one is a part of too much else.
const SHORTEST: usize = 6;

/// Texts that hooks took out, by the first bytes of each, the longest first.
#[derive(Debug, Default)]
pub(crate) struct TakenOut(HashMap<Vec<u8>, Vec<String>>);

impl TakenOut {
    /// Compares the fields of an envelope with what hooks made of them.
    pub(crate) fn of(envelope: &Map<String, Value>, rewritten: &Map<String, Value>) -> Self {
        let mut kept = HashSet::new();
        for new in rewritten.values() {
            for_each_text(new, &mut |text| {
                kept.insert(text);
            });
        }
        let mut texts = HashSet::new();
        for (field, new) in rewritten {
            if let Some(old) = envelope.get(field) {
                compare(old, Some(new), &kept, &mut texts);
            }
        }
        let mut by_start: HashMap<Vec<u8>, Vec<String>> = HashMap::new();
        for text in texts {
            let start = text.as_bytes().get(..SHORTEST).unwrap_or_default();
            by_start.entry(start.to_vec()).or_default().push(text);
        }
        for texts in by_start.values_mut() {
            texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
        }
        Self(by_start)
    }

    /// Hides the texts wherever they are in the strings of a value. Returns whether there were any.
    pub(crate) fn hide(&self, value: &mut Value) -> bool {
        if self.0.is_empty() {
            return false;
        }
        match value {
            Value::String(text) => match self.hidden(text) {
                Some(hidden) => {
                    *text = hidden;
                    true
                }
                None => false,
            },
            Value::Array(items) => items.iter_mut().fold(false, |any, item| self.hide(item) | any),
            Value::Object(map) => map.values_mut().fold(false, |any, value| self.hide(value) | any),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }

    /// Returns the text with what is hidden in it; `None` if nothing is.
    fn hidden(&self, text: &str) -> Option<String> {
        let (mut out, mut done, mut at) = (String::new(), 0, 0_usize);
        while let Some(start) = text.as_bytes().get(at..at.saturating_add(SHORTEST)) {
            let rest = text.get(at..).unwrap_or_default();
            let mut texts = self.0.get(start).into_iter().flatten();
            match texts.find(|taken| rest.starts_with(taken.as_str())) {
                Some(taken) => {
                    out.push_str(text.get(done..at)?);
                    out.push_str(PLACEHOLDER);
                    at += taken.len();
                    done = at;
                }
                None => at += 1,
            }
        }
        out.push_str(text.get(done..).filter(|_| done > 0)?);
        Some(out)
    }
}

fn for_each_text<'v>(value: &'v Value, take: &mut impl FnMut(&'v str)) {
    match value {
        Value::String(text) => take(text),
        Value::Array(items) => items.iter().for_each(|item| for_each_text(item, take)),
        Value::Object(map) => map.values().for_each(|value| for_each_text(value, take)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Finds the texts of a value that are no more in what it became. One that is there whole in another place was only
/// moved.
fn compare(old: &Value, new: Option<&Value>, kept: &HashSet<&str>, texts: &mut HashSet<String>) {
    match old {
        Value::String(old) if kept.contains(old.as_str()) => {}
        Value::String(old) => {
            let new = new.and_then(Value::as_str).unwrap_or_default();
            for taken in [old, changed_part(old, new)] {
                if taken.chars().count() < SHORTEST || new.contains(taken) {
                    continue;
                }
                texts.insert(taken.to_owned());
                // As it is in a string that holds JSON.
                texts.insert(as_json(taken));
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                compare(item, new.and_then(|new| new.get(index)), kept, texts);
            }
        }
        Value::Object(map) => {
            for (key, value) in map {
                compare(value, new.and_then(|new| new.get(key)), kept, texts);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns the part of a text that became something else: without what is the same before and after it.
fn changed_part<'t>(old: &'t str, new: &str) -> &'t str {
    let same = |(old, new): &(char, char)| old == new;
    let before = old.chars().zip(new.chars()).take_while(same);
    let before: usize = before.map(|(sign, _)| sign.len_utf8()).sum();
    let old = old.get(before..).unwrap_or_default();
    let new = new.get(before..).unwrap_or_default();
    let after = old.chars().rev().zip(new.chars().rev()).take_while(same);
    let after: usize = after.map(|(sign, _)| sign.len_utf8()).sum();
    old.get(..old.len().saturating_sub(after)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn hide(old: &Value, new: &Value, text: &str) -> String {
        let fields = |value: &Value| Map::from_iter([("field".to_owned(), value.clone())]);
        let mut value = json!(text);
        TakenOut::of(&fields(old), &fields(new)).hide(&mut value);
        value.as_str().unwrap().to_owned()
    }

    #[test]
    fn the_changed_part_is_between_what_is_the_same() {
        assert_eq!(changed_part("say größe now", "say *** now"), "größe");
        assert_eq!(changed_part("aaa", "aa"), "a");
        assert_eq!(changed_part("npm install", "npm install --safe"), "");
        assert_eq!(changed_part("ü", "ö"), "ü");
    }

    #[test]
    fn what_was_taken_out_is_hidden_and_nothing_else() {
        let (old, new) = (json!("login bluebird now"), json!("login *** now"));
        assert_eq!(hide(&old, &new, "why bluebird?"), "why [rewritten]?");
        assert_eq!(hide(&old, &new, "ran login bluebird now!"), "ran [rewritten]!");
        assert_eq!(hide(&old, &new, "bluebirdbluebird"), "[rewritten][rewritten]");
        assert_eq!(hide(&old, &new, "login blue now"), "login blue now");
        assert_eq!(hide(&old, &json!(null), "login bluebird now"), "[rewritten]");
        assert_eq!(hide(&json!("short"), &json!("x"), "short"), "short");
        assert_eq!(
            hide(&json!("ls -la"), &json!("ls -la src"), "ls -la"),
            "ls -la",
            "it is there still"
        );
        assert_eq!(
            hide(&json!(["first one", "second one"]), &json!(["second one"]), "second one"),
            "second one"
        );
        assert_eq!(
            hide(&json!("größer\"als"), &json!(""), r#"{"a":"größer\"als"}"#),
            r#"{"a":"[rewritten]"}"#
        );
    }
}
