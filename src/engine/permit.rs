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
//! let (engine, context) = (Engine::without_hooks(), StepContext::new("session-1"));
//! let bash = ToolUse::propose("Bash", r#"{"command":"ls"}"#).unwrap();
//! let Gate::Cleared(cleared) = engine.dispatch(bash, &context).await else { panic!() };
//! let (permit, running) = engine.issue(cleared, &context, Duration::from_secs(30))?;
//!
//! // The permit travels as JSON. The runner has it checked before it runs the call.
//! let sent = serde_json::to_string(&permit).unwrap();
//! let permit: Permit = serde_json::from_str(&sent).unwrap();
//! let call = ToolCall::new("Bash", serde_json::json!({ "command": "ls" }));
//! assert_eq!(engine.redeem(&permit, &call, &context), Ok(()));
//! assert_eq!(engine.redeem(&permit, &call, &context), Err(PermitError::Used));
//!
//! let ran = running.finish(Ok::<_, String>("file.txt"));
//! # drop(ran);
//! # Ok::<_, hookgate::engine::permit::IssueError>(()) }).unwrap();
//! ```
//!
//! # What a permit is bound to
//! * The call: tool, arguments, category, safety and provenance, all that a condition can decide on. The folder
//!   and the id that the model gave the call are compared if the runner presents them.
//! * The session and the agent of the context. The id of the step is compared if the runner presents it.
//! * The engine: another one neither issues a permit for the step nor redeems this one.
//! * The hooks of `pre_tool_use`: a swap that changes them ends all permits that they gave, unless the
//!   [`Terms`] say otherwise. A swap that changes other events only ends none.
//! * A time of at most [one hour](Terms::LONGEST), by the clock of the machine.
//! * One use. What was not used can be [revoked](Engine::revoke).
//!
//! A permit names the step and the generation that evaluated it, not those of the moment of issue. A step that
//! no hook had an opinion on is kept without its id; its permit has the id of the context of the issue. The key
//! is 32 random bytes, made when the first permit is issued and never stored, so permits end with the
//! process. The signature is HMAC-SHA-256 over all other fields; it is compared in constant time.
//! Digest and signature are computed here only; a dispatch never pays for them.
//!
//! The guide is [`docs::permits`](crate::docs::permits).

mod ledger;

use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;

use hmac_sha256::{HMAC, Hash};
use hookgate_contract::json::canonical;
use hookgate_contract::payload::{Provenance, Safety, ToolCall};
use hookgate_contract::{Event, StepContext};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::ledger::{Ledger, Spent};
use super::Engine;
use super::hook_engine::HookEngine as _;
use crate::clock;
use crate::generation::Generation;
use crate::hex;
use crate::step::{Cleared, Running, ToolUse};
use crate::table;

/// A signed note of what was evaluated. See the [module](self) for what it is bound to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Permit {
    /// The id of the permit; it is good for one use.
    pub id: String,
    /// How many permits the engine issued before it.
    pub serial: u64,
    /// The engine that issued it, of those of its process.
    pub engine: u64,
    /// The id of the step that hooks and reports have seen.
    pub step_id: String,
    /// The session.
    pub session_id: String,
    /// The agent, if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// What kind of agent it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_type: Option<String>,
    /// The folder that the session works in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The tool.
    pub tool_name: String,
    /// The id of the call, as the model gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
    /// The group that the host puts the tool in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_category: Option<String>,
    /// What the tool can do to the world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub safety: Option<Safety>,
    /// Where the tool comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
    /// The SHA-256 of the arguments as canonical JSON (RFC 8785), in hex.
    pub digest: String,
    /// The generation of the table that evaluated the step.
    pub generation: Generation,
    /// Whether the permit stays good when the hooks that gave it are changed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub across_swaps: bool,
    /// Until when the permit is good, in milliseconds since 1970.
    pub expires: u64,
    /// The signature of the engine, in hex.
    #[serde(default)]
    pub signature: String,
}

/// How long a permit is good, and what ends it before.
///
/// A [`Duration`] is the terms of a permit that ends when the hooks that gave it are changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    good_for: Duration,
    across_swaps: bool,
}

impl Terms {
    /// The longest time that a permit can be good: one hour.
    pub const LONGEST: Duration = Duration::from_secs(60 * 60);

    /// Returns the terms of a permit that is good for some time, or until the hooks that gave it are changed.
    #[must_use]
    pub const fn new(good_for: Duration) -> Self {
        Self { good_for, across_swaps: false }
    }

    /// Keeps the permit good when the hooks that gave it are changed: for a runner that must be able to finish
    /// what it has taken on. A guard that is put in force meanwhile does not stop it; [`Engine::revoke`] does.
    #[must_use]
    pub const fn across_swaps(mut self) -> Self {
        self.across_swaps = true;
        self
    }
}

