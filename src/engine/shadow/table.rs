//! The table of a shadow.

use std::collections::BTreeSet;
use std::sync::Arc;

use hookgate_contract::{AsyncHandler, Handler, Invocation, Reply, ReplyFuture, Verdict};
use serde_json::{Map, Value};

use super::{ShadowDelta, ShadowSide};
use crate::engine::Engine;
use crate::envelope::{Incoming, IncomingError};
use crate::hook_id::HookId;
use crate::report::Report;
use crate::table::{BuildErrors, HandlerTable, TableBuilder};

/// A table that judges steps which another one decides.
///
/// [`Engine::shadow`](crate::Engine::shadow) makes one for a running engine. A program that has the steps and the
/// reports at hand, as `hookgate run` does, asks it by itself:
///
/// ```
/// use hookgate::envelope::Incoming;
/// use hookgate::engine::shadow::ShadowTable;
/// use hookgate::{Engine, Event, HandlerTable, Hook, Outcome, Verdict};
/// use serde_json::json;
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let engine = Engine::without_hooks();
/// let freeze = Hook::sync("freeze", |_| Ok(Verdict::deny("not today"))).event(Event::PreToolUse);
/// let shadow = ShadowTable::new(HandlerTable::builder().insert(freeze).build()?)?;
///
/// let step = json!({"hook_event_name": "pre_tool_use", "tool_name": "Bash", "tool_input": {}});
/// let serde_json::Value::Object(step) = step else { panic!() };
/// let live = engine.evaluate(&mut Incoming::from_object(step.clone())?).await;
/// let delta = shadow.judge(step, &live).await?;
/// assert!(!delta.is_empty());
/// assert_eq!((delta.live.decision, delta.shadow.decision), (Outcome::Allow, Outcome::Deny));
/// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[derive(Debug)]
pub struct ShadowTable {
    /// The table as it was given.
    table: HandlerTable,
    /// Judges by the same hooks, of which some are not called.
    engine: Engine,
    not_called: BTreeSet<HookId>,
}

impl ShadowTable {
    /// Puts a table into shadow. The hooks that must not be called abstain in it.
    ///
    /// # Errors
    /// The table cannot be built with them, which no table is known to do.
    pub fn new(table: HandlerTable) -> Result<Self, BuildErrors> {
        Self::beside(table, None)
    }

    /// Puts a table into shadow beside another one, whose requirements it would have to meet.
    pub(crate) fn beside(
        table: HandlerTable,
        live: Option<&HandlerTable>,
    ) -> Result<Self, BuildErrors> {
        let mut builder = TableBuilder::from_table(&Arc::new(table.clone()));
        let mut not_called = BTreeSet::new();
        for spec in table.specs().filter(|spec| spec.is_external() && !spec.is_pure()) {
            not_called.insert(spec.id().clone());
            builder.replace(spec.clone().watch_handler(silent));
        }
        let mut judging = builder.build()?;
        if let Some(live) = live {
            judging.require_as(live);
        }
        Ok(Self { table, engine: Engine::new(judging), not_called })
    }

    /// Returns the table as it was given.
    #[must_use]
    pub const fn table(&self) -> &HandlerTable {
        &self.table
    }

    /// Returns the hooks that are not called, because they are external and not pure.
    pub fn not_called(&self) -> impl Iterator<Item = &HookId> {
        self.not_called.iter()
    }

    /// Judges a step, and compares with what was decided about it. The step is the envelope as it came, before any
    /// hook has changed it.
    ///
    /// # Errors
    /// The envelope is no step.
    pub async fn judge(
        &self,
        mut step: Map<String, Value>,
        live: &Report,
    ) -> Result<ShadowDelta, IncomingError> {
        let tool_name = step.get("tool_name").and_then(Value::as_str).map(str::to_owned);
        // Under one id on both sides, whoever has made it.
        if let Some(id) = &live.step_id {
            step.insert("step_id".to_owned(), id.as_str().into());
        }
        let shadow = self.engine.evaluate(&mut Incoming::from_object(step)?).await;
        let asked = shadow.votes.iter().map(|vote| &vote.hook);
        let not_called: BTreeSet<&HookId> =
            asked.filter(|hook| self.not_called.contains(*hook)).collect();
        Ok(ShadowDelta {
            step_id: live.step_id.clone(),
            session_id: live.session_id.clone(),
            event: live.event.clone(),
            tool_name,
            final_differs: live.final_fields != shadow.final_fields || live.answer != shadow.answer,
            not_called: not_called.into_iter().cloned().collect(),
            live: ShadowSide::of(live),
            shadow: ShadowSide::of(&shadow),
        })
    }
}

/// Replaces a handler by one that has no opinion. One that waits still does, so that its hook may have a deadline.
fn silent(handler: Handler) -> Handler {
    match handler {
        Handler::Async(_) => Handler::Async(Arc::new(Silent)),
        _ => Handler::Sync(Arc::new(|_: Invocation<'_>| -> Reply { Ok(Verdict::none()) })),
    }
}

/// A handler that has no opinion.
struct Silent;

impl AsyncHandler for Silent {
    fn handle<'a>(&'a self, _: Invocation<'a>) -> ReplyFuture<'a> {
        Box::pin(std::future::ready(Ok(Verdict::none())))
    }
}
