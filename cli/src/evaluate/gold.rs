//! The gold set: steps, and what a person says that should become of them.

use std::collections::HashMap;
use std::path::Path;

use hookgate::contract::{file, json};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::abort::Abort;
use crate::evaluate::case::Case;
use crate::evaluate::label::Label;
use crate::evaluate::lines;

/// A line of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    envelope: Map<String, Value>,
    label: Label,
    #[serde(default)]
    note: Option<String>,
}

/// A labelled step.
#[derive(Debug)]
pub(crate) struct Gold {
    /// The step.
    pub(crate) case: Case,
    /// What should become of it.
    pub(crate) label: Label,
    /// Why, in the words of its writer.
    pub(crate) note: String,
}

/// Reads a gold set; everything that is wrong with it is told at once.
pub(crate) fn read(path: &Path) -> Result<Vec<Gold>, Abort> {
    let bytes = file::read(path, lines::LIMIT).map_err(|error| {
        Abort::file("read", path, &error).help(
            "name a file of labelled steps, a line each: \
             {\"envelope\": {…}, \"label\": \"deny\"}; one is shipped as examples/judge-gold/shell.jsonl",
        )
    })?;
    let mut gold = Vec::new();
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut wrong = Vec::new();
    for (number, line) in lines::numbered(&bytes) {
        match one(line) {
            Ok(read) => {
                let earlier = seen.insert(read.case.key().to_owned(), number);
                if let Some(earlier) = earlier {
                    wrong.push(format!("line {number}: the same step as in line {earlier}"));
                }
                gold.push(read);
            }
            Err(problem) => wrong.push(format!("line {number}: {problem}")),
        }
    }
    if gold.is_empty() && wrong.is_empty() {
        wrong.push("there is no labelled step in it".to_owned());
    }
    if wrong.is_empty() {
        return Ok(gold);
    }
    let message = format!("`{}` is no gold set: {}", path.display(), wrong.join("; "));
    Err(Abort::usage(message).help(
        "a line is {\"envelope\": {…}, \"label\": \"deny\" | \"ask\" | \"allow\", \"note\": \"…\"}",
    ))
}

fn one(line: &[u8]) -> Result<Gold, String> {
    let value = json::parse(line).map_err(|error| error.to_string())?;
    let line: Line = serde_json::from_value(value).map_err(|error| error.to_string())?;
    let case = Case::new(line.envelope)?;
    Ok(Gold { case, label: line.label, note: line.note.unwrap_or_default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_is_wrong_with_it() {
        let problem = |line: &str| one(line.as_bytes()).unwrap_err();
        assert!(problem("{").contains("EOF"));
        assert!(problem(r#"{"envelope":{},"label":"deny"}"#).contains("hook_event_name"));
        let maybe = r#"{"envelope":{"hook_event_name":"stop"},"label":"maybe"}"#;
        assert!(problem(maybe).contains("maybe"));
        let typo = r#"{"envelope":{"hook_event_name":"stop"},"lable":"deny"}"#;
        assert!(problem(typo).contains("lable"));
        let twice = r#"{"envelope":{"hook_event_name":"stop"},"label":"deny","label":"allow"}"#;
        assert!(problem(twice).contains("twice") || problem(twice).contains("duplicate"));
    }
}
