//! A prompt with the origin of each line, for people and for programs.

use std::fmt::Write as _;

use anstyle::Style;
use hookgate::contract::contribution::Severity;
use hookgate::turn::{LinePart, Prompt, PromptLine, Turn, TurnNote};
use serde_json::{Value, json};

use crate::abort::Abort;
use crate::terminal::sanitize;
use crate::terminal::stdout::{self, OutputArgs};
use crate::terminal::style::{BOLD, DIM, DOUBTFUL};

/// How wide the origins are at most, in characters.
const WIDEST: usize = 48;

/// Prints a turn.
pub(super) fn print(
    turn: &Turn,
    session_id: &str,
    number: u64,
    output: OutputArgs,
) -> Result<(), Abort> {
    if output.wants_json() {
        stdout::json_line(&to_json(turn, session_id, number))?;
    } else {
        stdout::print(&to_text(turn, session_id, number))?;
    }
    Ok(())
}

fn to_json(turn: &Turn, session_id: &str, number: u64) -> Value {
    let prompt = turn.prompt();
    let line = |(place, line): (usize, &PromptLine)| {
        let mut json = json!({"line": place + 1, "text": line.text, "part": line.part});
        if let (Some(entry), Some(object)) = (prompt.origin(line), json.as_object_mut()) {
            object.insert("hook".to_owned(), entry.source.hook.as_str().into());
            object.insert("id".to_owned(), entry.source.id.as_str().into());
            object.insert("slot".to_owned(), entry.source.slot.as_str().into());
            object.insert("event".to_owned(), entry.event.into());
        }
        json
    };
    let (bytes, tokens) = size(&prompt);
    json!({
        "session_id": session_id,
        "turn": number,
        "prompt": prompt.text(),
        "bytes": bytes,
        "tokens": tokens,
        "tokens_estimated": prompt.tokens_estimated,
        "lines": prompt.lines.iter().enumerate().map(line).collect::<Vec<_>>(),
        "entries": prompt.entries,
        "policies": turn.policy_set().entries,
        "tools": turn.tool_set(),
        "jobs": turn.others().jobs,
        "audit": turn.others().audit,
        "diagnostics": turn.others().diagnostics,
        "notes": turn.notes().collect::<Vec<_>>(),
    })
}

/// Returns bytes and tokens of all texts for the model.
fn size(prompt: &Prompt) -> (u64, u64) {
    let of_model = prompt.entries.iter().filter(|entry| entry.source.visible.reaches_model());
    of_model.fold((0, 0), |(bytes, tokens), entry| {
        (bytes + entry.source.bytes, tokens + entry.source.tokens)
    })
}

fn to_text(turn: &Turn, session_id: &str, number: u64) -> String {
    let prompt = turn.prompt();
    let (bytes, tokens) = size(&prompt);
    let estimated = if prompt.tokens_estimated { " (estimated)" } else { "" };
    let session = match session_id {
        "" => String::new(),
        session => format!(" of session {}", sanitize::line(session)),
    };
    let mut text = format!(
        "{BOLD}turn {number}{session}{BOLD:#}: {bytes} bytes, {tokens} tokens{estimated}\n"
    );
    let origins: Vec<String> = prompt.lines.iter().map(|line| origin(&prompt, line)).collect();
    let width = origins.iter().map(|origin| origin.chars().count()).max().unwrap_or_default();
    for (place, (line, origin)) in prompt.lines.iter().zip(&origins).enumerate() {
        let style = match line.part {
            LinePart::Mark => DOUBTFUL,
            LinePart::Fence => DIM,
            LinePart::Title => BOLD,
            _ => Style::new(),
        };
        let said = sanitize::line(&line.text);
        let _ = writeln!(
            text,
            "{:>4}  {DIM}{origin:width$} │{DIM:#} {style}{said}{style:#}",
            place + 1
        );
    }
    if prompt.lines.is_empty() {
        text.push_str("  no hook has given a text for the model\n");
    }
    add_rest(&mut text, turn, &prompt);
    text
}

/// Adds what is not in the prompt.
fn add_rest(text: &mut String, turn: &Turn, prompt: &Prompt) {
    let for_user = prompt.for_user().map(|entry| {
        let (hook, said) = (entry.source.hook.as_str(), sanitize::line(&entry.text));
        format!("{said}  ({})", sanitize::line(hook))
    });
    add_list(text, "for the user", for_user);
    let policies = turn.policy_set().entries.iter().map(|entry| {
        let (domain, key, hook) = (&entry.domain, &entry.key, &entry.source.hook);
        sanitize::line(&format!("{domain}/{key} = {}  ({hook})", entry.value))
    });
    add_list(text, "policy", policies);
    let tools = turn.tool_set();
    let own = tools.offered.iter().map(|name| sanitize::line(name));
    let added = tools.added.iter().map(|tool| {
        sanitize::line(&format!("{}  ({}, bundle {})", tool.name, tool.from.hook, tool.from.id))
    });
    add_list(text, "tools", own.chain(added));
    let jobs = turn
        .others()
        .jobs
        .iter()
        .map(|job| sanitize::line(&format!("{}  ({})", job.given.job_id, job.source.hook)));
    add_list(text, "jobs", jobs);
    add_list(text, "not delivered as it was given", turn.notes().map(note));
}

fn note(note: &TurnNote) -> String {
    let style = if note.severity == Severity::Info { DIM } else { DOUBTFUL };
    format!("{style}{}{style:#}: {}", note.code, sanitize::line(&note.message))
}

fn add_list(text: &mut String, head: &str, lines: impl Iterator<Item = String>) {
    let mut lines = lines.peekable();
    if lines.peek().is_some() {
        let _ = writeln!(text, "{BOLD}{head}{BOLD:#}");
    }
    for line in lines {
        let _ = writeln!(text, "  {line}");
    }
}

/// Says where a line comes from: hook, id, slot.
fn origin(prompt: &Prompt, line: &PromptLine) -> String {
    let Some(entry) = prompt.origin(line) else { return String::new() };
    let source = &entry.source;
    let whole = sanitize::line(&format!("{} {} @{}", source.hook, source.id, source.slot));
    if whole.chars().count() <= WIDEST {
        return whole;
    }
    let head: String = whole.chars().take(WIDEST - 1).collect();
    format!("{head}…")
}
