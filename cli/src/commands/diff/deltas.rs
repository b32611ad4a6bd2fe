//! The steps that two configs judge otherwise, in groups.

use std::collections::BTreeMap;

use hookgate::{HookId, Report};
use serde_json::{Map, Value, json};

use crate::replay::{Change, Judged, Known, RecordedStep};
use crate::steps_table::action;

/// What came of steps that were judged by two configs.
#[derive(Default)]
pub(super) struct Deltas {
    pub(super) steps: u64,
    pub(super) unreadable: u64,
    pub(super) changes: BTreeMap<Change, u64>,
    groups: BTreeMap<Key, Delta>,
}

/// What the steps of a group have in common.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) change: Change,
    pub(super) event: String,
    pub(super) tool: Option<String>,
    pub(super) before: Said,
    pub(super) now: Said,
}

/// What a config says of a step.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Said {
    pub(super) outcome: Known,
    /// The hooks that say so, and those of which nobody knows what they would say.
    pub(super) by: Vec<String>,
    pub(super) unknown: Vec<String>,
}

/// How many steps are in a group, and the first of them.
#[derive(Debug)]
pub(super) struct Delta {
    pub(super) steps: u64,
    /// Where the first one is, and what it does.
    pub(super) place: String,
    pub(super) what: String,
    at: Value,
    /// Why, in the words of the hooks of now.
    pub(super) reason: Option<String>,
}

impl Said {
    fn of(judged: &Judged) -> Self {
        let names = |hooks: &[HookId]| hooks.iter().map(ToString::to_string).collect();
        Self {
            outcome: judged.outcome,
            by: names(&judged.report.by),
            unknown: names(&judged.unknown),
        }
    }

    fn to_json(&self) -> Value {
        let mut object = Map::new();
        self.outcome.put_into(&mut object);
        object.insert("by".to_owned(), self.by.clone().into());
        object.insert("unknown".to_owned(), self.unknown.clone().into());
        Value::Object(object)
    }
}

impl Deltas {
    /// Compares what came of a step.
    pub(super) fn add(
        &mut self,
        step: &RecordedStep,
        before: &Judged,
        now: &Judged,
        is_same_hook: impl Fn(&HookId) -> bool,
    ) {
        self.steps += 1;
        // What the same hook says of the same step is the same, whatever it is.
        let same_unknown = || {
            before.outcome == now.outcome
                && before.unknown == now.unknown
                && !(before.is_doubtful || now.is_doubtful)
                && now.unknown.iter().all(is_same_hook)
                && is_same_step(&before.report, &now.report)
        };
        let change = match now.outcome.since(before.outcome) {
            Change::Unknown if same_unknown() => Change::Same,
            Change::Same if !is_same_step(&before.report, &now.report) => Change::Rewritten,
            change => change,
        };
        *self.changes.entry(change).or_default() += 1;
        if change == Change::Same {
            return;
        }
        let tool = step.envelope.get("tool_name").and_then(Value::as_str).map(str::to_owned);
        let event = now.report.event.clone().unwrap_or_default();
        let key = Key { change, event, tool, before: Said::of(before), now: Said::of(now) };
        let delta = self.groups.entry(key).or_insert_with(|| {
            let mut at = Map::new();
            step.place.put_into(&mut at);
            Delta {
                steps: 0,
                place: step.place.to_string(),
                what: action(&Value::Object(step.envelope.clone())),
                at: Value::Object(at),
                reason: now.report.reason.clone().or_else(|| before.report.reason.clone()),
            }
        });
        delta.steps += 1;
    }

    /// Whether a step shows this change.
    pub(super) fn has(&self, change: Change) -> bool {
        self.changes.contains_key(&change)
    }

    /// Returns the groups: those that let more pass first.
    pub(super) fn groups(&self) -> impl Iterator<Item = (&Key, &Delta)> {
        self.groups.iter()
    }

    /// Returns the same for programs.
    pub(super) fn to_json(&self) -> Value {
        let changes: Map<String, Value> = self
            .changes
            .iter()
            .map(|(change, steps)| (change.name().to_owned(), (*steps).into()))
            .collect();
        let groups: Vec<Value> = self
            .groups()
            .map(|(key, delta)| {
                json!({
                    "change": key.change.name(),
                    "event": key.event,
                    "tool_name": key.tool,
                    "was": key.before.to_json(),
                    "now": key.now.to_json(),
                    "steps": delta.steps,
                    "first": delta.at,
                    "reason": delta.reason,
                })
            })
            .collect();
        json!({"judged": self.steps, "unreadable": self.unreadable, "changes": changes, "deltas": groups})
    }
}

/// Whether two configs make the same of a step.
fn is_same_step(before: &Report, now: &Report) -> bool {
    before.final_fields == now.final_fields && before.answer == now.answer
}
