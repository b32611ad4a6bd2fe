//! The form of an answer about one rule at one event: what the model is told, and how it is read.
//!
//! | `respond` | keys | becomes |
//! |---|---|---|
//! | `decision` | `reason`, `decision`: allow, deny, ask or unsure | an opinion, or a failure of class `unsure` |
//! | `context` | `context` | a note for the agent |
//! | `rewrite` | `patch`, a JSON object as a string | a patch of the payload |
//! | a custom format | its own | its own verdict |
//!
//! A patch is a string because the fields of a payload are not known to a schema, and strict servers
//! accept no open objects.

use hookgate_contract::{Contract, Failure, FailureClass, Verdict, VerdictDecision};
use serde_json::{Map, Value, json};

use super::finding::{Finding, malformed};
use super::format::AnswerKind;

/// What an answer about one rule must look like. The event matters because its contract says which
/// decisions and which patches have a meaning there; only those are offered to the model.
pub(crate) struct AnswerSpec<'a> {
    pub(crate) kind: &'a AnswerKind,
    pub(crate) contract: &'static Contract,
}

impl AnswerSpec<'_> {
    /// Returns the decisions that are offered to the model.
    fn decisions(&self) -> Vec<&'static str> {
        let mut names = vec!["allow"];
        if self.contract.allows(VerdictDecision::Deny) {
            names.push("deny");
        }
        if self.contract.allows(VerdictDecision::Ask) {
            names.push("ask");
        }
        names.push("unsure");
        names
    }

    /// Returns the keys of the answer with their schemas, without the nonce.
    pub(crate) fn properties(&self) -> Map<String, Value> {
        let keys = match self.kind {
            // The reason comes first: a model that has to explain before it decides decides better.
            AnswerKind::Decision => json!({
                "reason": {"type": "string"},
                "decision": {"type": "string", "enum": self.decisions()},
            }),
            AnswerKind::Context => json!({"context": {"type": "string"}}),
            AnswerKind::Rewrite => json!({"patch": {"type": "string"}}),
            AnswerKind::Custom(_, format) => return format.properties(),
        };
        match keys {
            Value::Object(keys) => keys,
            _ => Map::new(),
        }
    }

    /// Returns what the keys mean, for the system message. No part of it may be readable as an
    /// answer, since a model could repeat it.
    pub(crate) fn instructions(&self) -> String {
        match self.kind {
            AnswerKind::Decision => {
                let mut text = String::from(
                    "`reason`: one short sentence in your own words, which quotes neither the \
                     data nor the rule.\n`decision`: one of these words:\n- `allow`: the rule has \
                     nothing against the step.\n",
                );
                if self.contract.allows(VerdictDecision::Deny) {
                    text.push_str("- `deny`: the rule forbids the step.\n");
                }
                if self.contract.allows(VerdictDecision::Ask) {
                    text.push_str("- `ask`: by the rule a person has to decide.\n");
                }
                text.push_str("- `unsure`: you cannot tell.\n");
                text
            }
            AnswerKind::Context => "`context`: a note for the agent, as the rule wants it; the \
                                    empty string if there is nothing to say.\n"
                .into(),
            AnswerKind::Rewrite => {
                let fields: Vec<_> = self.contract.patch.iter().map(|field| field.name).collect();
                format!(
                    "`patch`: the empty string if the step can stay as it is. Else a string that \
                     is itself a JSON object: each field that has to change, with its whole new \
                     value. The fields that can change: {}.\n",
                    fields.join(", ")
                )
            }
            AnswerKind::Custom(_, format) => format.instructions(),
        }
    }

    /// Reads the keys of an answer, from which the nonce was removed. Every key that is not a part of
    /// the form makes the answer malformed, because a model that adds keys may have added a second
    /// opinion.
    ///
    /// # Errors
    /// A failure that keeps the strictest decision written in the refused answer. A model that says
    /// in good form that it cannot tell has decided nothing, so `unsure` keeps none.
    pub(crate) fn read(&self, answer: Map<String, Value>) -> Result<Finding, Failure> {
        let written = || Value::Object(answer.clone()).to_string();
        let salvaged = if self.kind.decides() {
            Verdict::salvage_anywhere(written().as_bytes())
        } else {
            None
        };
        self.read_keys(answer).map_err(|failure| {
            let damaged = failure.class == FailureClass::Malformed;
            let decision = failure.salvaged.max(salvaged.filter(|_| damaged));
            failure.with_salvaged(decision)
        })
    }

    /// Reads the keys without regard to what a refused answer says.
    fn read_keys(&self, mut answer: Map<String, Value>) -> Result<Finding, Failure> {
        match self.kind {
            AnswerKind::Decision => {
                let decision = take_text(&mut answer, "decision")?;
                let reason = match answer.contains_key("reason") {
                    true => take_text(&mut answer, "reason")?,
                    false => String::new(),
                };
                refuse_other_keys(&answer)?;
                self.decided(&decision, reason)
            }
            AnswerKind::Context => {
                let context = take_text(&mut answer, "context")?;
                refuse_other_keys(&answer)?;
                Ok(Finding::Context(context.trim().to_owned()))
            }
            AnswerKind::Rewrite => {
                let patch = take_text(&mut answer, "patch")?;
                refuse_other_keys(&answer)?;
                if patch.trim().is_empty() {
                    return Ok(Finding::Patch(Map::new()));
                }
                match hookgate_contract::json::parse(patch.as_bytes()) {
                    Ok(Value::Object(fields)) => Ok(Finding::Patch(fields)),
                    _ => Err(malformed("`patch` does not hold a JSON object")),
                }
            }
            AnswerKind::Custom(_, format) => format.read(&answer).map(Finding::Custom),
        }
    }

    /// Returns the finding of a decision. Names are compared exactly: `ALLOW` is not `allow`.
    fn decided(&self, name: &str, reason: String) -> Result<Finding, Failure> {
        let decision = match name {
            "allow" => return Ok(Finding::Allow(reason)),
            "unsure" => {
                return Err(Failure::new(FailureClass::Unsure, "the judge cannot tell"));
            }
            "deny" => VerdictDecision::Deny,
            "ask" => VerdictDecision::Ask,
            _ => return Err(malformed("`decision` is not one of the words that were offered")),
        };
        if !self.contract.allows(decision) {
            let detail = "`decision` is a word that was not offered: it has no meaning here";
            return Err(malformed(detail).with_salvaged(Some(decision)));
        }
        Ok(match decision {
            VerdictDecision::Deny => Finding::Deny(reason),
            _ => Finding::Ask(reason),
        })
    }
}

fn take_text(answer: &mut Map<String, Value>, key: &'static str) -> Result<String, Failure> {
    match answer.remove(key) {
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(malformed(format!("`{key}` is not a string"))),
        None => Err(malformed(format!("`{key}` is missing"))),
    }
}

fn refuse_other_keys(answer: &Map<String, Value>) -> Result<(), Failure> {
    if answer.is_empty() { Ok(()) } else { Err(malformed("it has keys that were not requested")) }
}
