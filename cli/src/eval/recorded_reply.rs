//! One reply of a hook, as a line of a recording.

use hookgate::contract::{Reply, VerdictDecision};
use hookgate::{Failure, FailureClass, Verdict};
use serde::{Deserialize, Serialize};

/// What the calls of a model took.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct ModelUsage {
    /// The model that answered; empty if none did.
    pub model: String,
    /// Whether an earlier answer was used again.
    pub cached: bool,
    /// How many requests were made.
    pub calls: u32,
    /// How many tokens went in.
    pub prompt_tokens: u64,
    /// How many tokens came out.
    pub completion_tokens: u64,
    /// What they cost, in the unit of the prices in the config.
    pub cost: f64,
}

/// One reply of a hook.
///
/// In a recording it is a line of JSON; the keys that differ from the names of the fields are those
/// of the first version of the format (`asked`, `stands`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct RecordedReply {
    /// The key of the step; see [`Sample::key`](crate::eval::Sample::key).
    pub step: String,
    /// Which repeat it was, from 1.
    pub repeat: u32,
    /// Whether the hook was invoked: its conditions may not match the step.
    #[serde(rename = "asked")]
    pub invoked: bool,
    /// What the hook decided; `None` if it had no opinion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<VerdictDecision>,
    /// Why; also of a judge that saw nothing wrong, which has no opinion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How the hook failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<FailureClass>,
    /// The decision that was read from a verdict that the engine refused.
    #[serde(default, rename = "stands", skip_serializing_if = "Option::is_none")]
    pub salvaged: Option<VerdictDecision>,
    /// How long the call took, in microseconds.
    pub latency_us: u64,
    /// What the calls of a model took; `None` if the hook is not a judge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<ModelUsage>,
}

impl RecordedReply {
    /// Returns a reply without an opinion, of a hook that was invoked.
    #[must_use]
    pub fn new(step: impl Into<String>, repeat: u32) -> Self {
        Self {
            step: step.into(),
            repeat,
            invoked: true,
            decision: None,
            reason: None,
            failure: None,
            salvaged: None,
            latency_us: 0,
            usage: None,
        }
    }

    /// Returns the reply as a handler gives it, to be given again.
    ///
    /// ```
    /// use hookgate::Verdict;
    /// use hookgate_cli::eval::RecordedReply;
    ///
    /// let line = r#"{"step":"00","repeat":1,"asked":true,"decision":"deny","reason":"no","latency_us":5}"#;
    /// let reply: RecordedReply = serde_json::from_str(line).unwrap();
    /// assert_eq!(reply.to_reply(), Ok(Verdict::deny("no")));
    /// ```
    ///
    /// # Errors
    /// The failure that was recorded.
    pub fn to_reply(&self) -> Reply {
        if let Some(class) = self.failure {
            let failure = Failure::new(class, "it failed like this when it was recorded");
            return Err(failure.with_salvaged(self.salvaged));
        }
        let reason = || self.reason.clone().unwrap_or_default();
        Ok(match self.decision {
            None => Verdict::none(),
            Some(VerdictDecision::Allow) => Verdict::allow(),
            Some(VerdictDecision::Ask) => Verdict::ask(reason()),
            Some(VerdictDecision::Deny) => Verdict::deny(reason()),
            Some(VerdictDecision::Halt) => Verdict::halt(reason()),
        })
    }
}
