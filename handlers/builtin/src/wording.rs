//! Settings that are read by people.

use hookgate_contract::settings::Settings;

/// Reads a text that must be there and must say something.
pub(crate) fn required<'a>(settings: &mut Settings<'a>, key: &'static str) -> Option<&'a str> {
    let text = settings.required_text(key)?;
    if text.trim().is_empty() {
        settings.invalid(key, "it is empty: somebody will read it");
        return None;
    }
    Some(text)
}
