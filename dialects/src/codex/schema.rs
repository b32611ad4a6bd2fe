//! The schema of answers that Codex holds: which keys each event takes, of which type, and which
//! combinations make the answer a failure.

use serde_json::{Map, Value};

/// The keys that every event takes.
const UNIVERSAL: [&str; 4] = ["continue", "stopReason", "suppressOutput", "systemMessage"];

/// Returns what makes an answer a failure; `None` if Codex takes it.
pub(super) fn problem(event: &str, answer: &Value) -> Option<String> {
    match answer {
        Value::Object(answer) => check(event, answer).err(),
        _ => Some("the answer is not a JSON object".to_owned()),
    }
}

/// Checks an answer.
///
/// # Errors
/// What makes it a failure.
pub(super) fn check(event: &str, answer: &Map<String, Value>) -> Result<(), String> {
    let (decides, specific) = shape(event);
    let known = |key: &str| match key {
        "decision" | "reason" => !decides.is_empty(),
        "hookSpecificOutput" => !specific.is_empty(),
        other => UNIVERSAL.contains(&other),
    };
    only(answer, known)?;
    flag(answer, "continue")?;
    flag(answer, "suppressOutput")?;
    text(answer, "stopReason")?;
    text(answer, "systemMessage")?;
    text(answer, "reason")?;
    word(answer, "decision", decides)?;
    let empty = Map::new();
    let own = match answer.get("hookSpecificOutput") {
        None | Some(Value::Null) => &empty,
        Some(Value::Object(own)) => {
            only(own, |key| key == "hookEventName" || specific.contains(&key))?;
            check_specific(own)?;
            own
        }
        Some(_) => return Err("`hookSpecificOutput` must be an object".to_owned()),
    };
    match event {
        "PreToolUse" => {
            takes_no_stop(answer)?;
            before_tool(answer, own)
        }
        "PermissionRequest" => {
            takes_no_stop(answer)?;
            own.get("decision").map_or(Ok(()), permission)
        }
        "PostToolUse" if is_true(answer, "suppressOutput") => Err(unsupported("suppressOutput")),
        "PostToolUse" if given(own, "updatedMCPToolOutput") => {
            Err(unsupported("updatedMCPToolOutput"))
        }
        "PostToolUse"
            if given(answer, "reason")
                && !given(answer, "decision")
                && answer.get("continue") != Some(&Value::Bool(false)) =>
        {
            Err("`reason` without `decision`".to_owned())
        }
        _ if given(answer, "decision") && is_blank(answer, "reason") => {
            Err("`decision` without a `reason` that is not blank".to_owned())
        }
        _ => Ok(()),
    }
}

/// Returns the words that `decision` takes, and the keys of `hookSpecificOutput`.
fn shape(event: &str) -> (&'static [&'static str], &'static [&'static str]) {
    match event {
        "PreToolUse" => (
            &["approve", "block"],
            &[
                "permissionDecision",
                "permissionDecisionReason",
                "updatedInput",
                "additionalContext",
            ],
        ),
        "PermissionRequest" => (&[], &["decision"]),
        "PostToolUse" => (&["block"], &["additionalContext", "updatedMCPToolOutput"]),
        "UserPromptSubmit" => (&["block"], &["additionalContext"]),
        "SessionStart" | "SubagentStart" => (&[], &["additionalContext"]),
        "Stop" | "SubagentStop" => (&["block"], &[]),
        _ => (&[], &[]),
    }
}

fn check_specific(own: &Map<String, Value>) -> Result<(), String> {
    if !own.get("hookEventName").is_some_and(Value::is_string) {
        return Err("`hookEventName` is missing".to_owned());
    }
    word(own, "permissionDecision", &["allow", "deny", "ask"])?;
    text(own, "permissionDecisionReason")?;
    text(own, "additionalContext")
}

/// These keys even cancel a deny that stands beside them.
fn takes_no_stop(answer: &Map<String, Value>) -> Result<(), String> {
    if answer.get("continue") == Some(&Value::Bool(false)) {
        return Err(unsupported("continue"));
    }
    if given(answer, "stopReason") {
        return Err(unsupported("stopReason"));
    }
    if is_true(answer, "suppressOutput") {
        return Err(unsupported("suppressOutput"));
    }
    Ok(())
}

