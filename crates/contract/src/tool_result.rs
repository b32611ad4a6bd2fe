//! Whether a tool succeeded, and with which exit status, as far as the result says so.

use serde_json::Value;

use crate::envelope::Envelope;
use crate::patch_field::{IS_ERROR, TOOL_RESPONSE};
use crate::payload::{FieldRef, PostToolUse, PostToolUseFailure};

/// Keys that say `true` of a failure.
const FAILED: [&str; 3] = ["is_error", "isError", "interrupted"];

/// Keys of the exit code of a program.
const EXIT: [&str; 5] = ["exit_code", "exitCode", "exit_status", "exit", "returncode"];

/// Words before the exit code in a text.
const EXIT_WORDS: [&str; 2] = ["exit code", "exited with code"];

/// What stands between those words and the code.
const SIGNS: [char; 3] = [':', ' ', '='];

/// How much of the end of a text is searched for an exit code.
const TAIL: usize = 120;

/// How deep the parts of a result are searched.
const DEPTH: usize = 3;

/// What a result says of the exit status of the call as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    /// This number.
    Known(i64),
    /// Another one than 0.
    Failed,
    /// Nothing.
    Unknown,
}

/// Returns what the result of a step says of the exit status. Agents give a number, or a text that begins or ends
/// with one (`Exit code 2`). Claude Code gives none for a command that succeeded, and reports all others as
/// `post_tool_use_failure`: a result in its form is a 0.
#[must_use]
pub fn exit_status(step: &Envelope<'_>) -> ExitStatus {
    let payload = step.payload();
    if let Some(failure) = payload.as_any().downcast_ref::<PostToolUseFailure>() {
        return match exit_code_in(&failure.error) {
            Some(code) if code != 0 => ExitStatus::Known(code),
            _ => ExitStatus::Failed,
        };
    }
    let code = match payload.field(TOOL_RESPONSE) {
        Some(FieldRef::Json(value)) => exit_code_of(value, DEPTH),
        _ => None,
    };
    match code {
        Some(code) if code != 0 => ExitStatus::Known(code),
        _ if has_failed(step) => ExitStatus::Failed,
        Some(code) => ExitStatus::Known(code),
        None => ExitStatus::Unknown,
    }
}

fn exit_code_of(value: &Value, depth: usize) -> Option<i64> {
    match value {
        Value::String(text) => exit_code_in(text),
        Value::Object(fields) => {
            let own = EXIT.iter().find_map(|key| fields.get(*key).and_then(Value::as_i64));
            let parts = ["metadata", "output", "text_result_for_llm", "llmContent"];
            let within = || {
                let part = |key: &&str| exit_code_of(fields.get(*key)?, depth.checked_sub(1)?);
                parts.iter().find_map(part)
            };
            own.or_else(within).or_else(|| is_success_of_claude(fields).then_some(0))
        }
        _ => None,
    }
}

fn is_success_of_claude(fields: &serde_json::Map<String, Value>) -> bool {
    let is_text = |key: &str| fields.get(key).is_some_and(Value::is_string);
    is_text("stdout") && is_text("stderr") && fields.get("interrupted") == Some(&Value::Bool(false))
        // What runs on in the background has not ended.
        && !fields.contains_key("backgroundTaskId")
}

/// Tells whether the step is the result of a tool.
#[must_use]
pub fn is_result(step: &Envelope<'_>) -> bool {
    step.payload().as_any().is::<PostToolUse>()
}

/// Tells whether the tool has failed, at the two events that have its result. Agents say so in many ways,
/// and some not at all: then it has not failed.
#[must_use]
pub fn has_failed(step: &Envelope<'_>) -> bool {
    let payload = step.payload();
    let any = payload.as_any();
    if any.is::<PostToolUseFailure>() {
        return true;
    }
    if !any.is::<PostToolUse>() {
        return false;
    }
    let marked = matches!(payload.field(IS_ERROR), Some(FieldRef::Owned(Value::Bool(true))));
    marked
        || matches!(payload.field(TOOL_RESPONSE), Some(FieldRef::Json(value)) if failed(value, DEPTH))
}

fn failed(value: &Value, depth: usize) -> bool {
    match value {
        Value::String(text) => exit_code_in(text).is_some_and(|code| code != 0),
        Value::Array(items) if depth > 0 => items.iter().any(|item| failed(item, depth - 1)),
        Value::Object(fields) => {
            let is = |key: &str, value: bool| fields.get(key) == Some(&Value::Bool(value));
            let exit =
                |key: &&str| fields.get(*key).and_then(Value::as_i64).is_some_and(|code| code != 0);
            let error = match fields.get("error") {
                None | Some(Value::Null | Value::Bool(false)) => false,
                Some(Value::String(text)) => !text.is_empty(),
                Some(_) => true,
            };
            let kind = fields.get("result_type").and_then(Value::as_str);
            let within = |key: &str| {
                depth > 0 && fields.get(key).is_some_and(|part| failed(part, depth - 1))
            };
            FAILED.iter().any(|key| is(key, true))
                || is("success", false)
                || EXIT.iter().any(exit)
                || error
                || kind.is_some_and(|kind| kind != "success")
                || within("metadata")
                || within("output")
                || within("text_result_for_llm")
        }
        _ => false,
    }
}

/// Returns the exit code that a text begins or ends with, as agents write it around the output of a program. At the
/// beginning it has the line for itself.
fn exit_code_in(text: &str) -> Option<i64> {
    let first = text.lines().next().unwrap_or_default().trim_end().to_lowercase();
    let alone = first.strip_prefix(EXIT_WORDS[0]).map(|rest| rest.trim_start_matches(SIGNS));
    alone.and_then(|digits| digits.parse().ok()).or_else(|| exit_code_at_end(text))
}

fn code_after(text: &str) -> Option<i64> {
    let text = text.trim_start_matches(SIGNS);
    let digits: String = text.chars().take_while(|c| c.is_ascii_digit() || *c == '-').collect();
    digits.parse().ok()
}

fn exit_code_at_end(text: &str) -> Option<i64> {
    let start = text.char_indices().rev().nth(TAIL).map_or(0, |(at, _)| at);
    let tail = text.get(start..)?.to_lowercase();
    let after =
        EXIT_WORDS.iter().filter_map(|words| tail.rsplit_once(words)).map(|(_, after)| after);
    code_after(after.min_by_key(|after| after.len())?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn failures_of_many_agents_are_known() {
        for bad in [
            json!({"isError": true, "content": []}),
            json!({"stdout": "", "stderr": "", "interrupted": true}),
            json!({"title": "t", "metadata": {"output": "oops\n", "exit": 3}, "output": "oops\n"}),
            json!({"result_type": "success", "text_result_for_llm": "oops\n<shellId: 1 completed with exit code 3>"}),
            json!({"result_type": "failure", "text_result_for_llm": ""}),
            json!([{"query": "q", "result": "", "success": false}]),
            json!({"error": "no such file"}),
            json!("Exit code: 101"),
        ] {
            assert!(failed(&bad, DEPTH), "{bad}");
        }
    }

    #[test]
    fn other_results_are_no_failures() {
        for good in [
            json!("ok"),
            json!(null),
            json!({"llmContent": "x", "error": null}),
            json!({"stdout": "error", "stderr": "warning", "interrupted": false}),
            json!({"metadata": {"exit": 0}}),
            json!("done\n<shellId: 0 completed with exit code 0>"),
            json!(format!("exit code 1 is what grep gives{}", "x".repeat(200))),
        ] {
            assert!(!failed(&good, DEPTH), "{good}");
        }
    }
}
