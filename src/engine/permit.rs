//! Permits: clearances that cross a process boundary.
//!
//! Inside a process the type system keeps a tool that was not cleared from running. If the tool runs
//! in another process, the cleared step is exchanged for a [`Permit`]: a signed note of what was
//! evaluated, good for one use and a short time. The process that runs the tool has it checked against
//! the arguments that it is about to use:
//!
//! ```
//! use std::time::Duration;
//! use hookgate::contract::payload::ToolCall;
//! use hookgate::engine::permit::{Permit, PermitError};
//! use hookgate::{Engine, Gate, HookEngine, StepContext, ToolUse};
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let (engine, context) = (Engine::default(), StepContext::new("session-1"));
//! let bash = ToolUse::propose("Bash", r#"{"command":"ls"}"#).unwrap();
//! let Gate::Cleared(cleared) = engine.dispatch(bash, &context).await else { panic!() };
//! let (permit, running) = engine.issue(cleared, &context, Duration::from_secs(30))?;
//!
//! // The permit travels as JSON. The runner has it checked before it runs the call.
//! let sent = serde_json::to_string(&permit).unwrap();
//! let permit: Permit = serde_json::from_str(&sent).unwrap();
//! let call = ToolCall::new("Bash", serde_json::json!({ "command": "ls" }));
//! assert_eq!(engine.redeem(&permit, &call), Ok(()));
//! assert_eq!(engine.redeem(&permit, &call), Err(PermitError::Used));
//!
//! let ran = running.finish(Ok::<_, String>("file.txt"));
//! # drop(ran);
//! # Ok::<_, hookgate::engine::permit::IssueError>(()) }).unwrap();
//! ```
//!
//! A permit names the step and the generation that evaluated it, not those of the moment of issue. It is
//! bound to the engine: another one neither issues a permit for the step nor redeems this one. The key
//! is 32 random bytes, made when the first permit is issued and never stored, so permits end with the
//! process. The signature is HMAC-SHA-256 over all other fields; it is compared in constant time.
//! Digest and signature are computed here only; a dispatch never pays for them.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use hmac_sha256::{HMAC, Hash};
use hookgate_contract::StepContext;
use hookgate_contract::json::canonical;
use hookgate_contract::payload::ToolCall;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Engine;
use super::hook_engine::HookEngine as _;
use crate::clock;
use crate::generation::Generation;
use crate::hex;
use crate::step::{Cleared, Running, ToolUse};
use crate::table;

/// A signed note of what was evaluated. See the [module](self) for its life.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Permit {
    /// The id of the permit; it is good for one use.
    pub id: String,
    /// The id of the step that hooks and reports have seen.
    pub step_id: String,
    /// The tool.
    pub tool_name: String,
    /// The SHA-256 of the arguments as canonical JSON (RFC 8785), in hex.
    pub digest: String,
    /// The generation of the table that evaluated the step.
    pub generation: Generation,
    /// Until when the permit is good, in milliseconds since 1970.
    pub expires: u64,
    /// The signature of the engine, in hex.
    pub signature: String,
}

/// Why a permit is not redeemed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PermitError {
    /// Another engine signed it, or it was changed.
    #[error("the permit was not signed by this engine")]
    Signature,
    /// Its time is over.
    #[error("the permit has expired")]
    Expired,
    /// It was redeemed before.
    #[error("the permit has been used")]
    Used,
    /// The tool or its arguments are not those that were evaluated.
    #[error("the call is not the one that was evaluated")]
    Changed,
}

/// No permit was issued. The cleared step is in the error: it was not used up.
#[derive(Debug, thiserror::Error)]
#[error("{reason}")]
pub struct IssueError {
    reason: IssueErrorReason,
    step: Box<ToolUse<Cleared>>,
}

/// Why no permit is issued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IssueErrorReason {
    /// The step was cleared by another engine, or by one without hooks.
    #[error("the step was not cleared by this engine: dispatch it here")]
    OtherEngine,
    /// The context names another step than the one that was evaluated.
    #[error(
        "the step was evaluated under another step id: use the context that it was evaluated in"
    )]
    OtherStep,
    /// The system has no random numbers for a key.
    #[error("the system has no random numbers for a key")]
    NoRandomness,
}

impl IssueError {
    /// Returns why no permit was issued.
    #[must_use]
    pub const fn reason(&self) -> IssueErrorReason {
        self.reason
    }

    /// Returns the cleared step.
    #[must_use]
    pub fn into_step(self) -> ToolUse<Cleared> {
        *self.step
    }
}

/// The key of an engine and the permits that were used. Both are made when the first is issued.
#[derive(Default)]
pub(super) struct Permits {
    key: OnceLock<[u8; 32]>,
    used: Mutex<HashMap<String, u64>>,
}

impl fmt::Debug for Permits {
    /// Leaves the key out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permits").finish_non_exhaustive()
    }
}

