//! Verdicts are read strictly: what is not known is refused and not skipped.

use hookgate_contract::json::{Integers, canonical, parse_with};
use serde_json::{Map, Value};

use super::{Evidence, InterceptorVerdict, Transform, VerdictError, Warning, WireDecision};
use crate::reserved::PREFIX;

/// How many bytes the canonical form of evidence may have.
const EVIDENCE: usize = 10_240;

/// How many bytes the canonical form of the extensions of a response may have.
const EXTENSIONS: usize = 65_536;

type Read<T> = Result<T, VerdictError>;

fn wrong<T>(what: impl Into<String>) -> Read<T> {
    Err(VerdictError(what.into()))
}

pub(super) fn from_json(answer: &[u8]) -> Read<InterceptorVerdict> {
    // An integer that a change sets is checked with the context that it becomes a part of.
    let value = match parse_with(answer, Integers::Exact) {
        Ok(value) => value,
        Err(error) => return wrong(format!("the answer is not one JSON value: {error}")),
    };
    match value.as_object().filter(|members| members.contains_key("verdict")) {
        None => from_value(&value),
        Some(response) => {
            known(response, &["verdict", "extensions"])?;
            check_extensions(response.get("extensions"))?;
            from_value(response.get("verdict").unwrap_or(&Value::Null))
        }
    }
}

fn check_extensions(extensions: Option<&Value>) -> Read<()> {
    let Some(value) = extensions else { return Ok(()) };
    let Value::Object(spaces) = value else { return wrong("`extensions` must be an object") };
    if !spaces.keys().all(|name| is_namespace(name)) {
        return wrong("`extensions` has a name that is no namespace");
    }
    if Integers::Interoperable.problem(value).is_some() {
        return wrong("`extensions` has an integer beyond 2^53: send it as a string");
    }
    let size = canonical(value).len();
    if size > EXTENSIONS {
        return wrong(format!("`extensions` has {size} bytes, {EXTENSIONS} are allowed"));
    }
    Ok(())
}

fn is_namespace(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    name.starts_with(|first: char| first.is_ascii_lowercase()) && name.bytes().all(allowed)
}

pub(super) fn from_value(value: &Value) -> Read<InterceptorVerdict> {
    let Value::Object(members) = value else { return wrong("a verdict is a JSON object") };
    known(
        members,
        &[
            "decision",
            "reason",
            "message",
            "warnings",
            "approval",
            "transform",
            "evidence",
            "result_labels",
        ],
    )?;
    let decision = members.get("decision").and_then(Value::as_str);
    let Some(decision) = decision.and_then(WireDecision::from_name) else {
        return wrong("`decision` must be allow, deny or transform");
    };
    let verdict = InterceptorVerdict {
        decision,
        reason: own_reason(members)?,
        message: text(members, "message")?,
        warnings: list(members, "warnings", read_warning)?,
        approval: object(members, "approval")?.cloned(),
        transform: object(members, "transform")?.map(read_transform).transpose()?,
        evidence: object(members, "evidence")?.map(read_evidence).transpose()?,
        result_labels: list(members, "result_labels", read_label)?,
    };
    if verdict.approval.is_some() && decision != WireDecision::Deny {
        return wrong("`approval` goes with a deny only");
    }
    match (decision, &verdict.transform) {
        (WireDecision::Transform, None) => wrong("`transform` is missing"),
        (WireDecision::Allow | WireDecision::Deny, Some(_)) => {
            wrong("`transform` goes with the decision `transform` only")
        }
        _ => Ok(verdict),
    }
}

fn known(members: &Map<String, Value>, names: &[&str]) -> Read<()> {
    match members.keys().all(|name| names.contains(&name.as_str())) {
        true => Ok(()),
        false => wrong(format!("there is a member beside {}", names.join(", "))),
    }
}

/// A member; one that is null is absent.
fn member<'m>(members: &'m Map<String, Value>, name: &str) -> Option<&'m Value> {
    members.get(name).filter(|value| !value.is_null())
}

fn text(members: &Map<String, Value>, name: &str) -> Read<Option<String>> {
    match member(members, name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => wrong(format!("`{name}` must be a text")),
    }
}

/// A reason, which must not be one of the host's.
fn own_reason(members: &Map<String, Value>) -> Read<Option<String>> {
    match text(members, "reason")? {
        Some(reason) if reason.starts_with(PREFIX) => {
            wrong(format!("a `reason` must not begin with `{PREFIX}`"))
        }
        reason => Ok(reason),
    }
}

fn object<'m>(members: &'m Map<String, Value>, name: &str) -> Read<Option<&'m Map<String, Value>>> {
    match member(members, name) {
        None => Ok(None),
        Some(Value::Object(map)) => Ok(Some(map)),
        Some(_) => wrong(format!("`{name}` must be an object")),
    }
}

