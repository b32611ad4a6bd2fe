//! What may go wrong with the hooks of hookgate themselves.

use serde_json::Value;

use super::Subject;
use crate::agents::{Form, ListedKeys};
use crate::commands::doctor::hooks::FoundHook;
use crate::commands::doctor::report::Finding;

pub(super) fn check(subject: Subject<'_>) -> Vec<Finding> {
    let hooks = &subject.content.hooks;
    let mut findings = Vec::new();
    for (index, hook) in hooks.iter().enumerate().filter(|(_, hook)| hook.calls_hookgate()) {
        findings.extend(guard(subject, hook));
        findings.extend(patience(subject, hook));
        findings
            .extend(hook.keys.iter().filter_map(|(key, value)| odd_key(subject, hook, key, value)));
        let same_event = |other: &&FoundHook| other.event == hook.event;
        let before = hooks.iter().take(index).filter(same_event);
        let behind = hooks.iter().skip(index + 1).filter(same_event);
        if subject.profile.name == "qwen" {
            findings.extend(qwen(hook, before, behind));
        }
    }
    findings
}

/// A command line that a person wrote lacks what closes the gaps of the agent.
fn guard(subject: Subject<'_>, hook: &FoundHook) -> Option<Finding> {
    let title = subject.dialect.title();
    let agent = subject.profile.name;
    let event = subject.dialect.event(&hook.event)?;
    if !event.fails_closed() || hook.line.as_ref().is_some_and(|line| line.closed) {
        return None;
    }
    if let Form::Listed { keys: ListedKeys::Cursor, .. } = subject.profile.form
        && hook.keys.get("failClosed").and_then(Value::as_bool) == Some(true)
    {
        return None;
    }
    Some(Finding::open(
        format!(
            "the command line at {} is not that of `hookgate install`: if hookgate is missing, is killed or \
             hangs, {title} may go on",
            hook.event
        ),
        format!("remove it and run `hookgate install --agent {agent}`"),
    ))
}

/// Keys that `hookgate install` writes, and those that only say something to people.
const KNOWN_KEYS: &[&str] = &[
    "type",
    "command",
    "bash",
    "name",
    "timeout",
    "timeoutSec",
    "failClosed",
    "event",
    "matcher",
    "statusMessage",
    "description",
];

/// A key that somebody has added may keep the agent from waiting for the hook, or from calling it.
fn odd_key(subject: Subject<'_>, hook: &FoundHook, key: &str, value: &Value) -> Option<Finding> {
    let Subject { profile, dialect, .. } = subject;
    let (title, event) = (dialect.title(), &hook.event);
    // Some agents drop the whole file then, which is told.
    if profile.form == Form::Tables {
        return None;
    }
    let cure = format!("remove `{key}`");
    let open = |about: String| Some(Finding::open(about, &cure));
    match (key, value) {
        ("async" | "asyncRewake" | "once", Value::Bool(false)) => None,
        ("async" | "asyncRewake", _) => open(format!(
            "the hook of hookgate at {event} is `{key}`: {title} does not wait for it, so it denies nothing"
        )),
        ("if", _) => open(format!("hookgate is called only if {value} at {event}")),
        ("args", _) => open(format!(
            "the hook of hookgate at {event} has `args`: {title} takes its command line for the name of a program"
        )),
        ("enabled", Value::Bool(true)) | ("disabled", Value::Bool(false)) => None,
        ("type", Value::String(kind)) if kind != "command" => open(format!(
            "the hook of hookgate at {event} has the type `{kind}`: its command line never runs"
        )),
        (key, _) if KNOWN_KEYS.contains(&key) => None,
        _ => Some(Finding::doubt(
            format!("it cannot be told what `{key}` does to the hook of hookgate at {event}"),
            cure,
        )),
    }
}

/// The agent must wait longer than the guard in the command line.
fn patience(subject: Subject<'_>, hook: &FoundHook) -> Option<Finding> {
    let line = hook.line.as_ref()?;
    let (key, per_second) = match subject.profile.form {
        Form::Grouped { per_second, .. } => ("timeout", per_second),
        Form::Listed { keys: ListedKeys::Copilot, .. } => ("timeoutSec", 1),
        Form::Listed { keys: ListedKeys::Cursor, .. } | Form::Tables => ("timeout", 1),
        Form::Scripts | Form::Plugin => return None,
    };
    let limit = hook.keys.get(key)?;
    let Some(waits) = limit.as_f64().filter(|waits| *waits > 0.0) else {
        let about =
            format!("it cannot be told how long the agent waits at {} with {limit}", hook.event);
        return Some(Finding::open(about, format!("write `{key}` as a number above 0")));
    };
    (waits <= f64::from(line.kill) * f64::from(per_second)).then(|| {
        Finding::open(
            format!(
                "at {} the agent loses its patience before hookgate is killed, and goes on",
                hook.event
            ),
            format!("run `hookgate install --agent {}` again", subject.profile.name),
        )
    })
}

/// In Qwen Code an explicit allow of a later hook undoes a deny, and of two hooks of one name at an event
/// only the first runs.
fn qwen<'h>(
    hook: &FoundHook,
    mut before: impl Iterator<Item = &'h FoundHook>,
    mut behind: impl Iterator<Item = &'h FoundHook>,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let name = hook.keys.get("name");
    if name.is_some() && before.any(|other| other.keys.get("name") == name) {
        findings.push(Finding::open(
            format!(
                "a hook before that of hookgate at {} has the same name: only the first runs",
                hook.event
            ),
            "give it another name",
        ));
    }
    if behind.any(|other| !other.calls_hookgate()) {
        findings.push(Finding::doubt(
            format!("a hook stands behind that of hookgate at {}: if it allows explicitly, a deny is undone", hook.event),
            "let hookgate be the last hook of the event",
        ));
    }
    findings
}
