//! Reads a `[[tool]]` table, declared or built in.
//!
//! ```toml
//! [[tool]]
//! name = "mcp__fs__write_file"             # a name, a glob, `a|b`, or a list
//! writes = ["/path"]                       # reads, deletes, connects, shell, patch likewise
//!
//! [[tool]]
//! name = "mcp__clock__*"
//! effects = "none"
//!
//! [[tool]]
//! name = "mcp__git__git_show"              # the same as a program with these words
//! runs = ["git", "-C", { pointer = "/repo_path" }, "show", { pointer = "/revision" }]
//! ```
//!
//! Where more is to be said of an argument it is a table: `{ pointer = "/path", default = "." }`.

use std::ops::Range;

use hookgate_contract::settings::{Node, NodeValue, SettingError, SettingProblem, Settings};

use super::manifest::{Argument, ArgumentKind, Does, Manifest, ValueFrom};
use super::name_pattern::NamePattern;
use super::pointer::Pointer;
use super::run_words::read_run_words;

/// Reads a table. What is wrong with it is returned beside the manifest, which is `None` if it could
/// say too little then.
pub(super) fn read_manifest(node: &Node) -> (Option<Manifest>, Vec<SettingError>) {
    let mut settings = Settings::new(node);
    let names = read_names(&mut settings);
    let mut arguments = Vec::new();
    let runs = read_run_words(&mut settings);
    let mut first = settings.has("runs").then_some("runs");
    for kind in ArgumentKind::ALL {
        if let Some(node) = settings.node(kind.key()) {
            if first == Some("runs") {
                let problem = "a tool that stands for a program has no other effects than it";
                settings.invalid(kind.key(), problem);
            }
            first = first.or(Some(kind.key()));
            read_arguments(&mut settings, kind, node, &mut arguments);
        }
    }
    let given = runs.map_or(Does::Arguments(arguments), Does::Runs);
    let does = read_does(&mut settings, first, given);
    let errors = settings.finish();
    let manifest = names.zip(does).map(|(names, does)| Manifest { names, does, of: None });
    (manifest.filter(|_| errors.is_empty()), errors)
}

/// Reads `name`: a pattern or a list of them.
fn read_names(settings: &mut Settings<'_>) -> Option<NamePattern> {
    if !settings.has("name") {
        settings.missing("name");
    }
    let mut names: Option<NamePattern> = None;
    for (text, span) in texts(settings, "name") {
        match NamePattern::read(&text) {
            Ok(read) => match &mut names {
                Some(names) => names.add(read),
                None => names = Some(read),
            },
            Err(problem) => invalid(settings, "name", span, problem.to_string()),
        }
    }
    names
}

/// Reads a text or a list of texts, each with its span.
fn texts(settings: &mut Settings<'_>, key: &str) -> Vec<(String, Range<usize>)> {
    let Some(node) = settings.node(key) else { return Vec::new() };
    let mut texts = Vec::new();
    for item in items(node) {
        match &item.value {
            NodeValue::Text(text) => texts.push((text.clone(), item.span.clone())),
            _ => wrong_type(settings, key, "a string or an array of strings", item),
        }
    }
    if texts.is_empty() && matches!(&node.value, NodeValue::List(list) if list.is_empty()) {
        invalid(settings, key, node.span.clone(), "the list is empty".to_owned());
    }
    texts
}

/// Returns the elements of a list, or the value itself if it is none.
fn items(node: &Node) -> &[Node] {
    match &node.value {
        NodeValue::List(items) => items,
        _ => std::slice::from_ref(node),
    }
}

