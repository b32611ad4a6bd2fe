//! The pages of the builtins.

use hookgate::builtin::{BUILTINS, BuiltinDoc};
use serde_json::Map;

use super::{Page, Setting};

/// Returns a page for each builtin.
pub(crate) fn builtins() -> Vec<Page> {
    BUILTINS.iter().map(page).collect()
}

fn page(builtin: &BuiltinDoc) -> Page {
    Page {
        name: builtin.name.to_owned(),
        about: builtin.about.to_owned(),
        facts: Map::from_iter([("role".to_owned(), builtin.role.name().into())]),
        settings: builtin.settings.iter().map(Setting::from).collect(),
        events: builtin.events(),
        example: builtin.example.to_owned(),
    }
}
