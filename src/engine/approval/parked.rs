//! A question that is kept until it is answered, in whichever process that is.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use hmac_sha256::HMAC;
use hookgate_contract::payload::AnyPayload as _;
use hookgate_contract::{Answer, Contract, StepContext};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::Engine;
use super::super::hook_engine::HookEngine;
use super::ApprovalRequest;
use crate::clock;
use crate::config_hash::ConfigHash;
use crate::decision::Decision;
use crate::hex;
use crate::panic_boundary::catch;
use crate::read_json::read_json;
use crate::step::{Asked, HookStep};

/// A step that waits for a person, as JSON: the question, the step, what was decided so far. It is signed by the engine
/// that has asked, and read by one that has the same key ([`Engine::with_approval_key`]).
///
/// Whoever can read it can read the arguments of the step, and whoever has the key can make one, so a host keeps both for
/// itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parked {
    request: ApprovalRequest,
    decision: Decision,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answer: Option<Answer>,
    /// What the hooks of the event are made of.
    hooks: ConfigHash,
    /// The engine that has asked, of all processes: it knows more of its hooks than their declarations.
    parked_by: String,
    /// Until when it can be answered, in milliseconds since 1970.
    expires: u64,
    #[serde(default)]
    signature: String,
}

impl Parked {
    /// The longest time that a question can be parked: thirty days.
    pub const LONGEST: Duration = Duration::from_secs(30 * 24 * 60 * 60);

    /// Reads one that was written as JSON, exactly and strictly.
    ///
    /// # Errors
    /// What makes the bytes something else than a parked question. Whether it is signed is found when it is resumed.
    pub fn from_json(bytes: &[u8]) -> serde_json::Result<Self> {
        read_json(bytes)
    }

    /// Returns the question.
    #[must_use]
    pub const fn request(&self) -> &ApprovalRequest {
        &self.request
    }

    /// Returns until when it can be answered, in milliseconds since 1970.
    #[must_use]
    pub const fn expires(&self) -> u64 {
        self.expires
    }
}

/// Why a question is not parked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParkProblem {
    /// The engine has not asked it, or not in this session, or not by the hooks that are in force.
    #[error(
        "the step was asked about by another engine or other hooks, or in another session: dispatch it again"
    )]
    OtherEngine,
    /// It would be kept for more than [`Parked::LONGEST`].
    #[error("a question is parked for thirty days at most")]
    TooLong,
    /// The payload cannot be written as a JSON object.
    #[error("the step cannot be written as a JSON object")]
    Unwritable,
    /// The system has no random numbers for a key.
    #[error("the system has no random numbers for a key")]
    NoRandomness,
}

/// A question was not parked. It is in the error: it is as open as before.
#[derive(Debug, thiserror::Error)]
#[error("{problem}")]
pub struct ParkError<S> {
    problem: ParkProblem,
    asked: Box<Asked<S>>,
}

impl<S> ParkError<S> {
    /// Returns why it was not parked.
    #[must_use]
    pub const fn problem(&self) -> ParkProblem {
        self.problem
    }

    /// Returns the question.
    #[must_use = "the question is still open"]
    pub fn into_asked(self) -> Asked<S> {
        *self.asked
    }
}

/// Why a parked question is not resumed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResumeError {
    /// An engine with another key has signed it, or it was changed.
    #[error("the question was not signed with the key of this engine, or was changed")]
    Signature,
    /// Its time is over: the step does not happen.
    #[error("the question has expired")]
    Expired,
    /// This engine has resumed it before. It can be parked again by whoever holds it.
    #[error("the question was resumed before")]
    Resumed,
    /// The context is that of another session.
    #[error("the question was asked in another session")]
    OtherSession,
    /// The context is that of another folder, in which the same step is another one, or names none.
    #[error("the question was asked in another folder")]
    OtherFolder,
    /// The step is of another event than the type that is asked for.
    #[error("the step is a `{0}`")]
    OtherEvent(String),
    /// The step cannot be read as its type.
    #[error("the step cannot be read: {0}")]
    Unreadable(String),
}

/// The key of an engine, and which of its questions it has resumed, until they expire.
#[derive(Default)]
pub(crate) struct Approvals {
    key: OnceLock<[u8; 32]>,
    /// A name that no other engine of any process has.
    name: OnceLock<String>,
    resumed: Mutex<ResumedQuestions>,
}

/// The questions that were resumed.
#[derive(Default)]
struct ResumedQuestions {
    by_id: HashMap<String, Resumed>,
    /// When it is looked next for those that need not be known any more, in milliseconds since 1970.
    look_at: u64,
}

/// How often that is done, in milliseconds: each time all of them are looked at.
const LOOK_EVERY: u64 = 1_000;

/// What is known of a question that was resumed.
struct Resumed {
    /// Until when it is kept: as long as anything can last that was parked before.
    until: u64,
    /// Since when it is open again, because it was parked again. What was asked before stays used up.
    open_since: Option<u64>,
}

