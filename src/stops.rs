//! How many times in a row an agent was kept from stopping, where the host does not count.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use hookgate_contract::{Event, StepContext};

use crate::sessions::Sessions;

/// Of how many agents of a session it is counted.
const AGENTS: usize = 256;

/// The counts of the agents of a session: the event, the agent.
type Agents = BTreeMap<(Event, String), u64>;

/// Counts stops that were denied, per session and agent. A stop that goes through and the end of
/// the session end the count.
#[derive(Debug, Default)]
pub(crate) struct Stops(Mutex<Sessions<Agents>>);

impl Stops {
    /// Counts a denied stop; how many there were before it.
    pub(crate) fn denied(&self, event: Event, context: &StepContext<'_>) -> u64 {
        self.with(|sessions| {
            let agents = sessions.of(context.session_id).0;
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

    /// A stop has gone through.
    pub(crate) fn passed(&self, event: Event, context: &StepContext<'_>) {
        self.with(|sessions| {
            let Some(agents) = sessions.get_mut(context.session_id) else { return };
            agents.remove(&(event, context.agent_id.unwrap_or_default().to_owned()));
            if agents.is_empty() {
                sessions.remove(context.session_id);
            }
        });
    }

    /// Forgets a session.
    pub(crate) fn forget(&self, session_id: &str) {
        self.with(|sessions| sessions.remove(session_id));
    }

    fn with<T>(&self, look: impl FnOnce(&mut Sessions<Agents>) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