impl From<Duration> for Terms {
    fn from(good_for: Duration) -> Self {
        Self::new(good_for)
    }
}

/// Which permits are ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Revocation<'a> {
    /// The permit of an id.
    Permit(&'a str),
    /// All permits of a session that were issued so far.
    Session(&'a str),
    /// All permits of the engine that were issued so far.
    All,
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
    /// Tool, arguments, category, safety, provenance, folder or id of the call are not those that were evaluated.
    #[error("the call is not the one that was evaluated")]
    Changed,
    /// The permit was issued in another session, or for another agent.
    #[error("the permit was issued in another session, or for another agent")]
    OtherSession,
    /// Another engine of the process has issued it: a scope that has other hooks, say.
    #[error("the permit was issued by another engine, or in another scope")]
    OtherEngine,
    /// The context names another step than the permit.
    #[error("the permit was issued for another step")]
    OtherStep,
    /// The hooks that gave it are not in force any more.
    #[error("the hooks have changed since the call was evaluated: dispatch it again")]
    Outdated,
    /// It was revoked.
    #[error("the permit was revoked")]
    Revoked,
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
    /// The context is that of another session than the one in which the step was evaluated.
    #[error("the step was evaluated in another session: use the context that it was evaluated in")]
    OtherSession,
    /// The hooks that cleared the step are not in force any more.
    #[error("the hooks have changed since the step was cleared: dispatch it again")]
    Outdated,
    /// The permit would be good for more than [`Terms::LONGEST`].
    #[error("a permit is good for one hour at most")]
    TooLong,
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

/// The key of an engine, and which of its permits are spent.
#[derive(Default)]
pub(super) struct Permits {
    key: OnceLock<[u8; 32]>,
    pub(super) ledger: Ledger,
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
        clock::fill_random(&mut key)?;
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

/// Returns what is signed: the permit without its signature, as JSON, so that no two permits are the same bytes.
fn signed_bytes(permit: &Permit) -> Option<Vec<u8>> {
    serde_json::to_vec(&Permit { signature: String::new(), ..permit.clone() }).ok()
}

impl Engine {
    /// Exchanges a clearance for a permit that another process can use once, on the terms that are given: a
    /// [`Duration`] or [`Terms`]. The running tool is returned beside it, to be finished with the result of the
    /// other process.
    ///
    /// The context is that of the dispatch. That it is, is found out where a hook has looked at the step; a step that no
    /// hook was asked about is of no session yet. Its step id names the step if the dispatch kept none,
    /// because no hook had an opinion; if the context has none either, the permit gets a new one. A
    /// runtime that wants to find a permit in its records names its steps, or asks for reports.
    ///
    /// # Errors
    /// An [`IssueError`] with the step, for each [`IssueErrorReason`].
    pub fn issue(
        &self,
        cleared: ToolUse<Cleared>,
        context: &StepContext<'_>,
        terms: impl Into<Terms>,
    ) -> Result<(Permit, Running), IssueError> {
        match self.make_permit(&cleared, context, terms.into()) {
            Ok(permit) => Ok((permit, cleared.start())),
            Err(reason) => Err(IssueError { reason, step: Box::new(cleared) }),
        }
    }

    fn make_permit(
        &self,
        cleared: &ToolUse<Cleared>,
        context: &StepContext<'_>,
        terms: Terms,
    ) -> Result<Permit, IssueErrorReason> {
        if !cleared.is_cleared_by(self) {
            return Err(IssueErrorReason::OtherEngine);
        }
        if !cleared.stamp().may_be_of(context.session_id) {
            return Err(IssueErrorReason::OtherSession);
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
        if self.is_closed() || (!terms.across_swaps && self.is_outdated(generation)) {
            return Err(IssueErrorReason::Outdated);
        }
        if terms.good_for > Terms::LONGEST {
            return Err(IssueErrorReason::TooLong);
        }
        let millis = u64::try_from(terms.good_for.as_millis()).unwrap_or(u64::MAX);
        let call = cleared.call();
        let mut permit = Permit {
            id: clock::step_id(),
            engine: self.id,
            serial: self.shared.permits.ledger.next_serial(),
            step_id,
            session_id: context.session_id.to_owned(),
            agent_id: context.agent_id.map(str::to_owned),
            agent_type: context.agent_type.map(str::to_owned),
            cwd: context.cwd.map(str::to_owned),
            tool_name: call.tool_name.clone(),
            tool_use_id: call.tool_use_id.clone(),
            tool_category: call.tool_category.clone(),
            safety: call.safety,
            provenance: call.provenance.as_deref().cloned(),
            digest: digest(&call.tool_input),
            generation,
            across_swaps: terms.across_swaps,
            expires: clock::unix_ms().saturating_add(millis),
            signature: String::new(),
        };
        let signature = self.shared.permits.sign(&permit).ok_or(IssueErrorReason::NoRandomness)?;
        permit.signature = hex::encode(&signature);
        Ok(permit)
    }

    /// Checks a permit against the call that is about to be made and the context that it is made in, and uses
    /// it up.
    ///
    /// # Errors
    /// A [`PermitError`] if the call must not be made. A permit that does not fit call and context is not
    /// used up.
    pub fn redeem(
        &self,
        permit: &Permit,
        call: &ToolCall,
        context: &StepContext<'_>,
    ) -> Result<(), PermitError> {
        self.redeem_at(permit, call, context, clock::unix_ms())
    }

    fn redeem_at(
        &self,
        permit: &Permit,
        call: &ToolCall,
        context: &StepContext<'_>,
        now: u64,
    ) -> Result<(), PermitError> {
        if !self.shared.permits.is_signed(permit) {
            return Err(PermitError::Signature);
        }
        if permit.engine != self.id {
            return Err(PermitError::OtherEngine);
        }
        if now > permit.expires {
            return Err(PermitError::Expired);
        }
        if !is_same_call(permit, call) || differs(context.cwd, permit.cwd.as_deref()) {
            return Err(PermitError::Changed);
        }
        if context.session_id != permit.session_id
            || context.agent_id != permit.agent_id.as_deref()
            || context.agent_type != permit.agent_type.as_deref()
        {
            return Err(PermitError::OtherSession);
        }
        if differs(context.step_id, Some(&permit.step_id)) {
            return Err(PermitError::OtherStep);
        }
        if self.is_closed() || (!permit.across_swaps && self.is_outdated(permit.generation)) {
            return Err(PermitError::Outdated);
        }
        match self.shared.permits.ledger.spend(permit, now) {
            None => Ok(()),
            Some(Spent::Used) => Err(PermitError::Used),
            Some(Spent::Revoked) => Err(PermitError::Revoked),
        }
    }

    /// Ends permits before they are used. What has been redeemed before is not stopped, and what is issued later
    /// is not touched. [`Engine::forget_session`] does so for its session.
    ///
    /// ```
    /// use hookgate::Engine;
    /// use hookgate::engine::permit::Revocation;
    ///
    /// let engine = Engine::without_hooks();
    /// engine.revoke(Revocation::Session("session-1"));
    /// ```
    pub fn revoke(&self, which: Revocation<'_>) {
        self.shared.permits.ledger.revoke(which, clock::unix_ms());
    }

    /// Returns whether the hooks that a tool call passes are others than in an earlier generation.
    fn is_outdated(&self, generation: Generation) -> bool {
        self.swap.load().has_changed_since(Event::PreToolUse.name(), generation.get())
    }
}

fn is_same_call(permit: &Permit, call: &ToolCall) -> bool {
    let ToolCall { tool_name, tool_use_id, tool_input, tool_category, safety, provenance, .. } =
        call;
    *tool_name == permit.tool_name
        && *tool_category == permit.tool_category
        && *safety == permit.safety
        && provenance.as_deref() == permit.provenance.as_ref()
        && !differs(tool_use_id.as_deref(), permit.tool_use_id.as_deref())
        && digest(tool_input) == permit.digest
}

/// Returns whether what is presented is not what the permit says; what is not presented is not compared.
fn differs(presented: Option<&str>, signed: Option<&str>) -> bool {
    presented.is_some() && presented != signed
}

fn digest(input: &Value) -> String {
    hex::encode(&Hash::hash(canonical(input).as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permit_is_good_up_to_its_last_millisecond_and_once() {
        let (engine, context) = (Engine::without_hooks(), StepContext::new("s"));
        let call = || ToolCall::new("Bash", serde_json::json!({"command": "ls"}));
        let issued = || {
            let Ok(cleared) = engine.pass(ToolUse::from(call())) else { panic!("no hook") };
            engine.issue(cleared, &context, Terms::LONGEST).unwrap().0
        };
        let redeem = |permit: &Permit, now| engine.redeem_at(permit, &call(), &context, now);
        let permit = issued();
        assert_eq!(redeem(&permit, permit.expires + 1), Err(PermitError::Expired));
        assert_eq!(redeem(&permit, permit.expires), Ok(()));
        // However many others are used meanwhile, so that the expired ones are forgotten.
        for _ in 0..200 {
            let other = issued();
            assert_eq!(redeem(&other, permit.expires), Ok(()));
        }
        assert_eq!(redeem(&permit, permit.expires), Err(PermitError::Used));
    }
}
