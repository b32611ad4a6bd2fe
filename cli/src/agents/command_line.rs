//! The command line that is written into the config of an agent.
//!
//! A program that is missing, was killed or hangs lets the step pass in most agents. So a shell stands
//! around it, which says no in the one way that all agents obey: the exit status 2 with a text on stderr.
//! It is one word for the shell of the agent, whichever that is, and has nothing in it that an agent or a
//! shell would replace (`$`, quotes).

use std::fmt;

/// A command line that calls `hookgate hook`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandLine {
    /// The program: a name or an absolute path.
    pub(crate) program: String,
    /// The agent.
    pub(crate) agent: String,
    /// The event, as the agent names it.
    pub(crate) event: String,
    /// The config of the policy, if it is not the one that is found.
    pub(crate) config: Option<String>,
    /// After how many seconds hookgate itself refuses.
    pub(crate) deadline: u32,
    /// After how many seconds without a call the daemon ends, if one is to judge.
    pub(crate) daemon: Option<u32>,
    /// After how many seconds it is killed, if it does not.
    pub(crate) kill: u32,
    /// Whether a failure counts as a deny.
    pub(crate) closed: bool,
}

const EVENT: &str = " --event ";

impl CommandLine {
    /// Returns the call inside of the guard, but for the event.
    pub(crate) fn words(&self) -> Vec<String> {
        let Self { program, agent, deadline, kill, .. } = self;
        let text =
            format!("timeout -s KILL {kill} {program} hook --agent {agent} --timeout {deadline}");
        let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        if let Some(idle) = self.daemon {
            words.extend(["--daemon".to_owned(), idle.to_string()]);
        }
        if let Some(file) = &self.config {
            words.extend(["--config".to_owned(), file.clone()]);
        }
        words
    }

    /// Returns the call inside of the guard.
    pub(crate) fn call(&self) -> String {
        format!("{}{EVENT}{}", self.words().join(" "), self.event)
    }

    /// Returns what people and models read when there was no answer.
    pub(crate) fn complaint(&self) -> String {
        let what = if self.closed { "stopped this" } else { "failed here" };
        format!("hookgate {what}. To see why: hookgate doctor --agent {}", self.agent)
    }

    /// Reads a command line that was written by [`Self::to_string`]. `None` if it is another.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let inner = text.strip_prefix("sh -c '")?.strip_suffix('\'')?;
        let (call, guard) = inner.split_once(" || ")?;
        let read = Self::read_call(call, guard.ends_with("exit 2; }"))?;
        (read.to_string() == text).then_some(read)
    }

    /// Reads a call that was written by [`Self::call`]. `None` if it is another.
    pub(crate) fn read_call(text: &str, closed: bool) -> Option<Self> {
        let (call, event) = text.rsplit_once(EVENT)?;
        let (kill, call) = call.strip_prefix("timeout -s KILL ")?.split_once(' ')?;
        let (program, call) = call.split_once(" hook --agent ")?;
        let (agent, call) = call.split_once(" --timeout ")?;
        let (call, config) = optional(call, " --config ");
        let (deadline, daemon) = optional(call, " --daemon ");
        let read = Self {
            program: program.to_owned(),
            agent: agent.to_owned(),
            event: event.to_owned(),
            config: config.map(str::to_owned),
            deadline: deadline.parse().ok()?,
            daemon: daemon.map(str::parse).transpose().ok()?,
            kill: kill.parse().ok()?,
            closed,
        };
        (read.call() == text).then_some(read)
    }

    /// Tells whether a path can stand in the command line as it is.
    pub(crate) fn is_plain(path: &str) -> bool {
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+@:,=".contains(letter);
        !path.is_empty() && !path.starts_with('-') && path.chars().all(plain)
    }
}

/// Splits an option and its value off.
fn optional<'t>(text: &'t str, option: &str) -> (&'t str, Option<&'t str>) {
    text.split_once(option).map_or((text, None), |(before, value)| (before, Some(value)))
}

impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exit = if self.closed { 2 } else { 1 };
        write!(f, "sh -c '{} || {{ echo {} >&2; exit {exit}; }}'", self.call(), self.complaint())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(closed: bool, config: Option<&str>) -> CommandLine {
        CommandLine {
            program: "hookgate".to_owned(),
            agent: "codex".to_owned(),
            event: "PreToolUse".to_owned(),
            config: config.map(str::to_owned),
            deadline: 8,
            daemon: None,
            kill: 10,
            closed,
        }
    }

    #[test]
    fn a_command_line_is_read_as_it_was_written() {
        let mut lines =
            vec![line(true, None), line(false, None), line(true, Some("/etc/hooks.toml"))];
        let with_daemon =
            lines.iter().map(|line| CommandLine { daemon: Some(300), ..line.clone() });
        let with_daemon: Vec<CommandLine> = with_daemon.collect();
        lines.extend(with_daemon);
        for line in lines {
            assert_eq!(CommandLine::read(&line.to_string()), Some(line));
        }
    }

    #[test]
    fn no_agent_and_no_shell_replaces_anything_in_it() {
        let text = line(true, None).to_string();
        assert!(!text.contains(['$', '"', '\\', '`', '%', '!']), "{text}");
        assert_eq!(text.matches('\'').count(), 2, "{text}");
    }

    #[test]
    fn a_command_line_of_somebody_else_is_not_ours() {
        let changed = line(true, None).to_string().replace("exit 2", "exit 0");
        for text in ["hookgate hook --agent codex", "", "sh -c 'true'", &changed] {
            assert_eq!(CommandLine::read(text), None, "{text}");
        }
    }
}
