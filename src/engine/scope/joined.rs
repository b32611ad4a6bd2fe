//! The table of a scope: that of its engine with the hooks of the scope, made anew when the engine has another one.
//!
//! Whoever looks at a scope looks at the *edition* of the engine's table first. If it is not the one that the table of
//! the scope was made of, the table is made anew before anything else happens, by the thread that has found that out.
//! So a swap of the engine need not know its scopes, and no step of a scope that begins after the swap has returned is
//! evaluated by the table before it. One load and one comparison are all that this costs a step.

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hookgate_contract::FailureClass;

use super::error::ScopeError;
use super::hooks::ScopeHooks;
use crate::engine::Engine;
use crate::hook_id::HookId;
use crate::log;
use crate::table::{HandlerTable, Superseded};

/// Why a step is refused that comes after the end of its scope.
const ENDED: &str = "the session has ended";

/// Why a step is refused if not even hooks that fail can stand in the place of those of the scope.
const UNFIT: &str = "the hooks of the session do not fit the table any more";

/// An engine of a scope. It shares all but the table with that of the base.
pub(super) struct JoinedEngine {
    base: Arc<Engine>,
    joined: Engine,
    /// The edition of the base's table that the table is made of.
    edition: AtomicU64,
    /// Held while a table is made.
    state: Mutex<State>,
}

struct State {
    hooks: ScopeHooks,
    has_ended: bool,
    problem: Option<Arc<ScopeError>>,
}

impl JoinedEngine {
    pub(super) fn open(base: Arc<Engine>, hooks: ScopeHooks) -> Result<Self, ScopeError> {
        // Before the table: if that is swapped in between, the next look finds it out.
        let edition = base.swap.edition();
        let table = base.table();
        let mut first = hooks.join(&table)?;
        prepare(&base, &mut first, &table, None, !hooks.is_empty());
        let joined = Engine::over(&base, first, table.generation());
        let state = Mutex::new(State { hooks, has_ended: false, problem: None });
        Ok(Self { base, joined, edition: AtomicU64::new(edition), state })
    }

    /// Returns the engine with the table that is in force.
    #[inline]
    pub(super) fn current(&self) -> &Engine {
        // ORDERING: acquire, so that whoever sees an edition sees the table that was made of it.
        if self.edition.load(Ordering::Acquire) != self.base.swap.edition() {
            self.renew();
        }
        &self.joined
    }

    /// Returns the engine, whose table may be an earlier one: for a dispatch that has not begun.
    #[inline]
    pub(super) const fn joined(&self) -> &Engine {
        &self.joined
    }

    /// Has the table be that of the engine at each poll: a dispatch that waits for a recorder reads it later.
    pub(super) async fn keeping_up<T>(&self, evaluated: impl Future<Output = T>) -> T {
        let mut evaluated = pin!(evaluated);
        poll_fn(|cx| {
            self.current();
            evaluated.as_mut().poll(cx)
        })
        .await
    }

    pub(super) const fn base(&self) -> &Arc<Engine> {
        &self.base
    }

    /// Returns the hooks of the scope; `None` if it has ended.
    pub(super) fn hooks(&self) -> Option<ScopeHooks> {
        let state = self.state();
        (!state.has_ended).then(|| state.hooks.clone())
    }

    pub(super) fn problem(&self) -> Option<Arc<ScopeError>> {
        self.state().problem.clone()
    }

    #[cold]
    fn renew(&self) {
        let mut state = self.state();
        let edition = self.base.swap.edition();
        if self.edition.load(Ordering::Acquire) == edition {
            return;
        }
        let earlier = self.make(&mut state);
        // ORDERING: release, for `current`.
        self.edition.store(edition, Ordering::Release);
        // What the table held may look at the scope when it is dropped.
        drop((state, earlier));
    }

    /// Makes the table of the engine's one, and puts it in force under its generation. Returns the one before, and the
    /// engine's, which may be out of force by now: to be dropped without the lock.
    fn make(&self, state: &mut State) -> (Superseded<HandlerTable>, Arc<HandlerTable>) {
        let base = self.base.table();
        let (mut table, problem) = match state.hooks.join(&base) {
            Ok(table) => (table, None),
            Err(problem) => {
                let why = problem.to_string();
                log::scope_fails(&why);
                let failing = state.hooks.join_failing(&base, &why);
                let table = failing.unwrap_or_else(|_| {
                    let mut closed = HandlerTable::clone(&base);
                    closed.closed = Some(UNFIT);
                    closed
                });
                (table, Some(Arc::new(problem)))
            }
        };
        let before = self.joined.table();
        let has_own = !state.hooks.is_empty();
        let is_unfit = table.closed;
        prepare(&self.base, &mut table, &base, Some(&before), has_own);
        if let Some(why) = state.has_ended.then_some(ENDED).or(is_unfit) {
            table.close(why);
        }
        state.problem = problem;
        (self.joined.swap.publish_at(table, base.generation().get()), base)
    }

    /// Gives up the hooks of the scope and refuses what comes later. Returns which of its hooks have failed, and how
    /// often.
    pub(super) fn end(&self) -> Vec<(HookId, u64)> {
        let mut state = self.state();
        let failures = failures(&self.joined.table());
        let hooks = std::mem::take(&mut state.hooks);
        state.has_ended = true;
        let earlier = self.make(&mut state);
        drop((state, earlier, hooks));
        failures
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for JoinedEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.joined, f)
    }
}

/// Prepares a table to be put in force after another one, beside the one of the engine that it was made of. A shadow of
/// the engine is compared with what the hooks of the engine decide: a scope with hooks of its own has none.
fn prepare(
    base: &Engine,
    table: &mut HandlerTable,
    of: &HandlerTable,
    before: Option<&HandlerTable>,
    has_own: bool,
) {
    table.shadow = of.shadow.clone().filter(|_| !has_own);
    table.recorded = base.shared.recorder.is_some() || table.shadow.is_some();
    table.closed = None;
    if let Some(why) = of.closed {
        table.close(why);
    }
    table.follow(of, before, of.generation().get());
}

/// Returns the hooks of a scope that have failed, each with the number of times.
fn failures(table: &HandlerTable) -> Vec<(HookId, u64)> {
    let own = table.hooks().filter(|hook| hook.spec.id().is_of_scope());
    let failed = own.map(|hook| {
        let times = FailureClass::ALL.into_iter().map(|class| hook.failures(class)).sum();
        (hook.spec.id().clone(), times)
    });
    failed.filter(|(_, times)| *times > 0).collect()
}
