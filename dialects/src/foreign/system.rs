//! What differs between the hook systems of agents.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value};

use super::config::{ForeignConfig, ForeignHook, Layer};
use super::outcome::{HookResult, Outcome};
use super::run::RawRun;

/// Where and how the agent runs.
#[derive(Debug, Clone, Default)]
pub struct Host {
    /// The folder of the session.
    pub cwd: PathBuf,
    /// The folder of the project.
    pub project: PathBuf,
    /// The environment of the agent.
    pub env: Vec<(String, String)>,
    /// Whether a person is there (Claude Code without `-p`).
    pub interactive: bool,
    /// Facts of this run that one system knows (`surface`, `batch_size`, `trusted`, `flags`, …).
    pub facts: Map<String, Value>,
}

/// Whether a hook runs for a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// It runs.
    Runs,
    /// It is not meant.
    NotMeant,
    /// It is meant and does not run all the same; why.
    Skipped(String),
}

/// In which order the hooks of a step run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// All at the same time.
    Parallel,
    /// One after the other.
    Sequential,
}

/// What a program gets beside its input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// The program.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its whole environment.
    pub env: Vec<(String, String)>,
    /// The folder that it runs in.
    pub cwd: PathBuf,
}

/// How one agent reads its configs, selects hooks, runs them, and joins their answers.
pub trait HookSystem: std::fmt::Debug + Send + Sync {
    /// Returns the name of the dialect: `claude`.
    fn name(&self) -> &'static str;

    /// Reads a config from the files of all layers, the strongest first.
    fn load(&self, layers: &[Layer], host: &Host) -> ForeignConfig;

    /// Tells whether a hook runs for an envelope.
    fn selects(&self, hook: &ForeignHook, input: &Map<String, Value>, host: &Host) -> Selection;

    /// Tells whether two hooks are the same one, which runs once.
    fn is_same(&self, one: &ForeignHook, other: &ForeignHook) -> bool;

    /// Tells in which order these hooks run.
    fn order(&self, hooks: &[&ForeignHook]) -> Order;

    /// Returns the time that a hook has here.
    fn timeout(&self, hook: &ForeignHook, input: &Map<String, Value>, host: &Host) -> Duration;

    /// Returns the process of a hook that runs a program.
    fn process(
        &self,
        hook: &ForeignHook,
        input: &Map<String, Value>,
        host: &Host,
    ) -> Option<Process>;

    /// Says what the run of a hook came to.
    fn read(
        &self,
        hook: &ForeignHook,
        input: &Map<String, Value>,
        run: &RawRun,
        host: &Host,
    ) -> HookResult;

    /// Changes the envelope for the next hook, if hooks run one after the other.
    fn carry(&self, _input: &mut Map<String, Value>, _result: &HookResult) {}

    /// Joins what all hooks came to, in their order.
    fn combine(&self, input: &Map<String, Value>, results: Vec<HookResult>, host: &Host)
    -> Outcome;
}
