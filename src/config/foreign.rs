//! What was written for another hook system: its keys, its names of events, its programs.

use hookgate_contract::settings::{NodeValue, SettingEntry, Settings};
use hookgate_contract::{EventKind, Posture};

use super::{ConfigProblem, Reading};
use crate::envelope::alias;
use crate::table::EventSelector;

/// The keys by which the configs of other systems are known, each with the key of ours.
const KEYS: &[(&str, &str)] = &[
    ("action", "what is done stands under `builtin`, `command`, `http` or `prompt`"),
    ("args", "all words of the command stand in `command = { argv = [\"…\", \"…\"] }`"),
    ("async", "this key is `background = true` here"),
    ("blocking", "a hook that cannot decide has `role = \"observe\"` here"),
    ("capability", "this key is `role` here: observe, guard or rewrite"),
    ("continue_on_error", "this key is `on_failure` here: deny, ask or allow"),
    ("description", "write a TOML comment: `# …`"),
    ("disabled", "this key is `mode = \"off\"` here"),
    ("enabled", "this key is `mode` here: `mode = \"off\"` takes a hook out"),
    ("events", "this key is `event` here: a name or a list"),
    ("execution_mode", "this key is `background = true` here"),
    ("fail_open", "this key is `on_failure` here: deny, ask or allow"),
    ("failClosed", "this key is `on_failure` here: deny, ask or allow"),
    ("failure_policy", "this key is `on_failure` here: deny, ask or allow"),
    ("hook_event_name", "this key is `event` here"),
    ("hooks", "hooks are written as `[[hook]]`"),
    ("interception_point", "this key is `event` here"),
    ("match", "conditions are `tool`, `tool_glob`, `tool_regex`, `input`, `agent` here"),
    ("matcher", "this key is `tool` here; a regular expression is `tool_regex`"),
    ("name", "this key is `id` here"),
    ("on_error", "this key is `on_failure` here: deny, ask or allow"),
    ("order", "this key is `priority` here: lower is asked first"),
    ("phase", "this key is `event` here"),
    ("point", "this key is `event` here"),
    ("preempt_yolo", "a guard is always asked before approvals here"),
    ("run", "this key is `command = { shell = \"…\" }` here"),
    ("runtime", "the kind is the key here: `builtin`, `command`, `http` or `prompt`"),
    ("script", "this key is `command = { argv = [\"./…\"] }` here"),
    ("silence", "this key stands with the handler: `command = { …, silence = \"failure\" }`"),
    ("timeout_ms", "this key is `timeout = \"500ms\"` here"),
    ("timeout_secs", "this key is `timeout = \"5s\"` here"),
    ("tool_name", "this key is `tool` here"),
    ("tools", "this key is `tool` here: a name or a list"),
    ("trigger", "this key is `event` here"),
    ("type", "the kind is the key here: `builtin`, `command`, `http` or `prompt`"),
];

/// What to write in place of a key of another system.
pub(super) fn ours(key: &str) -> Option<&'static str> {
    KEYS.iter().find(|(foreign, _)| *foreign == key).map(|(_, hint)| *hint)
}

impl Reading<'_> {
    /// Warns of each event that is named as another system names it.
    pub(super) fn foreign_events(&mut self, settings: &mut Settings<'_>) {
        let Some(node) = settings.node("event") else { return };
        let items = match &node.value {
            NodeValue::List(items) => items.as_slice(),
            _ => std::slice::from_ref(node),
        };
        for item in items {
            let NodeValue::Text(name) = &item.value else { continue };
            let Some(alias) = alias::resolve(name) else { continue };
            let events = alias.events.iter().map(|event| event.name()).collect();
            let problem =
                ConfigProblem::ForeignEvent { name: name.clone(), system: alias.system, events };
            self.warn(item.span.clone(), problem);
        }
    }
}

/// Whether a handler of this kind may be one that was written for another system.
pub(super) fn is_foreign(kind: &str) -> bool {
    matches!(kind, "command" | "http")
}

/// Whether the handler of a hook says whose JSON it speaks.
pub(super) fn speaks_dialect(settings: &Settings<'_>) -> bool {
    let has = |entry: &SettingEntry| match &entry.node.value {
        NodeValue::Table(entries) => entries.iter().any(|entry| entry.key == "dialect"),
        _ => false,
    };
    settings.entries().iter().any(|entry| is_foreign(&entry.key) && has(entry))
}

/// What a failure does where a result is judged, by a hook that says neither role nor posture.
pub(super) fn failing_results(events: &[EventSelector]) -> Option<String> {
    let results = events.iter().filter(|on| {
        on.of_no_role().is_some_and(|event| event.contract().kind == EventKind::Result)
    });
    let (open, closed): (Vec<_>, Vec<_>) =
        results.partition(|on| on.posture() == Some(Posture::Allow));
    let names =
        |these: &[&EventSelector]| these.iter().map(|on| on.name()).collect::<Vec<_>>().join(", ");
    match (closed.as_slice(), open.as_slice()) {
        ([], []) => None,
        ([], open) => Some(format!("a failure lets the result pass at {}", names(open))),
        (closed, _) => Some(format!(
            "a failure withholds the result at {}: set `role = \"observe\"` or `on_failure` \
             where it should not",
            names(closed)
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_are_sorted_and_none_is_there_twice() {
        let lower = |key: &str| key.to_lowercase();
        assert!(KEYS.windows(2).all(|two| lower(two[0].0) < lower(two[1].0)));
        assert!(ours("id").is_none() && ours("matcher").is_some());
    }
}
