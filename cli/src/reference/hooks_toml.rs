//! The document about hooks.toml: every key of the file, from its schema and the settings of the
//! handlers.

use hookgate::contract::SettingDoc;
use serde_json::{Map, Value};

use super::markdown::{all_settings, settings_table};
use super::value_schema::ValueSchema;
use super::{Setting, conditions};
use crate::config;

const INTRODUCTION: &str = include_str!("hooks_toml.md");

/// The kinds of handlers, each with its settings.
const HANDLERS: &[(&str, &str, &[SettingDoc])] = &[
    (
        "command",
        "A program. It gets the envelope of the step on stdin and prints a verdict, or ends with status 2 \
         to deny. It has exactly one of `argv` and `shell`.",
        hookgate::command::SETTINGS,
    ),
    (
        "http",
        "A service. The envelope is posted, and the answer is a verdict.",
        hookgate::http::SETTINGS,
    ),
    (
        "prompt",
        "A language model as a judge: see [judges.md](judges.md). It has exactly one of `prompt` and \
         `prompt_file`.",
        hookgate::prompt::SETTINGS,
    ),
    (
        "mcp",
        "A tool or an interceptor of an MCP server: see [policies.md](policies.md). It has exactly one of \
         `tool` and `interceptor`, and its server exactly one of `command` and `url`.",
        hookgate::mcp::SETTINGS,
    ),
];

/// The keys of a hook by what they are about; conditions have a document of their own.
const GROUPS: &[(&str, &[&str])] = &[
    ("What it is and when it is called", &["id", "event", "mode", "enforce_after", "tags"]),
    ("What it may do", &["role", "may_allow", "merge", "background", "pure"]),
    ("In which order hooks are called", &["priority", "after", "before", "needs"]),
    (
        "What is called",
        &["builtin", "command", "http", "prompt", "mcp", "rego", "cedar", "handler"],
    ),
    (
        "Time and failures",
        &["timeout", "retry", "stream", "on_failure", "on_unclear", "required", "fallback"],
    ),
    ("Whether it works", &["canary"]),
];

/// The keys of a hook in the table of the failure classes.
const ON: &str = "on_";

/// Returns the document.
pub(super) fn hooks_toml() -> String {
    let schema = hookgate::schema::config_with(&config::registry());
    let definitions = schema.get("$defs").and_then(Value::as_object);
    let keys = |pointer: &str| -> Vec<Setting> {
        let schema = schema.pointer(pointer).unwrap_or(&Value::Null);
        ValueSchema { schema, definitions }.settings()
    };
    let mut text = INTRODUCTION.to_owned();
    let mut section = |title: &str, about: &str, settings: &[Setting]| {
        text.push_str(&format!("\n## {title}\n\n{about}\n\n{}", settings_table(settings)));
    };
    section("The top of the file", "These keys stand before any `[section]`.", &top(keys("")));
    section("[limits]", "Bounds and defaults for all hooks.", &keys("/$defs/LimitsToml"));
    section(
        "[require]",
        "What must be guarded by a hook that enforces. If it is not, its steps are denied.",
        &keys("/$defs/RequireToml"),
    );
    section(
        "[handler.NAME]",
        "A handler that several hooks use, with `handler = \"NAME\"`. They share one instance of it: one process, one \
         client, one cache. It has exactly one kind, as a hook has.",
        &keys("/$defs/SharedHandlerToml"),
    );
    section(
        "capabilities of [handler.NAME]",
        "What a handler may do. A list that is not given bounds nothing; an empty one allows nothing.",
        &keys("/$defs/CapabilitiesToml"),
    );
    text.push_str(&hook(keys("/$defs/Hook")));
    section_of_retry(&mut text, &keys("/$defs/RetryToml"));
    for (name, about, settings) in HANDLERS {
        let table = settings_table(&all_settings(settings));
        text.push_str(&format!("\n## {name}\n\n{about}\n\n{table}"));
    }
    let tool = keys("/properties/tool/items");
    text.push_str(&format!("\n{TOOL}\n{}", settings_table(&tool)));
    text.push_str(&arguments(&schema, definitions));
    text
}

fn section_of_retry(text: &mut String, settings: &[Setting]) {
    let about = "How often a call that has failed is tried again.";
    text.push_str(&format!("\n### retry\n\n{about}\n\n{}", settings_table(settings)));
}

const TOOL: &str = include_str!("tool.md");

/// Keeps the keys of the top that are no sections.
fn top(mut keys: Vec<Setting>) -> Vec<Setting> {
    for key in &mut keys {
        let section = match key.name.as_str() {
            "hook" | "tool" => format!(", each a section `[[{}]]`", key.name),
            "limits" | "require" => format!(", the section `[{}]`", key.name),
            "handler" => ", each a section `[handler.NAME]`".to_owned(),
            _ => continue,
        };
        key.meaning = format!("{}{section}", key.meaning.trim_end_matches('.'));
    }
    keys
}

/// Returns the chapter about a hook. A key that is in no group comes last, so none is left out.
fn hook(mut keys: Vec<Setting>) -> String {
    let mut text = "\n## [[hook]]\n".to_owned();
    let mut group = |title: &str, about: &str, settings: &[Setting]| {
        let table = settings_table(settings);
        text.push_str(&format!("\n### {title}\n\n{about}{table}"));
    };
    let names: Vec<String> = conditions().into_iter().map(|page| page.name).collect();
    let of_conditions = keys.extract_if(.., |key| names.contains(&key.name)).collect::<Vec<_>>();
    for (title, listed) in GROUPS {
        let found: Vec<Setting> = listed
            .iter()
            .filter_map(|name| {
                let at = keys.iter().position(|key| key.name == *name)?;
                Some(keys.remove(at))
            })
            .collect();
        group(title, about(title), &found);
    }
    let classes: Vec<Setting> = keys.extract_if(.., |key| key.name.starts_with(ON)).collect();
    group("Failures by class", CLASSES, &classes);
    group("Conditions", CONDITIONS, &of_conditions);
    if !keys.is_empty() {
        group("Other keys", "", &keys);
    }
    text
}

fn about(title: &str) -> &'static str {
    match title {
        "What is called" => {
            "A hook has exactly one of these. [builtins.md](builtins.md) has the builtins; the settings of \
             the others are below, and those of policies in [policies.md](policies.md).\n\n"
        }
        _ => "",
    }
}

const CLASSES: &str = "\
Each class of failures can have a posture of its own: `deny`, `ask` or `allow` (as if the hook had no \
opinion). Without one `on_failure` counts, and without that the default of the event, which \
[verdicts.md](verdicts.md) shows.\n\n";

const CONDITIONS: &str = "\
All of them must hold. [conditions.md](conditions.md) explains each, with examples.\n\n";

/// Returns the tables of the arguments of `[[tool]]`.
fn arguments(schema: &Value, definitions: Option<&Map<String, Value>>) -> String {
    let mut text = String::new();
    for (title, keys) in [
        ("reads, writes, deletes", "/properties/tool/items/properties/reads"),
        ("connects", "/properties/tool/items/properties/connects"),
        ("shell, patch", "/properties/tool/items/properties/shell"),
        ("runs", "/properties/tool/items/properties/runs/items"),
    ] {
        let schema = schema.pointer(keys).unwrap_or(&Value::Null);
        let table = settings_table(&ValueSchema { schema, definitions }.settings());
        text.push_str(&format!("\n### A table in {title}\n\n{table}"));
    }
    text
}
