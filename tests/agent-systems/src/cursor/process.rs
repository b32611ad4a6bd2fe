//! The process of a hook.

use serde_json::{Map, Value};

use super::source::Source;
use crate::foreign::{Action, ForeignHook, Host, Process};

/// Returns the process of a hook that runs a program.
pub(super) fn of(
    hook: &ForeignHook,
    input: &Map<String, Value>,
    host: &Host,
) -> Result<Process, String> {
    let Action::Command { form, .. } = &hook.action else {
        return Err("the hook runs no program".to_owned());
    };
    let (program, args) = form.argv(host.var("SHELL"));
    let cwd = Source::of(&hook.layer).folder(&hook.file, host);
    Ok(Process { program, args, env: environment(input, host), cwd })
}

/// The environment of Cursor, the variables of the session, and what Cursor says about the step.
fn environment(input: &Map<String, Value>, host: &Host) -> Vec<(String, String)> {
    let mut all = host.env.clone();
    let mut set = |name: &str, value: &str| {
        all.retain(|(other, _)| other != name);
        all.push((name.to_owned(), value.to_owned()));
    };
    let session = host.facts.get("session_env").and_then(Value::as_object);
    for (name, value) in session.into_iter().flatten() {
        set(name, value.as_str().unwrap_or_default());
    }
    let text = |name: &str| input.get(name).and_then(Value::as_str);
    let root = input.get("workspace_roots").and_then(|roots| roots.get(0)).and_then(Value::as_str);
    let project = host.project.to_string_lossy();
    let root = root.unwrap_or(&project);
    set("CURSOR_PROJECT_DIR", root);
    set("CLAUDE_PROJECT_DIR", root);
    for (name, field) in [
        ("CURSOR_VERSION", "cursor_version"),
        ("CURSOR_USER_EMAIL", "user_email"),
        ("CURSOR_TRANSCRIPT_PATH", "transcript_path"),
    ] {
        if let Some(value) = text(field) {
            set(name, value);
        }
    }
    if host.facts.get("remote") == Some(&Value::Bool(true)) {
        set("CURSOR_CODE_REMOTE", "true");
    }
    all
}
