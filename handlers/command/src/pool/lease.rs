//! The use of one process for the time of one call.
//!
//! A call can be cancelled at any await. What happens to its process then depends on what the process
//! is doing, and that is what the state of the lease says:
//!
//! | state | on drop |
//! |---|---|
//! | `Starting` | a task lets it become ready, and keeps it for the next call |
//! | `Idle` | it goes back to the pool |
//! | `Sending` | it is ended: it has read half a call |
//! | `Answering` | a task gives it the grace period to answer, and drops the answer |
//!
//! The place goes with the process, so a slow one whose call was cancelled still counts as one of
//! `workers`, and a pool never has more processes than that.

use std::sync::Arc;

use hookgate_contract::{Failure, FailureClass, Invocation, Place};
use hookgate_secrets::Secrets;
use tokio::runtime::Handle;
use tokio::time::{Instant, timeout, timeout_at};

use super::conversation::Conversation;
use super::member::Member;
use super::state::PoolState;
use crate::call_log;
use crate::line_process::LineError;

/// The right to use a process. If a call is cancelled midway, the lease is held until the process has
/// answered or been killed, by a task of the runtime.
pub(super) struct Lease<'a, C: Conversation> {
    pool: Arc<PoolState<C>>,
    secrets: &'a Secrets,
    /// The call that is made: if it is cancelled, a decision in the answer so far is kept.
    invocation: Option<Invocation<'a>>,
    place: Option<Place>,
    member: Option<Member<C>>,
    state: LeaseState,
}

/// What the process of a lease is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LeaseState {
    /// It starts, and must be ready at this time.
    Starting(Instant),
    /// It waits for a call.
    Idle,
    /// A call is being sent: half of one leaves the process out of step.
    Sending,
    /// It has a call and has not answered.
    Answering,
}

/// Why one try of a call failed.
struct CallError {
    /// Whether the process died in it, so that the call may be made again.
    has_died: bool,
    failure: Failure,
}

impl CallError {
    /// The failure of a call that must not be made again.
    const fn final_failure(failure: Failure) -> Self {
        Self { has_died: false, failure }
    }
}

impl<'a, C: Conversation> Lease<'a, C> {
    /// Makes a lease without a process yet.
    pub(super) const fn new(pool: Arc<PoolState<C>>, place: Place, secrets: &'a Secrets) -> Self {
        Self {
            pool,
            secrets,
            invocation: None,
            place: Some(place),
            member: None,
            state: LeaseState::Idle,
        }
    }

    /// Makes a call, and makes it again once if the process died in it and the hook is idempotent.
    ///
    /// # Cancel safety
    /// See [`Lease`].
    pub(super) async fn call(
        &mut self,
        invocation: Invocation<'a>,
        request: &C::Request,
    ) -> Result<C::Answer, Failure> {
        self.invocation = Some(invocation);
        let is_idempotent = self.pool.settings.idempotent;
        match self.call_once(invocation, request).await {
            // A decision that the process wrote before it died must not be lost by another try.
            Err(error) if error.has_died && is_idempotent && error.failure.salvaged.is_none() => {
                self.call_once(invocation, request).await.map_err(|error| error.failure)
            }
            Err(error) => Err(error.failure),
            Ok(answer) => Ok(answer),
        }
    }

    /// Makes a call once: takes a process, sends the call, and reads the answer.
    async fn call_once(
        &mut self,
        invocation: Invocation<'a>,
        request: &C::Request,
    ) -> Result<C::Answer, CallError> {
        let hook = invocation.hook;
        self.take_member(hook).await.map_err(CallError::final_failure)?;
        let Some(member) = &mut self.member else {
            return Err(CallError::final_failure(no_process::<C>()));
        };
        self.state = LeaseState::Sending;
        let answer = match member.send(invocation, request).await {
            Ok(()) => {
                self.state = LeaseState::Answering;
                member.answer(self.secrets).await
            }
            Err(error) => Err(error),
        };
        match answer {
            Ok(answer) => {
                self.state = LeaseState::Idle;
                if call_log::is_enabled() {
                    member.log_call(hook, self.secrets);
                }
                self.pool.crash_backoff().reset();
                Ok(answer)
            }
            Err(error) => {
                let has_died = matches!(error, LineError::Died);
                let failure = self.fail(error, "in the middle of a call", hook).await;
                Err(CallError { has_died, failure })
            }
        }
    }

