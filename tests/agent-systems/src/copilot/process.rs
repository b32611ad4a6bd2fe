//! The process of a hook.

use std::path::PathBuf;

use serde_json::Value;

use hookgate_dialects::import::fill_variables;

use crate::foreign::{Action, ForeignHook, Host, Process};

/// Returns the process of a hook that runs a program.
pub(super) fn of(hook: &ForeignHook, host: &Host) -> Result<Process, String> {
    let Action::Command { form, env, cwd } = &hook.action else {
        return Err("the hook runs no program".to_owned());
    };
    let (program, args) = form.argv(host.var("SHELL"));
    let env = environment(hook, env, host);
    Ok(Process { program, args, env, cwd: folder(cwd.as_deref(), host) })
}

/// A relative folder begins at the root of the repository.
fn folder(cwd: Option<&str>, host: &Host) -> PathBuf {
    cwd.map_or_else(|| host.cwd.clone(), |folder| host.project.join(folder))
}

/// The environment of the agent, the variables of its plugin, and last what the hook sets.
fn environment(hook: &ForeignHook, env: &[(String, String)], host: &Host) -> Vec<(String, String)> {
    let mut all = host.env.clone();
    let mut set = |name: &str, value: String| {
        all.retain(|(other, _)| other != name);
        all.push((name.to_owned(), value));
    };
    if let Some(plugin) = hook.layer.strip_prefix("plugin:") {
        let facts = host.facts.get("plugins").and_then(|plugins| plugins.get(plugin));
        let fact = |name: &str| facts?.get(name).and_then(Value::as_str);
        for (name, key) in [
            ("PLUGIN_ROOT", "root"),
            ("CLAUDE_PLUGIN_ROOT", "root"),
            ("COPILOT_PLUGIN_DATA", "data"),
            ("CLAUDE_PLUGIN_DATA", "data"),
        ] {
            if let Some(value) = fact(key) {
                set(name, value.to_owned());
            }
        }
    }
    for (name, value) in env {
        // A variable that is not set leaves nothing.
        set(
            name,
            fill_variables(value, |name| Some(host.var(name).unwrap_or_default().to_owned())),
        );
    }
    all
}
