//! Hooks with a mistake, set aside while the rest of their file is in force.
//!
//! In place of a guard that could not be read stands a hook that always fails: what that guard is about gets
//! its posture, which is deny unless the hook says otherwise, until the file is mended. What could be read
//! of it is kept only where that is sure:
//!
//! | where the mistakes are | the hook in its place is called |
//! |---|---|
//! | in the handler or in an option | at its events, under its conditions, at its place in the order |
//! | in its order | at its events, under its conditions |
//! | in a condition | at its events, under no condition |
//! | in the events, in the syntax | at every event at which a failed guard denies |
//!
//! Hooks that test what such a hook would have kept, such as a mark, are set aside as well, where that may be
//! lost; an observer that keeps something stays.
//!
//! A mistake outside of hooks, or one that may hide where a hook begins, is not set aside: nobody can tell
//! which guards would be missing.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use hookgate_contract::settings::{Node, NodeValue, SettingEntry, SettingProblem};
use hookgate_contract::{Contract, Event, Posture, Role};

use super::error::ConfigError;
use super::include::INCLUDE;
use super::keys::KINDS;
use super::locate::hook_around;
use super::lost_history::{LostHistory, keeps_history};
use super::pack::EXTENDS;
use super::problem::ConfigProblem;
use crate::hook_id::HookId;
use crate::table::{BuildProblem, EventSelector, HookSpec, Layer, SetAside};

/// Keys of a hook that say neither at which events nor under which conditions it is called.
const OPTIONS: [&str; 12] = [
    "id",
    "handler",
    "role",
    "mode",
    "priority",
    "tags",
    "timeout",
    "background",
    "merge",
    "may_allow",
    "pure",
    "canary",
];

/// What is left of a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Left {
    /// Events, conditions, postures and order.
    Order,
    /// Events, conditions and postures.
    Conditions,
    /// Events and postures.
    Events,
    /// The id.
    Id,
}

/// The hooks of a file that are set aside.
pub(super) struct Quarantine<'f> {
    root: &'f Node,
    specs: &'f [HookSpec],
    /// By where a hook begins: its place in `specs`.
    starts: BTreeMap<usize, usize>,
    /// Where a line looks like the header of a table, and whether that is a hook or a table in it.
    headers: Vec<(usize, bool)>,
    /// Whether each header of a hook in the text is a hook that was read: a mistake in the syntax, such as a
    /// quotation mark that is missing, can swallow the hooks after it.
    is_whole: bool,
    /// At every event that can be denied, those that the host has registered included.
    everywhere: Vec<EventSelector>,
    /// By where the hook begins: what is left of it, and what is wrong.
    hooks: BTreeMap<usize, (Left, String)>,
    /// Where hooks begin that have the id of another one.
    named_twice: BTreeSet<usize>,
    /// Why they are set aside.
    mistakes: Vec<ConfigError>,
    /// Why what one of them would have kept is lost, if it may be.
    lost: Option<String>,
}

