//! What a hook said. JSON counts whatever the exit status is; other text means what the status says.

use serde_json::{Map, Value, json};

use crate::foreign::{RawRun, parse_js};

/// Returns the output of a hook. `None` if it said nothing that means anything.
pub(super) fn read(run: &RawRun) -> Option<Map<String, Value>> {
    let (stdout, stderr) = (run.stdout_text(), run.stderr_text());
    let text = Some(trimmed(&stdout)).filter(|text| !text.is_empty());
    let text = text.unwrap_or_else(|| trimmed(&stderr));
    if text.is_empty() {
        return None;
    }
    match json(text) {
        Ok(Value::Object(output)) => Some(output),
        // A list is an output without any key.
        Ok(Value::Array(_)) => Some(Map::new()),
        Ok(_) => None,
        Err(_) => plain(text, run.exit().unwrap_or_default()),
    }
}

/// A text of JSON may hold JSON.
fn json(text: &str) -> Result<Value, serde_json::Error> {
    match parse_js(text)? {
        Value::String(inner) => parse_js(trimmed(&inner)),
        value => Ok(value),
    }
}

fn plain(text: &str, exit: i32) -> Option<Map<String, Value>> {
    let output = match exit {
        0 => json!({"decision": "allow", "systemMessage": text}),
        1 => json!({"decision": "allow", "systemMessage": format!("Warning: {text}")}),
        _ => json!({"decision": "deny", "reason": text}),
    };
    match output {
        Value::Object(output) => Some(output),
        _ => None,
    }
}

/// Leaves out what JavaScript takes for blanks. A byte order mark is one.
fn trimmed(text: &str) -> &str {
    text.trim_matches(|sign: char| sign == '\u{feff}' || (sign.is_whitespace() && sign != '\u{85}'))
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::foreign::{RawRun, RunEnd};
    use serde_json::Value;

    fn said(stdout: &str, stderr: &str, exit: i32) -> Option<Value> {
        let run = RawRun {
            stderr: stderr.as_bytes().to_vec(),
            ..RawRun::new(RunEnd::Exited(exit)).with_stdout(stdout.as_bytes().to_vec())
        };
        read(&run).map(Value::Object)
    }

    #[test]
    fn json_counts_on_every_status() {
        for exit in [0, 1, 2, 3, 127] {
            let output = said(r#"{"decision": "deny"}"#, "e", exit).unwrap();
            assert_eq!(output.to_string(), r#"{"decision":"deny"}"#);
        }
        assert!(said("\u{feff} {\"a\": 1}\n", "", 0).is_some());
        assert_eq!(said(r#""{\"a\":1}""#, "", 0).unwrap()["a"], 1, "it is encoded twice");
        assert_eq!(said("", r#"{"a": 1}"#, 0).unwrap()["a"], 1, "stderr is read too");
        assert_eq!(said("[1]", "", 0).unwrap().to_string(), "{}");
        let half = said(r#"{"decision": "deny", "reason": "\udcff"}"#, "", 0).unwrap();
        assert_eq!(half["decision"], "deny");
        assert_eq!(said("42", "", 2), None);
        assert_eq!(said("null", "x", 2), None);
        assert_eq!(said("", "", 2), None);
    }

    #[test]
    fn other_text_means_what_the_status_says() {
        assert_eq!(said(" a\n", "", 0).unwrap()["systemMessage"], "a");
        assert_eq!(said("", "a", 0).unwrap()["systemMessage"], "a");
        assert_eq!(said("\"a\"", "", 0).unwrap()["systemMessage"], "\"a\"");
        assert_eq!(said("", "a", 1).unwrap()["systemMessage"], "Warning: a");
        assert_eq!(said("o", "e", 2).unwrap()["reason"], "o");
        assert_eq!(said("", "e", 3).unwrap()["decision"], "deny");
    }
}
