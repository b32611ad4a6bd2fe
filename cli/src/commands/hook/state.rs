//! What is kept of a session between two steps: each is a process of its own.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use hmac_sha256::Hash;
use hookgate::conditions::FileHistory;
use hookgate::contract::Event;
use hookgate::decision::Vote;
use hookgate::{HandlerTable, Mode, Outcome, Report};
use serde_json::{Map, Value};

use super::error::HookError;
use crate::state_folder::state_folder;

/// The folder of the sessions, in that of what programs keep.
const SESSIONS: &str = "hookgate/sessions";

/// The folder of what the hooks of projects mark and count. They have nothing in common with those of the
/// user: a mark that a project sets must not look like one of theirs.
const OF_PROJECTS: &str = "hookgate/projects";

/// The field by which a host says how many times in a row a stop was denied.
const SO_FAR: &str = "continues_so_far";

/// The marks, counts and denied stops of the sessions of this user.
#[derive(Debug)]
pub(super) struct State {
    folder: PathBuf,
    of_user: Arc<FileHistory>,
    of_projects: Mutex<Vec<Arc<FileHistory>>>,
}

impl Default for State {
    /// Opens it; nothing is read or written before a hook asks.
    fn default() -> Self {
        // Without a folder every use of it is a problem, and without a use there is none.
        let folder = state_folder().unwrap_or_else(|| PathBuf::from("/dev/null"));
        let of_user = Arc::new(FileHistory::new(folder.join(SESSIONS)));
        Self { folder, of_user, of_projects: Mutex::default() }
    }
}

impl State {
    /// Returns the history for the conditions of the user's hooks.
    pub(super) fn history(&self) -> Arc<FileHistory> {
        Arc::clone(&self.of_user)
    }

    /// Returns the history for the conditions of a project's hooks.
    pub(super) fn history_of(&self, config: &Path) -> Arc<FileHistory> {
        let config = config.canonicalize().unwrap_or_else(|_| config.to_owned());
        let sum = Hash::hash(config.as_os_str().as_encoded_bytes());
        let name: String = sum.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        let history = Arc::new(FileHistory::new(self.folder.join(OF_PROJECTS).join(name)));
        let mut all = self.of_projects.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(Arc::clone(&history));
        history
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
        let so_far = if is_first { 0 } else { self.of_user.number(&session, &number) };
        envelope.insert(SO_FAR.to_owned(), so_far.into());
    }

    /// Keeps how many times in a row a stop was denied.
    pub(super) fn note_denials(&self, envelope: &Map<String, Value>, outcome: Outcome) {
        let Some(so_far) = envelope.get(SO_FAR).and_then(Value::as_u64) else { return };
        let (session, number) = place(envelope);
        let now = if outcome == Outcome::Deny { so_far.saturating_add(1) } else { 0 };
        if now != self.of_user.number(&session, &number) {
            self.of_user.set_number(&session, &number, now);
        }
    }

    /// Returns what to tell of hooks on trial that have failed, each once in a session: a hook in the mode `shadow` or
    /// `warn` that never judges looks like one that objects to nothing.
    pub(super) fn tell_failed_trials(
        &self,
        envelope: &Map<String, Value>,
        report: &Report,
    ) -> Option<String> {
        let session = envelope.get("session_id").and_then(Value::as_str).unwrap_or_default();
        let is_trial = |vote: &&Vote| matches!(vote.mode, Mode::Shadow | Mode::Warn);
        let failed = report.votes.iter().filter(is_trial).filter(|vote| vote.failure.is_some());
        let told: Vec<String> = failed
            .filter_map(|vote| {
                let (hook, name) = (&vote.hook, format!("failed {}", vote.hook));
                if self.of_user.number(session, &name) > 0 {
                    return None;
                }
                self.of_user.set_number(session, &name, 1);
                let (mode, detail) = (vote.mode.name(), vote.detail.as_deref().unwrap_or_default());
                Some(format!(
                    "hookgate: `{hook}` (mode `{mode}`) has failed and judges nothing: {detail}"
                ))
            })
            .collect();
        (!told.is_empty()).then(|| told.join("\n"))
    }

    /// Fails if something could not be read or kept: whether a step is within its limits is not known
    /// then.
    ///
    /// # Errors
    /// [`HookError::State`].
    pub(super) fn check(&self) -> Result<(), HookError> {
        let of_projects = self.of_projects.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = std::iter::once(&self.of_user).chain(of_projects.iter());
        all.find_map(|history| history.problem())
            .map_or(Ok(()), |problem| Err(HookError::State(problem)))
    }
}

/// Returns the session of an envelope, and the name of the number of its agent.
fn place(envelope: &Map<String, Value>) -> (String, String) {
    let text = |key| envelope.get(key).and_then(Value::as_str).unwrap_or_default();
    let (event, agent) = (text("hook_event_name"), text("agent_id"));
    (text("session_id").to_owned(), format!("denied {event} {agent}"))
}
