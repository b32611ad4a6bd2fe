//! What a session has used, as the transcript of a coding agent says: such an agent tells its hooks where that
//! file is, and not what its model has taken.
//!
//! | agent | a line, or a message | tokens |
//! |---|---|---|
//! | Claude Code | `type` is `assistant` | `message.usage`, once for each `message.id` |
//! | Codex | `payload.type` is `token_count` | `payload.info.total_token_usage`, which grows |
//! | Gemini CLI | `type` is `gemini` | `tokens.total`, once for each `id` |
//! | Qwen Code | `type` is `assistant` | `usageMetadata`, once for each `uuid` |
//!
//! None of them says what it cost, but for a `costUSD` of older versions of Claude Code.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{ErrorKind, Read as _};
use std::path::Path;

use serde_json::Value;

use super::measure::{Measure, cost_in, tokens_in};

/// How many bytes of a transcript are read.
const BYTES: u64 = 256 << 20;

/// What the transcript of a session says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Said {
    /// So much was used until now.
    Used(f64),
    /// The model has not answered yet.
    NothingYet,
    /// The model has answered, and it is not said what that took.
    NoFigure,
}

/// Reads a transcript.
///
/// # Errors
/// Says why it cannot be read.
pub(super) fn read(path: &Path, of: Measure) -> Result<Said, String> {
    let problem = |what: &str| format!("the transcript `{}` {what}", path.display());
    match fs::metadata(path) {
        Ok(found) if !found.is_file() => return Err(problem("is no file")),
        Ok(found) if found.len() > BYTES => return Err(problem("is too large")),
        Ok(_) => {}
        // An agent writes it when there is something to write.
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Said::NothingYet),
        Err(error) => return Err(problem(&format!("cannot be read: {error}"))),
    }
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(BYTES).read_to_string(&mut text));
    read.map_err(|error| problem(&format!("cannot be read: {error}")))?;
    Ok(said(&text, of))
}

fn said(text: &str, of: Measure) -> Said {
    let mut tally = Tally::default();
    match serde_json::from_str::<Value>(text) {
        // One document with all messages.
        Ok(whole) if whole.get("messages").is_some() => {
            let messages = whole.get("messages").and_then(Value::as_array);
            messages.into_iter().flatten().for_each(|message| tally.add(message, of));
        }
        _ => {
            let lines = text.lines().filter(|line| MARKS.iter().any(|mark| line.contains(mark)));
            // The last line may not be whole yet; a line in another form has no figure.
            lines
                .filter_map(|line| serde_json::from_str(line).ok())
                .for_each(|line: Value| tally.add(&line, of));
        }
    }
    match tally.said() {
        // A file of another form may hold any number of answers.
        Said::NothingYet
            if !text.trim().is_empty() && !KNOWN.iter().any(|key| text.contains(key)) =>
        {
            Said::NoFigure
        }
        said => said,
    }
}

/// One of these keys is in every transcript whose form is known.
const KNOWN: [&str; 2] = ["\"sessionId\"", "\"payload\""];

/// One of these is in every line that counts.
const MARKS: [&str; 3] = ["\"assistant\"", "\"token_count\"", "\"gemini\""];

#[derive(Default)]
struct Tally {
    answered: bool,
    /// Whether a figure is there that cannot be read.
    unread: bool,
    /// By the id of a message: an agent writes one for each part of it.
    messages: HashMap<String, f64>,
    /// A sum that the agent keeps, and what it was before it began anew.
    running: Option<f64>,
    before: f64,
}

impl Tally {
    fn add(&mut self, line: &Value, of: Measure) {
        let text = |pointer: &str| line.pointer(pointer).and_then(Value::as_str);
        if text("/payload/type") == Some("token_count") {
            self.answered = true;
            let total = line.pointer("/payload/info/total_token_usage");
            if let Some(total) = total.and_then(tokens_in).filter(|_| of == Measure::Tokens) {
                let last = self.running.replace(total).unwrap_or_default();
                // After a resumption some versions count from zero.
                if total < last {
                    self.before += last;
                }
            }
            return;
        }
        let (id, usage) = match text("/type") {
            Some("assistant") => (
                text("/message/id").or_else(|| text("/uuid")),
                line.pointer("/message/usage").or_else(|| line.get("usageMetadata")),
            ),
            Some("gemini") => {
                (text("/id"), line.get("tokens").or_else(|| line.get("usageMetadata")))
            }
            _ => return,
        };
        let usage = usage.filter(|usage| !usage.is_null());
        self.answered = true;
        let figure = match of {
            Measure::Cost => cost_in(line).or_else(|| usage.and_then(cost_in)),
            _ => usage.and_then(tokens_in),
        };
        match figure {
            Some(figure) => {
                let id = id.map_or_else(|| self.messages.len().to_string(), str::to_owned);
                // A part of a message that is written late may say less than the one before.
                let most = self.messages.entry(id).or_default();
                *most = most.max(figure);
            }
            // It says something in another form.
            None => self.unread |= of == Measure::Tokens && usage.is_some(),
        }
    }