fn list<T>(
    members: &Map<String, Value>,
    name: &str,
    read: impl Fn(&Value) -> Read<T>,
) -> Read<Vec<T>> {
    match member(members, name) {
        None => Ok(Vec::new()),
        Some(Value::Array(items)) => items.iter().map(read).collect(),
        Some(_) => wrong(format!("`{name}` must be a list")),
    }
}

fn read_label(value: &Value) -> Read<String> {
    match value {
        Value::String(label) => Ok(label.clone()),
        _ => wrong("`result_labels` must be texts"),
    }
}

fn read_warning(value: &Value) -> Read<Warning> {
    let Value::Object(members) = value else { return wrong("`warnings` must be objects") };
    known(members, &["reason", "message"])?;
    Ok(Warning { reason: own_reason(members)?, message: text(members, "message")? })
}

fn read_transform(members: &Map<String, Value>) -> Read<Transform> {
    known(members, &["path", "value"])?;
    let Some(path) = text(members, "path")? else { return wrong("`transform.path` is missing") };
    // Without a value it is null.
    Ok(Transform { path, value: Some(members.get("value").cloned().unwrap_or_default()) })
}

fn read_evidence(members: &Map<String, Value>) -> Read<Evidence> {
    known(members, &["artefact", "verification_pointers"])?;
    let size = canonical(&Value::Object(members.clone())).len();
    if size > EVIDENCE {
        return wrong(format!("`evidence` has {size} bytes, {EVIDENCE} are allowed"));
    }
    let pointers = object(members, "verification_pointers")?.into_iter().flatten();
    let pointers = pointers.map(|(name, address)| match address {
        Value::String(address) => Ok((name.clone(), address.clone())),
        _ => wrong("`evidence.verification_pointers` must be texts"),
    });
    Ok(Evidence {
        artefact: text(members, "artefact")?,
        verification_pointers: pointers.collect::<Read<_>>()?,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_no_verdict_is_refused() {
        for (bad, why) in [
            (json!([]), "object"),
            (json!({}), "decision"),
            (json!({"decision": "warn"}), "decision"),
            (json!({"decision": "allow", "reason": 1}), "reason"),
            (json!({"decision": "deny", "reason": "host_error:x"}), "host_error"),
            (json!({"decision": "allow", "approval": {}}), "approval"),
            (json!({"decision": "deny", "approval": []}), "approval"),
            (json!({"decision": "transform"}), "transform"),
            (json!({"decision": "deny", "transform": {"path": "$target"}}), "transform"),
            (json!({"decision": "transform", "transform": {"value": 1}}), "path"),
            (json!({"decision": "allow", "warnings": ["x"]}), "warnings"),
            (json!({"decision": "allow", "warnings": [{"reason": "host_error:x"}]}), "host_error"),
            (json!({"decision": "allow", "result_labels": [1]}), "labels"),
            (json!({"decision": "allow", "evidence": {"x": 1}}), "beside"),
            (
                json!({"decision": "allow", "evidence": {"artefact": "x".repeat(10_226)}}),
                "evidence",
            ),
            (json!({"decision": "allow", "extra": 1}), "beside"),
        ] {
            let error = from_value(&bad).unwrap_err().to_string();
            assert!(error.contains(why), "{bad}: {error}");
        }
        let most = json!({"decision": "allow", "evidence": {"artefact": "x".repeat(10_225)}});
        assert!(from_value(&most).is_ok(), "evidence of 10240 bytes");
    }

    #[test]
    fn what_is_null_is_absent_and_a_change_without_a_value_sets_null() {
        let nulls =
            json!({"decision": "allow", "reason": null, "warnings": null, "transform": null});
        assert_eq!(from_value(&nulls).unwrap(), InterceptorVerdict::allow());
        let change = json!({"decision": "transform", "transform": {"path": "$target.a"}});
        let verdict = from_value(&change).unwrap();
        assert_eq!(verdict, InterceptorVerdict::transform("$target.a", Value::Null));
    }

    #[test]
    fn a_response_may_hold_extensions_beside_the_verdict() {
        let read = |text: &str| from_json(text.as_bytes());
        assert!(read(r#"{"verdict":{"decision":"allow"},"extensions":{"acs":{"id":1}}}"#).is_ok());
        for bad in [
            r#"{"verdict":{"decision":"allow"},"extensions":{"Acs":1}}"#,
            r#"{"verdict":{"decision":"allow"},"extensions":{"acs":9007199254740993}}"#,
            r#"{"verdict":{"decision":"allow"},"more":1}"#,
            r#"{"verdict":{"decision":"allow","decision":"deny"}}"#,
            r#"{"decision":"deny","decision":"allow"}"#,
            r#"{"decision":"allow"} {}"#,
            "",
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
        let large = format!(
            r#"{{"verdict":{{"decision":"allow"}},"extensions":{{"a":"{}"}}}}"#,
            "x".repeat(65_530)
        );
        assert!(read(&large).is_err());
    }
}
