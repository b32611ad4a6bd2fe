//! The canonical form of a table and of a hook: what a [`ConfigHash`] is the hash of.
//!
//! It is a JSON value with keys of its own, so that the hash does not follow the names of Rust fields,
//! the layout of the file, or the way in which a duration was written. Two rules keep it whole:
//!
//! * every struct is taken apart without `..`, so that a new field does not compile until it is
//!   decided how it counts;
//! * a change of a key here changes every hash that was stored, so [`FORM`] is raised with it,
//!   and the golden values of `tests/records/config_hash.rs` fail until they are renewed on purpose.
//!
//! | key | what it holds |
//! |---|---|
//! | `form` | the version of this form |
//! | `limits` | every bound, resolved; of `timeout_ns` only the kinds whose deadline is not the default one, `stop_at` and `contributions` only if they are not the default, and `processes` and `requests` only if they are set: their defaults are those of the machine |
//! | `require` | events and hooks, sorted |
//! | `hooks` | the hooks in the order of declaration |
//! | `sections` | the registered sections as they were written; absent without any |
//! | `hooks[].dead` | whether it stands in the place of a hook that was found dead; absent otherwise |
//! | `hooks[].layers` | how many layers of the host are around the handler; absent without any |
//! | `hooks[].handler` | kind, settings as they were written, and the identity of what they name |
//! | `hooks[].when`, `events`, `tags`, … | what the engine itself knows of a hook; sorted, where it is a set |
//!
//! Durations are nanoseconds as text, since JSON numbers are exact up to 2^53 only. An absent setting is
//! null and not its default, where the default depends on the event or on the handler (role, postures).
//!
//! What is code is known by name only: the kind of a handler, the contract of an event `x.*`. What a
//! handler read from files is in its identity
//! ([`BuiltHandler::identity`](hookgate_contract::BuiltHandler::identity)): hashes of contents, and paths
//! relative to the folder of the config.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use hookgate_contract::json::canonical;
use hookgate_contract::payload::Safety;
use hookgate_contract::{BuiltCondition, Capabilities, FailureClass};
use serde_json::{Map, Value, json};

use super::contribution_limits::{Budget, ContributionLimits};
use super::event_selector::EventSelector;
use super::limits::Limits;
use super::retry::Retry;
use super::spec::HookSpec;
use super::text_window::TextWindow;
use crate::config_hash::ConfigHash;
use crate::matcher::{InputSpec, InputTest, MatchSpec, Test};
use crate::require::{Require, RequiredHook};

/// The version of the form.
pub(super) const FORM: u64 = 1;

/// Returns what a table is made of.
pub(super) fn table_form<'h>(
    limits: &Limits,
    require: &Require,
    sections: &BTreeMap<String, Value>,
    hooks: impl Iterator<Item = &'h HookSpec>,
) -> Value {
    let mut kinds = BTreeSet::new();
    let hooks: Vec<Value> = hooks
        .map(|spec| {
            kinds.insert(spec.kind());
            hook_form(spec)
        })
        .collect();
    let mut form = json!({
        "form": FORM,
        "limits": limits_form(limits, kinds),
        "require": {
            "events": require.events().collect::<Vec<_>>(),
            "hooks": required_hooks(require),
        },
        // In the order of declaration: it decides between hooks of the same priority.
        "hooks": hooks,
    });
    add_given(&mut form, "sections", sections.clone().into_iter().collect::<Map<_, _>>());
    form
}

/// The ids, and the hashes of definitions where they are given. Which layer requires a hook is a matter of where its
/// file lies.
fn required_hooks(require: &Require) -> Vec<Value> {
    let form = |required: &RequiredHook| {
        let RequiredHook { id, layer: _, definition } = required;
        match definition {
            None => Value::from(id.as_str()),
            Some(hash) => json!({"id": id, "definition": hash}),
        }
    };
    let mut hooks: Vec<Value> = require.required_hooks().map(form).collect();
    hooks.dedup();
    hooks
}

/// Adds what most configs do not have, if this one has it: the hashes of all others stay as they are.
fn add_given(form: &mut Value, key: &str, value: impl Into<Value>) {
    let value = value.into();
    let is_empty = match &value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(entries) => entries.is_empty(),
        _ => false,
    };
    if let Some(form) = form.as_object_mut().filter(|_| !is_empty) {
        form.insert(key.to_owned(), value);
    }
}

