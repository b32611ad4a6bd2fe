//! Why a step could not be judged, and what to do about it.

use std::path::{Path, PathBuf};

use hookgate::config::ConfigErrors;
use hookgate::contract::dialect::DialectError;
use hookgate::contract::suggest::Suggestion;
use hookgate::envelope::IncomingError;

use crate::terminal::sanitize::line;

/// Why a step could not be judged. The text goes to the model or to the user of the agent, so it names
/// the cure.
#[derive(Debug, Clone, thiserror::Error)]
pub(super) enum HookError {
    /// The command line of the hook.
    #[error(
        "the command of this hook is wrong: {0}: see `hookgate hook --help`, and mend it in the hook config of the agent"
    )]
    Usage(String),
    /// There is no such agent.
    #[error(
        "hookgate knows no agent `{name}`{near}: name it as `hookgate hook --agent NAME`, in the hook config of the agent"
    )]
    UnknownAgent {
        /// The name.
        name: String,
        /// An agent with a similar name.
        near: Suggestion,
    },
    /// The agent calls no programs.
    #[error("`{system}` calls no programs, {why}: embed hookgate there as a library")]
    InProcess {
        /// The agent.
        system: &'static str,
        /// Why.
        why: &'static str,
    },
    /// Stdin.
    #[error(
        "hookgate could not read the step on stdin: {0}: the agent must call this command as a hook, with its envelope on stdin"
    )]
    Input(String),
    /// The envelope is not one of the agent's.
    #[error(
        "hookgate could not understand the step: {0}: update hookgate, or check that `--agent` names the agent that calls this hook"
    )]
    Dialect(#[from] DialectError),
    /// The envelope says what the engine does not take.
    #[error(
        "hookgate could not understand the step: {0}: update hookgate, or report what the agent has sent"
    )]
    Envelope(#[from] IncomingError),
    /// There is no config.
    #[error(
        "hookgate is installed here and has no hooks.toml, so nothing is guarded: run `hookgate init` in the project, or name a file with `-c`"
    )]
    NoConfig,
    /// A config is not valid.
    #[error("{problem}; none of its hooks is in force: run `hookgate check -c {}`", .file.display())]
    Config {
        /// The file.
        file: PathBuf,
        /// The first mistake, with its position.
        problem: String,
    },
    /// Two configs do not go together.
    #[error(
        "the configs {files} cannot be joined: {problem}: mend it in one of them, and run `hookgate check -c` for each"
    )]
    Join {
        /// The files.
        files: String,
        /// The first mistake.
        problem: String,
    },
    /// The command line changes hooks, and cannot.
    #[error(
        "the command of this hook changes hooks, and that is wrong: {0}: mend it in the hook config of the agent"
    )]
    Override(String),
    /// What is kept of sessions could not be read or written.
    #[error(
        "hookgate cannot keep what hooks count and mark in a session: {0}; XDG_STATE_HOME names another folder"
    )]
    State(String),
    /// The journal cannot be written, and no step may go on without its record.
    #[error(
        "no step may go on without its record (`[journal] on_failure = \"deny\"`), and there is none: {0}"
    )]
    Journal(String),
    /// The process cannot work here.
    #[error(
        "hookgate cannot work here: {0}: raise the limits of the process that runs the agent (`ulimit -n 1024`)"
    )]
    Process(String),
    /// It took too long.
    #[error(
        "hookgate did not come to a decision in time: give slow hooks a shorter `timeout` (`hookgate list` shows them), or raise `--timeout` and the limit in the hook config of the agent"
    )]
    Deadline,
    /// hookgate itself failed.
    #[error(
        "hookgate itself has failed: run `hookgate check` and `hookgate eval` on the same config, and report it"
    )]
    Panic,
}

impl HookError {
    /// Says what is wrong with a command line, without the help around it.
    pub(super) fn usage(error: &clap::Error) -> Self {
        let text = error.to_string();
        let what = text.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ");
        Self::Usage(what.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// Says that there is no such agent.
    pub(super) fn unknown_agent(name: &str) -> Self {
        let mut in_process = hookgate_dialects::IN_PROCESS.iter();
        if let Some((system, why)) = in_process.find(|(known, _)| *known == name) {
            return Self::InProcess { system, why };
        }
        let every = hookgate_dialects::every();
        let names: Vec<&str> = every.iter().map(|dialect| dialect.name()).collect();
        Self::UnknownAgent { name: line(name), near: Suggestion::nearest_or_all(name, &names) }
    }

    /// Says what is wrong with a config.
    pub(super) fn config(file: &Path, errors: &ConfigErrors) -> Self {
        Self::Config { file: file.to_owned(), problem: first_of(errors) }
    }

    /// Says what is wrong with the changes of a command line.
    pub(super) fn overrides(errors: &ConfigErrors) -> Self {
        Self::Override(first_of(errors))
    }

    /// Says why configs do not go together.
    pub(super) fn join(files: &[PathBuf], errors: &ConfigErrors) -> Self {
        let files: Vec<String> = files.iter().map(|file| format!("`{}`", file.display())).collect();
        Self::Join { files: files.join(" and "), problem: first_of(errors) }
    }
}

/// Returns the first mistake, with its position.
fn first_of(errors: &ConfigErrors) -> String {
    let problem = errors.errors().first().map_or_else(String::new, |first| {
        let (file, at, column) = (first.file(), first.line(), first.column());
        format!("{file}:{at}:{column}: {}", first.message())
    });
    line(&problem)
}
