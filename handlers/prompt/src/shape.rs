//! The forms that an answer may have.

use std::fmt;
use std::sync::Arc;

use hookgate_contract::{Contract, Failure, FailureClass, Reply, Verdict, VerdictDecision};
use serde_json::{Map, Value, json};

/// A form of answer that an embedder adds: `respond = "its name"`.
///
/// It is registered with [`Shared::with_shape`](crate::Shared::with_shape). The nonce is asked for,
/// checked and taken away by the judge.
pub trait AnswerShape: Send + Sync {
    /// The keys of the answer, each with its JSON schema. Strict servers want plain types.
    fn properties(&self) -> Map<String, Value>;

    /// What each key means, for the model.
    fn instructions(&self) -> String;

    /// Reads an answer that has exactly these keys.
    ///
    /// # Errors
    /// A failure of class [`FailureClass::Malformed`] where the values make no sense, and of class
    /// [`FailureClass::Unsure`] where the model could not tell.
    fn read(&self, answer: &Map<String, Value>) -> Reply;
}

/// What a judge is asked for.
#[derive(Clone)]
pub(crate) enum Respond {
    Decision,
    Context,
    Rewrite,
    Own(String, Arc<dyn AnswerShape>),
}

impl Respond {
    /// Whether a decision is asked for.
    pub(crate) const fn decides(&self) -> bool {
        matches!(self, Self::Decision | Self::Own(..))
    }

    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Decision => "decision",
            Self::Context => "context",
            Self::Rewrite => "rewrite",
            Self::Own(name, _) => name,
        }
    }
}

impl fmt::Debug for Respond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a judge found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Finding {
    Allow(String),
    Deny(String),
    Ask(String),
    Context(String),
    Patch(Map<String, Value>),
    Own(Verdict),
}

impl Finding {
    /// The decision, where it is one.
    pub(crate) fn word(&self) -> Option<VerdictDecision> {
        match self {
            Self::Allow(_) => Some(VerdictDecision::Allow),
            Self::Ask(_) => Some(VerdictDecision::Ask),
            Self::Deny(_) => Some(VerdictDecision::Deny),
            Self::Context(_) | Self::Patch(_) => None,
            Self::Own(verdict) => verdict.parts()?.decision,
        }
    }
}

/// The form of an answer at an event.
pub(crate) struct Shape<'a> {
    pub(crate) respond: &'a Respond,
    pub(crate) contract: &'static Contract,
}

