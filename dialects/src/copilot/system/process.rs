//! The process of a hook.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::foreign::{Action, CommandForm, ForeignHook, Host, Process, Shell};

/// Returns the process of a hook that runs a program.
pub(super) fn of(hook: &ForeignHook, host: &Host) -> Option<Process> {
    let Action::Command { form, env, cwd } = &hook.action else { return None };
    let (program, args) = match form {
        CommandForm::Shell(shell, line) => {
            let (program, option) = match shell {
                Shell::PowerShell => ("pwsh", "-Command"),
                Shell::Sh => ("sh", "-c"),
                Shell::Bash | Shell::Login => ("bash", "-c"),
            };
            (program.to_owned(), vec![option.to_owned(), line.clone()])
        }
        CommandForm::Exec(program, args) => (program.clone(), args.clone()),
    };
    Some(Process {
        program,
        args,
        env: environment(hook, env, host),
        cwd: folder(cwd.as_deref(), host),
    })
}

/// A relative folder begins at the root of the repository.
fn folder(cwd: Option<&str>, host: &Host) -> PathBuf {
    match cwd {
        Some(folder) => host.project.join(Path::new(folder)),
        None => host.cwd.clone(),
    }
}

/// The environment of the agent, the variables of its plugin, and last what the hook sets.
fn environment(hook: &ForeignHook, env: &[(String, String)], host: &Host) -> Vec<(String, String)> {
    let mut all = host.env.clone();
    let mut set = |name: &str, value: String| {
        all.retain(|(other, _)| other != name);
        all.push((name.to_owned(), value));
    };
    if hook.layer.starts_with("plugin") {
        let plugin = |key: &str| {
            host.facts.get("plugin").and_then(|plugin| plugin.get(key)).and_then(Value::as_str)
        };
        for (name, key) in [
            ("PLUGIN_ROOT", "root"),
            ("CLAUDE_PLUGIN_ROOT", "root"),
            ("COPILOT_PLUGIN_DATA", "data"),
            ("CLAUDE_PLUGIN_DATA", "data"),
        ] {
            if let Some(value) = plugin(key) {
                set(name, value.to_owned());
            }
        }
    }
    for (name, value) in env {
        set(name, expand(value, &host.env));
    }
    all
}

/// Puts variables into a text: `$NAME` and `${NAME}`. One that is not set leaves nothing.
fn expand(text: &str, env: &[(String, String)]) -> String {
    let value_of = |name: &str| {
        env.iter().find(|(other, _)| other == name).map_or("", |(_, value)| value.as_str())
    };
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        if let Some((name, behind)) =
            after.strip_prefix('{').and_then(|inner| inner.split_once('}'))
        {
            out.push_str(value_of(name));
            rest = behind;
            continue;
        }
        let name: String = after
            .char_indices()
            .take_while(|(index, c)| {
                *c == '_' || c.is_ascii_alphabetic() || (*index > 0 && c.is_ascii_digit())
            })
            .map(|(_, c)| c)
            .collect();
        if name.is_empty() {
            out.push('$');
        }
        out.push_str(value_of(&name));
        rest = after.strip_prefix(name.as_str()).unwrap_or(after);
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_put_in() {
        let env = [("HOME".to_owned(), "/home/u".to_owned())];
        for (text, expected) in [
            ("plain", "plain"),
            ("$HOME/x", "/home/u/x"),
            ("${HOME}x", "/home/ux"),
            ("a$UNSET.b", "a.b"),
            ("5$ or $1", "5$ or $1"),
            ("${HOME", "${HOME"),
        ] {
            assert_eq!(expand(text, &env), expected);
        }
    }
}
