//! What was found about an agent.

use std::path::{Path, PathBuf};

use serde::Serialize;

/// What was found about one agent.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename = "agent")]
pub(super) struct AgentReport {
    /// The name of its dialect.
    pub(super) agent: &'static str,
    /// Its name for people.
    pub(super) title: &'static str,
    /// The program; `None` if there is none in the PATH.
    pub(super) program: Option<PathBuf>,
    /// What the program says of its version.
    pub(super) version: Option<String>,
    /// That hookgate was not tried with this version, if it was not.
    pub(super) not_tried: Option<String>,
    /// The files that it reads hooks from, as far as they are there.
    pub(super) files: Vec<HookFile>,
    /// The events at which something can be denied.
    pub(super) guards: Vec<Guard>,
    /// What is wrong.
    pub(super) findings: Vec<Finding>,
}

/// A file with hooks.
#[derive(Debug, Serialize)]
pub(super) struct HookFile {
    /// The file.
    pub(super) path: PathBuf,
    /// Whose it is.
    pub(super) scope: &'static str,
    /// How many hooks of hookgate are in it.
    pub(super) hookgate: usize,
    /// How many other hooks are in it.
    pub(super) others: usize,
}

/// What a step at an event comes to, if hookgate denies it.
#[derive(Debug, Serialize)]
pub(super) struct Guard {
    /// The event, as the agent names it.
    pub(super) event: &'static str,
    /// What became of the canary.
    pub(super) state: GuardState,
    /// What the hook answered, or why it was not tried.
    pub(super) detail: String,
}

/// Whether a guard is enforced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum GuardState {
    /// The canary was denied, by the policy that is in force.
    Enforced,
    /// Everything is denied, since hookgate cannot work.
    Broken,
    /// A hook has a mistake: what it is about is denied.
    Mistaken,
    /// The canary got through.
    Open,
    /// There is no hook of hookgate.
    Missing,
    /// The canary was denied; of the policy in force no hook is enforced there, so nothing is guarded.
    Empty,
    /// There is a hook, and no canary for this event.
    Untried,
}

/// Something that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Finding {
    /// How bad it is.
    pub(super) level: Level,
    /// The file that it is about.
    pub(super) file: Option<PathBuf>,
    /// What is wrong, as a sentence.
    pub(super) about: String,
    /// What to do, as a sentence.
    pub(super) cure: String,
}

/// How bad something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Level {
    /// A step gets through that should be judged.
    Open,
    /// Everything is denied.
    Broken,
    /// A part of the policy does nothing here.
    Idle,
    /// It depends on what cannot be seen from here.
    Doubt,
}

impl Finding {
    /// Describes something that lets steps through.
    pub(super) fn open(about: impl Into<String>, cure: impl Into<String>) -> Self {
        Self { level: Level::Open, file: None, about: about.into(), cure: cure.into() }
    }

    /// Describes what cannot be seen from here.
    pub(super) fn doubt(about: impl Into<String>, cure: impl Into<String>) -> Self {
        Self { level: Level::Doubt, file: None, about: about.into(), cure: cure.into() }
    }

    /// Describes a part of the policy that does nothing here.
    pub(super) fn idle(about: impl Into<String>, cure: impl Into<String>) -> Self {
        Self { level: Level::Idle, file: None, about: about.into(), cure: cure.into() }
    }

    /// Describes what makes hookgate deny everything.
    pub(super) fn broken(about: impl Into<String>, cure: impl Into<String>) -> Self {
        Self { level: Level::Broken, file: None, about: about.into(), cure: cure.into() }
    }

    /// Adds the file.
    pub(super) fn of(mut self, file: &Path) -> Self {
        self.file = Some(file.to_owned());
        self
    }
}

impl AgentReport {
    /// Tells whether there is anything of the agent on this machine.
    pub(super) fn is_here(&self) -> bool {
        self.program.is_some() || !self.files.is_empty()
    }

    /// Tells whether something is wrong at this level.
    pub(super) fn has(&self, level: Level) -> bool {
        self.findings.iter().any(|finding| finding.level == level)
    }

    /// Returns how many hooks of hookgate there are.
    pub(super) fn installed(&self) -> usize {
        self.files.iter().map(|file| file.hookgate).sum()
    }
}
