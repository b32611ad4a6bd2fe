//! What differs between the hooks of two tables.

use std::collections::{BTreeMap, BTreeSet};

use hookgate::contract::Posture;
use hookgate::{FailureClass, HandlerTable, Mode, Role};
use serde_json::{Map, Value, json};

use super::direction::{Direction, of_hook, of_table};

/// The part of a form that says what is required, what is bounded, and the sections.
const OF_TABLE: [&str; 3] = ["require", "limits", "sections"];

/// How two tables differ.
pub(super) struct Structure {
    /// The hooks that differ, in the order of their ids.
    pub(super) hooks: Vec<HookChange>,
    /// What differs beside the hooks.
    pub(super) table: Vec<KeyChange>,
}

/// How a hook differs.
pub(super) struct HookChange {
    pub(super) id: String,
    pub(super) what: What,
}

/// What has become of a hook.
pub(super) enum What {
    Added(Direction),
    Removed(Direction),
    Changed(Vec<KeyChange>),
}

/// A key with another value.
pub(super) struct KeyChange {
    pub(super) key: String,
    pub(super) before: Value,
    pub(super) now: Value,
    pub(super) direction: Direction,
}

impl KeyChange {
    fn new(key: &str, before: Value, now: Value) -> Self {
        Self { key: key.to_owned(), before, now, direction: Direction::Open }
    }

    fn to_json(&self) -> Value {
        let Self { key, before, now, direction } = self;
        json!({"key": key, "was": before, "now": now, "direction": direction.name()})
    }
}

impl Structure {
    /// Compares two tables.
    pub(super) fn of(old: &HandlerTable, new: &HandlerTable) -> Self {
        let (before, now) = (Form::of(old), Form::of(new));
        let ids: BTreeSet<&String> = before.hooks.keys().chain(now.hooks.keys()).collect();
        let changes = ids.into_iter().filter_map(|id| {
            let what =
                match (before.hooks.get(id), now.hooks.get(id)) {
                    (None, None) => return None,
                    (None, Some(_)) => What::Added(now.adds(id)),
                    (Some(_), None) => What::Removed(match before.adds(id) {
                        Direction::Stronger => Direction::Weaker,
                        other => other,
                    }),
                    (Some(was), Some(is)) => {
                        let mut keys = changes(was, is, of_hook);
                        if before.place(id, &now) != now.place(id, &before) {
                            let place = (before.place(id, &now), now.place(id, &before));
                            keys.push(KeyChange::new("order", place.0.into(), place.1.into()));
                        }
                        let mut keys = collapsed(keys);
                        if let Some(why) = now.mistakes.get(id).or(before.mistakes.get(id)) {
                            // One that always fails stands in its place: what is written does not count.
                            keys.iter_mut().for_each(|key| key.direction = Direction::Open);
                            keys.extend((now.mistakes.get(id) != before.mistakes.get(id)).then(
                                || KeyChange::new("mistake", Value::Null, why.as_str().into()),
                            ));
                        }
                        if keys.is_empty() {
                            return None;
                        }
                        What::Changed(keys)
                    }
                };
            Some(HookChange { id: id.clone(), what })
        });
        Self { hooks: changes.collect(), table: changes_of_table(&before, &now) }
    }

    /// Whether anything changes in this direction.
    pub(super) fn has(&self, direction: Direction) -> bool {
        let of_hooks = self.hooks.iter().flat_map(|hook| match &hook.what {
            What::Added(direction) | What::Removed(direction) => vec![*direction],
            What::Changed(keys) => keys.iter().map(|key| key.direction).collect(),
        });
        of_hooks.chain(self.table.iter().map(|key| key.direction)).any(|is| is == direction)
    }

    /// Returns the same for programs.
    pub(super) fn to_json(&self) -> Value {
        let hooks: Vec<Value> = self.hooks.iter().map(HookChange::to_json).collect();
        let table: Vec<Value> = self.table.iter().map(KeyChange::to_json).collect();
        json!({"hooks": hooks, "table": table})
    }
}

impl HookChange {
    fn to_json(&self) -> Value {
        let id = &self.id;
        match &self.what {
            What::Added(direction) => {
                json!({"id": id, "change": "added", "direction": direction.name()})
            }
            What::Removed(direction) => {
                json!({"id": id, "change": "removed", "direction": direction.name()})
            }
            What::Changed(keys) => {
                let keys: Vec<Value> = keys.iter().map(KeyChange::to_json).collect();
                json!({"id": id, "change": "changed", "keys": keys})
            }
        }
    }
}

/// A table as its canonical form says it.
struct Form {
    hooks: BTreeMap<String, Value>,
    /// The ids in the order of declaration.
    order: Vec<String>,
    /// The hooks whose decisions count, and that approve nothing.
    deciders: BTreeSet<String>,
    /// Why hooks are set aside.
    mistakes: BTreeMap<String, String>,
    rest: Map<String, Value>,
}

