//! What the run of one hook comes to.

use serde_json::{Map, Value};

use super::answer::{Answer, Situation};
use super::event::CopilotEvent;
use super::stdout;
use crate::foreign::{
    Action, Audience, CommandForm, ForeignHook, ForeignVerdict, HookResult, HookStatus, RawRun,
    RunEnd,
};

/// What Copilot says when a hook before a tool broke.
const BROKEN: &str = "Denied by preToolUse hook (hook errored)";

/// What Copilot says when such a hook refused without a word.
const REFUSED: &str = "Denied by preToolUse hook";

/// How many characters of a command Copilot names when its time is up.
const SHOWN_COMMAND: usize = 80;

/// Reads the run of a hook.
pub(super) fn read(hook: &ForeignHook, run: &RawRun, situation: Situation<'_>) -> HookResult {
    match &run.end {
        RunEnd::Exited(0) | RunEnd::InputNotRead(0) => {
            let text = stdout::without_progress(&run.stdout);
            situation.read(stdout::answer(&text).unwrap_or_default())
        }
        RunEnd::Exited(2) | RunEnd::InputNotRead(2) => exit_2(run, situation),
        RunEnd::Exited(code) | RunEnd::InputNotRead(code) => {
            broken(format!("the hook ended with status {code}"), run, situation)
        }
        RunEnd::Signalled(signal) => {
            broken(format!("the hook was ended by signal {signal}"), run, situation)
        }
        RunEnd::NotStarted(why) => {
            broken(format!("the hook could not be started: {why}"), run, situation)
        }
        RunEnd::TimedOut => timed_out(hook),
        RunEnd::Answered(status) if (200..300).contains(status) => {
            let text = String::from_utf8_lossy(&run.stdout);
            situation.read(stdout::answer(&text).unwrap_or_default())
        }
        RunEnd::Answered(status) => failed(format!("the service answered with status {status}")),
        RunEnd::Unreachable(why) => failed(format!("the service could not be reached: {why}")),
        RunEnd::Called(_) | RunEnd::NotConnected | RunEnd::Opinion(_) => {
            failed("Copilot has no hooks of this kind".to_owned())
        }
    }
}

fn failed(message: String) -> HookResult {
    HookResult::new(HookStatus::Error(message))
}

fn timed_out(hook: &ForeignHook) -> HookResult {
    let command = match &hook.action {
        Action::Command { form: CommandForm::Shell(_, line), .. } => line.clone(),
        Action::Command { form: CommandForm::Exec(program, args), .. } => {
            std::iter::once(program).chain(args).cloned().collect::<Vec<_>>().join(" ")
        }
        Action::Http { url, .. } => url.clone(),
        _ => String::new(),
    };
    let command: String = command.chars().take(SHOWN_COMMAND).collect();
    let seconds = hook.timeout.as_secs_f64();
    HookResult::new(HookStatus::Timeout(format!(
        "Hook command timed out after {seconds} seconds: {command}"
    )))
}

/// The status 2: a no where one is possible, else a word to the user.
fn exit_2(run: &RawRun, situation: Situation<'_>) -> HookResult {
    let text = stdout::without_progress(&run.stdout);
    let stderr = String::from_utf8_lossy(&run.stderr).trim().to_owned();
    match situation.event {
        CopilotEvent::PreToolUse => {
            let answer = Answer::of(situation.spelling, stdout::answer(&text).unwrap_or_default());
            let reason = answer.tool_reason().unwrap_or_else(|| REFUSED.to_owned());
            denied(reason)
        }
        CopilotEvent::PermissionRequest => {
            let mut answer = stdout::answer(&text).unwrap_or_default();
            answer.insert("behavior".to_owned(), "deny".into());
            situation.read(answer)
        }
        CopilotEvent::PostToolUseFailure => {
            let context = stdout::answer(&text)
                .and_then(|answer| Answer::of(situation.spelling, answer).context())
                .or_else(|| Some(text.trim().to_owned()).filter(|text| !text.is_empty()));
            let mut result = HookResult::new(HookStatus::Ok);
            result.context.extend(context);
            result
        }
        _ => {
            let mut result = failed(format!("the hook warns: {stderr}"));
            result.shown_to_user = Some(stderr).filter(|text| !text.is_empty());
            result
        }
    }
}

/// A crash: before a tool nothing may go on, elsewhere it is only noted.
fn broken(message: String, run: &RawRun, situation: Situation<'_>) -> HookResult {
    if situation.event == CopilotEvent::PreToolUse {
        return denied(BROKEN.to_owned());
    }
    let stderr = String::from_utf8_lossy(&run.stderr);
    match stderr.lines().find(|line| !line.trim().is_empty()) {
        Some(line) => failed(format!("{message}: {}", line.trim())),
        None => failed(message),
    }
}

fn denied(reason: String) -> HookResult {
    let mut result = HookResult::new(HookStatus::Blocked);
    result.verdict = ForeignVerdict::Deny;
    result.reason = Some(reason);
    result.reason_to = Some(Audience::Model);
    result
}

/// Says what a text for the user comes to: it starts a new session of a person, and no other.
pub(super) fn submitted(text: &str, input: &Map<String, Value>, interactive: bool) -> HookResult {
    let resumed = input.get("source").and_then(Value::as_str) == Some("resume");
    if resumed || !interactive {
        let why = "it starts new interactive sessions only".to_owned();
        return HookResult::new(HookStatus::Skipped(why));
    }
    let mut result = HookResult::new(HookStatus::Ok);
    result.effect.insert("next_prompt".to_owned(), text.into());
    result
}
