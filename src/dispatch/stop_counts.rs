//! How many times in a row an agent was kept from stopping.
//!
//! A hook that denies every stop would keep an agent running for ever. The table limits how many
//! denials in a row count (`limits.stop_denials`). A host that counts them itself says so in the
//! payload (`continues_so_far`); for the others the engine counts here, for each agent of each
//! session. A stop that goes through and the end of the session reset the count.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use hookgate_contract::{Event, StepContext};

use super::sessions::Sessions;

/// For how many agents of one session denials are counted. The bound keeps a host that makes up a new
/// agent id for each step from filling the memory.
const AGENTS: usize = 256;

/// The counts of one session, for each event and agent.
type Agents = BTreeMap<(Event, String), u64>;

/// The denied stops of each agent, since its last stop that went through.
#[derive(Debug, Default)]
pub(crate) struct StopCounts(Mutex<Sessions<Agents>>);

impl StopCounts {
    /// Counts a denied stop and returns how many there were in a row before it.
    pub(crate) fn count_denied(&self, event: Event, context: &StepContext<'_>) -> u64 {
        self.with(|sessions| {
            let agents = sessions.get_or_insert(context.session_id).0;
            let agent = (event, context.agent_id.unwrap_or_default().to_owned());
            if agents.len() >= AGENTS && !agents.contains_key(&agent) {
                agents.pop_first();
            }
            let count = agents.entry(agent).or_default();
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
