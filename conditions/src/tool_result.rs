//! Whether a tool succeeded, as far as the result says so.

use hookgate_contract::Envelope;
use hookgate_contract::patch_field::{IS_ERROR, TOOL_RESPONSE};
use hookgate_contract::payload::{FieldRef, PostToolUse, PostToolUseFailure};
use serde_json::Value;

/// Keys that say `true` of a failure.
const FAILED: [&str; 3] = ["is_error", "isError", "interrupted"];

/// Keys of the exit code of a program.
const EXIT: [&str; 5] = ["exit_code", "exitCode", "exit_status", "exit", "returncode"];

/// Words before the exit code in a text.
const EXIT_WORDS: [&str; 2] = ["exit code", "exited with code"];

/// How much of the end of a text is searched for an exit code.
const TAIL: usize = 120;

/// How deep the parts of a result are searched.
const DEPTH: usize = 3;

/// Tells whether the step is the result of a tool.
pub(crate) fn is_result(step: &Envelope<'_>) -> bool {
    step.payload().as_any().is::<PostToolUse>()
}

/// Tells whether the tool has failed, at the two events that have its result. Agents say so in many ways,
/// and some not at all: then it has not failed.
pub(crate) fn has_failed(step: &Envelope<'_>) -> bool {
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

/// Returns the exit code that a text ends with, as agents write it behind the output of a program.
fn exit_code_in(text: &str) -> Option<i64> {
    let start = text.char_indices().rev().nth(TAIL).map_or(0, |(at, _)| at);
    let tail = text.get(start..)?.to_lowercase();
    let after =
        EXIT_WORDS.iter().filter_map(|words| tail.rsplit_once(words)).map(|(_, after)| after);
    let after = after.min_by_key(|after| after.len())?;
    let after = after.trim_start_matches([':', ' ', '=']);
    let digits: String = after.chars().take_while(|c| c.is_ascii_digit() || *c == '-').collect();
    digits.parse().ok()
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
