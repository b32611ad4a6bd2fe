//! What an agent does with the answer of its hook, by the rules of its documentation and, for Codex, by
//! what was observed. Written apart from the dialects: it decides whether their answers are obeyed.

mod observed;

use serde::Deserialize;
use serde_json::{Map, Value};

/// What the agent does.
#[derive(Debug, Clone, PartialEq)]
pub enum Reaction {
    /// As if there were no hook.
    Nothing,
    /// It takes the action without a question.
    Approved,
    /// It asks its user.
    Asks,
    /// It does not take the action, hides the result, or does not stop; with the reason.
    Blocked(String),
    /// It stops, and takes no action.
    Halted(String),
    /// The hook has failed, and the action goes on.
    Failed(String),
}

impl Reaction {
    /// Whether the action does not happen.
    #[must_use]
    pub const fn blocks(&self) -> bool {
        matches!(self, Self::Blocked(_) | Self::Halted(_))
    }
}

/// How a hook command has ended.
#[derive(Debug, Clone, Copy)]
pub struct Ended<'a> {
    /// Its exit status.
    pub exit: i32,
    /// What it wrote to stdout.
    pub stdout: &'a str,
    /// What it wrote to stderr.
    pub stderr: &'a str,
}

/// What the agent does with an answer, and the changed arguments or result that it uses.
///
/// # Panics
/// If there are no rules for the agent.
#[must_use]
pub fn reaction(agent: &str, event: &str, answer: Ended<'_>) -> (Reaction, Option<Value>) {
    let (reaction, changed) = match agent {
        "claude" => claude(event, answer),
        "codex" => codex(event, answer),
        other => match observed::rules(other) {
            Some(rules) => rules(event, answer),
            None => panic!("no rules for {other}"),
        },
    };
    // There the agent is about to ask its user.
    match reaction {
        Reaction::Nothing if ASKING.contains(&event) => (Reaction::Asks, changed),
        reaction => (reaction, changed),
    }
}

/// The events at which an agent is about to ask its user.
const ASKING: [&str; 3] = ["PermissionRequest", "permissionRequest", "permission.ask"];

fn parsed(stdout: &str) -> Option<Map<String, Value>> {
    if !stdout.trim_start().starts_with('{') {
        return None;
    }
    serde_json::from_str(stdout).ok()
}

