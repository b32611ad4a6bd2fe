//! The environment of a program: an allow-list.
//!
//! A program of a hook runs on what the agent writes, and its host holds keys of models and services.
//! So nothing is inherited but what is listed here or in the hook:
//!
//! | variables | from |
//! |---|---|
//! | `PATH`, `HOME`, `LANG`, `LC_ALL`, `TMPDIR`, `TZ`, on Windows also those without which programs do not start | the host, at each start |
//! | the names in `env` | the host, at each start; a missing one is left out |
//! | the same names, and those of the first row | the session, if the host gives it an environment |
//! | the values in `set_env` | the config |
//! | `HOOKGATE_*`, `PYTHONSAFEPATH`, `PYTHONPATH` | hookgate |
//! | those of the agent that a script was written for (`dialect`) | the step |
//!
//! Later rows win, but for the last one: it adds to them. Relative entries of `PATH` and its like are
//! removed, since they would mean another folder in each session. The values of `env`, and those of `set_env` that look secret, are hidden in
//! whatever the program says (`Environment::secrets`).

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use hookgate_contract::settings::{NodeValue, SettingEntry, Settings};
use hookgate_contract::{Failure, FailureClass, Invocation, SessionEnv};
use hookgate_secrets::Secrets;

use crate::argv;

/// The variables that every program gets.
#[cfg(not(windows))]
const ALWAYS: &[&str] = &["PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ"];

/// Windows has other names, and programs that do not start without some of them.
#[cfg(windows)]
const ALWAYS: &[&str] = &[
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "TZ",
    "APPDATA",
    "COMSPEC",
    "LOCALAPPDATA",
    "PATHEXT",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERPROFILE",
    "WINDIR",
];

/// What stands in for a `PATH` of which nothing is left.
const SYSTEM_PATH: &str =
    if cfg!(windows) { r"C:\Windows\System32;C:\Windows" } else { "/usr/bin:/bin" };

/// Where Python looks for modules.
const PYTHONPATH: &str = "PYTHONPATH";

/// The beginning of the variables that hookgate sets itself.
const RESERVED_PREFIX: &str = "HOOKGATE_";

/// The longest value of the step that becomes a variable, in bytes. A longer one is in the envelope
/// only: the agent must not be able to make a variable that no program can be started with.
const LONGEST_VALUE: usize = 4 * 1024;

/// The variables that a hook lists.
#[derive(Debug, Default)]
pub(crate) struct Environment {
    /// Names of variables of the host that are passed on.
    passed: Vec<String>,
    /// Variables with a value from the config.
    fixed: Vec<(String, String)>,
    /// Where a script in Python looks for its modules.
    python_folder: Option<PathBuf>,
}

