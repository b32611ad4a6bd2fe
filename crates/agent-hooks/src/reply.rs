//! The verdict of an interceptor as that of a hook.
//!
//! | verdict | the hook |
//! |---|---|
//! | allow | allows |
//! | deny | denies |
//! | deny that an approval may lift | asks, where the user can be asked; else it denies |
//! | transform | sets the field of the step that the target is in |
//! | transform that cannot be done | has failed with class `illegal`: that counts as a deny and ends the calls |
//! | anything at the end of a session | says nothing: there is nothing to decide |
//!
//! The note of the hook's vote is the verdict, without the value that a change sets: that is in the step.
//! So the record of the engine alone tells what each interceptor said, also of one that only watches or is
//! in shadow.

use hookgate_contract::json::Integers;
use hookgate_contract::{Reply, Verdict};

use crate::context::AgentContext;
use crate::point::InterceptionPoint;
use crate::reserved::Reserved;
use crate::step;
use crate::target_path::TargetPath;
use crate::verdict::{InterceptorVerdict, WireDecision};

/// Returns what a hook answers whose interceptor has given a verdict about a context.
pub(crate) fn reply(context: &AgentContext, verdict: InterceptorVerdict) -> Reply {
    let answer = match verdict.decision {
        _ if context.point() == InterceptionPoint::AgentShutdown => Verdict::none(),
        WireDecision::Allow => Verdict::allow(),
        WireDecision::Deny if verdict.is_liftable() && context.point().may_ask() => {
            Verdict::ask(why(&verdict))
        }
        WireDecision::Deny => Verdict::deny(why(&verdict)),
        WireDecision::Transform => transform(context, &verdict)?,
    };
    let concerns: Vec<String> = verdict.warnings.iter().filter_map(concern).collect();
    let shown = context.point() != InterceptionPoint::AgentShutdown && !concerns.is_empty();
    let mut answer = if shown { answer.message(concerns.join("; ")) } else { answer };
    if let Some(parts) = answer.parts_mut()
        && parts.decision.is_some()
        && parts.reason.is_none()
    {
        parts.reason.clone_from(&verdict.reason);
    }
    match serde_json::to_string(&verdict.without_value()) {
        Ok(note) => Ok(answer.note(note)),
        Err(_) => Err(Reserved::VerdictInvalid.failure("the verdict cannot be written")),
    }
}

fn transform(
    context: &AgentContext,
    verdict: &InterceptorVerdict,
) -> Result<Verdict, hookgate_contract::Failure> {
    let Some(change) = &verdict.transform else {
        return Err(Reserved::VerdictInvalid.failure("`transform` is missing"));
    };
    let value = change.value.clone().unwrap_or_default();
    if Integers::Interoperable.problem(&value).is_some() {
        return Err(
            Reserved::ContextInvalid.failure("the change holds an integer beyond ±(2^53−1)")
        );
    }
    let field = TargetPath::parse(&change.path)
        .and_then(|path| context.clone().transform(&path, value))
        .and_then(|changed| step::patch_of(context, changed.target()));
    match field {
        Ok((name, value)) => Ok(Verdict::none().patch(name, value)),
        Err(error) => Err(Reserved::from(error).failure(&error.to_string())),
    }
}

/// What a person or a model reads about a deny.
fn why(verdict: &InterceptorVerdict) -> String {
    match (&verdict.message, &verdict.reason) {
        (Some(message), Some(reason)) => format!("{message} ({reason})"),
        (Some(text), None) | (None, Some(text)) => text.clone(),
        (None, None) => "an interceptor denies it".to_owned(),
    }
}

fn concern(warning: &crate::verdict::Warning) -> Option<String> {
    match (&warning.message, &warning.reason) {
        (Some(message), Some(reason)) => Some(format!("warning: {message} ({reason})")),
        (Some(text), None) | (None, Some(text)) => Some(format!("warning: {text}")),
        (None, None) => None,
    }
}
