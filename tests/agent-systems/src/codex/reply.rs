//! What the run of one hook came to.
//!
//! On 0 stdout is read, on 2 stderr, and on nothing else anything. Each answer that Codex refuses makes a
//! failed run: the action goes on, and the user sees the reason.

use std::path::{Path, PathBuf};

use hookgate_dialects::codex::form_fault;
use serde_json::{Map, Value};

use super::event::{Event, Plain};
use super::limit;
use super::verdict::{self, failed};
use crate::foreign::{
    Action, Audience, ForeignHook, HookResult, HookStatus, Host, RawRun, RunEnd, keep_text,
    session_part,
};

/// The folder of texts that are too long, in that of temporary files.
const FOLDER: &str = "hook_outputs";

/// Says what a run came to.
pub(super) fn read(
    hook: &ForeignHook,
    input: &Map<String, Value>,
    run: &RawRun,
    host: &Host,
) -> HookResult {
    let Some(event) = Event::named(&hook.event) else {
        return HookResult::new(HookStatus::Ignored);
    };
    let spill = Spill { folder: Path::new(FOLDER).join(session_part(input)), host };
    let result = shorten(of_run(event, hook, run), hook, &spill);
    if hook.background { late(result) } else { result }
}

fn of_run(event: Event, hook: &ForeignHook, run: &RawRun) -> HookResult {
    let stdout = String::from_utf8_lossy(&run.stdout);
    let stderr = String::from_utf8_lossy(&run.stderr);
    match &run.end {
        // A hook that did not read its input counts all the same: its exit is its answer.
        RunEnd::Exited(0) | RunEnd::InputNotRead(0) | RunEnd::Called(false) => said(event, &stdout),
        RunEnd::Exited(code) | RunEnd::InputNotRead(code) => exited(event, *code, stderr.trim()),
        RunEnd::Signalled(_) if matches!(event, Event::PreCompact | Event::PostCompact) => {
            failed("hook process terminated without an exit code".to_owned())
        }
        RunEnd::Signalled(_) => failed("hook exited without a status code".to_owned()),
        RunEnd::TimedOut => failed(format!("hook timed out after {}s", hook.timeout.as_secs())),
        RunEnd::NotStarted(why) | RunEnd::Unreachable(why) => failed(why.clone()),
        RunEnd::Called(true) => {
            failed(with_detail("the MCP tool answered with an error", stdout.trim()))
        }
        RunEnd::NotConnected => failed(not_connected(&hook.action)),
        RunEnd::Answered(_) | RunEnd::Opinion(_) => {
            failed("Codex has no hooks of this type".to_owned())
        }
    }
}

fn said(event: Event, stdout: &str) -> HookResult {
    if event == Event::SessionEnd || stdout.trim().is_empty() {
        return HookResult::new(HookStatus::Ok);
    }
    let looks_like_json = stdout.trim_start().starts_with(['{', '[']);
    match parse(event, stdout) {
        Ok(answer) => verdict::of_answer(event, &answer),
        Err(fault) if looks_like_json || matches!(event, Event::Stop | Event::SubagentStop) => {
            failed(format!("hook returned invalid {} JSON output: {fault}", event.json_label()))
        }
        Err(_) => plain(event, stdout.trim()),
    }
}

/// Reads an answer: an object of the form that the event wants.
///
/// # Errors
/// What is wrong with it, in words.
fn parse(event: Event, text: &str) -> Result<Map<String, Value>, String> {
    let value: Value =
        serde_json::from_str(text.trim()).map_err(|error| format!("it is no JSON: {error}"))?;
    let Value::Object(answer) = value else { return Err("it is no object".to_owned()) };
    match form_fault(event.name(), &answer) {
        Some(fault) => Err(fault),
        None => Ok(answer),
    }
}

fn plain(event: Event, text: &str) -> HookResult {
    match event.plain() {
        Plain::Context => {
            HookResult { context: vec![text.to_owned()], ..HookResult::new(HookStatus::Ok) }
        }
        Plain::Ignored => HookResult::new(HookStatus::Ok),
        Plain::Failure => failed(format!("{} hook returned non-JSON stdout", event.name())),
    }
}

fn exited(event: Event, code: i32, stderr: &str) -> HookResult {
    match event.exit_two() {
        Some(wanted) if code == 2 && stderr.is_empty() => failed(format!(
            "{} hook exited with code 2 but did not write {wanted} to stderr",
            event.name()
        )),
        Some(_) if code == 2 => verdict::of_exit_two(event, stderr.to_owned()),
        _ => failed(with_detail(&format!("hook exited with code {code}"), stderr)),
    }
}

fn with_detail(text: &str, detail: &str) -> String {
    if detail.is_empty() { text.to_owned() } else { format!("{text}: {detail}") }
}

fn not_connected(action: &Action) -> String {
    match action {
        Action::McpTool { server, .. } => format!("the MCP server `{server}` is not connected"),
        _ => "the MCP server is not connected".to_owned(),
    }
}

/// Where texts go that are too long for the model.
struct Spill<'a> {
    folder: PathBuf,
    host: &'a Host,
}

/// Puts a preview in the place of each text that is too long for the model. The effect `spilled` tells
/// the files that hold the whole texts; `null` where a file could not be written.
fn shorten(mut result: HookResult, hook: &ForeignHook, spill: &Spill<'_>) -> HookResult {
    let own = hook.options.get("additionalContextLimit").and_then(Value::as_u64);
    let mut spilled: Vec<Value> = Vec::new();
    for text in &mut result.context {
        replace(text, own.unwrap_or(limit::DEFAULT_TOKENS), spill, &mut spilled);
    }
    if let (Some(reason), Some(Audience::Model)) = (&mut result.reason, result.reason_to) {
        replace(reason, limit::DEFAULT_TOKENS, spill, &mut spilled);
    }
    if !spilled.is_empty() {
        result.effect.insert("spilled".to_owned(), Value::Array(spilled));
    }
    result
}

fn replace(text: &mut String, tokens: u64, spill: &Spill<'_>, spilled: &mut Vec<Value>) {
    if let Some(preview) = limit::preview(text, tokens) {
        let place = match keep_text(text, &spill.folder, spill.host) {
            Ok(file) => {
                spilled.push(file.to_string_lossy().into());
                format!("the whole is in {}", file.display())
            }
            Err(error) => {
                spilled.push(Value::Null);
                format!("the rest is lost: {error}")
            }
        };
        *text = format!("{preview}\n({place})");
    }
}

/// A hook that nobody waited for decides nothing. What it says reaches the model with the next turn.
fn late(result: HookResult) -> HookResult {
    let status = match result.status {
        HookStatus::Blocked | HookStatus::Stopped => HookStatus::Ignored,
        status => status,
    };
    let mut later = Map::new();
    if !result.context.is_empty() {
        later.insert("context".to_owned(), result.context.into());
    }
    if let Some(message) = result.system_message {
        later.insert("system_message".to_owned(), message.into());
    }
    let mut effect = result.effect;
    if !later.is_empty() {
        effect.insert("delivered_later".to_owned(), later.into());
    }
    HookResult { effect, shown_to_user: result.shown_to_user, ..HookResult::new(status) }
}