    fn said(&self) -> Said {
        match (self.running, self.messages.is_empty()) {
            _ if self.unread => Said::NoFigure,
            (None, true) if self.answered => Said::NoFigure,
            (None, true) => Said::NothingYet,
            (running, _) => {
                let of_messages: f64 = self.messages.values().sum();
                Said::Used(self.before + running.unwrap_or_default() + of_messages)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_agent_says_it_in_its_own_form() {
        let claude = r#"{"type":"user","message":{"role":"user","content":"hi"}}
{"type":"assistant","message":{"id":"m1","role":"assistant","usage":{"input_tokens":3,"cache_creation_input_tokens":10,"cache_read_input_tokens":20,"output_tokens":1}}}
{"type":"assistant","message":{"id":"m1","role":"assistant","usage":{"input_tokens":3,"cache_creation_input_tokens":10,"cache_read_input_tokens":20,"output_tokens":7}}}
{"type":"assistant","message":{"id":"m2","role":"assistant","usage":{"input_tokens":5,"output_tokens":5}}}
{"type":"assistant","mess"#;
        let codex = r#"{"type":"event_msg","payload":{"type":"token_count","info":null}}
{"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":8,"cached_input_tokens":4,"output_tokens":2,"total_tokens":10}}}}
{"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"total_tokens":30}}}}
{"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"total_tokens":20}}}}"#;
        let gemini = r#"{"sessionId":"s","messages":[{"id":"a","type":"user","content":"x"},
{"id":"b","type":"gemini","tokens":{"input":90,"output":10,"cached":50,"thoughts":5,"tool":0,"total":105}}]}"#;
        let qwen = r#"{"uuid":"1","type":"user","message":{"role":"user"}}
{"uuid":"2","type":"assistant","message":{"role":"model","parts":[]},"usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":3,"totalTokenCount":10}}"#;
        let used = |text: &str| said(text, Measure::Tokens);
        assert_eq!(used(claude), Said::Used(50.0));
        assert_eq!(used(codex), Said::Used(50.0));
        assert_eq!(used(gemini), Said::Used(105.0));
        assert_eq!(used(qwen), Said::Used(10.0));
        let by_others = r#"{"type":"assistant","isSidechain":true,"message":{"usage":{"input_tokens":2000}}}
{"type":"assistant","uuid":"u","message":{"role":"assistant","usage":{"output_tokens":5}}}"#;
        assert_eq!(used(by_others), Said::Used(2005.0), "no id, no role");
        let as_text =
            r#"{"type":"assistant","message":{"id":"m3","usage":{"input_tokens":"9999"}}}"#;
        assert_eq!(used(&format!("{claude}\n{as_text}")), Said::NoFigure);
        // The controls.
        assert_eq!(used(""), Said::NothingYet);
        let asked = r#"{"type":"user","sessionId":"s","message":{"role":"user"}}"#;
        assert_eq!(used(asked), Said::NothingYet);
        assert_eq!(
            used(r#"{"type":"session.start","data":{}}"#),
            Said::NoFigure,
            "another agent's"
        );
        let bare = r#"{"type":"assistant","message":{"id":"m","role":"assistant"}}"#;
        assert_eq!(used(bare), Said::NoFigure);
        assert_eq!(said(claude, Measure::Cost), Said::NoFigure);
        let old = r#"{"type":"assistant","costUSD":0.5,"message":{"id":"m","role":"assistant"}}"#;
        assert_eq!(said(old, Measure::Cost), Said::Used(0.5));
    }

    #[test]
    fn what_is_no_file_is_told_and_what_is_not_there_yet_is_nothing() {
        let gone = read(Path::new("/nowhere/t.jsonl"), Measure::Tokens);
        assert_eq!(gone, Ok(Said::NothingYet));
        assert!(read(Path::new("/dev/null"), Measure::Tokens).is_err());
        assert!(read(Path::new("/"), Measure::Tokens).is_err());
    }
}
