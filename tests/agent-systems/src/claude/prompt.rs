//! Hooks that ask a model: what its opinion does at each event.

use serde_json::Value;

use super::event::{Block, Event};
use super::{answer, reply};
use crate::foreign::{Audience, HookResult, HookStatus, RawRun, RunEnd};

/// How a model that says no is obeyed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner {
    /// Whether the model was an agent, with tools.
    pub(super) agent: bool,
    /// Whether the turn goes on after a no.
    pub(super) continue_on_block: bool,
}

/// What a no does to the turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// It goes on, and the model gets the reason.
    GoesOn,
    /// It ends, and the user gets the reason.
    Ends,
}

/// Reads what a model answered: `{"ok": …, "reason": …, "impossible": …}`.
pub(super) fn read(event: &Event, manner: Manner, run: &RawRun) -> HookResult {
    let RunEnd::Opinion(opinion) = &run.end else { return reply::failure(run) };
    let text = |name: &str| opinion.get(name).and_then(Value::as_str).map(str::to_owned);
    let is_text = |name: &str| opinion.get(name).is_none_or(|value| value.is_string());
    let is_bool = |name: &str| opinion.get(name).is_none_or(|value| value.is_boolean());
    let ok = opinion.get("ok").and_then(Value::as_bool);
    let (Some(ok), true, true) = (ok, is_text("reason"), is_bool("impossible")) else {
        return reply::error(
            "JSON validation failed: the model must answer {\"ok\": …, \"reason\": …}",
        );
    };
    let is_impossible = opinion.get("impossible") == Some(&Value::Bool(true));
    if ok || (is_impossible && !manner.agent && is_stop(event)) {
        return HookResult::new(HookStatus::Ok);
    }
    refuse(event, manner, text("reason"))
}

fn is_stop(event: &Event) -> bool {
    matches!(event.name, "Stop" | "SubagentStop")
}

fn refuse(event: &Event, manner: Manner, reason: Option<String>) -> HookResult {
    let by_flag = if manner.agent || manner.continue_on_block { Turn::GoesOn } else { Turn::Ends };
    let turn = match event.name {
        "PermissionRequest" | "PermissionDenied" => return HookResult::new(HookStatus::Ignored),
        "PostToolBatch" | "UserPromptSubmit" | "UserPromptExpansion" => Turn::Ends,
        "PreToolUse" | "PostToolUse" | "TeammateIdle" => by_flag,
        _ => Turn::GoesOn,
    };
    let mut result = HookResult::new(HookStatus::Ok);
    let ends = turn == Turn::Ends;
    // What is blocked is blocked; what only talks to the model has nobody to talk to when the turn ends.
    let block = match event.block {
        Block::Feedback | Block::KeepGoing | Block::Stop if ends => Block::Nothing,
        block => block,
    };
    answer::block(&mut result, block, reason.clone());
    result.status = HookStatus::Blocked;
    // An agent whose turn ends stops, as by `continue: false`.
    if ends {
        result.halt = true;
        result.halt_reason.clone_from(&reason);
    }
    result.reason = reason;
    // When the turn ends, no model is left to read why: the user does.
    result.reason_to = Some(if ends { Audience::User } else { Audience::Model });
    result.ends_turn = ends;
    result
}