impl fmt::Debug for Approvals {
    /// Leaves the key out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Approvals").finish_non_exhaustive()
    }
}

impl Approvals {
    pub(crate) fn with_key(key: [u8; 32]) -> Self {
        Self { key: OnceLock::from(key), ..Self::default() }
    }

    /// Returns the key; `None` if the system has no random numbers.
    fn key(&self) -> Option<&[u8; 32]> {
        if let Some(key) = self.key.get() {
            return Some(key);
        }
        let mut key = [0; 32];
        clock::fill_random(&mut key)?;
        Some(self.key.get_or_init(|| key))
    }

    fn name(&self) -> &str {
        self.name.get_or_init(clock::step_id)
    }

    /// Returns whether a question carries the signature of this key. The comparison takes the same time wherever the first
    /// difference is.
    fn is_signed(&self, parked: &Parked) -> bool {
        let Some((bytes, key)) = signed_bytes(parked).zip(self.key()) else { return false };
        hex::decode(&parked.signature).is_some_and(|signature| HMAC::verify(bytes, key, &signature))
    }

    /// Notes that a question is resumed. Returns whether it was not before.
    fn take(&self, parked: &Parked, now: u64) -> bool {
        let longest = u64::try_from(Parked::LONGEST.as_millis()).unwrap_or(u64::MAX);
        let mut resumed = self.resumed.lock().unwrap_or_else(PoisonError::into_inner);
        if now >= resumed.look_at {
            resumed.by_id.retain(|_, of| of.until >= now);
            resumed.look_at = now.saturating_add(LOOK_EVERY);
        }
        let id = parked.request.id.clone();
        let is_open = resumed
            .by_id
            .get(&id)
            .is_none_or(|of| of.open_since.is_some_and(|since| parked.request.asked >= since));
        if is_open {
            let until = now.saturating_add(longest).max(parked.expires);
            resumed.by_id.insert(id, Resumed { until, open_since: None });
        }
        is_open
    }

    /// Notes that a question is parked again.
    fn give_back(&self, parked: &ApprovalRequest) {
        let mut resumed = self.resumed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(of) = resumed.by_id.get_mut(&parked.id) {
            of.open_since.get_or_insert(parked.asked);
        }
    }
}

/// Returns what is signed: all but the signature, as JSON.
fn signed_bytes(parked: &Parked) -> Option<Vec<u8>> {
    let unsigned = Parked { signature: String::new(), ..parked.clone() };
    // As it is read, so that a number has one text.
    let value: Value = serde_json::to_value(unsigned).ok()?;
    Some(hookgate_contract::json::canonical(&value).into_bytes())
}

impl<S: HookStep> Asked<S> {
    /// Returns the question, to be shown. `None` if the payload cannot be written as a JSON object. The engine and the
    /// context are those of the dispatch.
    #[must_use]
    pub fn request<E: HookEngine + ?Sized>(
        &self,
        engine: &E,
        context: &StepContext<'_>,
    ) -> Option<ApprovalRequest> {
        let asking =
            engine.as_engine()?.asking_hooks(self, |hook| self.decision().by.contains(hook));
        ApprovalRequest::of(self.payload(), self.decision(), asking, context)
    }

    /// Turns the question into JSON that survives the process, to be answered within some time: see the
    /// [module](crate::approval). The engine and the context are those of the dispatch.
    ///
    /// # Errors
    /// A [`ParkError`] with the question, for each [`ParkProblem`].
    pub fn park<E: HookEngine + ?Sized>(
        self,
        engine: &E,
        context: &StepContext<'_>,
        good_for: Duration,
    ) -> Result<Parked, ParkError<S>> {
        let engine = engine.as_engine().ok_or(ParkProblem::OtherEngine);
        let parked = engine.and_then(|engine| engine.parked(&self, context, good_for));
        parked.map_err(|problem| ParkError { problem, asked: Box::new(self) })
    }
}

impl Engine {
    /// Signs parked questions with this key from now on, and reads those that were signed with it: a host keeps it as it
    /// keeps other secrets, and gives it to each of its processes. Without one, an engine reads what it has parked
    /// itself.
    #[must_use]
    pub fn with_approval_key(mut self, key: [u8; 32]) -> Self {
        self.shared_mut().approvals = Box::new(Approvals::with_key(key)).into();
        self
    }

    /// Returns what this engine is known by in what it has parked: the process, and which of its engines it is.
    fn parker(&self) -> String {
        format!("{}/{}", self.shared.approvals().name(), self.id)
    }