fn claude(event: &str, answer: Ended<'_>) -> (Reaction, Option<Value>) {
    const BY_STATUS: [&str; 13] = [
        "UserPromptSubmit",
        "UserPromptExpansion",
        "PreToolUse",
        "PostToolUse",
        "SubagentStop",
        "TaskCreated",
        "TaskCompleted",
        "Stop",
        "TeammateIdle",
        "ConfigChange",
        "PreCompact",
        "Elicitation",
        "ElicitationResult",
    ];
    if event == "WorktreeCreate" && answer.exit != 0 {
        return (Reaction::Blocked(answer.stderr.to_owned()), None);
    }
    if answer.exit == 2 {
        return match BY_STATUS.contains(&event) {
            true => (Reaction::Blocked(answer.stderr.to_owned()), None),
            false => (Reaction::Failed(answer.stderr.to_owned()), None),
        };
    }
    let Some(object) = parsed(answer.stdout) else {
        return match (answer.stdout.trim(), answer.exit) {
            ("", 0) => (Reaction::Nothing, None),
            _ => (Reaction::Failed("no JSON".into()), None),
        };
    };
    let own = match object.get("hookSpecificOutput") {
        None => Map::new(),
        Some(Value::Object(own)) if own.get("hookEventName") == Some(&event.into()) => own.clone(),
        Some(_) => return (Reaction::Failed("hookEventName".into()), None),
    };
    let text = |map: &Map<String, Value>, key: &str| {
        map.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let changed =
        ["updatedInput", "updatedToolOutput"].iter().find_map(|key| own.get(*key)).cloned();
    const NEVER_STOPS: [&str; 13] = [
        "InstructionsLoaded",
        "Notification",
        "SessionEnd",
        "ConfigChange",
        "PreCompact",
        "PostCompact",
        "WorktreeCreate",
        "WorktreeRemove",
        "MessageDisplay",
        "Elicitation",
        "ElicitationResult",
        "TaskCreated",
        "StopFailure",
    ];
    if object.get("continue") == Some(&false.into()) && !NEVER_STOPS.contains(&event) {
        return (Reaction::Halted(text(&object, "stopReason")), None);
    }
    const BY_JSON: [&str; 9] = [
        "UserPromptSubmit",
        "UserPromptExpansion",
        "PostToolUse",
        "PostToolUseFailure",
        "TaskCreated",
        "Stop",
        "SubagentStop",
        "ConfigChange",
        "PreCompact",
    ];
    if BY_JSON.contains(&event) && object.get("decision") == Some(&"block".into()) {
        return (Reaction::Blocked(text(&object, "reason")), changed);
    }
    let reaction = match event {
        "PreToolUse" => match text(&own, "permissionDecision").as_str() {
            "deny" => Reaction::Blocked(text(&own, "permissionDecisionReason")),
            "ask" => Reaction::Asks,
            "allow" => Reaction::Approved,
            "" => Reaction::Nothing,
            other => Reaction::Failed(other.to_owned()),
        },
        "PermissionRequest" => match own.get("decision") {
            None => Reaction::Nothing,
            Some(Value::Object(decision)) => match text(decision, "behavior").as_str() {
                "deny" if decision.get("interrupt") == Some(&true.into()) => {
                    Reaction::Halted(text(decision, "message"))
                }
                "deny" => Reaction::Blocked(text(decision, "message")),
                "allow" => Reaction::Approved,
                other => Reaction::Failed(other.to_owned()),
            },
            Some(other) => Reaction::Failed(other.to_string()),
        },
        "Elicitation" | "ElicitationResult" if text(&own, "action") == "decline" => {
            Reaction::Blocked("declined".into())
        }
        _ => Reaction::Nothing,
    };
    (reaction, changed)
}

/// An answer as Codex deserialises it: no other key is taken.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CodexAnswer {
    #[serde(default = "yes", rename = "continue")]
    goes_on: bool,
    stop_reason: Option<String>,
    #[serde(default)]
    suppress_output: bool,
    #[serde(rename = "systemMessage")]
    _system_message: Option<String>,
    decision: Option<String>,
    reason: Option<String>,
    hook_specific_output: Option<CodexSpecific>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CodexSpecific {
    #[serde(rename = "hookEventName")]
    _hook_event_name: String,
    permission_decision: Option<String>,
    permission_decision_reason: Option<String>,
    updated_input: Option<Value>,
    additional_context: Option<String>,
    decision: Option<CodexPermission>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CodexPermission {
    behavior: String,
    message: Option<String>,
}

const fn yes() -> bool {
    true
}

fn filled(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

fn codex(event: &str, answer: Ended<'_>) -> (Reaction, Option<Value>) {
    let failed = |why: &str| (Reaction::Failed(why.to_owned()), None);
    let gates = [
        "UserPromptSubmit",
        "PreToolUse",
        "PermissionRequest",
        "PostToolUse",
        "Stop",
        "SubagentStop",
    ];
    match answer.exit {
        0 => {}
        2 if gates.contains(&event) && !answer.stderr.trim().is_empty() => {
            return (Reaction::Blocked(answer.stderr.to_owned()), None);
        }
        _ => return failed("status"),
    }
    let stdout = answer.stdout.trim();
    if stdout.is_empty() {
        return (Reaction::Nothing, None);
    }
    let Ok(said) = serde_json::from_str::<CodexAnswer>(stdout) else { return failed("schema") };
    let own = said.hook_specific_output;
    // Which keys an event has at all.
    let decides =
        ["UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SubagentStop"].contains(&event);
    if (said.decision.is_some() || said.reason.is_some()) && !decides {
        return failed("decision");
    }
    if let Some(own) = &own {
        let context =
            ["SessionStart", "SubagentStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"];
        let tool = own.permission_decision.is_some()
            || own.permission_decision_reason.is_some()
            || own.updated_input.is_some();
        if own.additional_context.is_some() && !context.contains(&event)
            || tool && event != "PreToolUse"
            || own.decision.is_some() && event != "PermissionRequest"
            || !context.contains(&event) && event != "PermissionRequest"
        {
            return failed("hookSpecificOutput");
        }
    }
    if ["PreToolUse", "PermissionRequest"].contains(&event)
        && (!said.goes_on || said.stop_reason.is_some() || said.suppress_output)
    {
        return failed("stop");
    }
    if !said.goes_on {
        let reason = filled(said.reason).or(filled(said.stop_reason)).unwrap_or_default();
        return match event {
            "PostToolUse" | "PreCompact" => (Reaction::Blocked(reason), None),
            "SubagentStart" | "SessionEnd" | "Interrupt" => (Reaction::Nothing, None),
            _ => (Reaction::Halted(reason), None),
        };
    }
    match said.decision.as_deref() {
        Some("block") => {
            return match filled(said.reason) {
                Some(reason) => (Reaction::Blocked(reason), None),
                None => failed("reason"),
            };
        }
        Some(_) => return failed("decision"),
        None if said.reason.is_some() => return failed("reason"),
        None => {}
    }
    let Some(own) = own else { return (Reaction::Nothing, None) };
    match (own.permission_decision.as_deref(), own.updated_input, own.decision) {
        (Some("deny"), None, _) => match filled(own.permission_decision_reason) {
            Some(reason) => (Reaction::Blocked(reason), None),
            None => failed("reason"),
        },
        (Some("allow"), Some(input), _) => (Reaction::Nothing, Some(input)),
        (None, None, Some(decision)) => match decision.behavior.as_str() {
            "allow" => (Reaction::Approved, None),
            "deny" => (Reaction::Blocked(decision.message.unwrap_or_default()), None),
            _ => failed("behavior"),
        },
        (None, None, None) if own.permission_decision_reason.is_none() => (Reaction::Nothing, None),
        _ => failed("permissionDecision"),
    }
}
