//! What is said of the key or the value that a pointer rests on.

use serde_json::{Value, json};

use super::cursor::{Place, Role, place_of_token, unquoted};
use super::event_words;
use super::question::Question;
use super::vocabulary::Vocabulary;
use crate::reference::markdown;

/// Returns the text about a place, or null.
pub(super) fn hover(asked: &Question<'_>) -> Value {
    let text = asked.text();
    let found = place_of_token(text, asked.at).and_then(|place| {
        let word = unquoted(text.get(place.token.clone())?);
        Some((about(asked.vocabulary, &place, word)?, place.token))
    });
    found.map_or(Value::Null, |(about, token)| {
        json!({"contents": {"kind": "markdown", "value": about}, "range": asked.range(token)})
    })
}

fn about(vocabulary: &Vocabulary, place: &Place, word: &str) -> Option<String> {
    let mut path = place.keys();
    match (place.role, path.as_slice()) {
        (Role::Value, ["hook", "event"] | ["require", "events"]) => {
            let contracts = event_words::contracts(word);
            let pages: Vec<String> = contracts.into_iter().map(event_words::page).collect();
            (!pages.is_empty()).then(|| pages.join("\n\n"))
        }
        (Role::Value, ["hook", "builtin"] | ["hook", "builtin", "name"]) => {
            vocabulary.builtin(word).map(|page| markdown::section(page, true))
        }
        (Role::Value, path) => {
            let written = Value::from(word).to_string();
            let choice =
                vocabulary.values(path).into_iter().find(|choice| choice.written == written);
            choice.map(|choice| choice.meaning).filter(|meaning| !meaning.is_empty())
        }
        (Role::Header | Role::Key, _) => {
            path.push(word);
            let key = vocabulary.key(&path)?;
            let default = match &key.default {
                _ if key.required => ", required".to_owned(),
                Some(default) => format!(", `{default}` by default"),
                None => String::new(),
            };
            let meaning = markdown::sentence(&key.meaning);
            Some(format!("**{}** ({}{default})\n\n{meaning}", key.name, key.kind))
        }
    }
}
