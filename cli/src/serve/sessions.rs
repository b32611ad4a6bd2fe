//! The sessions of a server, and to whom they belong.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hookgate::scope::ScopeEnd;
use hookgate::{Engine, Scope};
use serde_json::{Map, Value};
use tokio::sync::RwLock;

use super::asked_steps::AskedSteps;
use super::error::{CallError, Code};
use super::host::{Host, unenforced};
use super::limits::SESSION_NAME;

/// Which caller it is.
pub(crate) type CallerId = u64;

/// A session.
pub(crate) struct Session {
    pub(super) name: Arc<str>,
    /// The connection with which it ends; `None` for one that is everybody's, and ends when it is told to.
    owner: Option<CallerId>,
    /// Steps take what is in force when their turn comes; who changes it waits for nobody and lets nobody pass.
    pub(super) state: RwLock<SessionState>,
    pub(super) asked: AskedSteps,
}

/// What is in force in a session.
pub(super) struct SessionState {
    pub(super) scope: Scope,
    /// The hooks that callers have added, as they were given.
    pub(super) added: Vec<Map<String, Value>>,
}

impl SessionState {
    /// Compares the hooks of the session with what a host can enforce; those of the operator were compared before.
    ///
    /// # Errors
    /// There are some that it cannot enforce, and has not accepted.
    pub(super) fn check(&self, host: &Host) -> Result<(), CallError> {
        if self.added.is_empty() {
            return Ok(());
        }
        match host.refused_for(&self.scope.table()) {
            refused if refused.is_empty() => Ok(()),
            refused => Err(unenforced(&refused)),
        }
    }
}

/// The sessions of a server.
#[derive(Default)]
pub(crate) struct Sessions(Mutex<HashMap<Arc<str>, Arc<Session>>>);

impl Sessions {
    /// Returns the session of this name, which begins now if there is none: it belongs to the caller, or to everybody.
    ///
    /// # Errors
    /// It is another caller's, there are too many, or it is no name.
    pub(super) fn of(
        &self,
        name: &str,
        (caller, is_lasting): (CallerId, bool),
        engine: &Arc<Engine>,
        limit: usize,
    ) -> Result<Arc<Session>, CallError> {
        let mut sessions = self.lock();
        if let Some(session) = sessions.get(name) {
            return match session.owner {
                Some(owner) if owner != caller => Err(in_use()),
                Some(_) if is_lasting => Err(CallError::new(
                    Code::SessionInUse,
                    "the session has begun and belongs to this connection: end it before one begins that lasts",
                )),
                _ => Ok(Arc::clone(session)),
            };
        }
        if name.is_empty() || name.len() > SESSION_NAME {
            let message = format!("the name of a session has 1 to {SESSION_NAME} bytes");
            return Err(CallError::new(Code::InvalidSession, message));
        }
        if sessions.len() >= limit {
            let message = format!("there are {limit} sessions: end some with `session.end`");
            return Err(CallError::new(Code::TooMany, message));
        }
        let scope = engine.scope(name).open();
        let scope = scope.map_err(|error| CallError::new(Code::Internal, error.to_string()))?;
        let name: Arc<str> = name.into();
        let state = RwLock::new(SessionState { scope, added: Vec::new() });
        let owner = (!is_lasting).then_some(caller);
        let asked = AskedSteps::default();
        let session = Arc::new(Session { name: Arc::clone(&name), owner, state, asked });
        sessions.insert(name, Arc::clone(&session));
        Ok(session)
    }

    /// Returns the session of this name.
    ///
    /// # Errors
    /// There is none, or it is another caller's.
    pub(super) fn known(&self, name: &str, caller: CallerId) -> Result<Arc<Session>, CallError> {
        let session = self.lock().get(name).map(Arc::clone);
        let session = session.ok_or_else(|| {
            CallError::new(
                Code::UnknownSession,
                "there is no such session: it has ended, or never began",
            )
        })?;
        match session.owner {
            Some(owner) if owner != caller => Err(in_use()),
            _ => Ok(session),
        }
    }

    /// Ends a session: what the engine keeps of it is forgotten, and steps that come later by whoever holds it are
    /// refused.
    pub(super) async fn end(&self, session: &Arc<Session>) -> ScopeEnd {
        // First, so that no step is judged in it whose turn comes after the end.
        let state = session.state.write().await;
        let ended = state.scope.end();
        if self.has(session) {
            self.lock().remove(&session.name);
        }
        ended
    }

    /// Returns whether a session has not ended. Who holds its state knows that it stays so.
    pub(super) fn has(&self, session: &Arc<Session>) -> bool {
        self.lock().get(&session.name).is_some_and(|there| Arc::ptr_eq(there, session))
    }

    /// Ends all sessions of a connection that is gone.
    pub(super) async fn end_all_of(&self, caller: CallerId) {
        let is_own = |session: &&Arc<Session>| session.owner == Some(caller);
        let own: Vec<Arc<Session>> = self.lock().values().filter(is_own).map(Arc::clone).collect();
        for session in own {
            self.end(&session).await;
        }
    }

    pub(super) fn count(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Arc<str>, Arc<Session>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn in_use() -> CallError {
    CallError::new(
        Code::SessionInUse,
        "the session belongs to another connection: take another name, or let it begin with `lasting`",
    )
}
