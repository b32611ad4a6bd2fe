//! Keeps secrets out of what people and models read.

mod shapes;

use serde_json::Value;

use crate::failure::Failure;
use crate::verdict::Verdict;

/// Shorter values are words such as `true` or `dev`: to hide them would tell less, not more.
const SHORTEST: usize = 6;

/// Parts of the names of variables that hold secrets.
const TELLING: &[&str] = &["KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL", "AUTH", "COOKIE"];

/// The values that a handler was given and that nobody is to read in what it answers.
///
/// Beside these, texts lose whatever has the shape of a common token: keys of cloud and model
/// providers, JSON web tokens, `Bearer …`, private keys.
///
/// ```
/// use hookgate_contract::Secrets;
///
/// let secrets = Secrets::new([("API_KEY".to_owned(), "hunter2-and-more".to_owned())]);
/// assert_eq!(secrets.hide("401 for hunter2-and-more"), "401 for [API_KEY]");
/// assert_eq!(Secrets::default().hide("AKIAIOSFODNN7EXAMPLE"), "[secret]");
/// ```
#[derive(Clone, Default)]
pub struct Secrets {
    values: Vec<(String, String)>,
}

impl Secrets {
    /// Hides these values, each behind its name.
    #[must_use]
    pub fn new(values: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut values: Vec<_> = values
            .into_iter()
            .map(|(name, value)| (name, value.trim().to_owned()))
            .filter(|(_, value)| value.len() >= SHORTEST)
            .flat_map(|(name, value)| {
                // The lines of a value stand alone in a trace, and a value with quotes or
                // backslashes stands escaped in JSON.
                let escaped = Value::from(value.as_str()).to_string();
                let escaped = escaped.get(1..escaped.len() - 1).unwrap_or_default().to_owned();
                let mut forms: Vec<String> =
                    value.lines().map(|line| line.trim().to_owned()).collect();
                forms.extend([escaped, value]);
                forms.retain(|form| form.len() >= SHORTEST);
                forms.into_iter().map(move |form| (name.clone(), form)).collect::<Vec<_>>()
            })
            .collect();
        // A value may contain another: the longer goes first, or its rest would show.
        values.sort_by(|(_, a), (_, b)| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        values.dedup();
        Self { values }
    }

    /// Whether a variable of this name holds a secret, as far as its name tells.
    #[must_use]
    pub fn tells(name: &str) -> bool {
        let name = name.to_ascii_uppercase();
        TELLING.iter().any(|part| name.contains(part))
    }

    /// The text with `[NAME]` in place of each value, and `[secret]` in place of tokens.
    #[must_use]
    pub fn hide(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (name, value) in &self.values {
            if text.contains(value.as_str()) {
                text = text.replace(value.as_str(), &format!("[{name}]"));
            }
        }
        shapes::hide(text)
    }

    /// The failure, without secrets in its detail.
    #[must_use]
    pub fn hide_in_failure(&self, mut failure: Failure) -> Failure {
        failure.detail = self.hide(&failure.detail).into();
        failure
    }

    /// The verdict, without secrets in what people and models read: reason, message, context,
    /// annotations and note. What it sets (patch, answer, contributions, payload) is data, and
    /// stays.
    #[must_use]
    pub fn hide_in_verdict(&self, mut verdict: Verdict) -> Verdict {
        if let Some(parts) = verdict.parts_mut() {
            let texts = [&mut parts.reason, &mut parts.message, &mut parts.note];
            for text in texts.into_iter().flatten().chain(&mut parts.context) {
                *text = self.hide(text);
            }
            for value in parts.annotations.values_mut() {
                self.hide_in_value(value);
            }
        }
        verdict
    }

    fn hide_in_value(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.hide(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.hide_in_value(item)),
            Value::Object(map) => map.values_mut().for_each(|item| self.hide_in_value(item)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// The names only.
impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.values.iter().map(|(name, _)| name)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(values: &[(&str, &str)]) -> Secrets {
        Secrets::new(values.iter().map(|(name, value)| ((*name).into(), (*value).into())))
    }

    #[test]
    fn the_longer_value_goes_first() {
        let secrets = secrets(&[("A", "secret"), ("B", "secret-and-more\n"), ("C", "dev")]);
        assert_eq!(secrets.hide("secret-and-more, secret, dev"), "[B], [A], dev");
    }

    #[test]
    fn a_value_is_found_line_by_line_and_escaped() {
        let secrets = secrets(&[("KEY", "first-line\nsecond-line"), ("QUOTED", "say \"please\"")]);
        assert_eq!(secrets.hide("at second-line of it"), "at [KEY] of it");
        assert_eq!(secrets.hide(r#"in "say \"please\" now""#), r#"in "[QUOTED] now""#);
    }

    #[test]
    fn a_verdict_keeps_its_data() {
        let verdict = Verdict::deny("no: hunter2-x")
            .context("hunter2-x")
            .message("hunter2-x")
            .annotate("seen", serde_json::json!([{"value": "hunter2-x"}]))
            .patch("header", "hunter2-x");
        let hidden = secrets(&[("K", "hunter2-x")]).hide_in_verdict(verdict);
        let expected = Verdict::deny("no: [K]")
            .context("[K]")
            .message("[K]")
            .annotate("seen", serde_json::json!([{"value": "[K]"}]))
            .patch("header", "hunter2-x");
        assert_eq!(hidden, expected);
    }
}
