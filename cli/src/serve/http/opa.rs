//! The caller that stands for gateways that ask OPA.
//!
//! Such a gateway says nothing of itself, so what it can is fixed: it sends calls of tools, and what is denied does not
//! happen. OPA answers what it does not understand with a 200; here that is an error.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::extract::Request;
use hookgate::contract::quote::{self, Quoted};
use serde_json::{Map, Value};
use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::super::caller::Caller;
use super::super::error::{CallError, Code};
use super::super::host::{Host, Power, unenforced};
use super::super::methods::judge::{self, Judge};
use super::super::opa_answer::{ALLOW, OpaAnswer, WHOLE};
use super::super::service::{Place, Service, Working};
use super::callers::LOOK;
use super::{body, random};
use crate::input::envelope;

/// The event of the steps that such a gateway sends.
const EVENT: &str = "pre_tool_use";

/// Who asks as OPA is asked.
pub(super) struct Opa {
    caller: Arc<Caller>,
    _place: Place,
    /// One for each request that may be at work.
    places: Semaphore,
    /// After how long a session ends in which nothing is asked.
    idle: Duration,
    /// When something was asked last in each session.
    sessions: Mutex<HashMap<String, Instant>>,
}

impl Opa {
    /// Makes the caller that stands for such gateways.
    ///
    /// # Errors
    /// A guard is in force that they would not enforce, and that is not among the accepted ones.
    pub(super) fn new(
        service: &Arc<Service>,
        accepted: BTreeSet<String>,
        idle: Duration,
    ) -> Result<Self, CallError> {
        let place = service.place().ok_or_else(|| {
            CallError::new(
                Code::TooMany,
                "`--callers` leaves no place for who asks as OPA is asked",
            )
        })?;
        let (events, enforces) =
            (BTreeSet::from([EVENT.to_owned()]), BTreeSet::from([Power::Deny]));
        let host = Host { events, enforces, accepted };
        let refused = host.refused_for(&service.engine.table());
        if !refused.is_empty() {
            return Err(unenforced(&refused));
        }
        let caller = Arc::new(Caller::new(place.id, Arc::clone(service), None));
        caller.greeted(host);
        let places = Semaphore::new(service.limits.in_flight);
        Ok(Self { caller, _place: place, places, idle, sessions: Mutex::default() })
    }

    /// Returns whether what is in force now is enforced.
    ///
    /// # Errors
    /// It is not.
    pub(super) fn enforces(&self) -> Result<(), CallError> {
        self.caller.enforcing_host().map(drop)
    }

    /// Answers a request.
    ///
    /// # Errors
    /// It is not understood, or not answered in time.
    pub(super) async fn answer(
        &self,
        path: &str,
        request: Request,
    ) -> Result<OpaAnswer, CallError> {
        if path != WHOLE && path != ALLOW {
            let message = format!(
                "there is no `/v1/data/{}`: ask `/v1/data/{WHOLE}`, or `/v1/data/{ALLOW}` for a boolean",
                Quoted(path)
            );
            return Err(invalid(message));
        }
        if request.uri().query().is_some() {
            return Err(invalid("there are no parameters in the query".to_owned()));
        }
        let closed = |_| CallError::new(Code::Internal, "the server has ended");
        let _place = self.places.acquire().await.map_err(closed)?;
        let service = &self.caller.service;
        let _working = Working::new(service);
        let bytes = body::read(request).await?;
        let read = envelope::object(&bytes, service.integers());
        let body = read.map_err(|error| {
            let message =
                format!("line {}, column {}: {}", error.line, error.column, error.message);
            CallError::new(Code::ParseError, message)
        })?;
        let random = |error: std::io::Error| CallError::new(Code::Internal, error.to_string());
        let decision_id = random::uuid().map_err(random)?;
        let judge = asked(body, &decision_id)?;
        let session = judge.session().to_owned();
        self.touch(&session);
        let judged = judge::call(&self.caller, judge).await;
        // Also of a judgement that took long.
        self.touch(&session);
        let judged = judged?;
        Ok(OpaAnswer::new(decision_id, &judged))
    }

    fn touch(&self, session: &str) {
        self.lock().insert(session.to_owned(), Instant::now());
    }

    /// Ends sessions in which nothing is asked for too long, for ever: such a gateway ends none.
    pub(super) async fn end_idle(&self) {
        loop {
            tokio::time::sleep((self.idle / 4).max(LOOK)).await;
            let mut idle = Vec::new();
            self.lock().retain(|session, last| {
                let stays = last.elapsed() < self.idle;
                if !stays {
                    idle.push(session.clone());
                }
                stays
            });
            let sessions = &self.caller.service.sessions;
            for session in idle {
                if let Ok(session) = sessions.known(&session, self.caller.id) {
                    sessions.end(&session).await;
                }
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Instant>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads what is asked: `{"input": …}` with `session` and `step`, or with the step alone, which names its session.
fn asked(mut body: Map<String, Value>, decision_id: &str) -> Result<Judge, CallError> {
    let Some(input) = body.remove("input") else {
        return Err(invalid(
            "`input` is missing: it is the step, or `session` and `step`".to_owned(),
        ));
    };
    if let Some(unknown) = body.keys().next() {
        return Err(invalid(format!("`{}` is not known beside `input`", Quoted(unknown))));
    }
    let Value::Object(mut input) = input else {
        return Err(invalid("`input` must be an object".to_owned()));
    };
    if !input.contains_key("step") {
        let session = input.get("session_id").and_then(Value::as_str).map(str::to_owned);
        let session = session.filter(|session| !session.is_empty()).ok_or_else(|| {
            invalid(
                "`input` has neither `step` nor `session_id`: the step says its session".to_owned(),
            )
        })?;
        let step = std::mem::take(&mut input);
        input.insert("session".to_owned(), session.into());
        input.insert("step".to_owned(), step.into());
    }
    if let Some(Value::Object(step)) = input.get_mut("step") {
        // Not what the gateway says: it may hand on what an agent has made up, and what counts steps counts one id once.
        step.insert("step_id".to_owned(), decision_id.into());
    }
    serde_json::from_value(Value::Object(input))
        .map_err(|error| invalid(format!("`input`: {}", quote::message(&error.to_string()))))
}

fn invalid(message: String) -> CallError {
    CallError::new(Code::InvalidParams, message)
}
