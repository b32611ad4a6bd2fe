//! What differs between the hook systems of agents.

use std::time::Duration;

use serde_json::{Map, Value};

use super::config::{ForeignConfig, ForeignHook, Layer};
use super::host::Host;
use super::outcome::{HookResult, Outcome};
use super::places;
use super::run::{McpCall, Process, Question, RawRun, Request};

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

/// How one agent reads its configs, selects hooks, runs them, and joins their answers.
pub trait HookSystem: std::fmt::Debug + Send + Sync {
    /// Returns the name of the dialect: `claude`.
    fn name(&self) -> &'static str;

    /// Reads a config from the files of all layers, in any order.
    fn load(&self, layers: &[Layer], host: &Host) -> ForeignConfig;

    /// Tells whether a hook belongs to an event.
    fn is_for(&self, hook: &ForeignHook, event: &str) -> bool {
        hook.event == event
    }

    /// Tells whether a hook of the event runs for an envelope.
    fn selects(&self, hook: &ForeignHook, input: &Map<String, Value>, host: &Host) -> Selection;

    /// Tells whether two hooks are the same one, which runs once.
    fn is_same(&self, one: &ForeignHook, other: &ForeignHook) -> bool;

    /// Tells in which order these hooks run.
    fn order(&self, hooks: &[&ForeignHook]) -> Order;

    /// Returns the time that a hook has here.
    fn timeout(&self, hook: &ForeignHook, input: &Map<String, Value>, host: &Host) -> Duration;

    /// Returns what a program or a service reads: the envelope.
    fn stdin(&self, _hook: &ForeignHook, input: &Map<String, Value>, _host: &Host) -> Vec<u8> {
        Value::Object(input.clone()).to_string().into_bytes()
    }

    /// Returns the process of a hook that runs a program.
    ///
    /// # Errors
    /// Why it cannot be started, in words. [`HookSystem::read`] gets it as `NotStarted`.
    fn process(
        &self,
        hook: &ForeignHook,
        input: &Map<String, Value>,
        host: &Host,
    ) -> Result<Process, String>;

    /// Returns the request of a hook that asks a service.
    ///
    /// # Errors
    /// Why it cannot be sent, in words. [`HookSystem::read`] gets it as `NotStarted`.
    fn request(
        &self,
        hook: &ForeignHook,
        input: &Map<String, Value>,
        host: &Host,
    ) -> Result<Request, String> {
        places::request(hook, self.stdin(hook, input, host), host)
    }

    /// Returns the call of a hook that calls a tool of an MCP server. A place that is a whole string
    /// keeps the type of its value; in a longer string it becomes text.
    ///
    /// # Errors
    /// Why it cannot be called, in words. [`HookSystem::read`] gets it as `NotStarted`.
    fn mcp_call(
        &self,
        hook: &ForeignHook,
        input: &Map<String, Value>,
        _host: &Host,
    ) -> Result<McpCall, String> {
        places::mcp_call(hook, input)
    }

    /// Returns the question of a hook that asks a model: its prompt, with the envelope in the place of
    /// `$ARGUMENTS`, or behind it.
    ///
    /// # Errors
    /// Why it cannot be asked, in words. [`HookSystem::read`] gets it as `NotStarted`.
    fn question(
        &self,
        hook: &ForeignHook,
        input: &Map<String, Value>,
        host: &Host,
    ) -> Result<Question, String> {
        places::question(hook, &self.stdin(hook, input, host))
    }

    /// Says what the run of a hook came to.
    fn read(
        &self,
        hook: &ForeignHook,
        input: &Map<String, Value>,
        run: &RawRun,
        host: &Host,
    ) -> HookResult;

    /// Returns how many hooks that nobody waits for may be at work at the same time in a session. `None` if
    /// there is no limit.
    fn most_in_background(&self) -> Option<usize> {
        None
    }

    /// Changes the envelope for the next hook, if hooks run one after the other.
    fn carry(&self, _input: &mut Map<String, Value>, _result: &HookResult) {}

    /// Joins what all hooks came to, in their order. Hooks that nobody waits for are not among them.
    fn combine(&self, input: &Map<String, Value>, results: Vec<HookResult>, host: &Host)
    -> Outcome;

    /// Returns what the config itself means at an event, whichever hooks run: files to watch, a time
    /// limit that hooks share. It goes into [`Outcome::effect`].
    fn config_effect(
        &self,
        _config: &ForeignConfig,
        _event: &str,
        _host: &Host,
    ) -> Map<String, Value> {
        Map::new()
    }

    /// Returns what the hooks mean that nobody waited for, when they have ended. It goes into
    /// [`Outcome::effect`] too.
    fn deliver(&self, results: &[HookResult], _host: &Host) -> Map<String, Value> {
        results.iter().flat_map(|result| result.effect.clone()).collect()
    }
}
