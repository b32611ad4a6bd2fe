//! A turn: what hooks contribute to it, merged.
//!
//! While a turn is planned, the runtime goes through five phases, and hooks contribute at each:
//!
//! ```text
//! turn_policy ─▶ prompt_context ─▶ prompt_context_planned ─▶ tool_selection ─▶ prompt_compile
//!  PolicySet        ContextSet            ContextSet              ToolSet        SectionSet ─▶ Prompt
//! ```
//!
//! A [`Turn`] has the hooks of a phase called and merges what they give: one typed set for each phase. Later phases read
//! the sets of earlier ones in the payload of their step (`policies`, `contexts`, `tool_names`).
//!
//! ```
//! use hookgate::contract::contribution::{ContextPiece, PolicySetting, SectionText};
//! use hookgate::contract::payload::{Planning, PromptCompile, PromptContext, TurnPolicy};
//! use hookgate::turn::Turn;
//! use hookgate::{Engine, Event, HandlerTable, Hook, StepContext, Verdict};
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let policy = Hook::sync("limits", |_| Ok(Verdict::none().contribute(PolicySetting::new("shell", "network", false))));
//! let memory = Hook::sync("memory", |_| Ok(Verdict::none().contribute(ContextPiece::new("likes", "They like tea."))));
//! let rules = Hook::sync("rules", |_| Ok(Verdict::none().contribute(SectionText::new("tone", "Be brief.").title("Tone"))));
//! let mut table = HandlerTable::builder();
//! table.insert(policy.event(Event::TurnPolicy)).insert(memory.event(Event::PromptContext));
//! table.insert(rules.event(Event::PromptCompile));
//! let engine = Engine::new(table.build()?);
//! let context = StepContext::new("session-1");
//!
//! let mut turn = Turn::of(&engine);
//! let planning = || Planning::new("a drink, please");
//! let policies = turn.policy(&engine, TurnPolicy(planning()), &context).await;
//! assert_eq!(policies.get("shell", "network"), Some(&false.into()));
//! turn.context(&engine, PromptContext(planning()), &context).await;
//! turn.sections(&engine, PromptCompile(planning()), &context).await;
//!
//! let prompt = turn.prompt();
//! assert_eq!(prompt.text(), "They like tea.\n\n## Tone\nBe brief.");
//! assert_eq!(prompt.origin(&prompt.lines[0]).unwrap().source.hook, "memory");
//! # Ok::<_, hookgate::table::BuildErrors>(()) }).unwrap();
//! ```
//!
//! # Rules
//!
//! * **Order**: slot, priority, hook, id. Slots that the config lists come first, others by name; a lower priority comes
//!   first. Neither the order of hooks nor that of phases changes a set.
//! * **The same** in one slot for one lifetime stands once. What differs under one key is a conflict: the lower priority
//!   wins, and of equal ones the first in order.
//! * **Budgets** ([`ContributionLimits`]) are served by priority, the lowest number
//!   first. A text is cut at the end of a line, and a mark says so.
//! * **Lifetimes**: [`Delivered`] knows what the session has.
//! * **Data**: a text whose provenance is a tool, a file or a page is fenced.
//! * What is not delivered as it was given has a [`TurnNote`].
//!
//! A phase without hooks costs what a dispatch costs for an event without hooks: nothing is merged or allocated.

mod budget;
mod candidate;
mod delivered;
mod note;
mod others;
mod policy;
mod prompt;
mod sections;
mod source;
mod text;
mod tokens;
mod tools;
mod whole;

use hookgate_contract::contribution::{Contribution, ContributionKind};
use hookgate_contract::payload::{
    Payload, Planning, PromptCompile, PromptContext, PromptContextPlanned, ToolSelection,
    TurnPolicy,
};
use hookgate_contract::{Event, StepContext};

use crate::decision::Contributed;
use crate::engine::{Engine, HookEngine};
use crate::hook_id::HookId;
use crate::step::{Cleared, HookStep};
use crate::table::ContributionLimits;
pub use delivered::Delivered;
pub use note::{NoteCode, TurnNote};
pub use others::{Entry, Others};
pub use policy::{PolicyEntry, PolicySet};
pub use prompt::{LinePart, Prompt, PromptLine};
pub use sections::{ContextSet, Section, SectionSet};
pub use source::{Giver, Source};
pub use text::{Cut, TextEntry};
use tokens::Tokens;
pub use tools::{BundleEntry, OfferedTool, Route, ToolSet};

/// A contribution, as it came.
#[derive(Debug, Clone)]
struct Given {
    hook: HookId,
    event: Event,
    contribution: Contribution,
}

