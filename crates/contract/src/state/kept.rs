//! A value of each session, wherever it is kept.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::home::{StateError, StateHome, StateKey, StateScope};
use super::sessions::Sessions;

/// A value of type `T` for each session and owner, and for all sessions of a user: in the memory of this
/// process, or in a [`StateHome`].
///
/// In memory it is bounded: of each owner the sessions that were not used for the longest time make room. A
/// home has bounds of its own.
///
/// ```
/// use hookgate_contract::{Kept, StateScope};
///
/// let calls: Kept<u64> = Kept::new("calls", 100);
/// let call = |session| {
///     calls.update(StateScope::Session(session), "my-hook", |count| {
///         *count += 1;
///         *count
///     })
/// };
/// assert_eq!((call("a")?, call("a")?, call("b")?), (1, 2, 1));
/// # Ok::<(), hookgate_contract::StateError>(())
/// ```
pub struct Kept<T> {
    kind: Cow<'static, str>,
    home: Option<Arc<dyn StateHome>>,
    sessions: usize,
    here: Mutex<HashMap<String, OfOwner<T>>>,
}

/// What one owner has in memory.
struct OfOwner<T> {
    of_user: Option<T>,
    of_sessions: Sessions<T>,
}

impl<T: Default> OfOwner<T> {
    fn new(sessions: usize) -> Self {
        Self { of_user: None, of_sessions: Sessions::new(sessions) }
    }

    fn known(&mut self, scope: StateScope<'_>) -> Option<&mut T> {
        match scope {
            StateScope::Session(session) => self.of_sessions.known(session),
            StateScope::User => self.of_user.as_mut(),
        }
    }

    fn update<R>(&mut self, scope: StateScope<'_>, change: impl FnOnce(&mut T) -> R) -> R {
        match scope {
            StateScope::Session(session) => self.of_sessions.update(session, change),
            StateScope::User => change(self.of_user.get_or_insert_with(T::default)),
        }
    }

    fn forget(&mut self, scope: StateScope<'_>) {
        match scope {
            StateScope::Session(session) => self.of_sessions.forget(session),
            StateScope::User => self.of_user = None,
        }
    }
}

impl<T> fmt::Debug for Kept<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kept")
            .field("kind", &self.kind)
            .field("outlives_the_process", &self.home.is_some())
            .finish_non_exhaustive()
    }
}

impl<T: Default + Serialize + DeserializeOwned> Kept<T> {
    /// Keeps values of a kind in memory, of at most so many sessions of each owner.
    #[must_use]
    pub fn new(kind: impl Into<Cow<'static, str>>, sessions: usize) -> Self {
        Self { kind: kind.into(), home: None, sessions, here: Mutex::default() }
    }

    /// Keeps them in a home instead, if there is one.
    #[must_use]
    pub fn in_home(self, home: Option<Arc<dyn StateHome>>) -> Self {
        Self { home, ..self }
    }

    /// Changes a value, in one step that nobody else comes between. A new one begins with the default.
    ///
    /// # Errors
    /// It is not known what was kept, or the change cannot be kept; it does not count then.
    pub fn update<R>(
        &self,
        scope: StateScope<'_>,
        owner: &str,
        change: impl FnOnce(&mut T) -> R,
    ) -> Result<R, StateError> {
        let Some(home) = &self.home else {
            let mut here = self.here();
            if let Some(of_owner) = here.get_mut(owner) {
                return Ok(of_owner.update(scope, change));
            }
            let of_owner =
                here.entry(owner.to_owned()).or_insert_with(|| OfOwner::new(self.sessions));
            return Ok(of_owner.update(scope, change));
        };
        let mut change = Some(change);
        let mut result = None;
        home.update(&StateKey::new(scope, &self.kind, owner), &mut |found| {
            let Some(change) = change.take() else { return Ok(false) };
            let mut value = self.parse(owner, found.as_ref())?;
            result = Some(change(&mut value));
            let kept = serde_json::to_value(&value).map_err(|error| form(owner, &error))?;
            let is_new = found.as_ref() != Some(&kept);
            *found = Some(kept);
            Ok(is_new)
        })?;
        result.ok_or_else(|| StateError::Other("the home has changed nothing".to_owned()))
    }

    /// Looks at a value; `None` if nothing was kept.
    ///
    /// # Errors
    /// It is not known what was kept.
    pub fn look<R>(
        &self,
        scope: StateScope<'_>,
        owner: &str,
        look: impl FnOnce(Option<&T>) -> R,
    ) -> Result<R, StateError> {
        let Some(home) = &self.home else {
            let mut here = self.here();
            let known = here.get_mut(owner).and_then(|of_owner| of_owner.known(scope));
            return Ok(look(known.map(|known| &*known)));
        };
        let found = home.read(&StateKey::new(scope, &self.kind, owner))?;
        match found {
            None => Ok(look(None)),
            found => self.parse(owner, found.as_ref()).map(|value| look(Some(&value))),
        }
    }

    /// Forgets a value.
    ///
    /// # Errors
    /// That cannot be kept.
    pub fn forget(&self, scope: StateScope<'_>, owner: &str) -> Result<(), StateError> {
        let Some(home) = &self.home else {
            if let Some(of_owner) = self.here().get_mut(owner) {
                of_owner.forget(scope);
            }
            return Ok(());
        };
        home.update(&StateKey::new(scope, &self.kind, owner), &mut |found| {
            Ok(found.take().is_some())
        })
    }

    fn parse(&self, owner: &str, found: Option<&Value>) -> Result<T, StateError> {
        match found {
            None => Ok(T::default()),
            Some(value) => T::deserialize(value).map_err(|error| form(owner, &error)),
        }
    }

    fn here(&self) -> MutexGuard<'_, HashMap<String, OfOwner<T>>> {
        // A value is complete at any moment, so that of a thread that panicked is still good.
        self.here.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn form(owner: &str, error: &serde_json::Error) -> StateError {
    StateError::Form { owner: owner.to_owned(), problem: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_panicked_leaves_what_it_had_counted() {
        let kept: Kept<u64> = Kept::new("calls", 4);
        let scope = StateScope::Session("s");
        let panics = || kept.update(scope, "h", |count| *count += 1).map(|()| panic!("on purpose"));
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(panics)).is_err());
        let held = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _held = kept.here.lock();
            panic!("while it is held");
        }));
        assert!(held.is_err() && kept.here.is_poisoned());
        assert_eq!(kept.look(scope, "h", |count| count.copied()), Ok(Some(1)));
    }

    #[test]
    fn owners_sessions_and_the_user_share_nothing() {
        let kept: Kept<u64> = Kept::new("calls", 4);
        let add = |scope, owner| {
            kept.update(scope, owner, |count| {
                *count += 1;
                *count
            })
        };
        let (a, b) = (StateScope::Session("a"), StateScope::Session("b"));
        assert_eq!([add(a, "h"), add(a, "h"), add(a, "other")], [Ok(1), Ok(2), Ok(1)]);
        assert_eq!([add(b, "h"), add(StateScope::User, "h")], [Ok(1), Ok(1)]);
        kept.forget(a, "h").unwrap();
        assert_eq!(
            [add(a, "h"), add(a, "other"), add(StateScope::User, "h")],
            [Ok(1), Ok(2), Ok(2)]
        );
    }
}
