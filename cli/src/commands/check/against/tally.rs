//! How often one hook fires, and how near it comes.

use std::collections::BTreeMap;

use hookgate::contract::Truth;
use hookgate::envelope::Incoming;
use hookgate::table::{Called, ExplainedHook, Origin};
use hookgate::{HandlerTable, Mode};
use serde_json::{Value, json};

use super::super::entry::{Entry, Level};
use super::super::texts::Texts;
use super::pointers::Pointer;
use crate::terminal::phrase::count;

/// How many steps are told in which a hook nearly fires, by the condition that is false.
const NEAR: usize = 8;

/// How often a hook fires.
#[derive(Debug)]
pub(super) struct Tally {
    pub(super) hook: String,
    origin: Origin,
    /// How many steps are at its events.
    pub(super) steps: u64,
    /// How many of them call it.
    pub(super) fires: u64,
    /// For how many of them it cannot be told.
    pub(super) unclear: u64,
    /// In how many steps all conditions but this one are true.
    near: BTreeMap<String, Near>,
    /// The values that its conditions look at.
    pointers: Vec<Pointer>,
}

/// Steps in which one condition is false and all others are true.
#[derive(Debug)]
pub(super) struct Near {
    pub(super) steps: u64,
    /// The first of them: `session.jsonl:12`.
    pub(super) first: String,
    /// What was looked at there.
    why: String,
}

impl Tally {
    /// Returns the hooks of a table that are not off.
    pub(super) fn of_all(table: &HandlerTable) -> Vec<Self> {
        let called = table.specs().filter(|spec| spec.mode() != Mode::Off);
        called
            .map(|spec| Self {
                hook: spec.id().to_string(),
                origin: spec.origin().clone(),
                steps: 0,
                fires: 0,
                unclear: 0,
                near: BTreeMap::new(),
                pointers: Pointer::of_conditions(spec.matcher()),
            })
            .collect()
    }

    /// Counts a step at one of its events.
    pub(super) fn add(&mut self, explained: &ExplainedHook, step: &Incoming, position: &str) {
        self.steps += 1;
        match explained.called {
            Called::Yes => self.fires += 1,
            Called::Unclear => self.unclear += 1,
            _ => {}
        }
        let conditions = explained.conditions.as_slice();
        let is_of_tool = |key: &str| ["tool", "tool_glob", "tool_regex"].contains(&key);
        let of_tool = conditions.iter().filter(|condition| is_of_tool(condition.key));
        if of_tool.map(|condition| condition.truth).all(|truth| truth != Truth::False) {
            self.pointers.iter_mut().for_each(|pointer| pointer.look(step));
        }
        let mut others = conditions.iter().filter(|condition| condition.truth != Truth::True);
        // With one condition alone every other step would be near.
        if let (Some(only), None, true) = (others.next(), others.next(), conditions.len() > 1)
            && only.truth == Truth::False
        {
            let near = self.near.entry(only.written.clone()).or_insert_with(|| Near {
                steps: 0,
                first: position.to_owned(),
                why: only.why.clone(),
            });
            near.steps += 1;
        }
    }

    /// Returns the condition that alone keeps the hook from firing most often.
    pub(super) fn nearest(&self) -> Option<(&str, &Near)> {
        let near = self.near.iter().max_by_key(|(_, near)| near.steps);
        near.map(|(condition, near)| (condition.as_str(), near))
    }

    /// Returns what there is to say of a hook that no step calls.
    pub(super) fn never_fires(&self, config: &str) -> Option<Entry> {
        if self.fires > 0 || self.unclear > 0 {
            return None;
        }
        let why = match (self.steps, self.nearest()) {
            (0, _) => "no recorded step is at its events".to_owned(),
            (steps, None) => format!("its conditions are false for all {}", count(steps, "step")),
            (_, Some((condition, near))) => format!(
                "in {} only `{condition}` is false; at {}: {}",
                count(near.steps, "step"),
                near.first,
                near.why
            ),
        };
        Some(Entry {
            code: "hook_never_fires",
            level: Level::Note,
            file: self.origin.file_name().unwrap_or(config).to_owned(),
            at: self.origin.position_of("id"),
            message: format!("`{}` never fires: {why}", self.hook),
            help: None,
        })
    }

    /// Returns the pointers of its conditions that lead nowhere in every step that is about its tools.
    pub(super) fn unseen_pointers(&self, texts: &mut Texts) -> Vec<Entry> {
        let (file, text) = texts.of(&self.origin);
        let unseen = self.pointers.iter().filter(|pointer| pointer.is_unseen());
        unseen.map(|pointer| pointer.entry(&self.hook, &self.origin, &file, text)).collect()
    }

    /// Returns the counts for programs.
    pub(super) fn to_json(&self) -> Value {
        let mut near: Vec<_> = self.near.iter().collect();
        near.sort_by_key(|(_, near)| std::cmp::Reverse(near.steps));
        let near = near.into_iter().take(NEAR).map(|(condition, near)| {
            json!({ "condition": condition, "steps": near.steps, "first": near.first, "why": near.why })
        });
        json!({
            "hook": self.hook,
            "steps": self.steps,
            "fires": self.fires,
            "unclear": self.unclear,
            "near_misses": near.collect::<Vec<_>>(),
        })
    }
}
