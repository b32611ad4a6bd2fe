//! `audit`: each step in the log, without what it carries.

use hookgate_contract::settings::{Settings, Surroundings};
use hookgate_contract::{Ask, Built, Reply, Role, SyncHandler, Verdict};
use serde_json::Value;
use tracing::Level;

/// The target of the events, for filters.
const TARGET: &str = "hookgate::audit";

const LEVELS: &[&str] = &["trace", "debug", "info", "warn", "error"];

/// Builds the handler.
pub(crate) fn build(settings: &mut Settings<'_>, _: &Surroundings<'_>) -> Option<Built> {
    let level = settings.choice("level", LEVELS, level_of).unwrap_or(Level::INFO);
    Some(Built::sync(Audit { level }).role(Role::Observe))
}

fn level_of(name: &str) -> Option<Level> {
    match name {
        "trace" => Some(Level::TRACE),
        "debug" => Some(Level::DEBUG),
        "info" => Some(Level::INFO),
        "warn" => Some(Level::WARN),
        "error" => Some(Level::ERROR),
        _ => None,
    }
}

struct Audit {
    level: Level,
}

impl SyncHandler for Audit {
    fn handle(&self, ask: Ask<'_>) -> Reply {
        // The level of an event is a part of its static call site, so each level needs its own.
        // The fields are evaluated only where somebody listens.
        match self.level {
            Level::TRACE => tracing::trace!(
                target: TARGET, event = event(&ask), session = session(&ask),
                step = ask.envelope.step_id(), tool = tool(&ask), outcome = outcome(&ask),
                by = by(&ask)
            ),
            Level::DEBUG => tracing::debug!(
                target: TARGET, event = event(&ask), session = session(&ask),
                step = ask.envelope.step_id(), tool = tool(&ask), outcome = outcome(&ask),
                by = by(&ask)
            ),
            Level::INFO => tracing::info!(
                target: TARGET, event = event(&ask), session = session(&ask),
                step = ask.envelope.step_id(), tool = tool(&ask), outcome = outcome(&ask),
                by = by(&ask)
            ),
            Level::WARN => tracing::warn!(
                target: TARGET, event = event(&ask), session = session(&ask),
                step = ask.envelope.step_id(), tool = tool(&ask), outcome = outcome(&ask),
                by = by(&ask)
            ),
            Level::ERROR => tracing::error!(
                target: TARGET, event = event(&ask), session = session(&ask),
                step = ask.envelope.step_id(), tool = tool(&ask), outcome = outcome(&ask),
                by = by(&ask)
            ),
        }
        Ok(Verdict::none())
    }
}

fn event<'a>(ask: &Ask<'a>) -> &'a str {
    ask.payload().event_name()
}

fn session<'a>(ask: &Ask<'a>) -> &'a str {
    ask.context().session_id
}

fn tool<'a>(ask: &Ask<'a>) -> Option<&'a str> {
    ask.tool().map(|call| call.tool_name.as_str())
}

/// What came out, as observers see it.
fn outcome<'a>(ask: &Ask<'a>) -> Option<&'a str> {
    ask.json().ok()?.pointer("/decision/outcome")?.as_str()
}

/// The hooks that voted for it.
fn by(ask: &Ask<'_>) -> Option<String> {
    let hooks = ask.json().ok()?.pointer("/decision/by")?.as_array()?;
    Some(hooks.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(","))
}
