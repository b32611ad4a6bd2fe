//! `audit`: each step in the log, without what it carries.

use hookgate_contract::BuildContext;
use hookgate_contract::settings::Settings;
use hookgate_contract::{BuiltHandler, Invocation, Reply, Role, SyncHandler, Verdict};
use serde_json::Value;
use tracing::Level;

/// The target of the events, for filters.
const TARGET: &str = "hookgate::audit";

const LEVELS: &[&str] = &["trace", "debug", "info", "warn", "error"];

/// Builds the handler.
pub(crate) fn build(settings: &mut Settings<'_>, _: &BuildContext<'_>) -> Option<BuiltHandler> {
    let level = settings.choice("level", LEVELS, level_of).unwrap_or(Level::INFO);
    Some(BuiltHandler::from_sync(Audit { level }).role(Role::Observe))
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
    fn handle(&self, invocation: Invocation<'_>) -> Reply {
        // The level of an event is a part of its static call site, so each level needs its own.
        // The fields are evaluated only where somebody listens.
        match self.level {
            Level::TRACE => tracing::trace!(
                target: TARGET, event = event(&invocation), session = session(&invocation),
                step = invocation.envelope.step_id(), tool = tool(&invocation), outcome = outcome(&invocation),
                by = by(&invocation)
            ),
            Level::DEBUG => tracing::debug!(
                target: TARGET, event = event(&invocation), session = session(&invocation),
                step = invocation.envelope.step_id(), tool = tool(&invocation), outcome = outcome(&invocation),
                by = by(&invocation)
            ),
            Level::INFO => tracing::info!(
                target: TARGET, event = event(&invocation), session = session(&invocation),
                step = invocation.envelope.step_id(), tool = tool(&invocation), outcome = outcome(&invocation),
                by = by(&invocation)
            ),
            Level::WARN => tracing::warn!(
                target: TARGET, event = event(&invocation), session = session(&invocation),
                step = invocation.envelope.step_id(), tool = tool(&invocation), outcome = outcome(&invocation),
                by = by(&invocation)
            ),
            Level::ERROR => tracing::error!(
                target: TARGET, event = event(&invocation), session = session(&invocation),
                step = invocation.envelope.step_id(), tool = tool(&invocation), outcome = outcome(&invocation),
                by = by(&invocation)
            ),
        }
        Ok(Verdict::none())
    }
}

fn event<'a>(invocation: &Invocation<'a>) -> &'a str {
    invocation.payload().event_name()
}

fn session<'a>(invocation: &Invocation<'a>) -> &'a str {
    invocation.context().session_id
}

fn tool<'a>(invocation: &Invocation<'a>) -> Option<&'a str> {
    invocation.tool().map(|call| call.tool_name.as_str())
}

/// What came out, as observers see it.
fn outcome<'a>(invocation: &Invocation<'a>) -> Option<&'a str> {
    invocation.json().ok()?.pointer("/decision/outcome")?.as_str()
}

/// The hooks that voted for it.
fn by(invocation: &Invocation<'_>) -> Option<String> {
    let hooks = invocation.json().ok()?.pointer("/decision/by")?.as_array()?;
    Some(hooks.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(","))
}