impl HookSpec {
    /// Returns the identity of the hook: the SHA-256 of its canonical form, as
    /// [`HandlerTable::config_hash`](super::HandlerTable::config_hash) says. What the limits of a table
    /// give it, such as a deadline, is not a part of it.
    ///
    /// ```
    /// use hookgate::{Event, Hook, Verdict};
    ///
    /// let hook = || Hook::sync("no-bash", |_| Ok(Verdict::deny("no"))).event(Event::PreToolUse);
    /// let hash = |hook: Hook| hook.build().config_hash();
    /// assert_eq!(hash(hook()), hash(hook().priority(100)));
    /// assert_ne!(hash(hook()), hash(hook().tool("Bash")));
    /// ```
    #[must_use]
    pub fn config_hash(&self) -> ConfigHash {
        ConfigHash::of_value(&json!({"form": FORM, "hook": hook_form(self)}))
    }

    /// Returns the identity of what the hook does: as [`HookSpec::config_hash`], but without its place among other
    /// hooks (`priority`, `after`, `before`) and without `may_allow`, which a layer above may change.
    #[must_use]
    pub fn definition_hash(&self) -> ConfigHash {
        let mut form = hook_form(self);
        if let Some(form) = form.as_object_mut() {
            form.retain(|key, _| {
                !matches!(key.as_str(), "priority" | "after" | "before" | "may_allow")
            });
        }
        ConfigHash::of_value(&json!({"form": FORM, "definition": form}))
    }

    /// Whether another hook has the same config and its handler runs the same code.
    pub(crate) fn is_same_as(&self, other: &Self) -> bool {
        self.runs_the_same_as(other) && self.config_hash() == other.config_hash()
    }

    /// Whether the handler of another hook of the same config runs the same code as this one's.
    pub(super) fn runs_the_same_as(&self, other: &Self) -> bool {
        self.built.registration == other.built.registration
            && self.built.revision == other.built.revision
    }

    /// Takes over the handler of an earlier hook, with its processes and counters, if both were made of
    /// the same.
    pub(crate) fn keep_handler_of(mut self, earlier: &Self) -> Self {
        // A shared handler is one for all hooks that name it, however these have changed.
        let is_same = match self.shared {
            Some(_) => self.has_handler_of(earlier),
            None => self.is_same_as(earlier),
        };
        // What is written alike in another folder runs other files.
        let runs_the_same_files = self.built.executables == earlier.built.executables;
        if self.built.identity.is_some() && is_same && runs_the_same_files {
            let built = std::mem::replace(&mut self.built, earlier.built.clone());
            if self.shared.is_some() {
                (self.built.sources, self.built.notes) = (built.sources, built.notes);
            }
        }
        self
    }

    /// Whether the handler of another hook was made of the same.
    fn has_handler_of(&self, other: &Self) -> bool {
        self.runs_the_same_as(other)
            && self.kind == other.kind
            && self.settings == other.settings
            && self.built.identity == other.built.identity
            && self.built.capabilities == other.built.capabilities
    }
}

/// Bounds and defaults, with the deadlines that are not those of every table.
fn limits_form(limits: &Limits, kinds: BTreeSet<&str>) -> Value {
    let Limits {
        dispatch_deadline,
        payload,
        output,
        background_queue,
        concurrency,
        processes,
        requests,
        stop_denials,
        stop_at,
        integers,
        timeout,
        contributions,
    } = limits;
    let usual = Limits::default();
    let timeouts: Map<String, Value> = timeout
        .keys()
        .map(String::as_str)
        .chain(kinds)
        .map(|kind| (kind, limits.timeout_of(kind)))
        .filter(|(kind, timeout)| usual.timeout_of(kind) != *timeout)
        .map(|(kind, timeout)| (kind.to_owned(), nanoseconds(timeout)))
        .collect();
    let mut form = json!({
        "dispatch_deadline_ns": nanoseconds(*dispatch_deadline),
        "payload": payload,
        "output": output,
        "background_queue": background_queue,
        "concurrency": concurrency,
        "stop_denials": stop_denials,
        "integers": integers.name(),
        "timeout_ns": timeouts,
    });
    let unusual = Some(stop_at).filter(|stop_at| **stop_at != usual.stop_at);
    add_given(&mut form, "stop_at", unusual.map_or(Value::Null, |stop_at| stop_at.name().into()));
    for (key, places) in [("processes", processes), ("requests", requests)] {
        add_given(&mut form, key, places.map_or(Value::Null, Value::from));
    }
    if *contributions != usual.contributions {
        add_given(&mut form, "contributions", contributions_form(contributions));
    }
    form
}

