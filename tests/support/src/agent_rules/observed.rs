//! The rules of agents that were watched while they ran with hooks: what each ending of a hook did.

use serde_json::{Map, Value};

use super::{Ended, Reaction, parsed};

/// What an agent does at an event, and what it changes.
type Rules = fn(&str, Ended<'_>) -> (Reaction, Option<Value>);

/// Returns the rules of an agent.
pub(super) fn rules(agent: &str) -> Option<Rules> {
    Some(match agent {
        "gemini" => gemini,
        "qwen" => qwen,
        "kimi" => kimi,
        "copilot" => copilot,
        "cline" => cline,
        "cursor" => cursor,
        "opencode" => opencode,
        _ => return None,
    })
}

fn text(map: &Map<String, Value>, key: &str) -> String {
    map.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn is(map: &Map<String, Value>, key: &str, flag: bool) -> bool {
    map.get(key) == Some(&Value::Bool(flag))
}

fn own(map: &Map<String, Value>) -> Map<String, Value> {
    map.get("hookSpecificOutput").and_then(Value::as_object).cloned().unwrap_or_default()
}

/// stdout, or stderr without one; an object decides on every status, other text by the status.
fn gemini(event: &str, answer: Ended<'_>) -> (Reaction, Option<Value>) {
    const DECIDES: [&str; 6] =
        ["BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel"];
    let said = match answer.stdout.trim() {
        "" => answer.stderr.trim(),
        text => text,
    };
    let Some(object) = parsed(said) else {
        return match answer.exit {
            0 => (Reaction::Nothing, None),
            2 if !said.is_empty() && DECIDES.contains(&event) => {
                (Reaction::Blocked(said.to_owned()), None)
            }
            _ => (Reaction::Failed(said.to_owned()), None),
        };
    };
    let own = own(&object);
    let changed = ["tool_input", "llm_request", "llm_response", "toolConfig"];
    let changed = changed.iter().find_map(|key| own.get(*key)).cloned();
    if !DECIDES.contains(&event) {
        return (Reaction::Nothing, changed);
    }
    if is(&object, "continue", false) {
        return (Reaction::Halted(text(&object, "stopReason")), None);
    }
    let reaction = match text(&object, "decision").as_str() {
        // A response beside the deny takes the place of the request.
        "deny" if event == "BeforeModel" && own.contains_key("llm_response") => Reaction::Nothing,
        "deny" | "block" => Reaction::Blocked(text(&object, "reason")),
        "ask" if event == "BeforeTool" => Reaction::Asks,
        "" | "allow" => Reaction::Nothing,
        other => Reaction::Failed(other.to_owned()),
    };
    (reaction, changed)
}

/// An object decides on every status but 2. After a tool only `continue: false` has an effect, and at a
/// stop that makes the agent go on.
fn qwen(event: &str, answer: Ended<'_>) -> (Reaction, Option<Value>) {
    let gates = ["PreToolUse", "UserPromptSubmit", "Stop", "SubagentStop", "PermissionRequest"];
    if answer.exit == 2 {
        return match answer.stderr.trim() {
            text if !text.is_empty() && gates.contains(&event) => {
                (Reaction::Blocked(text.to_owned()), None)
            }
            _ => (Reaction::Failed("status".into()), None),
        };
    }
    let Some(object) = parsed(answer.stdout) else {
        return match answer.exit {
            0 => (Reaction::Nothing, None),
            _ => (Reaction::Failed("status".into()), None),
        };
    };
    if is(&object, "continue", false) {
        let why = text(&object, "stopReason");
        return match event {
            "UserPromptSubmit" => (Reaction::Halted(why), None),
            _ => (Reaction::Blocked(why), None),
        };
    }
    let own = own(&object);
    if event == "PreToolUse" {
        return match text(&own, "permissionDecision").as_str() {
            "deny" => (Reaction::Blocked(text(&own, "permissionDecisionReason")), None),
            "ask" => (Reaction::Asks, None),
            "allow" => (Reaction::Approved, None),
            _ => (Reaction::Nothing, None),
        };
    }
    if event == "PermissionRequest" {
        let decision = own.get("decision").and_then(Value::as_object);
        let denies = decision.is_some_and(|decision| text(decision, "behavior") == "deny");
        return match denies {
            true => (Reaction::Blocked("denied".into()), None),
            false => (Reaction::Nothing, None),
        };
    }
    match gates.contains(&event) && text(&object, "decision") == "block" {
        true => (Reaction::Blocked(text(&object, "reason")), None),
        false => (Reaction::Nothing, None),
    }
}

/// A status of 2, or a nested deny on 0; at three events.
fn kimi(event: &str, answer: Ended<'_>) -> (Reaction, Option<Value>) {
    let gates = ["PreToolUse", "UserPromptSubmit", "Stop"];
    let nested = parsed(answer.stdout).map(|object| own(&object));
    match (answer.exit, nested) {
        (2, _) if gates.contains(&event) => (Reaction::Blocked(answer.stderr.to_owned()), None),
        (0, Some(own)) if event == "PreToolUse" && text(&own, "permissionDecision") == "deny" => {
            (Reaction::Blocked(text(&own, "permissionDecisionReason")), None)
        }
        (0, _) => (Reaction::Nothing, None),
        _ => (Reaction::Failed("status".into()), None),
    }
}

/// Before a tool every status but 0 denies. `hookSpecificOutput` is read at `PreToolUse` only.
fn copilot(event: &str, answer: Ended<'_>) -> (Reaction, Option<Value>) {
    let is_tool = ["preToolUse", "PreToolUse"].contains(&event);
    let is_permission = ["permissionRequest", "PermissionRequest"].contains(&event);
    if answer.exit != 0 {
        return match is_tool || is_permission && answer.exit == 2 {
            true => (Reaction::Blocked(String::new()), None),
            false => (Reaction::Failed("status".into()), None),
        };
    }
    let object = match answer.stdout.trim() {
        "" => return (Reaction::Nothing, None),
        text => parsed(text),
    };
    let Some(object) = object else { return (Reaction::Failed("no JSON".into()), None) };
    let own = own(&object);
    let changed = ["modifiedArgs", "modifiedPrompt", "modifiedResult"];
    let changed = changed.iter().find_map(|key| object.get(*key));
    let changed = changed.or_else(|| own.get("updatedInput").filter(|_| event == "PreToolUse"));
    let changed = changed.cloned();
    if is_tool {
        let nested = Some(&own).filter(|own| event == "PreToolUse" && !own.is_empty());
        let keys = nested.unwrap_or(&object);
        let reaction = match text(keys, "permissionDecision").as_str() {
            "deny" => Reaction::Blocked(text(keys, "permissionDecisionReason")),
            "ask" => Reaction::Asks,
            "allow" => Reaction::Approved,
            _ => Reaction::Nothing,
        };
        return (reaction, changed);
    }
    if is_permission {
        let reaction = match text(&object, "behavior").as_str() {
            "deny" if is(&object, "interrupt", true) => Reaction::Halted(text(&object, "message")),
            "deny" => Reaction::Blocked(text(&object, "message")),
            "allow" => Reaction::Approved,
            _ => Reaction::Nothing,
        };
        return (reaction, changed);
    }
    const BLOCKS: [&str; 8] = [
        "userPromptSubmitted",
        "UserPromptSubmit",
        "postToolUse",
        "PostToolUse",
        "agentStop",
        "Stop",
        "subagentStop",
        "SubagentStop",
    ];
    match BLOCKS.contains(&event) && text(&object, "decision") == "block" {
        true => (Reaction::Blocked(text(&object, "reason")), None),
        false => (Reaction::Nothing, changed),
    }
}

/// Only the object counts, and to cancel ends the session.
fn cline(event: &str, answer: Ended<'_>) -> (Reaction, Option<Value>) {
    let Some(object) = parsed(answer.stdout) else { return (Reaction::Nothing, None) };
    let gates = ["PreToolUse", "UserPromptSubmit"];
    match is(&object, "cancel", true) && gates.contains(&event) {
        true => (Reaction::Halted(text(&object, "errorMessage")), None),
        false => (Reaction::Nothing, object.get("overrideInput").cloned()),
    }
}

/// As documented: an object on 0, a deny on 2, anything else fails.
fn cursor(event: &str, answer: Ended<'_>) -> (Reaction, Option<Value>) {
    const GATES: [&str; 6] = [
        "preToolUse",
        "beforeShellExecution",
        "beforeMCPExecution",
        "beforeReadFile",
        "beforeTabFileRead",
        "subagentStart",
    ];
    let blocks = GATES.contains(&event) || event == "beforeSubmitPrompt";
    match answer.exit {
        0 => {}
        2 if blocks => return (Reaction::Blocked(answer.stderr.to_owned()), None),
        _ => return (Reaction::Failed("status".into()), None),
    }
    let object = match answer.stdout.trim() {
        "" if blocks => return (Reaction::Failed("no JSON".into()), None),
        "" => return (Reaction::Nothing, None),
        text => parsed(text),
    };
    let Some(object) = object else { return (Reaction::Failed("no JSON".into()), None) };
    let changed = ["updated_input", "updated_mcp_tool_output"];
    let changed = changed.iter().find_map(|key| object.get(*key)).cloned();
    let asks = ["beforeShellExecution", "beforeMCPExecution"].contains(&event);
    let reaction = match text(&object, "permission").as_str() {
        "deny" if GATES.contains(&event) => Reaction::Blocked(text(&object, "agent_message")),
        "ask" if asks => Reaction::Asks,
        _ if event == "beforeSubmitPrompt" && is(&object, "continue", false) => {
            Reaction::Blocked(text(&object, "user_message"))
        }
        _ if ["stop", "subagentStop"].contains(&event)
            && object.contains_key("followup_message") =>
        {
            Reaction::Blocked(text(&object, "followup_message"))
        }
        _ => Reaction::Nothing,
    };
    (reaction, changed)
}

/// What the plugin does.
fn opencode(event: &str, answer: Ended<'_>) -> (Reaction, Option<Value>) {
    let watched = ["event", "experimental.session.compacting"].contains(&event);
    let blocked = |why: &str| match watched {
        true => (Reaction::Nothing, None),
        false => (Reaction::Blocked(why.to_owned()), None),
    };
    if answer.exit != 0 {
        return blocked(answer.stderr);
    }
    let Some(object) = parsed(answer.stdout) else { return blocked("no decision") };
    let changed = ["args", "output", "prompt"].iter().find_map(|key| object.get(*key)).cloned();
    match text(&object, "decision").as_str() {
        "pass" if text(&object, "status") == "allow" => (Reaction::Approved, changed),
        "pass" => (Reaction::Nothing, changed),
        "deny" => blocked(&text(&object, "reason")),
        _ => blocked("no decision"),
    }
}
