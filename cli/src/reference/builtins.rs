//! The pages of the builtins.

use hookgate::builtin::{BUILTINS, BuiltinDoc};
use hookgate_secrets::SECRET_PATTERNS;
use serde_json::Map;

use super::markdown::code_list;
use super::{Page, Setting};

/// The builtin that names kinds of secrets.
const REDACTS: &str = "redact_secrets";

/// Returns a page for each builtin.
pub(crate) fn builtins() -> Vec<Page> {
    BUILTINS.iter().map(page).collect()
}

fn page(builtin: &BuiltinDoc) -> Page {
    let mut facts = Map::from_iter([("role".to_owned(), builtin.role.name().into())]);
    if builtin.name == REDACTS {
        let kinds: Vec<&str> = SECRET_PATTERNS.iter().map(|pattern| pattern.name).collect();
        facts.insert("kinds".to_owned(), code_list(&kinds).into());
    }
    Page {
        name: builtin.name.to_owned(),
        about: builtin.about.to_owned(),
        facts,
        settings: builtin.settings.iter().map(Setting::from).collect(),
        events: builtin.events(),
        example: builtin.example.to_owned(),
    }
}
