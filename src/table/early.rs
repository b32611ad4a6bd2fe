//! Which hooks can judge a text while it still comes.
//!
//! A hook judges early if it has no condition that looks at the text, at other hooks or at what was kept, and
//!
//! - its handler [says where a text can be cut](hookgate_contract::TextCuts): what it says of the pieces is then what it
//!   says of the whole; or
//! - its settings say that it judges by [windows](TextWindow).
//!
//! All other hooks that decide want the whole. So does a hook that cuts and comes after a rewriter, and one with windows
//! that comes before a rewriter of pieces or after another one: it would see another text than at the end.

use std::sync::Arc;

use hookgate_contract::{Event, Mode, Role, TextCuts};

use super::HandlerTable;
use super::bucket::Bucket;
use super::compiled_hook::CompiledHook;
use super::text_window::TextWindow;
use crate::hook_id::HookId;
use crate::matcher::MatchError;

/// The hooks of an event, told apart by when they judge a text that comes in parts.
#[derive(Debug, Default)]
pub(crate) struct EarlyHooks {
    /// The same table with those hooks alone that judge pieces; `None` if there is none.
    pub(crate) table: Option<HandlerTable>,
    /// Where they can cut a text.
    pub(crate) cuts: Vec<Arc<dyn TextCuts>>,
    /// The same table with those hooks alone that judge windows of one size, for each size.
    pub(crate) windows: Vec<(TextWindow, HandlerTable)>,
    /// The hooks that want the whole.
    pub(crate) whole: Vec<HookId>,
}

impl EarlyHooks {
    /// Whether no hook decides about the text.
    pub(crate) const fn is_empty(&self) -> bool {
        self.table.is_none() && self.windows.is_empty() && self.whole.is_empty()
    }
}

/// When a hook judges a text.
#[derive(Clone, Copy, PartialEq)]
enum When {
    Pieces,
    Windows(TextWindow),
    Whole,
}

impl HandlerTable {
    /// Returns the hooks that have to see a text of this event as a whole before any of it is settled, in their order. All
    /// other hooks that decide judge it [piece by piece](crate::stream), or by the windows that they are set to.
    ///
    /// At an event about a tool these are the hooks of all tools.
    ///
    /// ```
    /// use hookgate::table::TextWindow;
    /// use hookgate::{Event, HandlerTable, Hook, Verdict};
    ///
    /// let guard = |id: &str| Hook::sync(id, |_| Ok(Verdict::none())).event(Event::PostLlmResponse);
    /// let hooks = [guard("tone"), guard("facts").text_window(TextWindow::bytes(2000))];
    /// let table = hooks.into_iter().fold(HandlerTable::builder(), |mut table, hook| { table.insert(hook); table }).build()?;
    /// assert_eq!(table.hooks_of_whole_text(Event::PostLlmResponse), ["tone"]);
    /// # Ok::<(), hookgate::table::BuildErrors>(())
    /// ```
    #[must_use]
    pub fn hooks_of_whole_text(&self, event: Event) -> Vec<HookId> {
        let Some(bucket) = self.hooks_at(event) else { return Vec::new() };
        let deciders = bucket.entries.iter().filter(|hook| !hook.watches());
        let told_apart = tell_apart(deciders);
        let whole = told_apart.filter(|(_, when)| *when == When::Whole);
        whole.map(|(hook, _)| hook.id().clone()).collect()
    }

    /// Tells the hooks of the text of the model apart, once for a table that is in force.
    pub(crate) fn hooks_of_model_text(&self) -> &Arc<EarlyHooks> {
        self.early.get_or_init(|| {
            let bucket = self.hooks_at(Event::PostLlmResponse);
            // A text of the model has no tool: hooks of tools are not called about it.
            let hooks =
                bucket.map(|bucket| self.early_hooks(bucket, &bucket.without_tool.deciders));
            Arc::new(hooks.unwrap_or_default())
        })
    }

    /// Tells the hooks of the text of a tool apart.
    pub(crate) fn hooks_of_tool_text(&self, tool: &str) -> Arc<EarlyHooks> {
        let bucket = self.hooks_at(Event::PostToolUse);
        let hooks = bucket.map(|bucket| self.early_hooks(bucket, &bucket.of_tool(tool).deciders));
        Arc::new(hooks.unwrap_or_default())
    }