impl Environment {
    /// Reads `env` and `set_env`.
    pub(crate) fn read(settings: &mut Settings<'_>) -> Self {
        let mut environment = Self::default();
        for name in settings.list("env").unwrap_or_default() {
            match name_problem(name) {
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
            match fixed_value(entry) {
                Ok(value) => environment.fixed.push((entry.key.clone(), value.to_owned())),
                Err(problem) => settings.invalid("set_env", problem),
            }
        }
        environment
    }

    /// Lets a script in Python find the modules beside it, and none in the folder of the session.
    pub(crate) fn set_python_folder(&mut self, folder: Option<PathBuf>) {
        self.python_folder = folder;
    }

    /// Returns a warning for each variable with options of a program (`NODE_OPTIONS`) whose text names
    /// a relative path, and for each that is to be passed on and is not set.
    pub(crate) fn warnings(&self, base: &Path) -> Vec<String> {
        let has_options = |name: &str| name.ends_with("OPT") || name.ends_with("OPTIONS");
        let options = self.fixed.iter().filter(|(name, _)| has_options(name));
        let relative = options.filter_map(|(name, value)| {
            Some(argv::relative_path_warning(name, &argv::relative_path(value, base)?))
        });
        let unset = self.passed.iter().filter(|name| env::var_os(name).is_none()).map(|name| {
            format!("`env` lists `{name}`, which is not set here: the program does not get it")
        });
        relative.chain(unset).collect()
    }

    /// Gives a program these variables and no others.
    pub(crate) fn apply(&self, command: &mut Command, hook: &str) {
        command.env_clear();
        let listed = ALWAYS.iter().copied().chain(self.passed.iter().map(String::as_str));
        command.envs(
            listed.filter_map(|name| Some((name, without_relative(name, env::var_os(name)?)?))),
        );
        command.env("PYTHONSAFEPATH", "1");
        command.envs(self.fixed.iter().map(|(name, value)| (name, value)));
        if let Some(path) = self.python_path(None) {
            command.env(PYTHONPATH, path);
        }
        set_variable(command, "HOOKGATE_HOOK_ID", hook);
    }

    /// Returns where Python looks first: in the folder of the script, as it would without
    /// `PYTHONSAFEPATH`.
    fn python_path(&self, env: Option<&SessionEnv>) -> Option<OsString> {
        let folder = self.python_folder.as_ref()?;
        let fixed = self.fixed.iter().find(|(name, _)| name == PYTHONPATH);
        let passed = || {
            self.passed.iter().find(|name| *name == PYTHONPATH)?;
            let of_session = env.and_then(|env| env.get(PYTHONPATH)).map(OsString::from);
            without_relative(PYTHONPATH, of_session.or_else(|| env::var_os(PYTHONPATH))?)
        };
        let more = fixed.map(|(_, value)| OsString::from(value)).or_else(passed);
        let more = more.unwrap_or_default();
        let all = std::iter::once(folder.clone())
            .chain(env::split_paths(&more).filter(|path| path.is_absolute()));
        env::join_paths(all).ok()
    }

    /// Adds the variables of the step, and of its session, to a program that runs for one step.
    pub(crate) fn apply_step(&self, command: &mut Command, invocation: &Invocation<'_>) {
        let env = invocation.context().env;
        for (name, value) in self.of_session(env) {
            if let Some(value) = without_relative(name, value.into()) {
                command.env(name, value);
            }
        }
        if let Some(path) = self.python_path(env) {
            command.env(PYTHONPATH, path);
        }
        set_variable(command, "HOOKGATE_EVENT", invocation.payload().event_name());
        set_variable(command, "HOOKGATE_SESSION_ID", invocation.context().session_id);
        set_variable(command, "HOOKGATE_STEP_ID", invocation.envelope.step_id());
        if let Some(call) = invocation.tool() {
            set_variable(command, "HOOKGATE_TOOL_NAME", &call.tool_name);
        }
        if let Some(key) = invocation.idempotency_key() {
            set_variable(command, "HOOKGATE_IDEMPOTENCY_KEY", key);
        }
    }

    /// Returns what the session has of the variables that the program gets from its host, and not from the config.
    fn of_session<'s>(
        &'s self,
        env: Option<&'s SessionEnv>,
    ) -> impl Iterator<Item = (&'s str, &'s str)> {
        let names = ALWAYS.iter().copied().chain(self.passed.iter().map(String::as_str));
        let is_fixed = |name: &str| self.fixed.iter().any(|(fixed, _)| fixed == name);
        names
            .filter(move |name| !is_fixed(name))
            .filter_map(move |name| Some((name, env?.get(name)?)))
            .filter(|(_, value)| !value.contains('\0'))
    }

    /// Refuses a session with variables of its own that a program would have to get which runs for all sessions.
    ///
    /// # Errors
    /// Of class `spawn`: the program has the variables of another session, or of none.
    pub(crate) fn check_shared(&self, env: Option<&SessionEnv>) -> Result<(), Failure> {
        let is_other = |(name, value): &(&str, &str)| {
            env::var_os(name).is_none_or(|of_process| of_process != *value)
        };
        let Some((name, _)) = self.of_session(env).find(is_other) else { return Ok(()) };
        let detail = format!(
            "the session has `{name}` of its own, and the program runs for all sessions: start one for each step, or leave `{name}` out of the environment of the session"
        );
        Err(Failure::new(FailureClass::Spawn, detail))
    }

