//! Reads the value of `runs`: patterns as texts, as tables, or both in one list.

use hookgate_contract::settings::{Node, NodeValue, SettingError, SettingProblem, Settings};

use super::read::Texts;
use crate::patterns::{PatternError, RunPatterns, RunTable};
use crate::programs::ModeBit;
use crate::run::{CodeFrom, Place};

/// Patterns of programs, as they were read.
pub(super) struct Runs {
    pub(super) patterns: RunPatterns,
    /// How each of them is written.
    pub(super) written: Vec<String>,
    /// Whether one of them asks for files that the session has written.
    pub(super) asks_written: bool,
}

/// Reads patterns of programs.
pub(super) fn read_runs(settings: &mut Settings<'_>, key: &'static str) -> Option<Runs> {
    let node = settings.node(key)?;
    let items = match &node.value {
        NodeValue::List(items) => items.as_slice(),
        _ => std::slice::from_ref(node),
    };
    if items.is_empty() {
        settings.invalid(key, "the list is empty, so that nothing is meant");
    }
    let mut patterns = RunPatterns::default();
    let mut written = Vec::new();
    let mut asks_written = false;
    for item in items {
        written.push(match &item.value {
            NodeValue::Text(text) => text.clone(),
            _ => item.to_json().to_string(),
        });
        match &item.value {
            NodeValue::Text(text) => {
                if let Err(error) = patterns.add(text) {
                    let mut texts = Texts::default();
                    texts.add(text, item.span.clone());
                    texts.wrong(settings, key, &error);
                }
            }
            NodeValue::Table(_) => {
                let mut table = Settings::new(item);
                asks_written |= table.has("written_in_session");
                read_table(&mut table, &mut patterns);
                settings.absorb(table.finish());
            }
            _ => {
                let expected = "a pattern, a table, or a list of these";
                let problem =
                    SettingProblem::Type { key: key.to_owned(), expected, found: item.kind() };
                settings.absorb([SettingError { span: item.span.clone(), problem }]);
            }
        }
    }
    (!settings.has_errors()).then_some(Runs { patterns, written, asks_written })
}

/// The keys of a table that are texts or lists of texts.
const TEXTS: [TextKey; 9] = [
    ("program", |table| &mut table.program),
    ("words", |table| &mut table.words),
    ("flags", |table| &mut table.flags),
    ("no_flags", |table| &mut table.no_flags),
    ("operand", |table| &mut table.operand),
    ("last", |table| &mut table.last),
    ("verb", |table| &mut table.verb),
    ("env", |table| &mut table.env),
    ("via", |table| &mut table.via),
];

/// The key, and the list of the table that it sets.
type TextKey = (&'static str, fn(&mut RunTable) -> &mut Vec<String>);

/// Reads the table form of a pattern.
fn read_table(table: &mut Settings<'_>, patterns: &mut RunPatterns) {
    let mut asked = RunTable::default();
    for (key, list) in TEXTS {
        let Some(node) = table.node(key) else { continue };
        let Some(texts) = Texts::read(table, key, node, "a string or an array of strings") else {
            continue;
        };
        // One key at a time, to know which one a mistake is in.
        let mut alone = RunTable::default();
        list(&mut alone).clone_from(&texts.texts);
        if let Err(error) = RunPatterns::default().add_table(&alone) {
            texts.wrong(table, key, &error);
        }
        *list(&mut asked) = texts.texts;
    }
    asked.place = table.choice("where", &["local", "remote"], |text| match text {
        "local" => Some(Place::Local),
        "remote" => Some(Place::Remote),
        _ => None,
    });
    asked.trial = table.flag("trial");
    if let Some(discards) = table.flag("discards") {
        if !discards {
            table.invalid(
                "discards",
                "it asks for runs that throw work away: write `true`, or leave it out",
            );
        }
        asked.discards = discards;
    }
    asked.written_in_session = table.flag("written_in_session");
    asked.status_counts = table.choice("status", &["counted", "thrown away"], |text| match text {
        "counted" => Some(true),
        "thrown away" => Some(false),
        _ => None,
    });
    if let Some(node) = table.node("mode") {
        asked.mode = read_mode(table, node);
    }
    if let Some(node) = table.node("code_from") {
        asked.code_from = read_code_from(table, node);
    }
    if !table.has_errors()
        && let Err(PatternError { fault, .. }) = patterns.add_table(&asked)
    {
        let problem = SettingProblem::Invalid { key: "runs".into(), problem: fault.to_string() };
        table.absorb([SettingError { span: table.span(), problem }]);
    }
}

fn read_mode(table: &mut Settings<'_>, node: &Node) -> Vec<ModeBit> {
    let Some(texts) = Texts::read(table, "mode", node, "a string or an array of strings") else {
        return Vec::new();
    };
    let mut mode = Vec::new();
    for text in &texts.texts {
        match ModeBit::of(text) {
            Some(bit) => mode.push(bit),
            None => texts.not_one_of(table, "mode", text, &ModeBit::NAMES.map(|(name, _)| name)),
        }
    }
    mode
}

fn read_code_from(table: &mut Settings<'_>, node: &Node) -> Vec<CodeFrom> {
    let Some(texts) = Texts::read(table, "code_from", node, "a string or an array of strings")
    else {
        return Vec::new();
    };
    let mut from = Vec::new();
    for text in &texts.texts {
        match text.as_str() {
            "network" => from.push(CodeFrom::Network),
            "decoded" => from.push(CodeFrom::Decoded),
            "stdin" => from.push(CodeFrom::Stdin),
            _ => texts.not_one_of(table, "code_from", text, &["network", "decoded", "stdin"]),
        }
    }
    from
}
