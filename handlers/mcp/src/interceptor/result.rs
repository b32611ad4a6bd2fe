//! What an interceptor answers, as a verdict.

use hookgate_contract::{Failure, FailureClass, Verdict, VerdictDecision};
use serde_json::Value;

use super::operation::Operation;

/// Reads the result of a validator. Only what is not valid with the severity `error` is denied; what is
/// not valid with another one is told to the user.
///
/// # Errors
/// Of class `malformed` if it does not say whether the payload is valid.
pub(super) fn of_validator(result: &Value) -> Result<Verdict, Failure> {
    let Some(is_valid) = result.get("valid").and_then(Value::as_bool) else {
        return Err(malformed("the validator does not say `valid`: true or false"));
    };
    let messages = messages(result);
    let said = |fallback: &str| match messages.is_empty() {
        true => fallback.to_owned(),
        false => messages.join("; "),
    };
    let verdict = match (is_valid, result.get("severity").and_then(Value::as_str)) {
        (true, _) if messages.is_empty() => Verdict::allow(),
        (true, _) => Verdict::allow().message(said("")),
        (false, Some("warn" | "info")) => Verdict::none().message(said("not valid")),
        (false, None | Some("error")) => Verdict::deny(said("the validator finds it not valid")),
        (false, Some(_)) => {
            let failure = malformed("the `severity` is none of info, warn, error");
            return Err(failure.with_salvaged(Some(VerdictDecision::Deny)));
        }
    };
    Ok(verdict)
}

/// Reads the result of a mutator.
///
/// # Errors
/// Of class `malformed` if it does not say whether it changed the payload, or into what.
pub(super) fn of_mutator(result: &Value, operation: &Operation) -> Result<Verdict, Failure> {
    match (result.get("modified").and_then(Value::as_bool), result.get("payload")) {
        (Some(false), _) => Ok(Verdict::none()),
        (Some(true), Some(payload)) => operation.patch(payload),
        (Some(true), None) => Err(malformed("the mutator has no `payload`")),
        (None, _) => Err(malformed("the mutator does not say `modified`: true or false")),
    }
}

/// Returns a verdict that only tells what another would have done: the server wants it so.
pub(super) fn only_noted(verdict: Verdict) -> Verdict {
    let Some(parts) = verdict.into_parts() else { return Verdict::none() };
    let decided = parts.decision.filter(|decision| *decision > VerdictDecision::Allow);
    let reason = parts.reason.unwrap_or_default();
    let verdict = Verdict::none();
    let verdict = match decided {
        Some(decision) => verdict.note(format!("audit: would have said {decision}: {reason}")),
        None if !parts.patch.is_empty() => verdict.note("audit: would have changed the step"),
        None => verdict,
    };
    match (decided, parts.message) {
        (Some(decision), _) => verdict.message(format!("audit, {decision}: {reason}")),
        (None, Some(message)) => verdict.message(message),
        (None, None) => verdict,
    }
}

/// Returns the messages, each with the place that it is about.
fn messages(result: &Value) -> Vec<String> {
    let messages = result.get("messages").and_then(Value::as_array).into_iter().flatten();
    messages
        .filter_map(|message| {
            let text = message.get("message")?.as_str()?;
            Some(match message.get("path").and_then(Value::as_str) {
                Some(path) if !path.is_empty() => format!("{path}: {text}"),
                _ => text.to_owned(),
            })
        })
        .collect()
}

fn malformed(detail: &'static str) -> Failure {
    Failure::new(FailureClass::Malformed, detail)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_errors_deny() {
        let denied = json!({"valid": false, "severity": "error", "messages": [
            {"message": "denied by policy", "severity": "error"},
            {"path": "arguments.note", "message": "too long", "severity": "warn"}]});
        let reason = "denied by policy; arguments.note: too long";
        assert_eq!(of_validator(&denied), Ok(Verdict::deny(reason)));
        let bare = of_validator(&json!({"valid": false}));
        assert_eq!(bare, Ok(Verdict::deny("the validator finds it not valid")));
        let warned = json!({"valid": false, "severity": "warn", "messages": [{"message": "m"}]});
        assert_eq!(of_validator(&warned), Ok(Verdict::none().message("m")));
        assert_eq!(of_validator(&json!({"valid": true})), Ok(Verdict::allow()));
        for wrong in [json!({}), json!({"valid": "yes"}), json!({"valid": null})] {
            assert!(of_validator(&wrong).is_err(), "{wrong}");
        }
        let odd = of_validator(&json!({"valid": false, "severity": "fatal"})).unwrap_err();
        assert_eq!(odd.salvaged, Some(VerdictDecision::Deny));
    }

    #[test]
    fn what_is_only_noted_decides_nothing() {
        let noted = only_noted(Verdict::deny("no").patch("tool_input", json!({})));
        let parts = noted.parts().unwrap();
        assert_eq!((parts.decision, parts.patch.len()), (None, 0));
        assert_eq!(parts.message.as_deref(), Some("audit, deny: no"));
        assert_eq!(only_noted(Verdict::allow()), Verdict::none());
    }
}