    /// Adds the variables that the agent of a script sets. Those of the hook itself go first.
    pub(crate) fn apply_script(&self, command: &mut Command, variables: &[(String, String)]) {
        let is_own = |name: &String| {
            self.passed.contains(name) || self.fixed.iter().any(|(own, _)| own == name)
        };
        for (name, value) in variables.iter().filter(|(name, _)| !is_own(name)) {
            set_variable(command, name, value);
        }
    }

    /// Returns the values that must not appear in what the program says: those that were passed on,
    /// also by the session, and those of the config whose name or form tells that they are secret.
    pub(crate) fn secrets(&self, env: Option<&SessionEnv>) -> Secrets {
        let text = |value: OsString| value.to_string_lossy().into_owned();
        let passed =
            self.passed.iter().filter_map(|name| Some((name.clone(), text(env::var_os(name)?))));
        let fixed = self
            .fixed
            .iter()
            .filter(|(name, value)| Secrets::is_secret_name(name) || Secrets::has_secret(value))
            .cloned();
        let of_session =
            self.of_session(env).filter(|(name, _)| self.passed.iter().any(|it| it == name));
        let of_session = of_session.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Secrets::new(passed.chain(of_session).chain(fixed))
    }
}

/// Sets a variable, unless the value is too long for one or has a zero byte.
fn set_variable(command: &mut Command, name: &str, value: &str) {
    if value.len() <= LONGEST_VALUE && !value.contains('\0') {
        command.env(name, value);
    }
}

/// Removes what would mean the folder of the session: relative and empty entries of a list of
/// folders. Returns `None` if nothing is left, or if the value is one relative file.
fn without_relative(name: &str, value: OsString) -> Option<OsString> {
    if !argv::lists_folders(name) {
        let is_relative = argv::relative_entry(name, &value.to_string_lossy()).is_some();
        return (!is_relative).then_some(value);
    }
    if env::split_paths(&value).all(|entry| entry.is_absolute()) {
        return Some(value);
    }
    let entries: Vec<_> = env::split_paths(&value).filter(|entry| entry.is_absolute()).collect();
    match env::join_paths(&entries) {
        Ok(joined) if !entries.is_empty() => Some(joined),
        // Without any PATH a program would look in a list of its own.
        _ => (name == "PATH").then(|| SYSTEM_PATH.into()),
    }
}

/// Returns the value of an entry of `set_env`, or what is wrong with the entry.
fn fixed_value(entry: &SettingEntry) -> Result<&str, String> {
    let name = &entry.key;
    if let Some(problem) = name_problem(name) {
        return Err(problem);
    }
    let NodeValue::Text(value) = &entry.node.value else {
        return Err(format!("`{name}` must be a string, not {}", entry.node.kind()));
    };
    if value.contains('\0') {
        return Err(format!("`{name}` has a zero byte"));
    }
    if argv::relative_entry(name, value).is_some() {
        return Err(format!(
            "`{name}` has a relative or empty entry, which means the folder of the session: write \
             absolute paths"
        ));
    }
    Ok(value)
}

/// Returns why a variable cannot have this name.
fn name_problem(name: &str) -> Option<String> {
    if name.is_empty() || name.contains(['=', '\0']) {
        return Some(format!(
            "`{name}` is not the name of a variable; variables with values go to `set_env`"
        ));
    }
    // On Windows names of variables are the same in upper and lower case.
    let is_reserved = if cfg!(windows) {
        name.to_ascii_uppercase().starts_with(RESERVED_PREFIX)
    } else {
        name.starts_with(RESERVED_PREFIX)
    };
    is_reserved.then(|| format!("`{name}`: hookgate sets {RESERVED_PREFIX}* itself"))
}
