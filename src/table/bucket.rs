//! The hooks of one event, and which of them match the name of a tool.
//!
//! The name of the tool is the condition that almost every hook has, and an agent uses few tools.
//! So the hooks that match a name are computed once per name and remembered; all other conditions
//! are evaluated at each dispatch, for these hooks only. A step without a tool has one precomputed
//! set.

use std::sync::Arc;

use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{Condition, Contract, Role};

use super::compiled_hook::CompiledHook;
use super::memo::{FEW_SLOTS, Memo, SLOTS};
use super::shared_list::SharedList;
use crate::matcher::{MatchError, ToolSet};
use crate::panic_boundary::catch;

/// The hooks of one event, in order.
pub(crate) struct Bucket {
    pub(crate) contract: &'static Contract,
    pub(crate) entries: SharedList<Arc<CompiledHook>>,
    pub(super) tools: ToolSet,
    pub(super) memo: Memo<MatchSet>,
    pub(super) without_tool: MatchSet,
    seers: Seers,
    /// Whether the first hook is the last resort: a required guard is missing.
    pub(super) last_resort: bool,
}

/// The hooks of a bucket that match the name of a tool.
#[derive(Debug, Default)]
pub(crate) struct MatchSet {
    /// Guards and rewriters, in order.
    pub(crate) deciders: Box<[Arc<CompiledHook>]>,
    /// Observers and background hooks, in order.
    pub(crate) observers: Box<[Arc<CompiledHook>]>,
    /// Whether any of them has to be waited for.
    pub(crate) waits: bool,
    /// How many deciders there are before the last rewriter: those that are called again if it sets fields.
    pub(crate) recalled: usize,
    /// Whether any of them does work that grows with the step.
    pub(crate) heavy: bool,
    /// Conditions of all hooks of the event that want to see every call.
    pub(crate) seers: Seers,
    /// Whether there is nothing to do at all, as for most steps.
    pub(crate) no_hooks: bool,
    /// Whether the step could not say its tool, so that no hook is known to match.
    pub(crate) is_broken: bool,
}

/// Conditions that want to see every call.
pub(crate) type Seers = Arc<[Arc<dyn Condition>]>;

/// A match set that the bucket remembers, or one for this dispatch only.
pub(crate) enum Matched<'t> {
    Kept(&'t MatchSet),
    Made(Box<MatchSet>),
}

impl std::ops::Deref for Matched<'_> {
    type Target = MatchSet;

    fn deref(&self) -> &MatchSet {
        match self {
            Self::Kept(set) => set,
            Self::Made(set) => set,
        }
    }
}

impl Bucket {
    /// Returns whether any hook of the event is one of a session.
    pub(crate) fn has_hooks_of_session(&self) -> bool {
        self.entries.iter().any(|hook| hook.definition.spec.is_of_scope())
    }

    /// Joins the patterns of hooks that are in their order.
    ///
    /// # Errors
    /// The patterns of all hooks together are too large.
    pub(super) fn new(
        contract: &'static Contract,
        entries: impl IntoIterator<Item = Arc<CompiledHook>>,
    ) -> Result<Self, MatchError> {
        let entries: SharedList<_> = entries.into_iter().collect();
        let tools = ToolSet::join(entries.iter().map(|entry| &entry.definition.patterns))?;
        Ok(Self::with_tools(contract, entries, tools))
    }

    fn with_tools(
        contract: &'static Contract,
        entries: SharedList<Arc<CompiledHook>>,
        tools: ToolSet,
    ) -> Self {
        let without_tool = match_set(&tools, &entries, None, &Seers::default());
        let seers = seers_of(&entries);
        Self {
            contract,
            entries,
            tools,
            memo: Memo::new(SLOTS),
            without_tool,
            seers,
            last_resort: false,
        }
    }

    /// Returns the bucket with other hooks at some positions. All else is shared with this one.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub(super) fn exchange(
        &self,
        hooks: Vec<(usize, Arc<CompiledHook>)>,
    ) -> Result<Self, MatchError> {
        let mut entries = self.entries.clone();
        let mut tools = Some(self.tools.clone());
        for (position, hook) in hooks {
            let patterns = &hook.definition.patterns;
            let earlier = entries.get(position).map(|earlier| &earlier.definition.patterns);
            if earlier != Some(patterns) {
                tools = match tools {
                    Some(tools) => tools.replace(position, patterns)?,
                    None => None,
                };
            }
            entries.set(position, hook);
        }
        match tools {
            Some(tools) => Ok(Self::with_tools(self.contract, entries, tools)),
            None => Self::new(self.contract, entries.iter().cloned()),
        }
    }

    /// Has the bucket remember few names, so that there can be thousands of it.
    pub(super) fn remembering_few(mut self) -> Self {
        self.memo = Memo::new(FEW_SLOTS);
        self
    }

    /// Returns the hooks for a step, as far as the name of the tool decides. Reads the memo without
    /// a lock; allocates only for a name that is seen for the first time.
    #[inline(always)]
    pub(crate) fn matched(&self, payload: &dyn AnyPayload) -> Matched<'_> {
        let call = match catch("the payload", || payload.tool()) {
            Ok(Some(call)) => call,
            Ok(None) => return Matched::Kept(&self.without_tool),
            Err(_) => {
                return Matched::Made(Box::new(MatchSet {
                    is_broken: true,
                    ..MatchSet::default()
                }));
            }
        };
        self.of_tool(&call.tool_name)
    }

    /// Returns the hooks for a tool. See [`matched`](Self::matched).
    #[inline(always)]
    pub(super) fn of_tool(&self, name: &str) -> Matched<'_> {
        let make = || match_set(&self.tools, &self.entries, Some(name), &self.seers);
        match self.memo.get_or_insert(name, make) {
            Ok(set) => Matched::Kept(set),
            Err(set) => Matched::Made(Box::new(set)),
        }
    }
}

/// Matches a name against all hooks of an event.
fn match_set(
    tools: &ToolSet,
    entries: &SharedList<Arc<CompiledHook>>,
    name: Option<&str>,
    seers: &Seers,
) -> MatchSet {
    let matching = tools.matching(name);
    let hooks = || matching.iter().filter_map(|&index| entries.get(index));
    let those = |watches: bool| hooks().filter(move |hook| hook.watches() == watches).cloned();
    let deciders: Box<[_]> = those(false).collect();
    MatchSet {
        recalled: last_rewriter(&deciders).unwrap_or_default(),
        deciders,
        observers: those(true).collect(),
        waits: hooks().any(|hook| hook.waits()),
        heavy: hooks().any(|hook| hook.heavy),
        seers: Arc::clone(seers),
        no_hooks: matching.is_empty() && seers.is_empty(),
        is_broken: false,
    }
}

fn seers_of(entries: &SharedList<Arc<CompiledHook>>) -> Seers {
    let matchers = entries.iter().map(|hook| hook.definition.spec.matcher());
    let conditions = matchers.filter(|it| !it.is_plain()).flat_map(|it| it.all_registered());
    let conditions = conditions.map(|(built, _)| built.condition());
    conditions.filter(|condition| condition.sees_calls()).cloned().collect()
}

fn last_rewriter(deciders: &[Arc<CompiledHook>]) -> Option<usize> {
    deciders.iter().rposition(|hook| hook.role == Role::Rewrite)
}