fn before_tool(answer: &Map<String, Value>, own: &Map<String, Value>) -> Result<(), String> {
    let word = own.get("permissionDecision").and_then(Value::as_str);
    let changes = given(own, "updatedInput");
    match word {
        Some("ask") => Err("it cannot ask".to_owned()),
        Some("allow") if !changes => Err("an allow takes a changed input only".to_owned()),
        Some("allow") => Ok(()),
        _ if changes => Err("a changed input takes `permissionDecision: allow`".to_owned()),
        Some(_) if is_blank(own, "permissionDecisionReason") => {
            Err("a deny takes a reason that is not blank".to_owned())
        }
        Some(_) => Ok(()),
        None if given(own, "permissionDecisionReason") => {
            Err("`permissionDecisionReason` without `permissionDecision`".to_owned())
        }
        None => old_form(answer),
    }
}

fn old_form(answer: &Map<String, Value>) -> Result<(), String> {
    match answer.get("decision").and_then(Value::as_str) {
        Some("approve") => Err(unsupported("decision: approve")),
        Some(_) if is_blank(answer, "reason") => {
            Err("`decision` without a `reason` that is not blank".to_owned())
        }
        None if given(answer, "reason") => Err("`reason` without `decision`".to_owned()),
        _ => Ok(()),
    }
}

fn permission(decision: &Value) -> Result<(), String> {
    let Value::Object(decision) = decision else {
        return if decision.is_null() {
            Ok(())
        } else {
            Err("`decision` must be an object".to_owned())
        };
    };
    let keys = ["behavior", "message", "updatedInput", "updatedPermissions", "interrupt"];
    only(decision, |key| keys.contains(&key))?;
    if !given(decision, "behavior") {
        return Err("`behavior` is missing".to_owned());
    }
    word(decision, "behavior", &["allow", "deny"])?;
    text(decision, "message")?;
    flag(decision, "interrupt")?;
    for key in ["updatedInput", "updatedPermissions"] {
        if given(decision, key) {
            return Err(unsupported(key));
        }
    }
    if is_true(decision, "interrupt") { Err(unsupported("interrupt")) } else { Ok(()) }
}

fn unsupported(what: &str) -> String {
    format!("Codex does not support `{what}` here, and takes no decision that stands beside it")
}

fn only(object: &Map<String, Value>, known: impl Fn(&str) -> bool) -> Result<(), String> {
    match object.keys().find(|key| !known(key)) {
        Some(key) => Err(format!("there is no key `{key}` at this event")),
        None => Ok(()),
    }
}

fn flag(object: &Map<String, Value>, key: &str) -> Result<(), String> {
    match object.get(key) {
        None | Some(Value::Bool(_)) => Ok(()),
        Some(_) => Err(format!("`{key}` must be true or false")),
    }
}

fn text(object: &Map<String, Value>, key: &str) -> Result<(), String> {
    match object.get(key) {
        None | Some(Value::Null | Value::String(_)) => Ok(()),
        Some(_) => Err(format!("`{key}` must be a string")),
    }
}

fn word(object: &Map<String, Value>, key: &str, words: &[&str]) -> Result<(), String> {
    match object.get(key) {
        None | Some(Value::Null) => Ok(()),
        Some(Value::String(found)) if words.contains(&found.as_str()) => Ok(()),
        Some(_) => Err(format!("`{key}` is not one of {}", words.join(", "))),
    }
}

fn given(object: &Map<String, Value>, key: &str) -> bool {
    object.get(key).is_some_and(|value| !value.is_null())
}

fn is_true(object: &Map<String, Value>, key: &str) -> bool {
    object.get(key) == Some(&Value::Bool(true))
}

fn is_blank(object: &Map<String, Value>, key: &str) -> bool {
    object.get(key).and_then(Value::as_str).is_none_or(|text| text.trim().is_empty())
}