/// What is set of the budgets of a turn.
fn contributions_form(limits: &ContributionLimits) -> Value {
    let ContributionLimits { slots, turn, section, kinds, slot_budgets, hooks } = limits;
    let kinds = kinds.iter().map(|(kind, budget)| (kind.name().to_owned(), budget_form(budget)));
    let named = |budgets: &BTreeMap<String, Budget>| -> Map<String, Value> {
        budgets.iter().map(|(name, budget)| (name.clone(), budget_form(budget))).collect()
    };
    json!({
        "slots": slots,
        "turn": budget_form(turn),
        "section": budget_form(section),
        "kind": kinds.collect::<Map<_, _>>(),
        "slot": named(slot_budgets),
        "hook": named(hooks),
    })
}

fn budget_form(budget: &Budget) -> Value {
    let Budget { items, bytes, tokens } = budget;
    json!({"items": items, "bytes": bytes, "tokens": tokens})
}

/// Everything about a hook but the code of its handler.
pub(super) fn hook_form(spec: &HookSpec) -> Value {
    let HookSpec {
        id,
        kind,
        built,
        layers,
        events,
        matcher,
        settings,
        role,
        mode,
        priority,
        after,
        before,
        timeout,
        on_failure,
        on,
        background,
        recorded,
        visible_to_user,
        required,
        needs,
        fallback,
        retry,
        text_window,
        // Whether it is shared changes no decision.
        shared: _,
        merge,
        may_allow,
        tags,
        // It says where else the hook may be called, and changes no decision.
        pure: _,
        // They say what the hook is to do, and change nothing of what it does.
        canaries: _,
        // The mode says that it is off.
        off_by: _,
        // Where a hook comes from does not change what it does.
        origin: _,
        unread: _,
        in_place_of,
        // The id says it.
        is_of_scope: _,
    } = spec;
    let on: Map<String, Value> = FailureClass::ALL
        .into_iter()
        .filter_map(|class| Some((class.name().to_owned(), on.get(&class)?.name().into())))
        .collect();
    let mut form = json!({
        "id": id,
        "handler": {"kind": kind, "settings": settings, "identity": built.identity},
        "events": unordered(events.iter().map(event_form)),
        "when": conditions_form(matcher),
        "role": role.map(|role| role.name()),
        "mode": mode.name(),
        "priority": priority,
        "after": set(after),
        "before": set(before),
        "timeout_ns": timeout.map(nanoseconds),
        "on_failure": on_failure.map(|posture| posture.name()),
        "on_failure_of": on,
        "background": background,
        "merge": merge,
        "may_allow": may_allow,
        "tags": set(tags),
    });
    add_given(&mut form, "recorded", recorded.then_some(true));
    add_given(&mut form, "visible_to_user", visible_to_user.then_some(true));
    add_given(&mut form, "required", required.then_some(true));
    add_given(&mut form, "needs", set(needs));
    add_given(&mut form, "fallback", serde_json::to_value(fallback).unwrap_or_default());
    add_given(&mut form, "retry", retry.as_deref().map_or(Value::Null, retry_form));
    let window = text_window
        .as_deref()
        .map(|TextWindow { bytes, overlap }| json!({"window": bytes, "overlap": overlap}));
    add_given(&mut form, "stream", window.unwrap_or_default());
    let capabilities = built.capabilities.as_deref();
    add_given(&mut form, "capabilities", capabilities.map_or(Value::Null, capabilities_form));
    add_given(&mut form, "layers", (*layers > 0).then_some(*layers));
    // With it another hook decides than the one that was declared.
    add_given(&mut form, "dead", in_place_of.is_some().then_some(true));
    form
}

fn retry_form(retry: &Retry) -> Value {
    let Retry { times, backoff, attempt, on } = retry;
    let on: Vec<_> = on.iter().map(|class| class.name()).collect();
    json!({
        "times": times,
        "backoff_ns": nanoseconds(*backoff),
        "attempt_ns": attempt.map(nanoseconds),
        "on": set(&on),
    })
}

/// What a handler may do decides; what it needs and sends is for people.
fn capabilities_form(capabilities: &Capabilities) -> Value {
    let kinds = capabilities.contributes.as_ref();
    let kinds = kinds.map(|kinds| kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>());
    json!({
        "contributes": kinds.as_deref().map(set),
        "events": capabilities.events.as_deref().map(set),
    })
}

