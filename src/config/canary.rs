//! The canaries of one `[[hook]]`, written as the cases of `hookgate test` are.
//!
//! ```toml
//! canary = [
//!     { step = { tool_name = "Bash", tool_input = { command = "git push --force" } }, decision = "deny" },
//!     { step = { tool_name = "Bash", tool_input = { command = "git push" } }, decision = "allow" },
//! ]
//! ```

use hookgate_contract::settings::{Node, NodeValue, SettingProblem, Settings};
use serde_json::{Map, Value};

use super::problem::ConfigProblem;
use super::reader::Reader;
use crate::decision::Outcome;
use crate::envelope::{Incoming, IncomingError};
use crate::table::{Canary, EventSelector};

/// The key of a hook.
pub(super) const CANARY: &str = "canary";

/// The field of an envelope that names its event.
const EVENT: &str = "hook_event_name";

/// The outcomes of a step.
const OUTCOMES: [Outcome; 5] =
    [Outcome::Allow, Outcome::Ask, Outcome::Deny, Outcome::Halt, Outcome::Answered];

/// Reads the canaries of a hook that is called at these events. `None` if not all of its events are known.
pub(super) fn read_canaries(
    reader: &mut Reader<'_>,
    node: Option<&Node>,
    events: Option<&[EventSelector]>,
) -> Vec<Canary> {
    let Some(node) = node else { return Vec::new() };
    let tables = match &node.value {
        NodeValue::List(tables) => tables.as_slice(),
        _ => &[],
    };
    let mut canaries = Vec::new();
    for table in tables {
        let mut settings = Settings::new(table);
        canaries.extend(read_canary(&mut settings, events));
        reader.finish(settings);
    }
    let problem = if tables.is_empty() {
        "must be an array of steps, each a table with `step` and `decision`"
    } else if canaries.len() == tables.len() && !canaries.iter().any(Canary::stops) {
        "none of them must be stopped, so they cannot show that the hook works: add one with `decision = \"deny\"`, or \
         with the `patch` that must be made"
    } else {
        return canaries;
    };
    let problem = SettingProblem::Invalid { key: CANARY.to_owned(), problem: problem.to_owned() };
    reader.error(node.span.clone(), ConfigProblem::of_setting(problem));
    canaries
}

fn read_canary(settings: &mut Settings<'_>, events: Option<&[EventSelector]>) -> Option<Canary> {
    let event = settings.text("event");
    let step = read_object(settings, "step");
    let names = OUTCOMES.map(Outcome::name);
    let by_name = |name: &str| OUTCOMES.into_iter().find(|outcome| outcome.name() == name);
    let decision = settings.choice("decision", &names, by_name);
    let patch = read_object(settings, "patch");
    let (known, is_known) = (events.unwrap_or_default(), events.is_some());
    if !settings.has("step") {
        settings.missing("step");
    }
    if !settings.has("decision") && patch.is_none() {
        settings.missing("decision");
    }
    let event = match (event, known) {
        (Some(event), _) => event,
        (None, [only]) => only.name(),
        (None, _) => {
            if is_known && !settings.has("event") {
                settings.missing("event");
            }
            return None;
        }
    };
    let mut step = step?;
    if step.insert(EVENT.to_owned(), event.into()).is_some() {
        settings.invalid("step", format!("the key for `{EVENT}` is `event`, beside `step`"));
        return None;
    }
    if let Err(error) = Incoming::from_object(step.clone()) {
        let of_event =
            matches!(error, IncomingError::UnknownEvent { .. } | IncomingError::Alias { .. });
        settings.invalid(if of_event { "event" } else { "step" }, error.to_string());
        return None;
    }
    if is_known && !known.iter().any(|selector| selector.name() == event) {
        settings.invalid("event", format!("the hook is not called at `{event}`"));
        return None;
    }
    let decision = decision.unwrap_or(Outcome::Allow);
    (!settings.has_errors()).then_some(Canary { step, decision, patch })
}

fn read_object(settings: &mut Settings<'_>, key: &'static str) -> Option<Map<String, Value>> {
    settings.table(key)?;
    match settings.node(key)?.to_json() {
        Value::Object(map) => Some(map),
        _ => None,
    }
}
