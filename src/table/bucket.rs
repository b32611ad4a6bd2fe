//! The hooks of one event, and which of them match the name of a tool.

use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{Contract, Role};

use super::entry::CompiledHook;
use super::memo::Memo;
use crate::matcher::{MatchError, ToolSet};

/// The hooks of one event, in order.
pub(crate) struct Bucket {
    pub(crate) contract: &'static Contract,
    pub(crate) entries: Box<[CompiledHook]>,
    pub(super) tools: ToolSet,
    pub(super) memo: Memo<MatchSet>,
    pub(super) without_tool: MatchSet,
    /// Whether a deny stands before the hooks, since a required guard is missing.
    pub(super) last_resort: bool,
}

/// The hooks of a bucket that match a tool's name.
#[derive(Debug, Default)]
pub(crate) struct MatchSet {
    /// Guards and rewriters, as places in the bucket, in order.
    pub(crate) deciders: Box<[u32]>,
    /// Those that are told afterwards, in order.
    pub(crate) observers: Box<[u32]>,
    /// Whether any of them waits for something.
    pub(crate) waits: bool,
    /// Whether any of the judges rewrites.
    pub(crate) rewrites: bool,
    /// Whether any of them does work that grows with the step.
    pub(crate) heavy: bool,
    /// Whether there is nobody at all, as for most steps.
    pub(crate) nobody: bool,
}

/// A match set that the bucket remembers, or one for this time only.
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
    pub(super) fn new(
        contract: &'static Contract,
        entries: Vec<CompiledHook>,
    ) -> Result<Self, MatchError> {
        let tools = ToolSet::join(entries.iter().map(|entry| &entry.hook.patterns))?;
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

    /// The hooks for a step, as far as the tool's name decides.
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

fn match_set(tools: &ToolSet, entries: &[CompiledHook], name: Option<&str>) -> MatchSet {
    let matching = tools.matching(name);
    let of = |watches: bool| {
        let places = matching.iter().copied();
        places.filter_map(|place| Some((place, entries.get(place)?))).filter_map(
            move |(place, entry)| {
                (entry.watches() == watches).then_some(u32::try_from(place).ok()?)
            },
        )
    };
    let hooks = || matching.iter().filter_map(|&place| entries.get(place));
    MatchSet {
        deciders: of(false).collect(),
        observers: of(true).collect(),
        waits: hooks().any(CompiledHook::waits),
        rewrites: hooks().any(|entry| entry.role == Role::Rewrite),
        heavy: hooks().any(|entry| entry.heavy),
        nobody: matching.is_empty(),
    }
}