    /// Takes an idle process, or starts one. It is ready afterwards.
    ///
    /// # Errors
    /// Of class `spawn`, or that of its end, if none can be started or it does not become ready.
    pub(super) async fn take_member(&mut self, hook: &str) -> Result<(), Failure> {
        self.member = self.pool.take_idle();
        self.state = LeaseState::Idle;
        if self.member.is_some() {
            return Ok(());
        }
        let until = Instant::now() + self.pool.settings.startup;
        let member = self.member.insert(self.pool.start_member(hook)?);
        self.state = LeaseState::Starting(until);
        match timeout_at(until, member.ready()).await {
            Ok(Ok(())) => {
                self.state = LeaseState::Idle;
                Ok(())
            }
            Ok(Err(error)) => Err(self.fail(error, "before it was ready", hook).await),
            Err(_) => {
                self.member = None;
                self.pool.crash_backoff().record_crash(Instant::now());
                let detail = format!("the {} was not ready in time: raise `startup`", C::NAME);
                Err(Failure::new(FailureClass::Spawn, detail))
            }
        }
    }

    /// Ends the process and says why.
    async fn fail(&mut self, error: LineError, when: &str, hook: &str) -> Failure {
        self.pool.crash_backoff().record_crash(Instant::now());
        match self.member.take() {
            Some(member) => member.into_failure(error, when, hook, self.secrets).await,
            None => no_process::<C>(),
        }
    }
}

fn no_process<C: Conversation>() -> Failure {
    Failure::new(FailureClass::Spawn, format!("there is no {}", C::NAME))
}

impl<C: Conversation> Drop for Lease<'_, C> {
    fn drop(&mut self) {
        let Some(mut member) = self.member.take() else { return };
        if self.state == LeaseState::Idle {
            self.pool.give_back(member);
            return;
        }
        if let Some(invocation) = self.invocation {
            invocation.keep_salvaged(member.unread_decision());
            if call_log::is_enabled() {
                member.log_stderr(invocation.hook, self.secrets);
            }
        }
        // Without a runtime the process is ended by its drop, here.
        let Ok(runtime) = Handle::try_current() else { return };
        let (pool, place) = (Arc::clone(&self.pool), self.place.take());
        match self.state {
            LeaseState::Starting(until) => {
                drop(runtime.spawn(finish_start(pool, place, member, until)));
            }
            LeaseState::Answering => drop(runtime.spawn(await_late_answer(pool, place, member))),
            LeaseState::Idle | LeaseState::Sending => {}
        }
    }
}

/// Lets a process become ready whose first call was cancelled, and keeps it for the next.
async fn finish_start<C: Conversation>(
    pool: Arc<PoolState<C>>,
    place: Option<Place>,
    mut member: Member<C>,
    until: Instant,
) {
    if let Ok(Ok(())) = timeout_at(until, member.ready()).await {
        pool.give_back(member);
    } else {
        drop(member);
        pool.crash_backoff().record_crash(Instant::now());
    }
    drop(place);
}

/// Gives a process whose call was cancelled the grace period to answer. The answer is dropped; a
/// process that does not answer is ended.
async fn await_late_answer<C: Conversation>(
    pool: Arc<PoolState<C>>,
    place: Option<Place>,
    mut member: Member<C>,
) {
    let secrets = Secrets::default();
    if let Ok(Ok(_)) = timeout(pool.spawner.grace, member.answer(&secrets)).await {
        pool.give_back(member);
    } else {
        drop(member);
    }
    drop(place);
}
