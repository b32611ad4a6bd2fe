//! `audit`: each step in the log, without what it carries.

use hookgate_contract::settings::Settings;
use hookgate_contract::{
    BuildContext, BuiltHandler, Invocation, Reply, Role, SyncHandler, Verdict,
};
use serde_json::Value;
use tracing::Level;

use crate::doc::{Build, BuiltinDoc, SettingDoc, SettingType};

/// The target of the events, for filters.
const TARGET: &str = "hookgate::audit";

const LEVELS: &[&str] = &["trace", "debug", "info", "warn", "error"];

/// What the builtin is.
pub(crate) const DOC: BuiltinDoc = BuiltinDoc {
    name: "audit",
    role: Role::Observe,
    about: "writes each step to the log",
    supports: None,
    settings: &[SettingDoc::optional(
        "level",
        SettingType::Choice(LEVELS),
        "at which level it is written",
    )
    .default("\"info\"")],
    example: r#"[[hook]]
id = "log"
event = ["pre_tool_use", "post_tool_use"]
builtin = { name = "audit", level = "debug" }
"#,
    build: Build::Alone(build),
};

/// Writes one line to the log about every step that its hook matches.
///
/// It answers "what did the agent do, and what did the hooks say?" with nothing but the log that a
/// host has anyway: a [`tracing`] event with the target `hookgate::audit` and the fields `event`,
/// `session`, `step`, `tool`, `outcome` and `by` (the hooks that decided). It does not write what the
/// step carries: prompts, arguments and results may be secret, and belong to a record with rules of
/// its own.
///
/// ```toml
/// [[hook]]
/// id = "log"
/// event = ["pre_tool_use", "post_tool_use"]
/// builtin = { name = "audit", level = "debug" }
/// ```
///
/// | setting | type | meaning |
/// |---|---|---|
/// | `level` | string, `"info"` | `trace`, `debug`, `info`, `warn` or `error` |
///
/// It supports every event, observes only and never fails. If no subscriber listens to the level, it
/// costs a few nanoseconds and no allocation; if one does, the envelope of the step is made, once
/// for all handlers that want it.
///
/// ```
/// use hookgate_builtin::Audit;
/// use hookgate_contract::{BuiltHandler, Role};
///
/// let built = BuiltHandler::from(Audit::new().level(tracing::Level::DEBUG));
/// assert_eq!(built.role, Some(Role::Observe));
/// ```
#[derive(Debug, Clone)]
pub struct Audit {
    level: Level,
}

impl Default for Audit {
    fn default() -> Self {
        Self::new()
    }
}

impl Audit {
    /// Creates a handler that writes at the level `INFO`.
    #[must_use]
    pub const fn new() -> Self {
        Self { level: Level::INFO }
    }

    /// Sets the level.
    #[must_use]
    pub const fn level(self, level: Level) -> Self {
        Self { level }
    }
}

/// Writes the event. A macro, because the level of an event is a part of its static call site: each
/// level needs a call site of its own. The fields are evaluated only if a subscriber listens.
macro_rules! write_event {
    ($level:ident, $invocation:expr) => {
        tracing::$level!(
            target: TARGET,
            event = $invocation.payload().event_name(),
            session = $invocation.context().session_id,
            step = $invocation.envelope.step_id(),
            tool = tool_name(&$invocation),
            outcome = outcome(&$invocation),
            by = deciding_hooks(&$invocation)
        )
    };
}

impl SyncHandler for Audit {
    fn handle(&self, invocation: Invocation<'_>) -> Reply {
        match self.level {
            Level::TRACE => write_event!(trace, invocation),
            Level::DEBUG => write_event!(debug, invocation),
            Level::INFO => write_event!(info, invocation),
            Level::WARN => write_event!(warn, invocation),
            Level::ERROR => write_event!(error, invocation),
        }
        Ok(Verdict::none())
    }
}

impl From<Audit> for BuiltHandler {
    fn from(handler: Audit) -> Self {
        Self::from_sync(handler).role(Role::Observe)
    }
}

/// Builds the handler from the settings of a config.
fn build(settings: &mut Settings<'_>, _: &BuildContext<'_>) -> Option<BuiltHandler> {
    let level = settings.choice("level", LEVELS, level_from_name).unwrap_or(Level::INFO);
    Some(Audit::new().level(level).into())
}

fn level_from_name(name: &str) -> Option<Level> {
    match name {
        "trace" => Some(Level::TRACE),
        "debug" => Some(Level::DEBUG),
        "info" => Some(Level::INFO),
        "warn" => Some(Level::WARN),
        "error" => Some(Level::ERROR),
        _ => None,
    }
}

fn tool_name<'a>(invocation: &Invocation<'a>) -> Option<&'a str> {
    invocation.tool().map(|call| call.tool_name.as_str())
}

/// Returns the outcome of the dispatch, which observers see in their envelope.
fn outcome<'a>(invocation: &Invocation<'a>) -> Option<&'a str> {
    invocation.json().ok()?.pointer("/decision/outcome")?.as_str()
}

/// Returns the ids of the hooks that voted for the outcome, with commas between them.
fn deciding_hooks(invocation: &Invocation<'_>) -> Option<String> {
    let hooks = invocation.json().ok()?.pointer("/decision/by")?.as_array()?;
    Some(hooks.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(","))
}
