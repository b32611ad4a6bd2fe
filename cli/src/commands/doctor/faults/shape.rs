//! Hooks that are not what the agent takes for a hook.

use serde_json::Value;

use super::Subject;
use crate::agents::Form;
use crate::commands::doctor::hooks::FoundHook;
use crate::commands::doctor::report::Finding;

/// What one bad hook does to the others of its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Harm {
    /// All hooks of the file are dropped.
    File,
    /// The bad one alone is dropped.
    Itself,
}

pub(super) fn check(subject: Subject<'_>) -> Vec<Finding> {
    let mut findings = events(subject);
    for hook in &subject.content.hooks {
        findings.extend(handler(subject, hook));
        findings.extend(time_limit(subject, hook));
    }
    findings
}

/// Event names that the agent does not know.
fn events(subject: Subject<'_>) -> Vec<Finding> {
    let known = subject.dialect.events();
    let title = subject.dialect.title();
    let mut names: Vec<&str> =
        subject.content.hooks.iter().map(|hook| hook.event.as_str()).collect();
    names.dedup();
    names.retain(|name| known.iter().all(|event| event.name != *name));
    let one = |name: &str| {
        let near = known.iter().find(|event| event.name.eq_ignore_ascii_case(name));
        match near {
            Some(event) => Finding::open(
                format!("there is no event `{name}`: {title} never runs its hooks"),
                format!("write `{}`", event.name),
            ),
            None if subject.profile.form == Form::Tables => Finding::open(
                format!("there is no event `{name}`: {title} drops all hooks of the file"),
                "remove that hook",
            ),
            None => Finding::doubt(
                format!(
                    "{title} has no event `{name}` that is known here: its hooks may never run"
                ),
                "look the name up",
            ),
        }
    };
    names.into_iter().map(one).collect()
}

fn handler(subject: Subject<'_>, hook: &FoundHook) -> Option<Finding> {
    let title = subject.dialect.title();
    let name = subject.profile.name;
    let event = &hook.event;
    let kind = hook.keys.get("type").and_then(Value::as_str);
    let is_ours = hook.calls_hookgate();
    match (subject.profile.form, kind) {
        (Form::Grouped { .. }, None) if is_ours || name == "codex" => Some(Finding::open(
            format!("a hook at {event} has no `type`: {title} drops it"),
            "write `\"type\": \"command\"`",
        )),
        (Form::Grouped { .. } | Form::Listed { .. }, Some(kind))
            if !known_kinds(name).contains(&kind) =>
        {
            let about =
                format!("a hook at {event} has the type `{kind}`, which {title} does not know");
            Some(match harm(name) {
                Harm::File => Finding::open(
                    format!("{about}: it drops all hooks of the file"),
                    "remove that hook",
                ),
                Harm::Itself if is_ours => {
                    Finding::open(format!("{about}: it never runs"), "write `command`")
                }
                Harm::Itself => {
                    Finding::doubt(format!("{about}: it never runs"), "remove that hook")
                }
            })
        }
        (Form::Tables, _) => {
            let known = ["event", "matcher", "command", "timeout"];
            let odd = hook.keys.keys().find(|key| !known.contains(&key.as_str()))?;
            Some(Finding::open(
                format!(
                    "a hook at {event} has the key `{odd}`: {title} drops all hooks of the file"
                ),
                format!("remove `{odd}`"),
            ))
        }
        _ => None,
    }
}

fn known_kinds(agent: &str) -> &'static [&'static str] {
    match agent {
        "claude" => &["command", "http", "mcp_tool", "prompt", "agent"],
        "codex" => &["command", "mcp_tool", "prompt", "agent"],
        "copilot" => &["command", "http", "prompt"],
        "cursor" => &["command", "prompt"],
        "qwen" => &["command", "http", "function", "prompt"],
        _ => &["command"],
    }
}

fn harm(agent: &str) -> Harm {
    match agent {
        "codex" | "kimi" => Harm::File,
        _ => Harm::Itself,
    }
}

fn time_limit(subject: Subject<'_>, hook: &FoundHook) -> Option<Finding> {
    let title = subject.dialect.title();
    let name = subject.profile.name;
    let key = if name == "copilot" { "timeoutSec" } else { "timeout" };
    let limit = hook.keys.get(key)?;
    let event = &hook.event;
    let whole_file = format!("{title} drops all hooks of the file");
    let wrong = match (name, limit) {
        ("codex", Value::String(_)) => whole_file,
        ("codex", Value::Number(number)) if number.as_u64().is_none() => whole_file,
        ("copilot", Value::String(_)) => format!("{title} drops it, without a word"),
        ("gemini", Value::Number(number))
            if number.as_f64().is_some_and(|number| number <= 0.0) =>
        {
            format!("{title} gives it no time at all, and goes on")
        }
        ("kimi", limit) if !limit.as_u64().is_some_and(|limit| (1..=600).contains(&limit)) => {
            whole_file
        }
        _ => return None,
    };
    Some(Finding::open(
        format!("a hook at {event} has the time limit {limit}: {wrong}"),
        format!("write `{key}` as a number above 0"),
    ))
}