    /// Returns the hooks of an event: another value if they are others.
    pub(crate) fn hooks_at(&self, event: Event) -> Option<&Arc<Bucket>> {
        self.buckets.get(event.index())?.as_ref()
    }

    fn early_hooks(&self, bucket: &Bucket, deciders: &[Arc<CompiledHook>]) -> EarlyHooks {
        let told_apart: Vec<_> = tell_apart(deciders.iter()).collect();
        let those = |when: When| {
            told_apart.iter().filter(move |(_, it)| *it == when).map(|(hook, _)| *hook)
        };
        let all_whole = || EarlyHooks {
            whole: told_apart.iter().map(|(hook, _)| hook.id().clone()).collect(),
            ..EarlyHooks::default()
        };
        let whole = those(When::Whole).map(|hook| hook.id().clone()).collect();
        let cuts = those(When::Pieces).filter_map(|hook| hook.definition.spec.built().cuts.clone());
        let mut early = EarlyHooks { cuts: cuts.collect(), whole, ..EarlyHooks::default() };
        // Their patterns were joined before; should it fail, all of them want the whole.
        if !early.cuts.is_empty() {
            let Ok(table) = self.with_only(bucket, those(When::Pieces)) else { return all_whole() };
            early.table = Some(table);
        }
        for (_, when) in &told_apart {
            let When::Windows(window) = *when else { continue };
            if early.windows.iter().any(|(known, _)| *known == window) {
                continue;
            }
            let Ok(table) = self.with_only(bucket, those(*when)) else { return all_whole() };
            early.windows.push((window, table));
        }
        early
    }

    /// Returns the same table with these hooks of an event alone, with what is counted of them.
    fn with_only<'h>(
        &self,
        bucket: &Bucket,
        hooks: impl Iterator<Item = &'h Arc<CompiledHook>>,
    ) -> Result<Self, MatchError> {
        let only = Bucket::new(bucket.contract, hooks.map(Arc::clone))?;
        let mut table = self.clone();
        (table.recorded, table.shadow) = (false, None);
        if let Some(place) = table.buckets.get_mut(bucket.contract.event.index()) {
            *place = Some(Arc::new(only));
        }
        Ok(table)
    }
}

/// Tells apart when the hooks of an event judge a text, in their order.
fn tell_apart<'h>(
    deciders: impl Iterator<Item = &'h Arc<CompiledHook>>,
) -> impl Iterator<Item = (&'h Arc<CompiledHook>, When)> {
    let deciders = deciders.filter(|hook| hook.mode == Mode::Enforce);
    // What a rewriter makes of a piece, the hooks after it would judge at cuts of the text before.
    let (mut is_rewritten, mut is_rewritten_as_whole) = (false, false);
    let mut told_apart: Vec<_> = deciders
        .map(|hook| {
            let when = match (hook.judges_pieces(), hook.definition.spec.text_window()) {
                (true, _) if !is_rewritten => When::Pieces,
                (_, Some(window)) if hook.judges_windows() && !is_rewritten_as_whole => {
                    When::Windows(window)
                }
                _ => When::Whole,
            };
            is_rewritten |= hook.role == Role::Rewrite;
            is_rewritten_as_whole |= hook.role == Role::Rewrite && when == When::Whole;
            (hook, when)
        })
        .collect();
    // Windows are of the text as the rewriters of pieces have left it: who comes before them judges another one.
    let is_rewriter = |(hook, when): &(&Arc<CompiledHook>, When)| {
        hook.role == Role::Rewrite && *when == When::Pieces
    };
    let last = told_apart.iter().rposition(is_rewriter).unwrap_or_default();
    for (_, when) in told_apart.iter_mut().take(last) {
        if matches!(when, When::Windows(_)) {
            *when = When::Whole;
        }
    }
    told_apart.into_iter()
}

impl CompiledHook {
    /// Whether what it says of a text is what it says of its pieces.
    fn judges_pieces(&self) -> bool {
        self.definition.spec.built().cuts.is_some() && self.reads_text_alone()
    }

    /// Whether it may judge a text by windows, if it is set to.
    fn judges_windows(&self) -> bool {
        self.role == Role::Guard && self.reads_text_alone()
    }

    /// Whether it is called about each piece of a text, or about none, and no piece changes what it says of another.
    fn reads_text_alone(&self) -> bool {
        let spec = &self.definition.spec;
        !spec.keeps_state()
            && !spec.depends_on_history()
            && !self.dependencies.any()
            && spec.matcher().reads_no_text()
    }
}
