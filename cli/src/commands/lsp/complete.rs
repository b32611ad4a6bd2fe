//! What can be written at a cursor.

use hookgate::config::parse_toml;
use hookgate::contract::settings::{Node, NodeValue};
use hookgate::matcher::input_keys;
use serde_json::{Value, json};

use super::cursor::{Place, Role, place, unquoted};
use super::event_words;
use super::question::Question;
use super::vocabulary::Vocabulary;
use crate::reference::Setting;

/// The kinds of completions in the protocol.
const FUNCTION: u8 = 3;
const PROPERTY: u8 = 10;
const MODULE: u8 = 9;
const VALUE: u8 = 12;
const REFERENCE: u8 = 18;
const EVENT: u8 = 23;

/// Something that can be written.
struct Item {
    kind: u8,
    /// As it is written in the file.
    written: String,
    detail: String,
    meaning: String,
}

/// Returns the completions at a place.
pub(super) fn completions(asked: &Question<'_>) -> Value {
    let text = asked.text();
    let Some(place) = place(text, asked.at) else { return json!([]) };
    let items = match place.role {
        Role::Header | Role::Key => keys(asked.vocabulary, &place, text),
        Role::Value => values(asked.vocabulary, &place, text),
    };
    let range = asked.range(place.token.clone());
    let as_json = |item: Item| {
        json!({
            "label": unquoted(&item.written),
            "kind": item.kind,
            "detail": item.detail,
            "documentation": {"kind": "markdown", "value": item.meaning},
            // It is compared with what is replaced, which has quotes.
            "filterText": item.written,
            "textEdit": {"range": range, "newText": item.written},
        })
    };
    items.into_iter().map(as_json).collect()
}

fn keys(vocabulary: &Vocabulary, place: &Place, text: &str) -> Vec<Item> {
    let path = place.keys();
    match path.as_slice() {
        ["hook", "builtin"] => {
            let name = hook_around(text, place.token.start, |hook| {
                let builtin = value_of(hook, "builtin")?;
                texts(value_of(builtin, "name")).first().cloned()
            });
            let settings = name.as_deref().and_then(|name| vocabulary.builtin(name));
            let settings = settings.map(|page| page.settings.iter()).into_iter().flatten();
            let mut items: Vec<Item> = settings.map(item_of).collect();
            items.push(Item {
                kind: PROPERTY,
                written: "name".to_owned(),
                detail: "string".to_owned(),
                meaning: "The builtin.".to_owned(),
            });
            items
        }
        [.., "input" | "payload"] => pointers(vocabulary, place, text),
        path => vocabulary.keys(path).iter().map(item_of).collect(),
    }
}

fn item_of(setting: &Setting) -> Item {
    let default = match &setting.default {
        _ if setting.required => ", required".to_owned(),
        Some(default) => format!(", {default} by default"),
        None => String::new(),
    };
    Item {
        kind: PROPERTY,
        written: key_of(&setting.name),
        detail: format!("{}{default}", setting.kind),
        meaning: setting.meaning.clone(),
    }
}

/// Returns a key as it is written: with quotes if it needs them.
fn key_of(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(is_plain) {
        name.to_owned()
    } else {
        Value::from(name).to_string()
    }
}

/// Returns the pointers into the payload of the hook's events, or into the input of its tools.
fn pointers(vocabulary: &Vocabulary, place: &Place, text: &str) -> Vec<Item> {
    let found = hook_around(text, place.token.start, |hook| {
        Some((texts(value_of(hook, "event")), texts(value_of(hook, "tool"))))
    });
    let (events, tools) = found.unwrap_or_default();
    let contracts: Vec<_> = events.iter().flat_map(|name| event_words::contracts(name)).collect();
    let mut items: Vec<Item> = Vec::new();
    let mut add = |name: &str, detail: &str, meaning: &str| {
        let written = Value::from(format!("/{name}")).to_string();
        if items.iter().all(|known| known.written != written) {
            let (detail, meaning) = (detail.to_owned(), meaning.to_owned());
            items.push(Item { kind: PROPERTY, written, detail, meaning });
        }
    };
    if place.last() == "input" && contracts.iter().any(|contract| contract.tool) {
        let named = tools.iter().flat_map(|text| text.split('|'));
        let known: Vec<&str> = named.filter(|tool| input_keys(tool).is_some()).collect();
        let all = if known.is_empty() { vec!["Bash", "Write"] } else { known };
        for tool in all {
            for key in input_keys(tool).unwrap_or_default() {
                add(key, tool, &format!("`{key}` in the input of the tool `{tool}`."));
            }
        }
        return items;
    }
    for contract in contracts {
        for field in vocabulary.payload_fields(contract.name) {
            if field.name != "hook_event_name" {
                add(&field.name, &field.kind, &field.meaning);
            }
        }
    }
    items
}

