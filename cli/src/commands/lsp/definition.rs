//! Where a name leads: an id to its hook, a path to its file.

use hookgate::contract::settings::Node;
use serde_json::{Value, json};

use super::complete::{hooks, texts, value_of};
use super::cursor::{Place, Role, place_of_token, unquoted};
use super::document::{Document, uri_of};
use super::question::Question;

/// Returns the place that the value at a place names, or null.
pub(super) fn definition(asked: &Question<'_>) -> Value {
    let Question { document, at, .. } = *asked;
    let text = asked.text();
    let Some(place) = place_of_token(text, at).filter(|place| place.role == Role::Value) else {
        return Value::Null;
    };
    let written = text.get(place.token.clone()).unwrap_or_default();
    let found = if names_a_hook(&place) {
        hook(text, unquoted(written))
            .map(|id| json!({"uri": &*document.uri, "range": asked.range(id.span)}))
    } else {
        let inner = written.len() - written.trim_start_matches(['"', '\'']).len();
        let at = at.saturating_sub(place.token.start + inner);
        file(document, unquoted(written), at)
    };
    found.unwrap_or_default()
}

fn names_a_hook(place: &Place) -> bool {
    matches!(
        place.keys().as_slice(),
        ["hook", "after" | "before"] | ["disable", "id"] | ["require", "hooks"]
    )
}

/// Returns the id of the hook of this name.
fn hook(text: &str, id: &str) -> Option<Node> {
    let hooks = hooks(text);
    let mut ids = hooks.iter().filter_map(|hook| value_of(hook, "id"));
    ids.find(|node| texts(Some(node)).first().is_some_and(|found| found == id)).cloned()
}

/// Returns the beginning of the file that a text names, or one word of it: a command line names several.
fn file(document: &Document, text: &str, at: usize) -> Option<Value> {
    let base = document.base();
    let apart = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '=' | ';' | '|' | '&');
    let start = text.get(..at).and_then(|before| before.rfind(apart)).map_or(0, |at| at + 1);
    let word = text.get(start..).and_then(|rest| rest.split(apart).next()).unwrap_or_default();
    let found = [text, word].into_iter().filter(|name| !name.is_empty());
    let found = found.map(|name| base.join(name)).find(|path| path.is_file())?;
    let found = found.canonicalize().unwrap_or(found);
    let start = json!({"line": 0, "character": 0});
    Some(json!({"uri": uri_of(&found), "range": {"start": start, "end": start}}))
}