pub(super) fn event_form(selector: &EventSelector) -> Value {
    let EventSelector { event, custom, role, posture, only } = selector;
    json!({
        "event": custom.as_deref().unwrap_or_else(|| event.name()),
        "role": role.map(|role| role.name()),
        "on_failure": posture.map(|posture| posture.name()),
        "only": only.as_ref().map(input_form),
    })
}

fn conditions_form(matcher: &MatchSpec) -> Value {
    let MatchSpec {
        tool,
        tool_glob,
        tool_regex,
        regex_search,
        safety,
        agent,
        subagent,
        cwd_glob,
        input,
        payload,
        registered,
        any,
        not,
    } = matcher;
    let mut form = json!({
        "tool": set(tool),
        "tool_glob": set(tool_glob),
        "tool_regex": set(tool_regex),
        "regex_search": regex_search,
        "safety": set(&safety.iter().copied().map(Safety::name).collect::<Vec<_>>()),
        "agent": set(agent),
        "cwd_glob": set(cwd_glob),
        "input": unordered(input.iter().map(input_form)),
        "payload": unordered(payload.iter().map(input_form)),
    });
    add_given(&mut form, "registered", unordered(registered.iter().map(registered_form)));
    let one_of = |branches: &Vec<MatchSpec>| unordered(branches.iter().map(conditions_form)).into();
    add_given(&mut form, "any", unordered(any.iter().map(one_of)));
    add_given(&mut form, "not", unordered(not.iter().map(conditions_form)));
    // Only where it is given: the forms of all other hooks stay as they were.
    if let (Some(subagent), Some(form)) = (subagent, form.as_object_mut()) {
        form.insert("subagent".to_owned(), (*subagent).into());
    }
    form
}

fn registered_form(built: &BuiltCondition) -> Value {
    let value = match built.written() {
        Value::Array(items) if built.is_set() => {
            let mut items = unordered(items.iter().cloned());
            items.dedup();
            items.into()
        }
        value => value.clone(),
    };
    json!({"key": built.key(), "value": value})
}

fn input_form(spec: &InputSpec) -> Value {
    let InputSpec { pointer, tests } = spec;
    json!({"pointer": pointer, "tests": unordered(tests.iter().map(test_form))})
}

pub(super) fn test_form(input: &InputTest) -> Value {
    let InputTest { test, negated, ignore_case } = input;
    let (name, value) = named_test(test);
    let mut form = json!({"test": name, "value": value, "negated": negated});
    if let (true, Some(form)) = (ignore_case, form.as_object_mut()) {
        form.insert("ignore_case".to_owned(), true.into());
    }
    form
}

/// The name of a test and what it compares with.
fn named_test(test: &Test) -> (&'static str, Value) {
    match test {
        Test::Exists(exists) => ("exists", Value::from(*exists)),
        Test::Equals(value) => ("equals", value.clone()),
        Test::OneOf(values) => ("one_of", unordered(values.iter().cloned()).into()),
        Test::Glob(glob) => ("glob", glob.as_str().into()),
        Test::Regex(regex) => ("regex", regex.as_str().into()),
        Test::Contains(text) => ("contains", text.as_str().into()),
        Test::StartsWith(text) => ("starts_with", text.as_str().into()),
        Test::EndsWith(text) => ("ends_with", text.as_str().into()),
        Test::Gt(number) => ("gt", number.clone().into()),
        Test::Ge(number) => ("ge", number.clone().into()),
        Test::Lt(number) => ("lt", number.clone().into()),
        Test::Le(number) => ("le", number.clone().into()),
        Test::Length { least, most } => ("len", json!({"least": least, "most": most})),
        Test::Any(tests) => {
            let forms = tests.iter().map(named_test).map(|(name, value)| json!({name: value}));
            ("any", unordered(forms).into())
        }
    }
}

/// Texts of which neither order nor repetition matters.
fn set<T: AsRef<str>>(texts: &[T]) -> Vec<&str> {
    let texts: BTreeSet<&str> = texts.iter().map(AsRef::as_ref).collect();
    texts.into_iter().collect()
}

/// Values of which the order does not matter, in the order of their canonical texts.
fn unordered(values: impl Iterator<Item = Value>) -> Vec<Value> {
    let mut values: Vec<Value> = values.collect();
    values.sort_by_cached_key(canonical);
    values
}

/// A duration as text: a JSON number cannot hold the nanoseconds of a year.
fn nanoseconds(duration: Duration) -> Value {
    duration.as_nanos().to_string().into()
}
