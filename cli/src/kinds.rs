//! Every kind of handler and condition that the command line has, and what they ask each other.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use hookgate::builtin::{ChangedPaths, Changes, Host, Marks};
use hookgate::conditions::{Conditions, History, MemoryHistory, Moment};
use hookgate::contract::Truth;
use hookgate::effects::{Effects, Manifests, PathEffect, Surroundings, UnclearWhat};
use hookgate::{Envelope, Registry};

/// Returns a registry with all of them. Marks and counts live as long as the registry.
pub(crate) fn registry() -> Registry {
    let history = Arc::new(MemoryHistory::new());
    let host = Host::new()
        .marks(Arc::new(MarksOf(Arc::clone(&history) as Arc<dyn History>)))
        .changes(Arc::new(ChangesOfCall));
    let registry = Registry::new();
    registry.add(hookgate::builtin::kind_with(host));
    registry.add(hookgate::command::kind());
    registry.add(hookgate::http::kind());
    registry.add(hookgate::prompt::kind());
    let kinds = Conditions::new(history).effects(report).kinds();
    for kind in kinds.into_iter().chain(hookgate::effects::conditions::kinds()) {
        // The names are those of this program's own crates: none is taken, and a test loads them all.
        let _ = registry.add_condition(kind);
    }
    let _ = registry.add_section(hookgate::effects::conditions::section());
    registry
}

/// Returns the effects of a step that is not in the course of a dispatch.
fn effects_of(step: &Envelope<'_>) -> Option<Effects> {
    let call = step.payload().tool()?;
    let around = surroundings(step.context().cwd);
    Some(Effects::of_call(&call.tool_name, &call.tool_input, &around, &Manifests::default()))
}

/// Returns what is known of a session in a folder.
pub(crate) fn surroundings(cwd: Option<&str>) -> Surroundings {
    Surroundings { cwd: cwd.map(str::to_owned), home: std::env::var("HOME").ok() }
}

/// The variable `effects` of expressions.
fn report(step: &Envelope<'_>) -> serde_json::Value {
    let tool = step.payload().tool().map_or("", |call| &call.tool_name);
    let effects = effects_of(step).unwrap_or_default();
    serde_json::to_value(effects.report(tool, step.context().cwd)).unwrap_or_default()
}

/// Tells the builtin `require` what the condition `mark` has set.
struct MarksOf(Arc<dyn History>);

impl Marks for MarksOf {
    fn is_marked(&self, step: &Envelope<'_>, mark: &str, after: Option<&str>) -> Truth {
        let context = step.context();
        let moment = Moment::new(context.session_id, step.step_id(), SystemTime::now());
        let moment = moment.turn(context.turn);
        let Some(set) = self.0.marked(&moment, mark) else { return Truth::False };
        match after.and_then(|other| self.0.marked(&moment, other)) {
            Some(other) if other.order == set.order => Truth::Unknown,
            other => other.is_none_or(|other| set.order > other.order).into(),
        }
    }
}

/// Tells the builtin `protect_config` what a call would write or delete.
struct ChangesOfCall;

impl Changes for ChangesOfCall {
    fn changes(&self, step: &Envelope<'_>) -> ChangedPaths {
        let Some(effects) = effects_of(step) else { return ChangedPaths::default() };
        let known = |paths: &[PathEffect]| -> Vec<PathBuf> {
            paths.iter().filter_map(|effect| Some(effect.path.known()?.as_ref().into())).collect()
        };
        let changes = ChangedPaths::new(known(&effects.writes), known(&effects.deletes));
        let unknown = effects.writes.iter().chain(&effects.deletes);
        let unknown = unknown.into_iter().find(|effect| effect.path.known().is_none());
        let unclear = effects.unclear.iter().find(|unclear| {
            matches!(
                unclear.what,
                UnclearWhat::Anything
                    | UnclearWhat::Program
                    | UnclearWhat::Writes
                    | UnclearWhat::Deletes
            )
        });
        match (unclear, unknown) {
            (Some(unclear), _) => changes.unclear(unclear.why.clone()),
            (None, Some(effect)) => {
                changes.unclear(format!("`{}` is not known before it runs", effect.path.written()))
            }
            (None, None) => changes,
        }
    }
}
