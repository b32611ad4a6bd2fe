//! The hooks of one event, and which of them match the name of a tool.
//!
//! The name of the tool is the condition that almost every hook has, and an agent uses few tools.
//! So the hooks that match a name are computed once per name and remembered; all other conditions
//! are evaluated at each dispatch, for these hooks only. A step without a tool has one precomputed
//! set.

use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{Contract, Role};

use super::compiled_hook::CompiledHook;
use super::memo::Memo;
use crate::matcher::{MatchError, ToolSet};

/// The hooks of one event, in order.
pub(crate) struct Bucket {
    pub(crate) contract: &'static Contract,
    pub(crate) entries: Box<[CompiledHook]>,
    pub(super) tools: ToolSet,
    pub(super) memo: Memo<MatchSet>,
    pub(super) without_tool: MatchSet,
    /// Whether the first hook is the last resort: a required guard is missing.
    pub(super) last_resort: bool,
}

/// The hooks of a bucket that match the name of a tool.
#[derive(Debug, Default)]
pub(crate) struct MatchSet {
    /// Guards and rewriters, as indices into the bucket, in order.
    pub(crate) deciders: Box<[u32]>,
    /// Observers and background hooks, in order.
    pub(crate) observers: Box<[u32]>,
    /// Whether any of them has to be waited for.
    pub(crate) waits: bool,
    /// Whether any of the deciders rewrites.
    pub(crate) rewrites: bool,
    /// Whether any of them does work that grows with the step.
    pub(crate) heavy: bool,
    /// Whether there are no hooks at all, as for most steps.
    pub(crate) no_hooks: bool,
}

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
    /// Joins the patterns of hooks that are in their order.
    ///
    /// # Errors
    /// The patterns of all hooks together are too large.
    pub(super) fn new(
        contract: &'static Contract,
        entries: Vec<CompiledHook>,
    ) -> Result<Self, MatchError> {
        let tools = ToolSet::join(entries.iter().map(|entry| &entry.definition.patterns))?;
        let without_tool = match_set(&tools, &entries, None);
        Ok(Self {
            contract,
            entries: entries.into(),
            tools,
            memo: Memo::new(),
            without_tool,
            last_resort: false,
        })
    }

    /// Returns the hooks for a step, as far as the name of the tool decides. Reads the memo without
    /// a lock; allocates only for a name that is seen for the first time.
    #[inline(always)]
    pub(crate) fn matched(&self, payload: &dyn AnyPayload) -> Matched<'_> {
        let Some(call) = payload.tool() else {
            return Matched::Kept(&self.without_tool);
        };
        let name = call.tool_name.as_str();
        match self.memo.get_or_insert(name, || match_set(&self.tools, &self.entries, Some(name))) {
            Ok(set) => Matched::Kept(set),
            Err(set) => Matched::Made(Box::new(set)),
        }
    }
}

/// Matches a name against all hooks of an event.
fn match_set(tools: &ToolSet, entries: &[CompiledHook], name: Option<&str>) -> MatchSet {
    let matching = tools.matching(name);
    let hooks = || matching.iter().filter_map(|&index| entries.get(index));
    let indices = |watches: bool| {
        let found = matching.iter().filter_map(|&index| Some((index, entries.get(index)?)));
        let wanted = found.filter(move |(_, hook)| hook.watches() == watches);
        wanted.filter_map(|(index, _)| u32::try_from(index).ok())
    };
    MatchSet {
        deciders: indices(false).collect(),
        observers: indices(true).collect(),
        waits: hooks().any(CompiledHook::waits),
        rewrites: hooks().any(|hook| hook.role == Role::Rewrite),
        heavy: hooks().any(|hook| hook.heavy),
        no_hooks: matching.is_empty(),
    }
}
