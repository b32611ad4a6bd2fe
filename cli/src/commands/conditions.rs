//! `hookgate conditions`: on what a hook can depend.

mod value_schema;

use hookgate::Event;
use hookgate::contract::ConditionKind;
use serde_json::{Map, Value, json};

use crate::abort::Abort;
use crate::config;
use crate::exit_code::Exit;
use crate::reference::{self, Page};
use crate::terminal::stdout::OutputArgs;
use value_schema::ValueSchema;

/// Show the conditions that a hook can have
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate conditions               all of them, with a line each
  hookgate conditions input         one of them, with its settings and an example
  hookgate conditions --json | jq -r .name")]
pub struct Args {
    /// Only this condition
    #[arg(value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    output: OutputArgs,
}

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

/// Runs the verb.
///
/// # Errors
/// There is no condition of this name, or stdout takes no more.
pub fn run(args: &Args) -> Result<Exit, Abort> {
    let schema = hookgate::schema::config();
    let definitions = schema.get("$defs").and_then(Value::as_object);
    let mut pages: Vec<Page> =
        OF_ENGINE.iter().filter_map(|known| page_of_engine(known, definitions)).collect();
    pages.extend(config::registry().conditions().iter().map(page_of_kind));
    reference::print("condition", &pages, args.name.as_deref(), args.output)?;
    Ok(Exit::Ok)
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
    let value = ValueSchema { schema: kind.value_schema(), definitions: None };
    let nested = if kind.is_nestable() { "yes" } else { "no: it does something when it has held" };
    let fits =
        |event: &Event| kind.supported().is_none_or(|supports| supports(event.contract()).is_ok());
    Page {
        name: kind.name().to_owned(),
        about: kind.about_text().to_owned(),
        facts: Map::from_iter([
            ("value".to_owned(), value.words().into()),
            ("in any, not".to_owned(), json!(nested)),
        ]),
        settings: value.settings(),
        events: Event::NAMED.into_iter().filter(fits).map(Event::name).collect(),
        example: kind.example_line().to_owned(),
    }
}
