//! A stop that was denied too often in a row goes through.
//!
//! A deny at `stop` or `subagent_stop` makes the agent go on, so a hook that denied every stop would keep
//! it running for ever. The table limits how many denials in a row count (`limits.stop_denials`, 3 by
//! default); the next one is overruled, and the user reads why the agent stopped all the same.
//!
//! A host that counts the denials itself says so in the payload (`continues_so_far`); for the others the
//! engine counts here, for each agent of each session. A stop that goes through and the end of the session
//! reset the count.
//!
//! What hooks of a session deny alone is a row of its own: it uses up no denial of the hooks of the engine.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{Event, StepContext};

use super::sessions::Sessions;
use super::{DispatchContext, DispatchState};
use crate::decision::{Decision, Outcome, SmallList};
use crate::hook_id::HookId;
use crate::panic_boundary::catch;

/// For how many agents of one session denials are counted. The bound keeps a host that makes up a new
/// agent id for each step from filling the memory.
const AGENTS: usize = 256;

/// The counts of one session, for each event and agent.
type Agents = BTreeMap<(Event, String), Rows>;

/// How many stops were denied in a row.
#[derive(Debug, Default)]
struct Rows {
    by_engine: u64,
    by_session: u64,
}

/// The denied stops of each agent, since its last stop that went through.
#[derive(Debug, Default)]
pub(crate) struct StopCounts(Mutex<Sessions<Agents>>);

impl StopCounts {
    /// Counts a denied stop and returns how many there were in a row before it, of the hooks of the engine or of those of
    /// the session.
    fn count_denied(&self, event: Event, context: &StepContext<'_>, of_session: bool) -> u64 {
        self.with(|sessions| {
            let agents = sessions.get_or_insert(context.session_id).0;
            let agent = (event, context.agent_id.unwrap_or_default().to_owned());
            if agents.len() >= AGENTS && !agents.contains_key(&agent) {
                agents.pop_first();
            }
            let rows = agents.entry(agent).or_default();
            let count = if of_session { &mut rows.by_session } else { &mut rows.by_engine };
            let before = *count;
            *count = before.saturating_add(1);
            before
        })
    }

    /// Resets the count of an agent whose stop has gone through.
    pub(crate) fn reset(&self, event: Event, context: &StepContext<'_>) {
        self.with(|sessions| {
            let Some(agents) = sessions.get_mut(context.session_id) else { return };
            agents.remove(&(event, context.agent_id.unwrap_or_default().to_owned()));
            if agents.is_empty() {
                sessions.remove(context.session_id);
            }
        });
    }

    /// Forgets all agents of a session.
    pub(crate) fn forget_session(&self, session_id: &str) {
        self.with(|sessions| sessions.remove(session_id));
    }

    fn with<T>(&self, run: impl FnOnce(&mut Sessions<Agents>) -> T) -> T {
        run(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl DispatchState<'_> {
    /// Counts the stops of an agent, and overrules the deny of one that was denied too often.
    #[inline]
    pub(super) fn count_stops(&self, decision: Option<&mut Decision>, payload: &dyn AnyPayload) {
        let contract = self.context.bucket.contract;
        if contract.limits_denials {
            self.context.limit_denied_stops(decision, Some(payload));
        } else if contract.ends_session {
            let session_id = self.context.step_context.session_id;
            self.context.services.stops.forget_session(session_id);
            self.context.services.turn_notes.forget_session(session_id);
        }
    }
}

impl DispatchContext<'_> {
    /// Lets a stop go through that was denied as many times in a row as the table allows: as the host
    /// counts, or, if it does not, as the engine does. So it does for a payload that panics, or is not asked.
    pub(super) fn limit_denied_stops(
        &self,
        decision: Option<&mut Decision>,
        payload: Option<&dyn AnyPayload>,
    ) {
        let Self { step_context, services, table, .. } = self;
        let event = self.bucket.contract.event;
        let denied = decision.filter(|decision| decision.outcome == Outcome::Deny);
        let Some(decision) = denied else {
            return services.stops.reset(event, step_context);
        };
        let counted = |payload: &dyn AnyPayload| {
            catch("the payload", || payload.denials_so_far()).ok().flatten()
        };
        let of_session = decision.by.iter().all(HookId::is_of_scope);
        let count = || services.stops.count_denied(event, step_context, of_session);
        let so_far = match payload.and_then(counted) {
            None => count(),
            // The host counts all denials in one.
            Some(by_host) if self.bucket.has_hooks_of_session() => by_host.min(count()),
            Some(by_host) => by_host,
        };
        if so_far < table.limits.stop_denials {
            return;
        }
        services.stops.reset(event, step_context);
        decision.messages.push(format!(
            "the agent was kept from stopping {so_far} times in a row, so {} is overruled this \
             time: {}",
            decision.by.join(", "),
            decision.reason.as_deref().unwrap_or("no reason given"),
        ));
        decision.outcome = Outcome::Allow;
        decision.by = SmallList::new();
        decision.reason = None;
        decision.reason_code = None;
    }
}