/// What hooks contribute to one turn. The module says how it is used.
#[derive(Debug, Default)]
pub struct Turn {
    limits: ContributionLimits,
    tokens: Tokens,
    delivered: Delivered,
    given: Vec<Given>,
    /// The tools that a rewriter took away.
    removed: Vec<String>,
    policies: PolicySet,
    contexts: ContextSet,
    tools: ToolSet,
    sections: SectionSet,
    others: Others,
}

impl Turn {
    /// Begins a turn with these budgets.
    #[must_use]
    pub fn new(limits: ContributionLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Begins a turn with the budgets of the table in force.
    #[must_use]
    pub fn of(engine: &Engine) -> Self {
        Self::new(engine.table().limits().contributions.clone())
    }

    /// Counts tokens as the model does; without it a token is estimated for each four bytes.
    #[must_use]
    pub fn count_tokens(mut self, count: impl Fn(&str) -> u64 + Send + Sync + 'static) -> Self {
        self.tokens = Tokens::counted_by(count);
        self
    }

    /// Says what earlier turns of the session have delivered.
    #[must_use]
    pub fn delivered(mut self, delivered: Delivered) -> Self {
        self.delivered = delivered;
        self
    }

    /// Has the hooks of `turn_policy` called, and returns the policy.
    pub async fn policy<E: HookEngine + ?Sized>(
        &mut self,
        engine: &E,
        step: TurnPolicy,
        context: &StepContext<'_>,
    ) -> &PolicySet {
        self.phase(engine, step, context, |step| &mut step.0).await;
        &self.policies
    }

    /// Has the hooks of `prompt_context` called, and returns the context so far.
    pub async fn context<E: HookEngine + ?Sized>(
        &mut self,
        engine: &E,
        step: PromptContext,
        context: &StepContext<'_>,
    ) -> &ContextSet {
        self.phase(engine, step, context, |step| &mut step.0).await;
        &self.contexts
    }

    /// Has the hooks of `prompt_context_planned` called, and returns all context. What a hook gives here under an id
    /// that it used at `prompt_context` takes the place of that.
    pub async fn planned_context<E: HookEngine + ?Sized>(
        &mut self,
        engine: &E,
        step: PromptContextPlanned,
        context: &StepContext<'_>,
    ) -> &ContextSet {
        self.phase(engine, step, context, |step| &mut step.0).await;
        &self.contexts
    }

    /// Has the hooks of `tool_selection` called, and returns the tools: those of the step that no rewriter took away, and
    /// those of bundles.
    pub async fn tools<E: HookEngine + ?Sized>(
        &mut self,
        engine: &E,
        mut step: ToolSelection,
        context: &StepContext<'_>,
    ) -> &ToolSet {
        if !engine.armed(Event::ToolSelection) {
            // As they are: nothing is to be compared.
            self.tools.offered = step.0.tool_names.take().unwrap_or_default();
            self.phase(engine, step, context, |step| &mut step.0).await;
            return &self.tools;
        }
        let before = step.0.tool_names.clone().unwrap_or_default();
        let after = self.phase(engine, step, context, |step| &mut step.0).await;
        let offered = after.and_then(|step| step.0.tool_names).unwrap_or_default();
        let removed = before.into_iter().filter(|name| !offered.contains(name)).collect();
        self.offer_tools(offered, removed);
        &self.tools
    }

    /// Has the hooks of `prompt_compile` called, and returns the sections. [`prompt`](Self::prompt) puts them together
    /// with the context.
    pub async fn sections<E: HookEngine + ?Sized>(
        &mut self,
        engine: &E,
        step: PromptCompile,
        context: &StepContext<'_>,
    ) -> &SectionSet {
        self.phase(engine, step, context, |step| &mut step.0).await;
        &self.sections
    }

    /// Puts the prompt together, of all that was given so far.
    #[must_use]
    pub fn prompt(&self) -> Prompt {
        let mut sections = self.sections.clone();
        sections.notes.extend(self.contexts.notes.iter().cloned());
        Prompt::of(self.contexts.entries.clone(), sections, &self.limits)
    }

    /// Returns the policy gathered so far, without a hook being called.
    #[must_use]
    pub const fn policy_set(&self) -> &PolicySet {
        &self.policies
    }

    /// Returns the context gathered so far.
    #[must_use]
    pub const fn context_set(&self) -> &ContextSet {
        &self.contexts
    }

    /// Returns the tools gathered so far.
    #[must_use]
    pub const fn tool_set(&self) -> &ToolSet {
        &self.tools
    }

    /// Returns the sections gathered so far.
    #[must_use]
    pub const fn section_set(&self) -> &SectionSet {
        &self.sections
    }

    /// Returns audit lines, diagnostics and jobs gathered so far.
    #[must_use]
    pub const fn others(&self) -> &Others {
        &self.others
    }

    /// Returns what became of all that is not delivered as it was given.
    pub fn notes(&self) -> impl Iterator<Item = &TurnNote> {
        let texts = self.contexts.notes.iter().chain(&self.sections.notes);
        let others = self.tools.notes.iter().chain(&self.others.notes);
        self.policies.notes.iter().chain(texts).chain(others)
    }

    /// Ends the turn once its prompt was sent, and returns what the session has now. A text that was cut is not among
    /// it: it is sent again.
    #[must_use]
    pub fn into_delivered(self) -> Delivered {
        let Self { mut delivered, contexts, sections, .. } = self;
        let fragments = sections.sections.iter().flat_map(|section| &section.fragments);
        for entry in contexts.entries.iter().chain(fragments).filter(|entry| entry.cut.is_none()) {
            delivered.note(&entry.source);
        }
        delivered
    }

    /// Adds what hooks gave at an event, for a runtime that dispatches by itself, and for what hooks contribute at other
    /// events of the turn: audit lines, diagnostics, jobs.
    pub fn absorb(&mut self, event: Event, contributions: &[Contributed]) {
        let kinds: Vec<ContributionKind> =
            contributions.iter().map(|one| one.contribution.kind()).collect();
        self.given.extend(contributions.iter().map(|one| Given {
            hook: one.hook.clone(),
            event,
            contribution: one.contribution.clone(),
        }));
        let has = |of: &[ContributionKind]| kinds.iter().any(|kind| of.contains(kind));
        if has(&[ContributionKind::Policy]) {
            self.policies = PolicySet::of(&self.given, &self.limits, &self.tokens);
        }
        if has(&[ContributionKind::PromptContext, ContributionKind::PromptSection]) {
            let texts = text::merge(&self.given, &self.limits, &self.delivered, &self.tokens);
            let estimated = self.tokens.are_estimated();
            self.contexts = ContextSet::of(&texts, estimated);
            self.sections = SectionSet::of(texts, &self.limits, estimated);
        }
        if has(&[ContributionKind::ToolBundle]) {
            self.merge_tools();
        }
        if has(ContributionKind::ANYWHERE) {
            self.others = Others::of(&self.given, &self.limits, &self.tokens);
        }
    }

    /// Says which tools the runtime offers after all rewriters, and which of them a rewriter has taken away, for a
    /// runtime that dispatches by itself.
    pub fn offer_tools(&mut self, offered: Vec<String>, removed: Vec<String>) {
        (self.tools.offered, self.removed) = (offered, removed);
        self.merge_tools();
    }

    /// Writes the sets of earlier phases into what the hooks of a phase read, where the runtime has written nothing.
    pub fn inform(&self, event: Event, planning: &mut Planning) {
        if event != Event::TurnPolicy && !self.policies.entries.is_empty() {
            planning.policies.get_or_insert_with(|| self.policies.to_payload());
        }
        let has_context = !matches!(event, Event::TurnPolicy | Event::PromptContext);
        if has_context && !self.contexts.entries.is_empty() {
            planning.contexts.get_or_insert_with(|| self.contexts.to_payload());
        }
        if event == Event::PromptCompile && self.tools.names().next().is_some() {
            let names = || self.tools.names().map(str::to_owned).collect();
            planning.tool_names.get_or_insert_with(names);
        }
    }

    fn merge_tools(&mut self) {
        let offered = std::mem::take(&mut self.tools.offered);
        self.tools = ToolSet::of(&self.given, (offered, &self.removed), &self.limits, &self.tokens);
    }

    /// Has the hooks of a phase called, and returns the step after them. Without a hook it is one load and a branch.
    async fn phase<E, S>(
        &mut self,
        engine: &E,
        step: S,
        context: &StepContext<'_>,
        planning: fn(&mut S) -> &mut Planning,
    ) -> Option<S>
    where
        E: HookEngine + ?Sized,
        S: HookStep<Payload = S, Cleared = Cleared<S>> + Payload,
    {
        let mut step = match engine.pass(step) {
            Ok(cleared) => return Some(cleared.into_payload()),
            Err(step) => step,
        };
        let event = S::CONTRACT.event;
        self.inform(event, planning(&mut step));
        // A phase cannot be refused: its step comes back.
        let cleared = engine.dispatch(step, context).await.cleared()?;
        self.absorb(event, cleared.contributions());
        Some(cleared.into_payload())
    }
}
