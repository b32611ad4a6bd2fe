//! What a judge is shown of a step, as JSON on one line.
//!
//! A judge sees what it decides on, or it does not decide. By default that is what a deny at the event
//! would stop or withhold, and what led to it. A step that lacks what `show` names fails with class
//! `oversize`, as one does that is too long: the judged agent may have arranged either.

use hookgate_contract::{Failure, FailureClass, Invocation};
use serde_json::Value;

use crate::settings::show::{Pointer, split_optional};

/// Returns the parts of a step that a judge sees by default, or `None` at events without such parts,
/// where it sees the whole payload. A `?` marks what a step may lack.
fn default_pointers(event: &str) -> Option<&'static [&'static str]> {
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
        "post_llm_response" => &["/assistant_text", "/tool_call_names", "/tool_calls?", "/error?"],
        "run_completed" => &["/result_text"],
        "stop" => &["/stop_reason?", "/last_assistant_message?"],
        "subagent_stop" => &["/last_assistant_message?"],
        _ => return None,
    })
}

/// Returns the data of a step as one JSON object without white space. With `show` it has a key for
/// each pointer.
///
/// # Errors
/// [`FailureClass::Oversize`] if a pointer that is not optional leads nowhere.
pub(crate) fn excerpt_of(
    invocation: &Invocation<'_>,
    show: Option<&[Pointer]>,
) -> Result<Vec<u8>, Failure> {
    let mut out = Vec::with_capacity(256);
    match (show, default_pointers(invocation.payload().event_name())) {
        (Some(show), _) => {
            let pointers = show.iter().map(|one| (one.path.as_str(), one.optional));
            write_parts(invocation.json()?, pointers, &mut out)?;
            if out == b"{}" {
                // A judge that sees nothing would have nothing to object to.
                return Err(unseen("no pointer of `show` leads to anything in this step"));
            }
        }
        (None, Some(pointers)) => {
            let pointers = pointers.iter().map(|one| split_optional(one));
            write_parts(invocation.json()?, pointers, &mut out)?;
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

/// Writes the parts of an envelope that pointers lead to, each under its path. A key is unique, since a
/// path that occurs twice leads to the same value.
fn write_parts<'a>(
    envelope: &Value,
    pointers: impl Iterator<Item = (&'a str, bool)>,
    out: &mut Vec<u8>,
) -> Result<(), Failure> {
    out.push(b'{');
    for (path, optional) in pointers {
        // An envelope says it only of a step that is judged again.
        let absent = (path == "/rejudge").then_some(&Value::Bool(false));
        let Some(value) = envelope.pointer(path).or(absent) else {
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

/// Makes the failure of a judge that would not see what `show` names.
fn unseen(what: &str) -> Failure {
    let detail = format!(
        "{what}, so the judge would not see what it decides on: where that may be missing, write \
         \"/path?\""
    );
    Failure::new(FailureClass::Oversize, detail)
}

/// Makes the failure of a judge that would be shown only a part of what it decides on.
pub(crate) fn too_long(bytes: usize, limit: usize) -> Failure {
    let detail = format!(
        "the judge would see {bytes} bytes and `show_limit` is {limit}: raise it, show less, or let \
         the judge decide on a part with on_cut = \"judge\""
    );
    Failure::new(FailureClass::Oversize, detail)
}

/// The data of a prompt.
pub(crate) struct ShownData {
    /// JSON on one line, without angle brackets and without invisible characters.
    pub(crate) text: String,
    /// How many bytes of the excerpt were left out of its middle.
    pub(crate) omitted: usize,
}

/// Prepares an excerpt for a prompt. One that is longer than `limit` bytes is cut in the middle, since
/// the meaning of a command is at its ends; the data then says how much is missing.
pub(crate) fn show_data(body: &[u8], limit: usize) -> ShownData {
    let text = String::from_utf8_lossy(body);
    if text.len() <= limit {
        return ShownData { text: escape_markers(&text), omitted: 0 };
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
    ShownData { text: escape_markers(&cut.to_string()), omitted }
}

/// Writes angle brackets and invisible characters as JSON escapes. In JSON without white space they
/// occur only inside strings, so the value stays the same.
fn escape_markers(json: &str) -> String {
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        let escape = matches!(c, '<' | '>' | '\u{7f}'..='\u{9f}')
            || hookgate_contract::quote::is_invisible(c);
        if escape {
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
            let shown = show_data(value.to_string().as_bytes(), 1 << 20);
            prop_assert_eq!(serde_json::from_str::<Value>(&shown.text).unwrap(), value);
            let markers = shown.text.contains(['<', '>', '\u{202e}', '\n']);
            prop_assert!(!markers);
        }

        #[test]
        fn a_cut_says_how_much_is_missing(text in "[a-zü\"\\\\]{200,400}", limit in 0_usize..100) {
            let value = json!({"prompt": text}).to_string();
            let shown = show_data(value.as_bytes(), limit);
            let cut: Value = serde_json::from_str(&shown.text).unwrap();
            let (head, end) = (cut["beginning"].as_str().unwrap(), cut["end"].as_str().unwrap());
            prop_assert!(value.starts_with(head) && value.ends_with(end));
            prop_assert_eq!(head.len() + shown.omitted + end.len(), value.len());
            prop_assert!(head.len() + end.len() <= limit);
        }
    }
}
