//! Content that is a text, nothing or JSON, in a field that is a text.

use hookgate_contract::json;
use hookgate_contract::name_enum;
use serde_json::Value;

name_enum! {
    /// What a text field stands for.
    #[derive(Default)]
    pub(crate) enum TextForm {
        /// The text.
        #[default]
        Text = "text",
        /// Nothing, if it is empty.
        Null = "null",
        /// The value that it is the JSON of.
        Json = "json",
    }
}

/// Returns a value as a text, and the form in which it comes back.
pub(crate) fn split(value: &Value) -> (TextForm, String) {
    let form = TextForm::of(value);
    (form, form.write(value).unwrap_or_default())
}

impl TextForm {
    /// The form of a value.
    pub(crate) fn of(value: &Value) -> Self {
        match value {
            Value::String(_) => Self::Text,
            Value::Null => Self::Null,
            _ => Self::Json,
        }
    }

    /// Writes another value in this form; `None` if the form has no text for it.
    pub(crate) fn write(self, value: &Value) -> Option<String> {
        match (self, value) {
            (Self::Text, Value::String(text)) => Some(text.clone()),
            (Self::Null, Value::Null) => Some(String::new()),
            (Self::Null, Value::String(text)) if !text.is_empty() => Some(text.clone()),
            (Self::Json, value) => Some(value.to_string()),
            _ => None,
        }
    }

    /// Returns the value of a text. What a hook made of JSON that is none is the text that it is.
    pub(crate) fn join(self, text: &str) -> Value {
        match self {
            Self::Null if text.is_empty() => Value::Null,
            Self::Json => json::parse(text.as_bytes()).unwrap_or_else(|_| text.into()),
            Self::Text | Self::Null => text.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_value_comes_back_as_it_was() {
        for value in [json!("text"), json!(""), json!(null), json!({"a": [1]}), json!([]), json!(7)]
        {
            let (form, text) = split(&value);
            assert_eq!(form.join(&text), value, "{text}");
        }
    }

    #[test]
    fn another_value_is_written_if_it_comes_back_as_that_value() {
        let values = [json!("text"), json!(""), json!(null), json!({"a": 1}), json!(true)];
        for before in &values {
            for after in &values {
                let form = TextForm::of(before);
                if let Some(text) = form.write(after) {
                    assert_eq!(&form.join(&text), after, "{before} to {after}");
                }
            }
        }
    }
}
