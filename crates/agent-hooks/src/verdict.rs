//! What an interceptor answers, in the words of the standard.

mod read;

use std::collections::BTreeMap;

use hookgate_contract::name_enum;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::reserved::Reserved;

/// How many bytes of a message a record keeps.
const MESSAGE: usize = 256;

name_enum! {
    /// What an interceptor decides.
    pub enum WireDecision {
        /// The action goes on with the target as it is.
        Allow = "allow",
        /// The action goes on with another target.
        Transform = "transform",
        /// The action does not happen.
        Deny = "deny",
    }
}

/// A verdict of an interceptor or of an approver, or one that the host gives itself.
///
/// ```
/// use hookgate_agent_hooks::{InterceptorVerdict, WireDecision};
///
/// let verdict = InterceptorVerdict::from_json(br#"{"decision":"deny","reason":"no","approval":{}}"#)?;
/// assert_eq!(verdict.decision, WireDecision::Deny);
/// assert!(verdict.is_liftable());
/// assert!(InterceptorVerdict::from_json(br#"{"decision":"deny","resaon":"no"}"#).is_err());
/// # Ok::<_, hookgate_agent_hooks::VerdictError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct InterceptorVerdict {
    /// The decision.
    pub decision: WireDecision,
    /// Why, for programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Why, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Concerns that change nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// That an approval may lift the deny, and what the approver is to know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval: Option<Map<String, Value>>,
    /// The change of the target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transform: Option<Transform>,
    /// Where a proof is. It is passed on and never followed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// Labels of the data that the action uses or makes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub result_labels: Vec<String>,
}

/// A concern that changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct Warning {
    /// What, for programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// A change of the target.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Transform {
    /// What is set: a [`TargetPath`](crate::TargetPath) as it was written.
    pub path: String,
    /// What it is set to; `None` in a record, which holds no values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
}

/// Where a proof of a verdict is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct Evidence {
    /// The proof, by its hash or address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artefact: Option<String>,
    /// Addresses for an auditor, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub verification_pointers: BTreeMap<String, String>,
}

/// Why an answer is no verdict. It repeats nothing of the answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct VerdictError(pub(crate) String);

impl InterceptorVerdict {
    /// Lets the action go on.
    #[must_use]
    pub const fn allow() -> Self {
        Self::decide(WireDecision::Allow)
    }

    /// Keeps the action from happening.
    #[must_use]
    pub fn deny(reason: impl Into<String>) -> Self {
        Self { reason: Some(reason.into()), ..Self::decide(WireDecision::Deny) }
    }

    /// Keeps the action from happening, unless an approver agrees.
    #[must_use]
    pub fn escalate(reason: impl Into<String>) -> Self {
        Self { approval: Some(Map::new()), ..Self::deny(reason) }
    }

    /// Lets the action go on with another target.
    #[must_use]
    pub fn transform(path: impl Into<String>, value: Value) -> Self {
        let transform = Transform { path: path.into(), value: Some(value) };
        Self { transform: Some(transform), ..Self::decide(WireDecision::Transform) }
    }

    /// The deny of a host.
    pub(crate) fn reserved(reason: Reserved, message: Option<String>) -> Self {
        Self { message, ..Self::deny(reason.name()) }
    }

    const fn decide(decision: WireDecision) -> Self {
        Self {
            decision,
            reason: None,
            message: None,
            warnings: Vec::new(),
            approval: None,
            transform: None,
            evidence: None,
            result_labels: Vec::new(),
        }
    }

    /// Reads a verdict, or a response that holds one beside extensions, from the bytes of an answer.
    ///
    /// # Errors
    /// What makes it something else than one verdict, repeated and unknown members among it.
    pub fn from_json(answer: &[u8]) -> Result<Self, VerdictError> {
        read::from_json(answer)
    }

    /// Reads a verdict from a value.
    ///
    /// # Errors
    /// What makes it something else than a verdict.
    pub fn from_value(value: &Value) -> Result<Self, VerdictError> {
        read::from_value(value)
    }

    /// Tells whether an approval may lift it.
    #[must_use]
    pub fn is_liftable(&self) -> bool {
        self.decision == WireDecision::Deny && self.approval.is_some()
    }

    /// Tells whether the action goes on.
    #[must_use]
    pub fn permits(&self) -> bool {
        self.decision != WireDecision::Deny
    }

    /// What of the verdict may be kept: no value of the target, no member of an approval, and of each
    /// message the beginning.
    #[must_use]
    pub fn projected(mut self) -> Self {
        let messages = self.warnings.iter_mut().map(|warning| &mut warning.message);
        for message in messages.chain([&mut self.message]).flatten() {
            *message = beginning(message);
        }
        self.approval = self.approval.map(|_| Map::new());
        self.without_value()
    }

    /// The verdict without the value that it sets.
    pub(crate) fn without_value(mut self) -> Self {
        self.transform = self.transform.map(|change| Transform { value: None, ..change });
        self
    }
}

/// The first bytes of a message, up to the end of a character.
fn beginning(message: &str) -> String {
    if message.len() <= MESSAGE {
        return message.to_owned();
    }
    let end = (0..=MESSAGE).rev().find(|end| message.is_char_boundary(*end)).unwrap_or_default();
    let (kept, _) = message.split_at_checked(end).unwrap_or_default();
    format!("{kept}…")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_record_holds_no_values_and_short_messages() {
        let long = "é".repeat(200);
        let verdict = InterceptorVerdict {
            message: Some(long.clone()),
            warnings: vec![Warning { reason: Some("r".repeat(500)), message: Some(long) }],
            ..InterceptorVerdict::transform("$target.a", json!("secret"))
        };
        let kept = serde_json::to_value(verdict.projected()).unwrap();
        assert_eq!(kept["message"], format!("{}…", "é".repeat(128)));
        assert_eq!(kept["warnings"][0]["reason"].as_str().unwrap().len(), 500);
        assert_eq!(kept["transform"], json!({"path": "$target.a"}));
        let asked = InterceptorVerdict {
            approval: Some(json!({"who": "secret"}).as_object().unwrap().clone()),
            ..InterceptorVerdict::deny("no")
        };
        assert_eq!(serde_json::to_value(asked.projected()).unwrap()["approval"], json!({}));
    }
}