impl<'f> Quarantine<'f> {
    /// Begins with no hook of a file. `registered` are the events of the host.
    pub(super) fn new(
        root: &'f Node,
        text: &str,
        specs: &'f [HookSpec],
        registered: &[&'static Contract],
    ) -> Self {
        let all = Event::NAMED.into_iter().map(Event::contract).chain(registered.iter().copied());
        let denies = |contract: &&Contract| {
            contract.takes_role(Role::Guard)
                && contract.default_posture(Role::Guard) == Posture::Deny
        };
        let selector = |contract: &Contract| match contract.event {
            Event::Custom => EventSelector::custom(contract.name),
            event => EventSelector::event(event),
        };
        let start = |spec: &HookSpec| spec.origin().read_span().map(|span| span.start);
        let starts =
            specs.iter().enumerate().filter_map(|(index, spec)| Some((start(spec)?, index)));
        let written = headers(text).filter(|(_, line)| is_hook(line)).count();
        let of_hook = |line: &str| is_hook(line) || is_below_hook(line);
        Self {
            root,
            specs,
            starts: starts.collect(),
            headers: headers(text).map(|(at, line)| (at, of_hook(line))).collect(),
            is_whole: written == hooks(root).len(),
            everywhere: all.filter(denies).map(selector).collect(),
            hooks: BTreeMap::new(),
            named_twice: BTreeSet::new(),
            mistakes: Vec::new(),
            lost: None,
        }
    }

    /// Sets the hooks aside that these mistakes are about. Returns whether that has changed anything: not if
    /// a mistake is outside of hooks, or is about one of which nothing but the id is left.
    pub(super) fn add(&mut self, mistakes: &[ConfigError]) -> bool {
        let mut has_changed = false;
        let known: BTreeSet<usize> = self.hooks.keys().copied().collect();
        for mistake in mistakes {
            let Some((start, left)) = self.place(mistake) else { return false };
            let why = || {
                format!(
                    "{}:{}:{}: {mistake}; the hook is set aside until the file is mended",
                    mistake.file(),
                    mistake.line(),
                    mistake.column()
                )
            };
            if is_duplicate(mistake.problem()) {
                self.named_twice.insert(start);
            }
            let before = self.hooks.get(&start).map(|(left, _)| *left);
            let entry = self.hooks.entry(start).or_insert_with(|| (left, why()));
            entry.0 = entry.0.max(left);
            // Of a key that nobody knows nobody can tell what it was meant to be.
            if entry.0 >= Left::Events || is_unknown_key(mistake.problem()) {
                self.lost.get_or_insert_with(|| {
                    let line = (mistake.file(), mistake.line());
                    format!(
                        "{}:{}: a hook there is set aside, and what this hook tests may be what that \
                         one would have kept",
                        line.0, line.1
                    )
                });
            }
            has_changed |= before != Some(entry.0);
            // What is wrong with what was put in the place of a hook is not for the writer of the file.
            if !known.contains(&start) {
                self.mistakes.push(mistake.clone());
            }
        }
        has_changed
    }

    /// Returns why what a hook of the file would have kept is lost, if it may be.
    pub(super) fn lost_history(&self, layer: Layer) -> Option<LostHistory> {
        self.lost.clone().map(|why| LostHistory { layer, why })
    }

    /// Returns the mistakes of the hooks that are set aside.
    pub(super) fn into_mistakes(mut self) -> Vec<ConfigError> {
        self.mistakes.sort_by_key(ConfigError::offset);
        self.mistakes
    }

    /// Takes more from all hooks that are set aside: what is left of them does not fit together.
    pub(super) fn reduce(&mut self) -> bool {
        let mut has_changed = false;
        for (left, why) in self.hooks.values_mut() {
            has_changed |= *left != Left::Id;
            *left = Left::Id;
            self.lost.get_or_insert_with(|| why.clone());
        }
        has_changed
    }

    /// Returns the hooks of the file, those that are set aside replaced. An observer is left out, unless it
    /// keeps what others test: it decides nothing, so its absence lets nothing pass.
    pub(super) fn apply(&self) -> Vec<HookSpec> {
        let lost = self.lost_history(Layer::Managed);
        let hooks = self.specs.iter().filter_map(|spec| self.replace(spec));
        let without = |spec: HookSpec| {
            let replaced = lost.as_ref().and_then(|lost| lost.in_place_of(&spec));
            replaced.unwrap_or(spec)
        };
        let hooks: Vec<HookSpec> = hooks.map(without).collect();
        let ids = |specs: &[HookSpec]| -> HashSet<HookId> {
            specs.iter().map(|spec| spec.id().clone()).collect()
        };
        let (were, are) = (ids(self.specs), ids(&hooks));
        let is_gone = |id: &str| were.contains(id) && !are.contains(id);
        hooks.into_iter().map(|spec| spec.unordered_with(is_gone)).collect()
    }

    fn replace(&self, spec: &HookSpec) -> Option<HookSpec> {
        let start = spec.origin().read_span()?.start;
        let Some((left, why)) = self.hooks.get(&start) else { return Some(spec.clone()) };
        let line = spec.origin().line().unwrap_or_default();
        let id = self.named_twice.contains(&start).then(|| format!("line-{line}").into());
        let left = match left {
            Left::Order => SetAside::Order,
            Left::Conditions => SetAside::Conditions,
            Left::Events => SetAside::Events,
            Left::Id => SetAside::Everything(self.everywhere.clone()),
        };
        let is_observer = spec.role() == Some(Role::Observe);
        let is_sure = !matches!(left, SetAside::Everything(_));
        (!is_observer || !is_sure || keeps_history(spec))
            .then(|| spec.clone().set_aside(id, left, why.clone()))
    }

    /// Returns where the hook of a mistake begins, and what is left of it.
    fn place(&self, mistake: &ConfigError) -> Option<(usize, Left)> {
        let at = mistake.offset();
        let headers = self.headers.partition_point(|(header, _)| *header <= at);
        let (_, is_of_hook) = self.headers.get(headers.checked_sub(1)?)?;
        // A line within a text may look like a header: what was read must agree.
        let is_of_hook = *is_of_hook && is_in_hooks(self.root, at);
        let start = hook_around(self.root, &(at..at)).filter(|_| is_of_hook)?.start;
        let spec = self.specs.get(*self.starts.get(&start)?)?;
        let left = match mistake.problem() {
            ConfigProblem::Syntax(_) if !self.is_whole => return None,
            // It stands below a hook, so what it names was not read.
            ConfigProblem::Setting(SettingProblem::Unknown { key, .. }) if names_files(key) => {
                return None;
            }
            ConfigProblem::Syntax(_) => Left::Id,
            _ if !spec.has_all_events() || spec.events().is_empty() => Left::Id,
            _ => self.left_beside(spec, start, at),
        };
        Some((start, left))
    }

    /// What is left of a hook with a mistake at a place.
    fn left_beside(&self, spec: &HookSpec, start: usize, at: usize) -> Left {
        let Some(entry) = self.entry_at(start, at) else {
            // It is about the hook as a whole: a key is missing, for example.
            return Left::Order;
        };
        let key = entry.key.as_str();
        let is_option = OPTIONS.contains(&key)
            || KINDS.contains(&key)
            || key == spec.kind()
            || key.starts_with("on_");
        match key {
            "event" => Left::Id,
            "after" | "before" => Left::Conditions,
            _ if is_option => Left::Order,
            // A key that nobody knows: all conditions must hold, so one more would only narrow the others.
            _ if entry.key_span.contains(&at) => Left::Order,
            _ => Left::Events,
        }
    }

    fn entry_at(&self, start: usize, at: usize) -> Option<&'f SettingEntry> {
        let hooks = hooks(self.root);
        let index = hooks.binary_search_by_key(&start, |hook| hook.span.start).ok()?;
        let NodeValue::Table(entries) = &hooks.get(index)?.value else { return None };
        // They are in the order of the file. The place of the hook itself is before all of them.
        let next = entries.partition_point(|entry| entry.key_span.start <= at);
        entries.get(next.checked_sub(1)?)
    }
}

