//! What is kept of a session between two steps: each is a process of its own.

use std::path::PathBuf;
use std::sync::Arc;

use hookgate::conditions::FileHistory;
use hookgate::contract::Event;
use hookgate::{HandlerTable, Outcome};
use serde_json::{Map, Value};

use super::error::HookError;

/// The folder of the sessions, in that of what programs keep.
const SESSIONS: &str = "hookgate/sessions";

/// The field by which a host says how many times in a row a stop was denied.
const SO_FAR: &str = "continues_so_far";

/// The marks, counts and denied stops of the sessions of this user.
#[derive(Debug)]
pub(super) struct State(Arc<FileHistory>);

impl State {
    /// Opens it; nothing is read or written before a hook asks.
    pub(super) fn open() -> Self {
        // Without a folder every use of it is a problem, and without a use there is none.
        let folder = folder().unwrap_or_else(|| PathBuf::from("/dev/null"));
        Self(Arc::new(FileHistory::new(folder.join(SESSIONS))))
    }

    /// Returns the history for the conditions.
    pub(super) fn history(&self) -> Arc<FileHistory> {
        Arc::clone(&self.0)
    }

    /// Says in the envelope of a stop how many times in a row it was denied, unless the agent does: agents
    /// do not count, and some would go on for ever.
    pub(super) fn tell_denials(&self, envelope: &mut Map<String, Value>, table: &HandlerTable) {
        let name = envelope.get("hook_event_name").and_then(Value::as_str).unwrap_or_default();
        let Some(event) = Event::from_name(name).filter(|event| event.contract().limits_denials)
        else {
            return;
        };
        if !table.is_armed(event) || envelope.contains_key(SO_FAR) {
            return;
        }
        let is_first = envelope.get("stop_hook_active") == Some(&Value::Bool(false));
        let (session, number) = place(envelope);
        let so_far = if is_first { 0 } else { self.0.number(&session, &number) };
        envelope.insert(SO_FAR.to_owned(), so_far.into());
    }

    /// Keeps how many times in a row a stop was denied.
    pub(super) fn note_denials(&self, envelope: &Map<String, Value>, outcome: Outcome) {
        let Some(so_far) = envelope.get(SO_FAR).and_then(Value::as_u64) else { return };
        let (session, number) = place(envelope);
        let now = if outcome == Outcome::Deny { so_far.saturating_add(1) } else { 0 };
        if now != self.0.number(&session, &number) {
            self.0.set_number(&session, &number, now);
        }
    }

    /// Fails if something could not be read or kept: whether a step is within its limits is not known
    /// then.
    ///
    /// # Errors
    /// [`HookError::State`].
    pub(super) fn check(&self) -> Result<(), HookError> {
        self.0.problem().map_or(Ok(()), |problem| Err(HookError::State(problem)))
    }
}

/// Returns the session of an envelope, and the name of the number of its agent.
fn place(envelope: &Map<String, Value>) -> (String, String) {
    let text = |key| envelope.get(key).and_then(Value::as_str).unwrap_or_default();
    let (event, agent) = (text("hook_event_name"), text("agent_id"));
    (text("session_id").to_owned(), format!("denied {event} {agent}"))
}

fn folder() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = set("XDG_STATE_HOME").filter(|folder| folder.is_absolute());
    folder.or_else(|| Some(set("HOME")?.join(".local/state")))
}
