//! What a judge is shown of a step.

use hookgate_contract::{Ask, Failure, FailureClass};
use serde_json::{Map, Value};

/// What is never shown unless it is asked for: the header, and what others have written at length.
const HIDDEN: &[&str] = &[
    "protocol",
    "hook_event_name",
    "step_id",
    "session_id",
    "turn",
    "cwd",
    "agent_id",
    "agent_type",
    "generation",
    "rejudge",
    "host",
    "decision",
    "tool_use_id",
    "tool_response",
    "content_blocks",
    "duration_ms",
    "messages",
    "contexts",
];

/// The parts of a step that a judge sees, by its event; at any other event the payload, less what
/// is hidden.
fn usual(event: &str) -> Option<&'static [&'static str]> {
    Some(match event {
        "pre_tool_use"
        | "permission_request"
        | "permission_decided"
        | "post_tool_use"
        | "post_tool_use_failure" => &["/tool_name", "/tool_input"],
        "user_prompt_submit" | "user_prompt_accepted" | "run_started" => &["/prompt"],
        "post_llm_response" => &["/assistant_text", "/tool_call_names"],
        "pre_llm_request" => &["/model", "/model_provider", "/message_count"],
        "run_completed" => &["/result_text"],
        "stop" | "subagent_stop" => &["/last_assistant_message"],
        _ => return None,
    })
}

/// The data of a step as one JSON object, without white space. With `show` it has a key for each
/// pointer that leads somewhere.
pub(crate) fn body(ask: &Ask<'_>, show: Option<&[String]>) -> Result<Vec<u8>, Failure> {
    let envelope = ask.json()?;
    let mut out = Vec::with_capacity(256);
    match show {
        Some(show) => {
            pick(envelope, show.iter().map(String::as_str), &mut out);
            if out == b"{}" {
                // A judge that sees nothing would have nothing to object to.
                return Err(Failure::new(
                    FailureClass::Malformed,
                    "there is nothing to judge: no pointer of `show` leads to anything here",
                ));
            }
        }
        None => match usual(ask.payload().event_name()) {
            Some(show) => pick(envelope, show.iter().copied(), &mut out),
            None => {
                let fields: Map<String, Value> = envelope
                    .as_object()
                    .into_iter()
                    .flatten()
                    .filter(|(key, _)| !HIDDEN.contains(&key.as_str()))
                    .map(|(key, value)| (key.clone(), value.clone()))
                    .collect();
                // Writing a value into memory cannot fail.
                let _ = serde_json::to_writer(&mut out, &fields);
            }
        },
    }
    Ok(out)
}

fn pick<'a>(envelope: &Value, show: impl Iterator<Item = &'a str>, out: &mut Vec<u8>) {
    out.push(b'{');
    for pointer in show {
        let Some(value) = envelope.pointer(pointer) else { continue };
        if out.len() > 1 {
            out.push(b',');
        }
        // Writing a value into memory cannot fail.
        let _ = serde_json::to_writer(&mut *out, pointer.trim_start_matches('/'));
        out.push(b':');
        let _ = serde_json::to_writer(&mut *out, value);
    }
    out.push(b'}');
}

/// The data as it stands in the question.
pub(crate) struct Shown {
    /// JSON, on one line, in which no character looks like a marker or is invisible.
    pub(crate) text: String,
    /// How many bytes were left out of the middle.
    pub(crate) omitted: usize,
}

/// Prepares the data for the question. What is longer than `limit` is cut in the middle: both ends
/// of a command are where its meaning is.
pub(crate) fn present(body: &[u8], limit: usize) -> Shown {
    let text = String::from_utf8_lossy(body);
    if text.len() <= limit {
        return Shown { text: neutral(&text), omitted: 0 };
    }
    let mut head = limit / 2;
    while !text.is_char_boundary(head) {
        head -= 1;
    }
    let mut tail = text.len() - limit / 2;
    while !text.is_char_boundary(tail) {
        tail += 1;
    }
    let omitted = tail - head;
    let cut = serde_json::json!({
        "beginning": text.get(..head).unwrap_or_default(),
        "cut_here": format!("{omitted} bytes of the data were left out here"),
        "end": text.get(tail..).unwrap_or_default(),
    });
    Shown { text: neutral(&cut.to_string()), omitted }
}

/// Writes what could pass for a marker, and what cannot be seen, as JSON escapes. In JSON without
/// white space such characters stand inside strings only, so the value stays the same.
fn neutral(json: &str) -> String {
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        let hide = matches!(c, '<' | '>' | '\u{7f}'..='\u{9f}')
            || hookgate_contract::quote::is_invisible(c);
        if hide {
            let mut units = [0_u16; 2];
            for unit in c.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    proptest! {
        #[test]
        fn what_is_shown_is_what_was_there(text: String, more: String) {
            let value = json!({"tool_input": {"command": text, more: "<data> \u{202e}\u{e0041}"}});
            let shown = present(value.to_string().as_bytes(), 1 << 20);
            prop_assert_eq!(serde_json::from_str::<Value>(&shown.text).unwrap(), value);
            let marks = shown.text.contains(['<', '>', '\u{202e}', '\n']);
            prop_assert!(!marks);
        }

        #[test]
        fn a_cut_is_seen(text in "[a-zü\"\\\\]{200,400}", limit in 0_usize..100) {
            let value = json!({"prompt": text}).to_string();
            let shown = present(value.as_bytes(), limit);
            let cut: Value = serde_json::from_str(&shown.text).unwrap();
            let (head, end) = (cut["beginning"].as_str().unwrap(), cut["end"].as_str().unwrap());
            prop_assert!(value.starts_with(head) && value.ends_with(end));
            prop_assert_eq!(head.len() + shown.omitted + end.len(), value.len());
            prop_assert!(head.len() + end.len() <= limit);
        }
    }
}