/// Reads `effects`, and joins it with the arguments: one of both must be there.
fn read_does(
    settings: &mut Settings<'_>,
    first: Option<&'static str>,
    given: Does,
) -> Option<Does> {
    let parse = |text: &str| match text {
        "none" => Some(false),
        "unclear" => Some(true),
        _ => None,
    };
    let says = settings.has("effects");
    let unclear = settings.choice("effects", &["none", "unclear"], parse);
    let why = settings.text("why").map(str::to_owned);
    match (says, first) {
        (false, None) => {
            let problem = "a tool needs one of reads, writes, deletes, connects, shell, \
                           powershell, sql, patch and runs, or `effects = \"none\"`";
            invalid(settings, "tool", settings.span(), problem.to_owned());
            None
        }
        (true, Some(key)) => {
            let problem = format!("a tool with `{key}` has effects: leave out one of the two");
            settings.invalid("effects", problem);
            None
        }
        (true, None) => match unclear? {
            true => Some(Does::Unclear(why.unwrap_or_else(|| "its input does not tell".into()))),
            false => Some(Does::Nothing),
        },
        (false, Some(_)) => Some(given),
    }
}

/// Reads what a tool does with one or more arguments.
fn read_arguments(
    settings: &mut Settings<'_>,
    kind: ArgumentKind,
    node: &Node,
    arguments: &mut Vec<Argument>,
) {
    if items(node).is_empty() {
        let problem = "the list is empty: leave the key out".to_owned();
        invalid(settings, kind.key(), node.span.clone(), problem);
    }
    for item in items(node) {
        let mut argument = Argument {
            kind,
            from: ValueFrom::Fixed(String::new()),
            optional: false,
            default: None,
            below: false,
            glob: false,
            names: false,
            folder: None,
            files: None,
            urls: false,
        };
        match &item.value {
            NodeValue::Text(text) => match Pointer::read(text) {
                Ok(pointer) => argument.from = ValueFrom::Input(pointer),
                Err(problem) => {
                    invalid(settings, kind.key(), item.span.clone(), problem.to_string());
                    continue;
                }
            },
            NodeValue::Table(_) => {
                let mut table = Settings::new(item);
                read_argument(&mut table, kind, &mut argument);
                settings.absorb(table.finish());
            }
            _ => {
                wrong_type(
                    settings,
                    kind.key(),
                    "a JSON pointer, a table, or a list of these",
                    item,
                );
                continue;
            }
        }
        arguments.push(argument);
    }
}

/// Reads an argument that is a table.
fn read_argument(table: &mut Settings<'_>, kind: ArgumentKind, argument: &mut Argument) {
    let pointer = read_pointer(table, "pointer");
    let fixed = match kind {
        ArgumentKind::Connects => Some("host"),
        kind if kind.is_path() => Some("path"),
        _ => None,
    };
    let fixed = fixed.and_then(|key| table.text(key));
    match (pointer, fixed) {
        (Some(pointer), None) => argument.from = ValueFrom::Input(pointer),
        (None, Some(text)) => argument.from = ValueFrom::Fixed(text.to_owned()),
        (Some(_), Some(_)) => {
            table.invalid("pointer", "the value is either in the input or always the same");
        }
        (None, None) if !table.has("pointer") => table.missing("pointer"),
        (None, None) => {}
    }
    argument.optional = table.flag("optional").unwrap_or_default();
    if kind == ArgumentKind::Connects {
        argument.urls = table.flag("urls").unwrap_or_default();
        return;
    }
    argument.folder = read_pointer(table, "folder");
    if kind.is_path() {
        argument.default = table.text("default").map(str::to_owned);
        argument.below = table.flag("below").unwrap_or_default();
        argument.glob = table.flag("glob").unwrap_or_default();
        argument.names = table.flag("names").unwrap_or_default();
        argument.files = read_pointer(table, "files");
    }
}

fn read_pointer(table: &mut Settings<'_>, key: &'static str) -> Option<Pointer> {
    match Pointer::read(table.text(key)?) {
        Ok(pointer) => Some(pointer),
        Err(problem) => {
            table.invalid(key, problem.to_string());
            None
        }
    }
}

fn invalid(settings: &mut Settings<'_>, key: &str, span: Range<usize>, problem: String) {
    let problem = SettingProblem::Invalid { key: key.to_owned(), problem };
    settings.absorb([SettingError { span, problem }]);
}

fn wrong_type(settings: &mut Settings<'_>, key: &str, expected: &'static str, node: &Node) {
    let problem = SettingProblem::Type { key: key.to_owned(), expected, found: node.kind() };
    settings.absorb([SettingError { span: node.span.clone(), problem }]);
}
