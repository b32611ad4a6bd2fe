//! Permits: clearances that cross a process boundary.
//!
//! Inside a process the type system keeps an uncleared tool from running. Where the tool runs in
//! another process, the cleared step is sold for a permit: a signed note of what was judged, good
//! for one use and a short time. Whoever runs the tool has it checked against the arguments that
//! are about to be used.
//!
//! A permit names the step and the generation that judged it, not those of the moment at which it is
//! sold. Only the engine that has judged a step sells a permit for it, and takes it back.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use hmac_sha256::{HMAC, Hash};
use hookgate_contract::StepContext;
use hookgate_contract::payload::ToolCall;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::clock;
use crate::engine::{Engine, HookEngine as _};
use crate::generation::Generation;
use crate::step::{Cleared, Running, ToolUse};
use crate::table;
use hookgate_contract::json::canonical;

/// A signed note of what was judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Permit {
    /// A name of its own; a permit is good for one use.
    pub id: String,
    /// The step, under the name that hooks and reports have for it.
    pub step_id: String,
    /// The tool.
    pub tool_name: String,
    /// The SHA-256 of the arguments, as canonical JSON (RFC 8785).
    pub digest: String,
    /// The table that judged it.
    pub generation: Generation,
    /// Until when it is good, in milliseconds since 1970.
    pub expires: u64,
    /// The signature of the engine.
    pub signature: String,
}

/// Why a permit is not good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PermitError {
    /// Another engine signed it, or somebody changed it.
    #[error("the permit was not signed by this engine")]
    Signature,
    /// It is too late.
    #[error("the permit has expired")]
    Expired,
    /// It was used before.
    #[error("the permit has been used")]
    Used,
    /// The tool or its arguments are not those that were judged.
    #[error("the call is not the one that was judged")]
    Changed,
    /// The step was cleared by another engine, or by none.
    #[error("the step was not cleared by this engine: have it judged here")]
    Engine,
    /// The context names another step than the one that was judged.
    #[error("the step was judged under another step id: use the context that it was judged in")]
    Step,
    /// The system has no random numbers for a key.
    #[error("the system has no random numbers for a key")]
    Random,
}

/// The key of an engine and the permits that were used. Made when the first permit is issued.
#[derive(Default)]
pub(crate) struct Permits {
    key: OnceLock<[u8; 32]>,
    used: Mutex<HashMap<String, u64>>,
}

impl Permits {
    /// Random bytes of two version 7 ids would be guessable in part; the system is asked instead.
    fn key(&self) -> Option<&[u8; 32]> {
        if let Some(key) = self.key.get() {
            return Some(key);
        }
        let mut key = [0; 32];
        getrandom::fill(&mut key).ok()?;
        Some(self.key.get_or_init(|| key))
    }

    fn sign(&self, permit: &Permit) -> Option<[u8; 32]> {
        let Permit { id, step_id, tool_name, digest, generation, expires, signature: _ } = permit;
        // As JSON, so that no two permits are the same bytes.
        let text =
            serde_json::to_vec(&(id, step_id, tool_name, digest, generation, expires)).ok()?;
        Some(HMAC::mac(text, self.key()?))
    }
}

impl Engine {
    /// Sells a clearance for a permit that another process can use once, for this long. What is
    /// left is the running tool, to be finished with the result of the other process.
    ///
    /// The context is that of the dispatch. Its step id names the step where nothing was kept of the
    /// dispatch, since nobody said anything; where it has none, the permit has a new one. So a
    /// runtime that wants to find a permit in its records names its steps, or asks for reports.
    ///
    /// # Errors
    /// A [`PermitError`] where this engine has not cleared the step ([`Engine`](PermitError::Engine)),
    /// where the context names another step, or where the system has no random numbers for a key.
    /// The clearance is then lost, and nothing runs.
    pub fn issue(
        &self,
        cleared: ToolUse<Cleared>,
        context: &StepContext<'_>,
        good_for: Duration,
    ) -> Result<(Permit, Running), PermitError> {
        if !cleared.is_cleared_by(self) {
            return Err(PermitError::Engine);
        }
        let judged = cleared.judged();
        let step_id = match (judged.and_then(|d| d.step_id.as_deref()), context.step_id) {
            (Some(judged), Some(named)) if judged != named => return Err(PermitError::Step),
            (Some(judged), _) => judged.to_owned(),
            (None, Some(named)) => named.to_owned(),
            (None, None) => clock::step_id(),
        };
        let generation = match judged {
            Some(decision) => decision.generation,
            None => {
                Generation::new(table::generation(cleared.stamp().word, self.generation().get()))
            }
        };
        let running = cleared.start();
        let millis = u64::try_from(good_for.as_millis()).unwrap_or(u64::MAX);
        let mut permit = Permit {
            id: clock::step_id(),
            step_id,
            tool_name: running.call().tool_name.clone(),
            digest: digest(running.input()),
            generation,
            expires: clock::unix_ms().saturating_add(millis),
            signature: String::new(),
        };
        permit.signature = hex(&self.permits.sign(&permit).ok_or(PermitError::Random)?);
        Ok((permit, running))
    }

    /// Checks a permit against the call that is about to be made, and uses it up.
    ///
    /// # Errors
    /// A [`PermitError`] where the call must not be made.
    pub fn redeem(&self, permit: &Permit, call: &ToolCall) -> Result<(), PermitError> {
        let signature = self.permits.sign(permit).ok_or(PermitError::Signature)?;
        if !equal(hex(&signature).as_bytes(), permit.signature.as_bytes()) {
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
    hex(&Hash::hash(canonical(input).as_bytes()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Compares in a time that does not depend on where the first difference is.
fn equal(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |difference, (a, b)| difference | (a ^ b)) == 0
}
