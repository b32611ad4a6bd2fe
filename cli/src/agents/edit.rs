//! Adds hooks to the text of a file and removes them, whatever its form.

use super::draft::Draft;
use super::entry::Entry;
use super::profile::Form;
use super::refusal::Refusal;
use super::{json, tables};

/// Adds entries to a text, which is empty if there is no file.
pub(crate) fn add(text: &str, form: Form, entries: &[Entry]) -> Result<Draft, Refusal> {
    match form {
        Form::Tables => tables::add(text, entries),
        Form::Grouped { .. } | Form::Listed { .. } | Form::Scripts | Form::Plugin => {
            json::add(text, form, entries)
        }
    }
}

/// Removes the hooks whose command line is `ours`. `None` if there are none.
pub(crate) fn remove(
    text: &str,
    form: Form,
    ours: &dyn Fn(&str) -> bool,
) -> Result<Option<String>, Refusal> {
    match form {
        Form::Tables => tables::remove(text, ours),
        Form::Grouped { syntax, .. } | Form::Listed { syntax, .. } => {
            json::remove(text, syntax, ours)
        }
        Form::Scripts | Form::Plugin => Ok(None),
    }
}

/// Tells whether a text says nothing at all.
pub(crate) fn is_empty(text: &str, form: Form) -> bool {
    let nothing = |root: serde_json::Value| {
        root.as_object().is_some_and(|root| root.keys().all(|key| key == "version"))
    };
    match form {
        Form::Tables => text.trim().is_empty(),
        Form::Grouped { syntax, .. } | Form::Listed { syntax, .. } => {
            json::value(text, syntax).is_ok_and(nothing)
        }
        Form::Scripts | Form::Plugin => false,
    }
}