/// Tells whether what begins last before a place, of all that was read, is a part of a hook.
fn is_in_hooks(root: &Node, at: usize) -> bool {
    let NodeValue::Table(entries) = &root.value else { return false };
    let last = |entry: &SettingEntry| last_start(entry, at);
    let (hooks, others): (Vec<_>, Vec<_>) = entries.iter().partition(|entry| entry.key == "hook");
    let of_hooks = hooks.into_iter().filter_map(last).max();
    of_hooks.is_some() && of_hooks >= others.into_iter().filter_map(last).max()
}

/// Returns where the last part of an entry begins that does not begin after a place.
fn last_start(entry: &SettingEntry, at: usize) -> Option<usize> {
    let key = Some(entry.key_span.start).filter(|start| *start <= at);
    key.max(last_start_of_node(&entry.node, at))
}

fn last_start_of_node(node: &Node, at: usize) -> Option<usize> {
    let below = match &node.value {
        NodeValue::Table(entries) => entries.iter().filter_map(|entry| last_start(entry, at)).max(),
        NodeValue::List(items) => {
            items.iter().filter_map(|item| last_start_of_node(item, at)).max()
        }
        _ => None,
    };
    below.max(Some(node.span.start).filter(|start| *start <= at))
}

fn is_unknown_key(problem: &ConfigProblem) -> bool {
    matches!(problem, ConfigProblem::Setting(SettingProblem::Unknown { .. }))
}

/// Tells whether a key at the top of a file names other ones: their guards would be missing.
fn names_files(key: &str) -> bool {
    [INCLUDE, EXTENDS].contains(&key)
}

fn is_duplicate(problem: &ConfigProblem) -> bool {
    matches!(problem, ConfigProblem::Build { problem: BuildProblem::DuplicateId, .. })
}

fn hooks(root: &Node) -> &[Node] {
    let NodeValue::Table(entries) = &root.value else { return &[] };
    match entries.iter().find(|entry| entry.key == "hook").map(|entry| &entry.node.value) {
        Some(NodeValue::List(hooks)) => hooks,
        _ => &[],
    }
}

/// Returns the lines that look like the header of a table, each with where it begins.
fn headers(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut offset = 0;
    let lines = text.split_inclusive('\n').map(move |line| {
        let start = offset;
        offset += line.len();
        (start, line.trim())
    });
    lines.filter(|(_, line)| line.starts_with('['))
}

fn is_below_hook(line: &str) -> bool {
    line.trim_start_matches('[').trim_start().starts_with("hook.")
}

fn is_hook(line: &str) -> bool {
    let inside = line.strip_prefix("[[").and_then(|rest| rest.split_once("]]"));
    inside.is_some_and(|(name, _)| name.trim() == "hook")
}
