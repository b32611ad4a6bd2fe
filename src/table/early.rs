//! Which hooks can judge a text while it still comes.
//!
//! A hook judges early if its handler [says where a text can be cut](hookgate_contract::TextCuts) and it has no condition
//! that looks at the text, at other hooks or at what was kept. What it says of the pieces is then what it says of the
//! whole. All other hooks that decide want the whole, and so does each that comes after a rewriter.

use std::sync::Arc;

use hookgate_contract::{Event, Mode, Role, TextCuts};

use super::HandlerTable;
use super::bucket::Bucket;
use super::compiled_hook::CompiledHook;
use crate::hook_id::HookId;

/// The hooks of an event, told apart by when they judge a text that comes in parts.
#[derive(Debug, Default)]
pub(crate) struct EarlyHooks {
    /// The same table with those hooks alone that judge pieces; `None` if there is none.
    pub(crate) table: Option<HandlerTable>,
    /// Where they can cut a text.
    pub(crate) cuts: Vec<Arc<dyn TextCuts>>,
    /// The hooks that want the whole.
    pub(crate) whole: Vec<HookId>,
}

impl HandlerTable {
    /// Returns the hooks that have to see a text of this event as a whole before any of it is settled, in their order. All
    /// other hooks that decide judge it [piece by piece](crate::stream).
    ///
    /// ```
    /// use hookgate::{Event, HandlerTable, Hook, Verdict};
    ///
    /// let guard = Hook::sync("tone", |_| Ok(Verdict::none())).event(Event::PostLlmResponse);
    /// let table = HandlerTable::builder().insert(guard).build()?;
    /// assert_eq!(table.hooks_of_whole_text(Event::PostLlmResponse), ["tone"]);
    /// # Ok::<(), hookgate::table::BuildErrors>(())
    /// ```
    #[must_use]
    pub fn hooks_of_whole_text(&self, event: Event) -> Vec<HookId> {
        self.early_hooks(event).whole
    }

    /// Tells the hooks of the text of the model apart, once for a table that is in force.
    pub(crate) fn hooks_of_model_text(&self) -> &Arc<EarlyHooks> {
        self.early.get_or_init(|| Arc::new(self.early_hooks(Event::PostLlmResponse)))
    }

    /// Returns what is another one if the hooks of the text of the model are others.
    pub(crate) fn identity_of_model_text_hooks(&self) -> Option<&Arc<Bucket>> {
        self.buckets.get(Event::PostLlmResponse.index())?.as_ref()
    }

    /// Tells the hooks of an event apart.
    fn early_hooks(&self, event: Event) -> EarlyHooks {
        let Some(Some(bucket)) = self.buckets.get(event.index()) else {
            return EarlyHooks::default();
        };
        // A text has no tool: hooks of tools are not called about it.
        let deciders = bucket.without_tool.deciders.iter();
        let deciders = deciders.filter(|hook| hook.mode == Mode::Enforce);
        // What a rewriter makes of a piece, the hooks after it would judge at cuts of the text before.
        let mut is_rewritten = false;
        let (early, whole): (Vec<_>, Vec<_>) = deciders.partition(|hook| {
            let is_early = hook.judges_pieces() && !is_rewritten;
            is_rewritten |= hook.role == Role::Rewrite;
            is_early
        });
        let ids =
            |hooks: &[&Arc<CompiledHook>]| hooks.iter().map(|hook| hook.id().clone()).collect();
        let cuts =
            early.iter().filter_map(|hook| hook.definition.spec.built().cuts.clone()).collect();
        if early.is_empty() {
            return EarlyHooks { table: None, cuts, whole: ids(&whole) };
        }
        // The hooks are those of the table, with what is counted of them.
        match Bucket::new(bucket.contract, early.iter().map(|hook| Arc::clone(hook))) {
            Ok(of_pieces) => {
                let mut table = self.clone();
                (table.recorded, table.shadow) = (false, None);
                if let Some(place) = table.buckets.get_mut(event.index()) {
                    *place = Some(Arc::new(of_pieces));
                }
                EarlyHooks { table: Some(table), cuts, whole: ids(&whole) }
            }
            // Their patterns were joined before; should it fail, all of them want the whole.
            Err(_) => {
                let all = bucket.without_tool.deciders.iter().map(|hook| hook.id().clone());
                EarlyHooks { whole: all.collect(), ..EarlyHooks::default() }
            }
        }
    }
}

impl CompiledHook {
    /// Whether what it says of a text is what it says of its pieces.
    fn judges_pieces(&self) -> bool {
        let spec = &self.definition.spec;
        spec.built().cuts.is_some()
            && !spec.keeps_state()
            && !spec.depends_on_history()
            && !self.dependencies.any()
            && spec.matcher().reads_session_only()
    }
}
