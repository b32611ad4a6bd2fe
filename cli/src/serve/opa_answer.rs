//! What is answered where a step comes as OPA is asked.

use hookgate::{Generation, HookId};
use schemars::JsonSchema;
use serde::Serialize;

use super::error::{CallError, Code};
use super::verdict::{Judged, Verdict};

/// The path below `/v1/data` with the whole result.
pub(super) const WHOLE: &str = "hookgate";

/// The path with `allow` alone, for gateways that want a bare boolean.
pub(super) const ALLOW: &str = "hookgate/allow";

/// What came of a step.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct OpaAnswer {
    /// The decision. It is the step's id, too, unless the step has one.
    pub(super) decision_id: String,
    /// What was decided.
    pub(super) result: OpaResult,
}

/// What was decided.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct OpaResult {
    /// Whether the step goes on, as it was sent.
    pub(super) allow: bool,
    /// What the hooks have decided; what such a gateway cannot do, such as asking a person, is a deny.
    verdict: Verdict,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The hooks that have decided.
    by: Vec<HookId>,
    /// The step, as the journal knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    step_id: Option<String>,
    /// The table that has decided.
    generation: Generation,
}

impl OpaAnswer {
    pub(super) fn new(decision_id: String, judged: &Judged) -> Self {
        let report = judged.report();
        let result = OpaResult {
            // A step that hooks have rewritten is not the one that the gateway has.
            allow: judged.verdict.goes_on() && report.patched.is_empty(),
            verdict: judged.verdict,
            reason: report.reason.clone(),
            by: report.by.clone(),
            step_id: report.step_id.clone(),
            generation: report.generation,
        };
        Self { decision_id, result }
    }
}

/// Why nothing was decided.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct OpaRefusal {
    /// `invalid_parameter`, or `internal_error`.
    code: &'static str,
    /// What is wrong.
    message: String,
    /// The same, with its name.
    errors: [OpaMistake; 1],
}

/// What is wrong.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct OpaMistake {
    /// The name of the error.
    code: Code,
    /// What is wrong.
    message: String,
}

impl OpaRefusal {
    /// Says what is wrong, and whether with the request.
    pub(super) fn new(error: &CallError, is_of_request: bool) -> Self {
        let message = error.to_string();
        let code = if is_of_request { "invalid_parameter" } else { "internal_error" };
        Self {
            code,
            message: message.clone(),
            errors: [OpaMistake { code: error.code(), message }],
        }
    }
}
