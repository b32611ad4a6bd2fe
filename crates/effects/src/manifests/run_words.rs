//! The program that a tool stands for: `runs = ["git", "-C", { pointer = "/repo_path" }, "status"]`.

use hookgate_contract::settings::{Node, NodeValue, SettingError, SettingProblem, Settings};
use serde_json::Value;

use super::pointer::{Found, Pointer};
use crate::run::Run;
use crate::word::Word;

/// A word of the program that a tool stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RunWord {
    /// It is always the same.
    Text(String),
    /// It is in the input; a list is several words.
    Input {
        /// Where it is.
        pointer: Pointer,
        /// Whether it may be missing.
        optional: bool,
    },
}

/// Returns the run of these words; the pointer to a word that must be there and is not is an error.
pub(crate) fn run_of(words: &[RunWord], input: &Value, cwd: Option<&str>) -> Result<Run, String> {
    let mut found = Vec::new();
    for word in words {
        match word {
            RunWord::Text(text) => found.push(Word::text(text.as_str())),
            RunWord::Input { pointer, optional } => match pointer.find(input) {
                Found::Values(values) => found.extend(values.into_iter().flat_map(words_of)),
                Found::Wrong(_) => found.push(not_known(pointer)),
                Found::Missing if *optional => {}
                Found::Missing => return Err(pointer.to_string()),
            },
        }
    }
    let mut found = found.into_iter();
    Ok(Run {
        program: found.next().unwrap_or_default(),
        args: found.collect(),
        cwd: cwd.map(str::to_owned),
        ..Run::default()
    })
}

fn words_of(value: &Value) -> Vec<Word> {
    let word = |value: &Value| match value {
        Value::String(text) => Word::text(text.as_str()),
        Value::Number(number) => Word::text(number.to_string()),
        other => Word::unknown(other.to_string(), true),
    };
    match value {
        Value::Array(items) => items.iter().map(word).collect(),
        value => vec![word(value)],
    }
}

fn not_known(pointer: &Pointer) -> Word {
    Word::unknown(format!("the value at {pointer}"), true)
}

/// Reads the key `runs`.
pub(super) fn read_run_words(settings: &mut Settings<'_>) -> Option<Vec<RunWord>> {
    let node = settings.node("runs")?;
    let NodeValue::List(items) = &node.value else {
        wrong_type(settings, "a list of words, the program first", node);
        return None;
    };
    if !matches!(items.first(), Some(Node { value: NodeValue::Text(_), .. })) {
        settings.invalid("runs", "the list begins with the name of the program");
        return None;
    }
    let mut words = Vec::new();
    for item in items {
        match &item.value {
            NodeValue::Text(text) => words.push(RunWord::Text(text.clone())),
            NodeValue::Table(_) => {
                let mut table = Settings::new(item);
                let pointer = table.required_text("pointer").map(Pointer::read);
                let optional = table.flag("optional").unwrap_or_default();
                match pointer {
                    Some(Ok(pointer)) => words.push(RunWord::Input { pointer, optional }),
                    Some(Err(problem)) => table.invalid("pointer", problem.to_string()),
                    None => {}
                }
                settings.absorb(table.finish());
            }
            _ => wrong_type(settings, "a word, or a table with a pointer", item),
        }
    }
    Some(words)
}

fn wrong_type(settings: &mut Settings<'_>, expected: &'static str, node: &Node) {
    let problem = SettingProblem::Type { key: "runs".to_owned(), expected, found: node.kind() };
    settings.absorb([SettingError { span: node.span.clone(), problem }]);
}
