//! What a script said that was written for another agent, as a verdict.
//!
//! A script that its agent would let pass after a failure has failed here: the posture of the hook says
//! what that counts as. A deny in an answer that its agent would not read is kept in the failure.

use hookgate_contract::contribution::Contribution;
use hookgate_contract::dialect::ScriptOutput;
use hookgate_contract::{
    CUSTOM, Event, EventKind, Failure, FailureClass, Reply, Verdict, VerdictDecision,
};
use serde_json::{Map, Value};

use crate::wire::reply;

/// The reason of a decision for which the script gives none.
const NO_REASON: &str = "denied by a hook";

/// What is wrong with a decision that stands where its agent does not read it.
const OVERLOOKED: &str = "stdout holds a decision in a form that its agent does not obey here";

/// What is wrong with an answer that its agent would take for text.
const NO_OBJECT: &str =
    "stdout is not one JSON object alone, so its agent would overlook it: print nothing beside it";

/// What is on the stdout of a script.
#[derive(Debug)]
pub(crate) enum Printed {
    /// Nothing.
    Nothing,
    /// One JSON object.
    Object(Map<String, Value>),
    /// Text that is no JSON.
    Text(String),
}

impl Printed {
    /// Reads stdout. Something that begins like JSON, or that says deny in the middle of a text, is broken.
    ///
    /// # Errors
    /// A failure of class `malformed`, with the decision that could be made out.
    pub(crate) fn read(stdout: &[u8]) -> Result<Self, Failure> {
        // Agents skip a byte order mark.
        let stdout = stdout.strip_prefix(b"\xef\xbb\xbf").unwrap_or(stdout).trim_ascii();
        if stdout.is_empty() {
            return Ok(Self::Nothing);
        }
        if let Some(object) = reply::object(stdout) {
            return Ok(Self::Object(object));
        }
        let looks_meant = stdout.starts_with(b"{") || stdout.starts_with(b"[");
        if looks_meant || reply::salvaged(stdout).is_some() {
            return Err(reply::malformed(NO_OBJECT, stdout));
        }
        Ok(Self::Text(String::from_utf8_lossy(stdout).into_owned()))
    }
}

/// Returns the failure of a script that ended with a status by which its agent would let the step pass.
pub(crate) fn crashed(output: &ScriptOutput<'_>) -> Failure {
    reply::crashed(output.exit, output.stdout, output.stderr)
}

/// Returns the failure of an answer that says something which its agent does not know.
pub(crate) fn unknown(field: &str, value: &Value) -> Failure {
    let known = value.as_str().map(str::to_ascii_lowercase);
    let salvaged = match known.as_deref() {
        Some("deny" | "block" | "denied" | "blocked" | "reject") => Some(VerdictDecision::Deny),
        Some("ask") => Some(VerdictDecision::Ask),
        _ => None,
    };
    let detail = format!("its agent does not know this `{field}`, and would let the step pass");
    Failure::new(FailureClass::Malformed, detail).with_salvaged(salvaged)
}

/// What a script wants.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Said {
    /// Its decision.
    pub(crate) decision: Option<VerdictDecision>,
    /// Why.
    pub(crate) reason: Option<String>,
    /// The fields of our payload that it changes.
    pub(crate) patch: Map<String, Value>,
    /// The result that it supplies.
    pub(crate) answer: Option<(Value, bool)>,
    /// Texts for the model.
    pub(crate) context: Vec<String>,
    /// A text for the user.
    pub(crate) message: Option<String>,
    /// Data for the runtime.
    pub(crate) contributions: Vec<Contribution>,
}

impl Said {
    /// Sets a decision and its reason; a blank reason is none.
    pub(crate) fn decide(&mut self, decision: VerdictDecision, reason: Option<&str>) {
        if self.decision.is_none_or(|earlier| decision > earlier) {
            self.decision = Some(decision);
            self.reason = reason.filter(|text| !text.trim().is_empty()).map(str::to_owned);
        }
    }

    /// Denies by the exit status 2, with the first text that is not blank.
    pub(crate) fn deny_by_exit(texts: &[&str]) -> Self {
        let mut said = Self::default();
        let reason = texts.iter().map(|text| text.trim()).find(|text| !text.is_empty());
        said.decide(VerdictDecision::Deny, reason);
        said
    }

    /// Adds a text for the model, if there is one.
    pub(crate) fn add_context(&mut self, text: Option<&Value>) {
        if let Some(text) = text.and_then(Value::as_str).filter(|text| !text.trim().is_empty()) {
            self.context.push(text.to_owned());
        }
    }

    /// Makes the verdict for an event of ours. What the event does not take is left out, and a decision
    /// that it does not have becomes the nearest stricter one: the agent of the script does the same.
    ///
    /// # Errors
    /// If the script wrote to stdout a decision that its agent would overlook.
    pub(crate) fn verdict(self, ours: &str, stdout: &[u8]) -> Reply {
        let contract = Event::from_name(ours).map_or(&CUSTOM, Event::contract);
        if contract.kind == EventKind::Observe {
            return Ok(Verdict::none());
        }
        let decides = self.decision.is_some_and(|decision| decision > VerdictDecision::Allow);
        let is_overlooked = !decides && self.answer.is_none() && contract.deny();
        if is_overlooked && reply::salvaged(stdout).is_some() {
            return Err(reply::malformed(OVERLOOKED, stdout));
        }
        let reason = self.reason.unwrap_or_else(|| NO_REASON.to_owned());
        let decision = self.decision.and_then(|decision| contract.nearest(decision));
        let mut verdict = match decision {
            None => Verdict::none(),
            Some(VerdictDecision::Allow) => Verdict::allow(),
            Some(VerdictDecision::Ask) => Verdict::ask(reason),
            Some(VerdictDecision::Deny) => Verdict::deny(reason),
            Some(VerdictDecision::Halt) => Verdict::halt(reason),
        };
        let may_pass = decision.is_none_or(|decision| decision < VerdictDecision::Deny);
        if may_pass {
            for (name, value) in self.patch {
                if contract.patch_field(&name).is_some_and(|field| field.admits(&value)) {
                    verdict = verdict.patch(name, value);
                }
            }
            if let Some((content, is_error)) = self.answer.filter(|_| contract.answer) {
                verdict = verdict.answer(content, is_error);
            }
        }
        if contract.context {
            verdict = self.context.into_iter().fold(verdict, Verdict::context);
        }
        if let Some(message) = self.message.filter(|text| !text.trim().is_empty()) {
            verdict = verdict.message(message);
        }
        Ok(self.contributions.into_iter().fold(verdict, Verdict::contribute))
    }
}

/// Returns a text of an object, if it is one.
pub(crate) fn text<'a>(object: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    object.get(key)?.as_str()
}

/// Returns an object inside of an object.
pub(crate) fn object<'a>(
    object: &'a Map<String, Value>,
    key: &str,
) -> Option<&'a Map<String, Value>> {
    object.get(key)?.as_object()
}