fn values(vocabulary: &Vocabulary, place: &Place, text: &str) -> Vec<Item> {
    let quoted = |name: &str| Value::from(name).to_string();
    let path = place.keys();
    match path.as_slice() {
        ["hook", "event"] | ["require", "events"] => event_words::names()
            .into_iter()
            .map(|(name, meaning)| Item {
                kind: EVENT,
                written: quoted(name),
                detail: String::new(),
                meaning,
            })
            .collect(),
        ["hook", "builtin"] | ["hook", "builtin", "name"] => vocabulary
            .builtins
            .iter()
            // Alone stands the name of a builtin that needs no settings.
            .filter(|page| path.len() > 2 || page.settings.iter().all(|setting| !setting.required))
            .map(|page| Item {
                kind: FUNCTION,
                written: quoted(&page.name),
                detail: page.about.clone(),
                meaning: format!("```toml\n{}\n```", page.example.trim()),
            })
            .collect(),
        ["hook", "after" | "before"] | ["disable", "id"] | ["require", "hooks"] => hooks(text)
            .iter()
            .filter_map(|hook| texts(value_of(hook, "id")).first().cloned())
            .map(|id| Item {
                kind: REFERENCE,
                written: quoted(&id),
                detail: "a hook of this file".to_owned(),
                meaning: String::new(),
            })
            .collect(),
        ["hook", .., "tool"] => {
            let declared = tables(text, "tool");
            let declared = declared.iter().flat_map(|tool| texts(value_of(tool, "name")));
            let all = declared
                .map(|name| (name, "declared in this file"))
                .chain(vocabulary.tools.iter().map(|name| (name.clone(), "a tool that is known")));
            all.map(|(name, detail)| Item {
                kind: MODULE,
                written: quoted(&name),
                detail: detail.to_owned(),
                meaning: String::new(),
            })
            .collect()
        }
        path => vocabulary
            .values(path)
            .into_iter()
            .map(|choice| Item {
                kind: VALUE,
                written: choice.written,
                detail: String::new(),
                meaning: choice.meaning,
            })
            .collect(),
    }
}

/// Returns the hooks of a text, as far as it can be read.
pub(super) fn hooks(text: &str) -> Vec<Node> {
    tables(text, "hook")
}

fn tables(text: &str, key: &str) -> Vec<Node> {
    let (root, _) = parse_toml(text);
    match value_of(&root, key) {
        Some(Node { value: NodeValue::List(all), .. }) => all.clone(),
        _ => Vec::new(),
    }
}

/// Takes something from the hook that an offset is in.
fn hook_around<T>(text: &str, at: usize, take: impl FnOnce(&Node) -> Option<T>) -> Option<T> {
    let hooks = hooks(text);
    take(hooks.iter().rfind(|hook| hook.span.start <= at)?)
}

/// Returns the value of a key of a table.
pub(super) fn value_of<'n>(table: &'n Node, key: &str) -> Option<&'n Node> {
    let NodeValue::Table(entries) = &table.value else { return None };
    entries.iter().find(|entry| entry.key == key).map(|entry| &entry.node)
}

/// Returns the text of a value, or those of a list.
pub(super) fn texts(node: Option<&Node>) -> Vec<String> {
    match node.map(|node| &node.value) {
        Some(NodeValue::Text(text)) => vec![text.clone()],
        Some(NodeValue::List(items)) => items.iter().flat_map(|item| texts(Some(item))).collect(),
        _ => Vec::new(),
    }
}
