//! The command line of the verb, with whatever is wrong with it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;

use super::Args;
use super::error::HookError;
use crate::daemon;
use crate::overrides::OverrideArgs;

/// How long a step may take if the command line does not say it, or is wrong.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(8);

/// One call of the verb. A command line with a mistake is a call as well: which agent is to be refused
/// mostly stands in it.
#[derive(Debug, Clone)]
pub(super) struct Call {
    args: Args,
    problem: Option<HookError>,
}

#[derive(Parser)]
#[command(name = "hookgate hook", disable_version_flag = true)]
struct Line {
    #[command(flatten)]
    args: Args,
}

impl Call {
    /// Reads the command line, from the name of the program on.
    ///
    /// # Errors
    /// The help, if that was asked for.
    pub(super) fn parse(arguments: Vec<OsString>) -> Result<Self, clap::Error> {
        let of_verb: Vec<OsString> = arguments.into_iter().skip(1).collect();
        match Line::try_parse_from(&of_verb) {
            Ok(line) => Ok(Self::new(line.args)),
            Err(help) if !help.use_stderr() => Err(help),
            Err(wrong) => Ok(Self {
                args: Args {
                    agent: value_of("--agent", &of_verb).unwrap_or_default(),
                    event: value_of("--event", &of_verb),
                    config: Vec::new(),
                    strict: true,
                    timeout: TIMEOUT,
                    daemon: None,
                    trust_hash: Vec::new(),
                    overrides: OverrideArgs::default(),
                },
                problem: Some(HookError::usage(&wrong)),
            }),
        }
    }

    /// Makes a call of what another process has read.
    pub(super) fn of(
        agent: String,
        event: Option<String>,
        config: Vec<PathBuf>,
        strict: bool,
        timeout: Duration,
        trust_hash: Vec<String>,
    ) -> Self {
        // A call that changes hooks judges for itself.
        let overrides = OverrideArgs::default();
        Self::new(Args {
            agent,
            event,
            config,
            strict,
            timeout,
            daemon: None,
            trust_hash,
            overrides,
        })
    }

    /// Makes a call of what was read.
    pub(super) const fn new(args: Args) -> Self {
        Self { args, problem: None }
    }

    /// Returns the name of the agent; empty if nobody said it.
    pub(super) fn agent(&self) -> &str {
        &self.args.agent
    }

    /// Returns the event, if the command line names it.
    pub(super) fn event(&self) -> Option<&str> {
        self.args.event.as_deref()
    }

    /// Returns the configs that the command line names.
    pub(super) fn config(&self) -> &[PathBuf] {
        &self.args.config
    }

    /// Whether a failed hook of another agent's config refuses the step.
    pub(super) const fn strict(&self) -> bool {
        self.args.strict
    }

    /// Returns the hashes of contents of projects that are trusted.
    pub(super) fn trusted(&self) -> &[String] {
        &self.args.trust_hash
    }

    /// Returns what the command line changes about the hooks.
    pub(super) const fn overrides(&self) -> &OverrideArgs {
        &self.args.overrides
    }

    /// Returns the time until the step is refused.
    pub(super) const fn timeout(&self) -> Duration {
        self.args.timeout
    }

    /// Returns after how many seconds without a call a daemon ends, if there is to be one.
    pub(super) fn daemon(&self) -> Option<Duration> {
        daemon::idle(self.args.daemon)
    }

    /// Returns what is wrong with the command line.
    pub(super) const fn problem(&self) -> Option<&HookError> {
        self.problem.as_ref()
    }
}

/// Returns the value of an option in a command line that could not be read as a whole.
fn value_of(option: &str, arguments: &[OsString]) -> Option<String> {
    let mut arguments = arguments.iter().map(|argument| argument.to_string_lossy());
    while let Some(argument) = arguments.next() {
        if argument == option {
            return arguments.next().map(Into::into);
        }
        if let Some(value) = argument.strip_prefix(option).and_then(|rest| rest.strip_prefix('=')) {
            return Some(value.to_owned());
        }
    }
    None
}