impl Permits {
    /// Returns the key; `None` if the system has no random numbers.
    fn key(&self) -> Option<&[u8; 32]> {
        if let Some(key) = self.key.get() {
            return Some(key);
        }
        let mut key = [0; 32];
        getrandom::fill(&mut key).ok()?;
        Some(self.key.get_or_init(|| key))
    }

    fn sign(&self, permit: &Permit) -> Option<[u8; 32]> {
        Some(HMAC::mac(signed_bytes(permit)?, self.key()?))
    }

    /// Returns whether a permit carries the signature of this key. The comparison takes the same
    /// time wherever the first difference is.
    fn is_signed(&self, permit: &Permit) -> bool {
        let Some((bytes, key)) = signed_bytes(permit).zip(self.key()) else { return false };
        hex::decode(&permit.signature).is_some_and(|signature| HMAC::verify(bytes, key, &signature))
    }
}

/// Returns what is signed: all fields but the signature, as JSON, so that no two permits are the same
/// bytes.
fn signed_bytes(permit: &Permit) -> Option<Vec<u8>> {
    let Permit { id, step_id, tool_name, digest, generation, expires, signature: _ } = permit;
    serde_json::to_vec(&(id, step_id, tool_name, digest, generation, expires)).ok()
}

impl Engine {
    /// Exchanges a clearance for a permit that another process can use once, for as long as
    /// `good_for`. The running tool is returned beside it, to be finished with the result of the
    /// other process.
    ///
    /// The context is that of the dispatch. Its step id names the step if the dispatch kept none,
    /// because no hook had an opinion; if the context has none either, the permit gets a new one. A
    /// runtime that wants to find a permit in its records names its steps, or asks for reports.
    ///
    /// # Errors
    /// An [`IssueError`] with the step, if this engine has not cleared it, if the context names another
    /// step, or if the system has no random numbers for a key.
    pub fn issue(
        &self,
        cleared: ToolUse<Cleared>,
        context: &StepContext<'_>,
        good_for: Duration,
    ) -> Result<(Permit, Running), IssueError> {
        match self.make_permit(&cleared, context, good_for) {
            Ok(permit) => Ok((permit, cleared.start())),
            Err(reason) => Err(IssueError { reason, step: Box::new(cleared) }),
        }
    }

    fn make_permit(
        &self,
        cleared: &ToolUse<Cleared>,
        context: &StepContext<'_>,
        good_for: Duration,
    ) -> Result<Permit, IssueErrorReason> {
        if !cleared.is_cleared_by(self) {
            return Err(IssueErrorReason::OtherEngine);
        }
        let kept = cleared.kept_decision();
        let step_id = match (kept.and_then(|d| d.step_id.as_deref()), context.step_id) {
            (Some(known), Some(named)) if known != named => {
                return Err(IssueErrorReason::OtherStep);
            }
            (Some(known), _) => known.to_owned(),
            (None, Some(named)) => named.to_owned(),
            (None, None) => clock::step_id(),
        };
        let generation = match kept {
            Some(decision) => decision.generation,
            None => {
                Generation::new(table::generation(cleared.stamp().word, self.generation().get()))
            }
        };
        let millis = u64::try_from(good_for.as_millis()).unwrap_or(u64::MAX);
        let mut permit = Permit {
            id: clock::step_id(),
            step_id,
            tool_name: cleared.call().tool_name.clone(),
            digest: digest(&cleared.call().tool_input),
            generation,
            expires: clock::unix_ms().saturating_add(millis),
            signature: String::new(),
        };
        let signature = self.permits.sign(&permit).ok_or(IssueErrorReason::NoRandomness)?;
        permit.signature = hex::encode(&signature);
        Ok(permit)
    }

    /// Checks a permit against the call that is about to be made, and uses it up.
    ///
    /// # Errors
    /// A [`PermitError`] if the call must not be made. A permit that does not fit the call is not
    /// used up.
    pub fn redeem(&self, permit: &Permit, call: &ToolCall) -> Result<(), PermitError> {
        if !self.permits.is_signed(permit) {
            return Err(PermitError::Signature);
        }
        let now = clock::unix_ms();
        if now > permit.expires {
            return Err(PermitError::Expired);
        }
        if digest(&call.tool_input) != permit.digest || call.tool_name != permit.tool_name {
            return Err(PermitError::Changed);
        }
        let mut used = self.permits.used.lock().unwrap_or_else(PoisonError::into_inner);
        // An expired permit is refused anyway, so it need not be remembered.
        used.retain(|_, expires| *expires >= now);
        match used.insert(permit.id.clone(), permit.expires) {
            None => Ok(()),
            Some(_) => Err(PermitError::Used),
        }
    }
}

fn digest(input: &Value) -> String {
    hex::encode(&Hash::hash(canonical(input).as_bytes()))
}
