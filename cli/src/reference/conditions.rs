//! The pages of the conditions, from the schema of hooks.toml and the registered kinds.

use hookgate::Event;
use hookgate::conditions::EXPR_FIELDS;
use hookgate::contract::ConditionKind;
use serde_json::{Map, Value, json};

use super::Page;
use super::markdown::code_list;
use super::value_schema::ValueSchema;
use crate::config;

/// The conditions that the engine has by itself, each with an example. What they mean is in the schema
/// of hooks.toml.
const OF_ENGINE: &[(&str, &str)] = &[
    ("tool", "tool = [\"Edit|Write\", \"mcp__*\"]"),
    ("tool_glob", "tool_glob = \"mcp__*\""),
    ("tool_regex", "tool_regex = \"mcp__(fs|git)__.*\""),
    ("regex_search", "tool_regex = \"^mcp__\"\nregex_search = true"),
    ("safety", "safety = \"destructive\""),
    ("agent", "agent = \"!reviewer\""),
    ("subagent", "subagent = true"),
    ("cwd_glob", "cwd_glob = \"/srv/*/checkout\""),
    ("input", "input = { \"/command\" = { regex = 'push.*--force' } }"),
    ("payload", "payload = { \"/prompt\" = { regex = '(?i)password' } }"),
    ("any", "any = [{ tool = \"Bash\" }, { agent = \"reviewer\" }]"),
    ("not", "not = { tool = \"Read\" }"),
];

/// Those that make sense at events with a tool only.
const OF_TOOLS: &[&str] = &["tool", "tool_glob", "tool_regex", "regex_search", "safety"];

/// Where the fields of `step` stand.
const STEP_FIELDS: &str = "the envelope that hooks get; `hookgate events EVENT` lists its fields";

/// Returns a page for each condition.
pub(crate) fn conditions() -> Vec<Page> {
    let schema = hookgate::schema::config();
    let definitions = schema.get("$defs").and_then(Value::as_object);
    let mut pages: Vec<Page> =
        OF_ENGINE.iter().filter_map(|known| page_of_engine(known, definitions)).collect();
    pages.extend(config::registry().conditions().iter().map(page_of_kind));
    pages
}

fn page_of_engine(
    (name, example): &(&str, &str),
    definitions: Option<&Map<String, Value>>,
) -> Option<Page> {
    let schema = definitions?.get("Hook")?.get("properties")?.get(name)?;
    let value = ValueSchema { schema, definitions };
    let fits = |event: &Event| !OF_TOOLS.contains(name) || event.contract().tool;
    Some(Page {
        name: (*name).to_owned(),
        about: value.description(),
        facts: Map::from_iter([("value".to_owned(), value.words().into())]),
        settings: value.settings(),
        events: Event::NAMED.into_iter().filter(fits).map(Event::name).collect(),
        example: (*example).to_owned(),
    })
}

fn page_of_kind(kind: &ConditionKind) -> Page {
    let schema = kind.value_schema();
    let value = ValueSchema { schema: &schema, definitions: None };
    let nested =
        if kind.is_nestable() { "yes" } else { "no, because it does something when it has held" };
    let fits =
        |event: &Event| kind.supported().is_none_or(|supports| supports(event.contract()).is_ok());
    let mut facts = Map::from_iter([
        ("value".to_owned(), value.words().into()),
        ("in any, not".to_owned(), json!(nested)),
    ]);
    if kind.name() == "expr" {
        facts.insert("step".to_owned(), STEP_FIELDS.into());
        let fields = EXPR_FIELDS.iter();
        facts.extend(fields.map(|(name, fields)| ((*name).to_owned(), code_list(fields).into())));
    }
    Page {
        name: kind.name().to_owned(),
        about: kind.about_text().to_owned(),
        facts,
        settings: value.settings(),
        events: Event::NAMED.into_iter().filter(fits).map(Event::name).collect(),
        example: kind.example_line().to_owned(),
    }
}
