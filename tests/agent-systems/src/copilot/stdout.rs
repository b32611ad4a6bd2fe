//! What a hook printed: its progress, and the one object that is its answer.

use std::borrow::Cow;

use serde_json::{Map, Value};

/// What is kept of the output of one hook.
const OUTPUT_LIMIT: usize = 10 << 20;

/// Takes the lines of progress out of what a hook printed, and returns the rest.
///
/// A line of progress is an object of its own on one line, with the type `progress`.
pub(super) fn without_progress(stdout: &[u8]) -> String {
    let kept = stdout.get(..OUTPUT_LIMIT).unwrap_or(stdout);
    let text: Cow<'_, str> = String::from_utf8_lossy(kept);
    text.split_inclusive('\n').filter(|line| !is_progress(line)).collect()
}

fn is_progress(line: &str) -> bool {
    let line = line.trim();
    line.starts_with('{')
        && serde_json::from_str::<Value>(line)
            .is_ok_and(|value| value.get("type").and_then(Value::as_str) == Some("progress"))
}

/// Reads the answer. What is no single object is no answer, and no failure.
pub(super) fn answer(text: &str) -> Option<Map<String, Value>> {
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => Some(object),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(stdout: &str) -> Option<Map<String, Value>> {
        answer(&without_progress(stdout.as_bytes()))
    }

    #[test]
    fn progress_is_taken_out_line_by_line() {
        let answer = "{\"type\":\"progress\",\"message\":\"a\"}\n  {\"type\": \"progress\"}  \n{\n \"x\": 1\n}\n";
        assert_eq!(read(answer).unwrap().get("x"), Some(&Value::from(1)));
        let spread = "{\"type\":\n\"progress\"}\n{\"x\": 1}";
        assert_eq!(read(spread), None, "progress on two lines is part of the answer");
    }

    #[test]
    fn only_one_object_is_an_answer() {
        assert_eq!(read(""), None);
        assert_eq!(read("text"), None);
        assert_eq!(read("[1]"), None);
        assert_eq!(read("{\"a\":1}\n{\"b\":2}"), None);
        assert_eq!(read("note\n{\"a\":1}"), None);
        assert!(read("\u{feff}{\"a\":1}\r\n").is_some());
    }

    #[test]
    fn a_longer_output_is_cut() {
        let long = format!("{{\"a\":\"{}\"}}", "x".repeat(OUTPUT_LIMIT));
        assert_eq!(read(&long), None);
    }
}
