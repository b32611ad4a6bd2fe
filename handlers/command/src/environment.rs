//! The environment of a program: a few variables that it needs, and those that the hook lists.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use hookgate_contract::Invocation;
use hookgate_contract::settings::{NodeValue, Settings};
use hookgate_secrets::Secrets;

use crate::argv;
use crate::mark::{self, Mark};

/// What any program may see.
const ALWAYS: &[&str] = &["PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ"];

/// Where Python looks for modules.
const PYTHONPATH: &str = "PYTHONPATH";

/// What the engine sets itself.
const OURS: &str = "HOOKGATE_";

/// A value of the step that is longer than this stands in the envelope only: the judged party must
/// not be able to make a variable that no program can be started with.
const LONGEST: usize = 4 * 1024;

/// The variables that a hook lists.
#[derive(Debug, Default)]
pub(crate) struct Environment {
    passed: Vec<String>,
    fixed: Vec<(String, String)>,
    /// Where a script in Python looks for its modules.
    python: Option<PathBuf>,
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
                (NodeValue::Text(value), None)
                    if argv::relative_entry(&entry.key, value).is_some() =>
                {
                    settings.invalid(
                        "set_env",
                        format!(
                            "`{}` has a relative or empty entry, which means the folder of the \
                             session: write absolute paths",
                            entry.key
                        ),
                    );
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

    /// Lets a script in Python find the modules beside it, and nothing in the folder of the session.
    pub(crate) fn python(&mut self, folder: Option<PathBuf>) {
        self.python = folder;
    }

    /// The variables whose text names a relative path, each with what to do.
    pub(crate) fn warnings(&self, base: &Path) -> Vec<String> {
        let is_options = |name: &str| name.ends_with("OPT") || name.ends_with("OPTIONS");
        let options = self.fixed.iter().filter(|(name, _)| is_options(name));
        options
            .filter_map(|(name, value)| {
                Some(argv::warning(name, &argv::relative_path(value, base)?))
            })
            .collect()
    }

    /// Gives a program these variables and no others.
    pub(crate) fn apply(&self, command: &mut Command, hook: &str, mark: &Mark) {
        command.env_clear();
        let listed = ALWAYS.iter().copied().chain(self.passed.iter().map(String::as_str));
        command.envs(listed.filter_map(|name| Some((name, absolute(name, env::var_os(name)?)?))));
        command.env("PYTHONSAFEPATH", "1");
        command.envs(self.fixed.iter().map(|(name, value)| (name, value)));
        if let Some(path) = self.python_path() {
            command.env(PYTHONPATH, path);
        }
        set(command, "HOOKGATE_HOOK_ID", hook);
        command.env(mark::VARIABLE, mark.to_string());
    }

    /// Where Python looks first: as it would without a safe path, in the folder of the script.
    fn python_path(&self) -> Option<OsString> {
        let folder = self.python.as_ref()?;
        let fixed = self.fixed.iter().find(|(name, _)| name == PYTHONPATH);
        let passed = || {
            self.passed.iter().find(|name| *name == PYTHONPATH)?;
            absolute(PYTHONPATH, env::var_os(PYTHONPATH)?)
        };
        let more = fixed.map(|(_, value)| OsString::from(value)).or_else(passed);
        let more = more.unwrap_or_default();
        let all = std::iter::once(folder.clone())
            .chain(env::split_paths(&more).filter(|path| path.is_absolute()));
        env::join_paths(all).ok()
    }

    /// Tells a program about the step that it runs for.
    pub(crate) fn apply_step(command: &mut Command, invocation: &Invocation<'_>) {
        set(command, "HOOKGATE_EVENT", invocation.payload().event_name());
        set(command, "HOOKGATE_SESSION_ID", invocation.context().session_id);
        set(command, "HOOKGATE_STEP_ID", invocation.envelope.step_id());
        if let Some(call) = invocation.tool() {
            set(command, "HOOKGATE_TOOL_NAME", &call.tool_name);
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
            .filter(|(name, value)| Secrets::is_secret_name(name) || Secrets::has_secret(value))
            .cloned();
        Secrets::new(passed.chain(fixed))
    }
}

/// Sets a variable, if it can have this value.
fn set(command: &mut Command, name: &str, value: &str) {
    if value.len() <= LONGEST && !value.contains('\0') {
        command.env(name, value);
    }
}

/// A value without what would mean the folder of the session: relative and empty entries of a list
/// of folders. None where nothing is left, or where it is the name of one relative file.
fn absolute(name: &str, value: OsString) -> Option<OsString> {
    if !argv::is_list(name) {
        let relative = argv::relative_entry(name, &value.to_string_lossy()).is_some();
        return (!relative).then_some(value);
    }
    if env::split_paths(&value).all(|entry| entry.is_absolute()) {
        return Some(value);
    }
    let entries: Vec<_> = env::split_paths(&value).filter(|entry| entry.is_absolute()).collect();
    match env::join_paths(&entries) {
        Ok(joined) if !entries.is_empty() => Some(joined),
        // Without any PATH a program would look in a list of its own.
        _ => (name == "PATH").then(|| "/usr/bin:/bin".into()),
    }
}

/// Why a variable cannot have this name.
fn refuse(name: &str) -> Option<String> {
    if name.is_empty() || name.contains(['=', '\0']) {
        return Some(format!("`{name}` is no name of a variable; values stand in `set_env`"));
    }
    name.starts_with(OURS).then(|| format!("`{name}`: hookgate sets {OURS}* itself"))
}
