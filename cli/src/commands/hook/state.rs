//! What is kept of a session between two steps: each is a process of its own.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use hmac_sha256::Hash;
use hookgate::conditions::KeptHistory;
use hookgate::contract::{Event, Kept, StateError, StateHome, StateScope};
use hookgate::decision::Vote;
use hookgate::{HandlerTable, Mode, Outcome, Report};
use hookgate_store::StateDatabase;
use serde_json::{Map, Value};

use super::error::HookError;
use crate::kinds::Memory;
use crate::state_folder::sessions_folder;

/// The part of the user's hooks.
const SESSIONS: &str = "sessions";

/// The part of the hooks of projects. They have nothing in common with those of the user: a mark that a
/// project sets must not look like one of theirs.
const OF_PROJECTS: &str = "projects";

/// The field by which a host says how many times in a row a stop was denied.
const SO_FAR: &str = "continues_so_far";

/// What hooks keep of the sessions of this user, and how many times in a row a stop was denied.
#[derive(Debug)]
pub(super) struct State {
    database: StateDatabase,
    denials: Kept<u64>,
    /// Whether it was told that a hook on trial has failed.
    failed_trials: Kept<bool>,
    problem: Mutex<Option<StateError>>,
    /// The histories of conditions, which may be asked what could not be kept.
    histories: Mutex<Vec<Arc<KeptHistory>>>,
}

impl Default for State {
    /// Opens it; nothing is read or written before a hook asks.
    fn default() -> Self {
        // Without a folder every use of it is a problem, and without a use there is none.
        let folder = sessions_folder().unwrap_or_else(|| PathBuf::from("/dev/null/hookgate"));
        let database = StateDatabase::new(folder);
        let home: Arc<dyn StateHome> = Arc::new(database.part(SESSIONS));
        let denials = Kept::new("denied stops", 1).in_home(Some(Arc::clone(&home)));
        let failed_trials = Kept::new("failed trials", 1).in_home(Some(home));
        Self {
            database,
            denials,
            failed_trials,
            problem: Mutex::default(),
            histories: Mutex::default(),
        }
    }
}

impl State {
    /// Returns where the user's hooks remember.
    pub(super) fn of_user(&self) -> Memory {
        self.part(SESSIONS)
    }

    /// Returns where the hooks of a project's config remember.
    pub(super) fn of_project(&self, config: &Path) -> Memory {
        let config = config.canonicalize().unwrap_or_else(|_| config.to_owned());
        let sum = Hash::hash(config.as_os_str().as_encoded_bytes());
        let name: String = sum.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        self.part(&format!("{OF_PROJECTS}/{name}"))
    }

    fn part(&self, name: &str) -> Memory {
        let home: Arc<dyn StateHome> = Arc::new(self.database.part(name));
        let history = Arc::new(KeptHistory::new(Arc::clone(&home)));
        let mut all = self.histories.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(Arc::clone(&history));
        Memory::outliving(history, home)
    }

    /// Tries to keep something and to read it again, as another process would.
    ///
    /// # Errors
    /// What hooks count and remember cannot be kept here.
    pub(super) fn try_out(&self) -> Result<(), StateError> {
        let tried = || -> Kept<u64> {
            let home: Arc<dyn StateHome> = Arc::new(self.database.part(SESSIONS));
            Kept::new("canary", 1).in_home(Some(home))
        };
        let before = tried().update(StateScope::User, "", |count| {
            *count += 1;
            *count
        })?;
        let found = tried().look(StateScope::User, "", |count| count.copied())?;
        match found.is_some_and(|found| found >= before) {
            true => Ok(()),
            false => Err(StateError::Other("what was counted was not found again".to_owned())),
        }
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
        let so_far = if is_first { 0 } else { self.denied(envelope) };
        envelope.insert(SO_FAR.to_owned(), so_far.into());
    }

    /// Keeps how many times in a row a stop was denied.
    pub(super) fn note_denials(&self, envelope: &Map<String, Value>, outcome: Outcome) {
        let Some(so_far) = envelope.get(SO_FAR).and_then(Value::as_u64) else { return };
        let now = if outcome == Outcome::Deny { so_far.saturating_add(1) } else { 0 };
        if now != self.denied(envelope) {
            let (session, owner) = place(envelope);
            let session = StateScope::Session(&session);
            self.note(self.denials.update(session, &owner, |denied| *denied = now));
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
                let hook = &vote.hook;
                let scope = StateScope::Session(session);
                let was_told = |told: &mut bool| std::mem::replace(told, true);
                let known = self.failed_trials.update(scope, hook.as_str(), was_told);
                // What cannot be kept is told once more.
                if known.unwrap_or_default() {
                    return None;
                }
                let (mode, detail) = (vote.mode.name(), vote.detail.as_deref().unwrap_or_default());
                Some(format!(
                    "hookgate: `{hook}` (mode `{mode}`) has failed and judges nothing: {detail}"
                ))
            })
            .collect();
        (!told.is_empty()).then(|| told.join("\n"))
    }

    fn denied(&self, envelope: &Map<String, Value>) -> u64 {
        let (session, owner) = place(envelope);
        let found =
            self.denials.look(StateScope::Session(&session), &owner, |denied| denied.copied());
        self.note(found).flatten().unwrap_or_default()
    }

    fn note<T>(&self, result: Result<T, StateError>) -> Option<T> {
        result
            .map_err(|error| {
                let mut first = self.problem.lock().unwrap_or_else(PoisonError::into_inner);
                first.get_or_insert(error);
            })
            .ok()
    }

    /// Fails if what conditions have marked or counted could not be read or kept: no hook is there that could
    /// fail for it. A handler that keeps something fails by itself.
    ///
    /// # Errors
    /// [`HookError::State`].
    pub(super) fn check(&self) -> Result<(), HookError> {
        let own = self.problem.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let all = self.histories.lock().unwrap_or_else(PoisonError::into_inner);
        let problem = own.or_else(|| all.iter().find_map(|history| history.problem()));
        problem.map_or(Ok(()), |problem| Err(HookError::State(problem.to_string())))
    }
}

/// Returns the session of an envelope, and whose stops are counted.
fn place(envelope: &Map<String, Value>) -> (String, String) {
    let text = |key| envelope.get(key).and_then(Value::as_str).unwrap_or_default();
    let (event, agent) = (text("hook_event_name"), text("agent_id"));
    (text("session_id").to_owned(), format!("{event} {agent}"))
}
