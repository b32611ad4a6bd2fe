//! Readers of settings that several builtins have.

use hookgate_contract::settings::Settings;

/// Reads a text that must be there and must not be blank: a user or a model will read it.
pub(crate) fn required_prose<'a>(
    settings: &mut Settings<'a>,
    key: &'static str,
) -> Option<&'a str> {
    let text = settings.required_text(key)?;
    if text.trim().is_empty() {
        settings.invalid(key, "it is empty: a person or a model will read it");
        return None;
    }
    Some(text)
}