impl Shape<'_> {
    fn words(&self) -> Vec<&'static str> {
        let mut words = vec!["allow"];
        if self.contract.allows(VerdictDecision::Deny) {
            words.push("deny");
        }
        if self.contract.allows(VerdictDecision::Ask) {
            words.push("ask");
        }
        words.push("unsure");
        words
    }

    /// The keys of the answer with their schemas, without the nonce.
    pub(crate) fn properties(&self) -> Map<String, Value> {
        let keys = match self.respond {
            Respond::Decision => json!({
                "reason": {"type": "string"},
                "decision": {"type": "string", "enum": self.words()},
            }),
            Respond::Context => json!({"context": {"type": "string"}}),
            Respond::Rewrite => json!({"patch": {"type": "string"}}),
            Respond::Own(_, shape) => return shape.properties(),
        };
        match keys {
            Value::Object(keys) => keys,
            _ => Map::new(),
        }
    }

    /// What the keys mean. No part of it may be read as an answer.
    pub(crate) fn told(&self) -> String {
        match self.respond {
            Respond::Decision => {
                let mut told = String::from(
                    "`reason`: one short sentence in your own words, which quotes neither the \
                     data nor the rule.\n`decision`: one of these words:\n- `allow`: the rule has \
                     nothing against the step.\n",
                );
                if self.contract.allows(VerdictDecision::Deny) {
                    told.push_str("- `deny`: the rule forbids the step.\n");
                }
                if self.contract.allows(VerdictDecision::Ask) {
                    told.push_str("- `ask`: by the rule a person has to decide.\n");
                }
                told.push_str("- `unsure`: you cannot tell.\n");
                told
            }
            Respond::Context => "`context`: a note for the agent, as the rule wants it; the empty \
                                 string if there is nothing to say.\n"
                .into(),
            Respond::Rewrite => {
                let fields: Vec<_> = self.contract.patch.iter().map(|field| field.name).collect();
                format!(
                    "`patch`: the empty string if the step can stay as it is. Else a string that \
                     is itself a JSON object: each field that has to change, with its whole new \
                     value. The fields that can change: {}.\n",
                    fields.join(", ")
                )
            }
            Respond::Own(_, shape) => shape.instructions(),
        }
    }

    /// Reads the keys of an answer, the nonce taken away. The decision in one that is refused
    /// stands.
    pub(crate) fn read(&self, answer: Map<String, Value>) -> Result<Finding, Failure> {
        let written = || Value::Object(answer.clone()).to_string();
        let stands = if self.respond.decides() {
            Verdict::salvage_anywhere(written().as_bytes())
        } else {
            None
        };
        self.keys(answer).map_err(|failure| {
            // Who says in good form that it cannot tell has decided nothing.
            let damaged = failure.class == FailureClass::Malformed;
            let word = failure.salvaged.max(stands.filter(|_| damaged));
            failure.with_salvaged(word)
        })
    }

    fn keys(&self, mut answer: Map<String, Value>) -> Result<Finding, Failure> {
        match self.respond {
            Respond::Decision => {
                let decision = text(&mut answer, "decision")?;
                let reason = match answer.contains_key("reason") {
                    true => text(&mut answer, "reason")?,
                    false => String::new(),
                };
                none_left(&answer)?;
                self.decided(&decision, reason)
            }
            Respond::Context => {
                let context = text(&mut answer, "context")?;
                none_left(&answer)?;
                Ok(Finding::Context(context.trim().to_owned()))
            }
            Respond::Rewrite => {
                let patch = text(&mut answer, "patch")?;
                none_left(&answer)?;
                if patch.trim().is_empty() {
                    return Ok(Finding::Patch(Map::new()));
                }
                match hookgate_contract::json::parse(patch.as_bytes()) {
                    Ok(Value::Object(fields)) => Ok(Finding::Patch(fields)),
                    _ => Err(malformed("`patch` holds no JSON object")),
                }
            }
            Respond::Own(_, shape) => shape.read(&answer).map(Finding::Own),
        }
    }

    fn decided(&self, decision: &str, reason: String) -> Result<Finding, Failure> {
        let word = match decision {
            "allow" => return Ok(Finding::Allow(reason)),
            "unsure" => {
                return Err(Failure::new(FailureClass::Unsure, "the judge cannot tell"));
            }
            "deny" => VerdictDecision::Deny,
            "ask" => VerdictDecision::Ask,
            _ => return Err(malformed("`decision` is none of the words that were offered")),
        };
        if !self.contract.allows(word) {
            let wrong = "`decision` is a word that was not offered, since it means nothing here";
            return Err(malformed(wrong).with_salvaged(Some(word)));
        }
        Ok(if word == VerdictDecision::Deny { Finding::Deny(reason) } else { Finding::Ask(reason) })
    }
}

fn text(answer: &mut Map<String, Value>, key: &'static str) -> Result<String, Failure> {
    match answer.remove(key) {
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(malformed(format!("`{key}` is no string"))),
        None => Err(malformed(format!("`{key}` is missing"))),
    }
}

fn none_left(answer: &Map<String, Value>) -> Result<(), Failure> {
    if answer.is_empty() { Ok(()) } else { Err(malformed("there are keys that nobody asked for")) }
}

pub(crate) fn malformed(detail: impl Into<String>) -> Failure {
    Failure::new(FailureClass::Malformed, format!("the judge's answer: {}", detail.into()))
}
