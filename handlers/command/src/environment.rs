//! The environment of a program: a few variables that it needs, and those that the hook lists.

use std::env;
use std::ffi::OsString;
use std::process::Command;

use hookgate_contract::Ask;
use hookgate_contract::settings::{NodeValue, Settings};
use hookgate_secrets::Secrets;

use crate::mark::{self, Mark};

/// What any program may see.
const ALWAYS: &[&str] = &["PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ"];

/// What the engine sets itself.
const OURS: &str = "HOOKGATE_";

/// The variables that a hook lists.
#[derive(Debug, Default)]
pub(crate) struct Environment {
    passed: Vec<String>,
    fixed: Vec<(String, String)>,
}

impl Environment {
    /// Reads `env` and `set_env`.
    pub(crate) fn read(settings: &mut Settings<'_>) -> Self {
        let mut environment = Self::default();
        for name in settings.list("env").unwrap_or_default() {
            match refuse(name) {
                Some(problem) => settings.invalid("env", problem),
                None => environment.passed.push(name.to_owned()),
            }
        }
        let Some(node) = settings.node("set_env") else { return environment };
        let NodeValue::Table(entries) = &node.value else {
            settings.invalid("set_env", format!("it must be a table, not {}", node.kind()));
            return environment;
        };
        for entry in entries {
            match (&entry.node.value, refuse(&entry.key)) {
                (_, Some(problem)) => settings.invalid("set_env", problem),
                (NodeValue::Text(value), None) if value.contains('\0') => {
                    settings.invalid("set_env", format!("`{}` has a zero byte", entry.key));
                }
                (NodeValue::Text(value), None) => {
                    environment.fixed.push((entry.key.clone(), value.clone()));
                }
                (_, None) => settings.invalid(
                    "set_env",
                    format!("`{}` must be a string, not {}", entry.key, entry.node.kind()),
                ),
            }
        }
        environment
    }

    /// Gives a program these variables and no others.
    pub(crate) fn apply(&self, command: &mut Command, hook: &str, mark: &Mark) {
        command.env_clear();
        let listed = ALWAYS.iter().copied().chain(self.passed.iter().map(String::as_str));
        command.envs(listed.filter_map(|name| Some((name, env::var_os(name)?))));
        command.envs(self.fixed.iter().map(|(name, value)| (name, value)));
        command.env("HOOKGATE_HOOK_ID", hook);
        command.env(mark::VARIABLE, mark.to_string());
    }

    /// Tells a program about the step that it runs for.
    pub(crate) fn apply_step(command: &mut Command, ask: &Ask<'_>) {
        command.env("HOOKGATE_EVENT", ask.payload().event_name());
        command.env("HOOKGATE_SESSION_ID", ask.context().session_id);
        command.env("HOOKGATE_STEP_ID", ask.envelope.step_id());
        if let Some(call) = ask.tool() {
            command.env("HOOKGATE_TOOL_NAME", &call.tool_name);
        }
    }

    /// The values that were passed on, and those of the config whose names tell that they are
    /// secret.
    pub(crate) fn secrets(&self) -> Secrets {
        let text = |value: OsString| value.to_string_lossy().into_owned();
        let passed =
            self.passed.iter().filter_map(|name| Some((name.clone(), text(env::var_os(name)?))));
        let fixed = self
            .fixed
            .iter()
            .filter(|(name, value)| Secrets::tells(name) || Secrets::is_telling_value(value))
            .cloned();
        Secrets::new(passed.chain(fixed))
    }
}

/// Why a variable cannot have this name.
fn refuse(name: &str) -> Option<String> {
    if name.is_empty() || name.contains(['=', '\0']) {
        return Some(format!("`{name}` is no name of a variable; values stand in `set_env`"));
    }
    name.starts_with(OURS).then(|| format!("`{name}`: hookgate sets {OURS}* itself"))
}