    fn parked<S: HookStep>(
        &self,
        asked: &Asked<S>,
        context: &StepContext<'_>,
        good_for: Duration,
    ) -> Result<Parked, ParkProblem> {
        if !self.has_asked(asked, context) {
            return Err(ParkProblem::OtherEngine);
        }
        if good_for > Parked::LONGEST {
            return Err(ParkProblem::TooLong);
        }
        let request = asked.request(self, context).ok_or(ParkProblem::Unwritable)?;
        let millis = u64::try_from(good_for.as_millis()).unwrap_or(u64::MAX);
        let mut parked = Parked {
            expires: request.asked.saturating_add(millis),
            hooks: self.asking_hooks(asked, |_| true),
            parked_by: self.parker(),
            decision: asked.decision().clone(),
            answer: asked.kept_answer().cloned(),
            request,
            signature: String::new(),
        };
        let key = self.shared.approvals().key().ok_or(ParkProblem::NoRandomness)?;
        let bytes = signed_bytes(&parked).ok_or(ParkProblem::Unwritable)?;
        parked.signature = hex::encode(&HMAC::mac(bytes, key));
        self.shared.approvals().give_back(&parked.request);
        Ok(parked)
    }

    /// Goes on with a parked question: it comes back as it was asked, to be approved, edited or refused. An engine resumes
    /// it once; that it is answered once by all processes together is up to what keeps it. The context is that of the
    /// session.
    ///
    /// If the hooks of the event are not those that have asked, the step is evaluated anew when it is approved.
    ///
    /// # Errors
    /// A [`ResumeError`]: the step does not happen.
    pub fn resume<S>(
        &self,
        parked: Parked,
        context: &StepContext<'_>,
    ) -> Result<Asked<S>, ResumeError>
    where
        S: HookStep<Asked = Asked<S>> + From<S::Payload>,
        S::Payload: DeserializeOwned,
    {
        self.resume_at(parked, context, clock::unix_ms())
    }

    fn resume_at<S>(
        &self,
        parked: Parked,
        context: &StepContext<'_>,
        now: u64,
    ) -> Result<Asked<S>, ResumeError>
    where
        S: HookStep<Asked = Asked<S>> + From<S::Payload>,
        S::Payload: DeserializeOwned,
    {
        if !self.shared.approvals().is_signed(&parked) || !parked.request.is_whole() {
            return Err(ResumeError::Signature);
        }
        if now > parked.expires {
            return Err(ResumeError::Expired);
        }
        if parked.request.session_id != context.session_id {
            return Err(ResumeError::OtherSession);
        }
        if parked.request.cwd.as_deref() != context.cwd {
            return Err(ResumeError::OtherFolder);
        }
        let is_of = |contract: &Contract| contract.name == parked.request.event;
        if !is_of(S::CONTRACT) && !S::SECOND_CONTRACT.is_some_and(is_of) {
            return Err(ResumeError::OtherEvent(parked.request.event));
        }
        let payload = serde_json::from_value::<S::Payload>(parked.request.step.clone().into());
        let step = S::from(payload.map_err(|error| ResumeError::Unreadable(error.to_string()))?);
        // A type of the embedder can read another thing than it has written.
        let read = catch("the payload", || step.payload().to_value());
        if !matches!(read, Ok(Ok(Value::Object(read))) if read == parked.request.step) {
            return Err(ResumeError::Unreadable("it is read as another step".to_owned()));
        }
        if !self.shared.approvals().take(&parked, now) {
            return Err(ResumeError::Resumed);
        }
        let parked_here = parked.parked_by.starts_with(self.shared.approvals().name());
        let is_own = parked.parked_by == self.parker();
        let Parked { decision, answer, hooks, .. } = parked;
        // The engine of another scope has other hooks, although they may be declared alike.
        let hooks = Some(hooks).filter(|_| is_own || !parked_here);
        let since = is_own.then_some(decision.generation);
        Ok(self.asked_again(step, decision, answer, (hooks, since), context))
    }
}

#[cfg(test)]
mod tests {
    use hookgate_contract::Event;

    use super::*;
    use crate::{Gate, HandlerTable, Hook, ToolUse, Verdict};

    #[tokio::test]
    async fn a_question_can_be_answered_up_to_its_last_millisecond() {
        let ask = Hook::sync("ask", |_| Ok(Verdict::ask("?"))).event(Event::PreToolUse);
        let engine = Engine::new(HandlerTable::builder().insert(ask).build().unwrap());
        let context = StepContext::new("s");
        let step = ToolUse::propose("Bash", "{}").unwrap();
        let Gate::Asked(asked) = engine.dispatch(step, &context).await else { panic!() };
        let parked = asked.park(&engine, &context, Duration::from_secs(60)).unwrap();
        let resume = |now| engine.resume_at::<ToolUse>(parked.clone(), &context, now);
        assert_eq!(resume(parked.expires + 1).err(), Some(ResumeError::Expired));
        assert!(resume(parked.expires).is_ok());
        assert_eq!(resume(parked.expires).err(), Some(ResumeError::Resumed));
    }
}
