//! What a judge is shown of a step.

use hookgate_contract::{Failure, FailureClass, Invocation};
use serde_json::Value;

/// A JSON pointer of `show`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pointer {
    pub(crate) path: String,
    /// Whether a step may lack what it leads to: `"/path?"`.
    pub(crate) optional: bool,
}

impl Pointer {
    /// The pointer in a text; none where it is no pointer.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let (path, optional) = split(text);
        path.starts_with('/').then(|| Self { path: path.to_owned(), optional })
    }
}

fn split(text: &str) -> (&str, bool) {
    text.strip_suffix('?').map_or((text, false), |path| (path, true))
}

/// The parts of a step that a judge sees, by its event: what would not happen, or would be withheld,
/// and what led to it. At any other event it is the whole payload.
fn usual(event: &str) -> Option<&'static [&'static str]> {
    Some(match event {
        "pre_tool_use" | "permission_request" | "permission_decided" => {
            &["/tool_name", "/tool_input"]
        }
        "post_tool_use" => &["/tool_name", "/tool_input", "/tool_response", "/content_blocks?"],
        "post_tool_use_failure" => &["/tool_name", "/tool_input", "/error"],
        "user_prompt_submit" => &["/prompt", "/attachments?"],
        "user_prompt_accepted" => &["/prompt"],
        "run_started" => &["/prompt?"],
        "pre_llm_request" => {
            &["/model", "/model_provider?", "/message_count", "/messages?", "/provider_params?"]
        }
        "post_llm_response" => &["/assistant_text", "/tool_call_names", "/error?"],
        "run_completed" => &["/result_text"],
        "stop" => &["/stop_reason?", "/last_assistant_message?"],
        "subagent_stop" => &["/last_assistant_message?"],
        _ => return None,
    })
}

/// The data of a step as one JSON object, without white space. With `show` it has a key for each
/// pointer.
///
/// # Errors
/// [`FailureClass::Oversize`] where a pointer that is not optional leads nowhere: who is judged may
/// have seen to that, as to a step that is too long, so it counts as that does.
pub(crate) fn body(
    invocation: &Invocation<'_>,
    show: Option<&[Pointer]>,
) -> Result<Vec<u8>, Failure> {
    let mut out = Vec::with_capacity(256);
    match (show, usual(invocation.payload().event_name())) {
        (Some(show), _) => {
            pick(
                invocation.json()?,
                show.iter().map(|one| (one.path.as_str(), one.optional)),
                &mut out,
            )?;
            if out == b"{}" {
                // A judge that sees nothing would have nothing to object to.
                return Err(unseen("no pointer of `show` leads to anything in this step"));
            }
        }
        (None, Some(usual)) => {
            pick(invocation.json()?, usual.iter().map(|one| split(one)), &mut out)?
        }
        (None, None) => {
            if invocation.payload().write_json(&mut out).is_err() {
                let detail = "the payload of the step cannot be written as JSON";
                return Err(Failure::new(FailureClass::Malformed, detail));
            }
        }
    }
    Ok(out)
}

fn pick<'a>(
    envelope: &Value,
    show: impl Iterator<Item = (&'a str, bool)>,
    out: &mut Vec<u8>,
) -> Result<(), Failure> {
    out.push(b'{');
    for (path, optional) in show {
        let Some(value) = envelope.pointer(path) else {
            if optional {
                continue;
            }
            return Err(unseen(&format!("the step has no `{path}`, which `show` names")));
        };
        if out.len() > 1 {
            out.push(b',');
        }
        // Writing a value into memory cannot fail.
        let _ = serde_json::to_writer(&mut *out, path.strip_prefix('/').unwrap_or(path));
        out.push(b':');
        let _ = serde_json::to_writer(&mut *out, value);
    }
    out.push(b'}');
    Ok(())
}

fn unseen(what: &str) -> Failure {
    let detail = format!(
        "{what}, so the judge would not see what it decides on: where that may be missing, write \
         \"/path?\""
    );
    Failure::new(FailureClass::Oversize, detail)
}

/// What a judge comes to that cannot be shown all that it decides on.
pub(crate) fn too_long(bytes: usize, limit: usize) -> Failure {
    let detail = format!(
        "the judge would see {bytes} bytes and `show_limit` is {limit}: raise it, show less, or let \
         the judge decide on a part with on_cut = \"judge\""
    );
    Failure::new(FailureClass::Oversize, detail)
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