impl Form {
    fn of(table: &HandlerTable) -> Self {
        let mut rest = match table.canonical() {
            Value::Object(form) => form,
            _ => Map::new(),
        };
        let hooks = rest.remove("hooks").and_then(|hooks| match hooks {
            Value::Array(hooks) => Some(hooks),
            _ => None,
        });
        let hooks = hooks.into_iter().flatten().filter_map(|mut hook| {
            let form = hook.as_object_mut()?;
            let id = form.remove("id")?.as_str()?.to_owned();
            form.remove("on_failure_of");
            form.insert("on_failure".to_owned(), postures(table, &id));
            Some((id, hook))
        });
        let mistakes = table
            .specs()
            .filter_map(|hook| Some((hook.id().to_string(), hook.why_set_aside()?.to_owned())));
        let decides = table.listing().filter(|listed| {
            listed.mode() == Mode::Enforce
                && listed.role() != Role::Observe
                && !listed.spec().is_background()
                && !listed.spec().may_allow()
        });
        Self {
            order: table.specs().map(|hook| hook.id().to_string()).collect(),
            deciders: decides.map(|listed| listed.id().to_string()).collect(),
            mistakes: mistakes.collect(),
            hooks: hooks.collect(),
            rest,
        }
    }

    /// Returns what it does to a table to have a hook.
    fn adds(&self, id: &str) -> Direction {
        if self.deciders.contains(id) { Direction::Stronger } else { Direction::Open }
    }

    /// Returns the hook before which a hook is declared, among those that both tables have.
    fn place(&self, id: &str, other: &Self) -> Option<&str> {
        let mut in_both = self.order.iter().filter(|hook| other.hooks.contains_key(*hook));
        in_both.find(|hook| *hook == id)?;
        in_both.next().map(String::as_str)
    }
}

/// Returns what a failure of each class counts as, at the event where that is the least.
fn postures(table: &HandlerTable, id: &str) -> Value {
    let at = || table.listing().filter(|listed| listed.id() == id);
    let postures = FailureClass::ALL.into_iter().filter_map(|class| {
        let strictness = |posture: &Posture| posture.decision();
        let weakest = at().map(|listed| listed.posture(class)).min_by_key(strictness)?;
        Some((class.name().to_owned(), weakest.name().into()))
    });
    Value::Object(postures.collect())
}

/// Makes one change of those of all classes of failures, if they are the same.
fn collapsed(keys: Vec<KeyChange>) -> Vec<KeyChange> {
    let is_posture = |key: &KeyChange| key.key.starts_with("on_failure.");
    let mut of_classes = keys.iter().filter(|key| is_posture(key));
    let Some(first) =
        of_classes.next().filter(|_| keys.iter().filter(|key| is_posture(key)).count() > 1)
    else {
        return keys;
    };
    if !of_classes.all(|key| (&key.before, &key.now) == (&first.before, &first.now)) {
        return keys;
    }
    let one = KeyChange {
        key: "on_failure".to_owned(),
        before: first.before.clone(),
        now: first.now.clone(),
        direction: first.direction,
    };
    let mut rest: Vec<KeyChange> = keys.into_iter().filter(|key| !is_posture(key)).collect();
    rest.push(one);
    rest
}

fn changes_of_table(before: &Form, now: &Form) -> Vec<KeyChange> {
    let of = |form: &Form| {
        let parts = OF_TABLE
            .iter()
            .filter_map(|key| Some(((*key).to_owned(), form.rest.get(*key)?.clone())));
        Value::Object(parts.collect())
    };
    changes(&of(before), &of(now), of_table)
}

fn changes(
    before: &Value,
    now: &Value,
    direction: fn(&str, &Value, &Value) -> Direction,
) -> Vec<KeyChange> {
    let (before, now) = (leaves(before), leaves(now));
    let keys: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    let changed = keys.into_iter().filter_map(|key| {
        let value = |of: &BTreeMap<String, Value>| of.get(key).cloned().unwrap_or_default();
        let (before, now) = (value(&before), value(&now));
        (before != now).then(|| KeyChange {
            direction: direction(key, &before, &now),
            key: key.clone(),
            before,
            now,
        })
    });
    changed.collect()
}

/// Returns the values that are no objects, by their path.
fn leaves(value: &Value) -> BTreeMap<String, Value> {
    let mut found = BTreeMap::new();
    let mut open = vec![(String::new(), value)];
    while let Some((path, value)) = open.pop() {
        match value {
            Value::Object(entries) => open.extend(entries.iter().map(|(key, value)| {
                (if path.is_empty() { key.clone() } else { format!("{path}.{key}") }, value)
            })),
            value => {
                found.insert(path, value.clone());
            }
        }
    }
    found
}
