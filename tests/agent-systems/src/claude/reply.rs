//! Says what the run of a hook means: its exit status first, then what it wrote.

use serde_json::{Map, Value};

use super::answer;
use super::event::{Block, Event, Exit2};
use super::output::{self, Output};
use crate::foreign::{ForeignVerdict, HookResult, HookStatus, Host, RawRun, RunEnd};

/// Reads the run of a hook that runs a program, asks a service or calls a tool.
pub(super) fn read(
    event: &Event,
    input: &Map<String, Value>,
    run: &RawRun,
    host: &Host,
) -> HookResult {
    let stdout = run.stdout_text();
    let output = || output::read(&stdout, event);
    let apply = |object: &Map<_, _>| answer::apply(event, object, input, host);
    match &run.end {
        RunEnd::Exited(0) | RunEnd::InputNotRead(0) | RunEnd::Called(false) => match output() {
            Output::Empty => HookResult::new(HookStatus::Ok),
            Output::Text(text) => of_text(event, text),
            Output::Json(object) => apply(&object),
            Output::Broken(why) => error(why),
        },
        RunEnd::Exited(2) | RunEnd::InputNotRead(2) if event.exit_2 != Exit2::NotHonoured => {
            let answered = match output() {
                Output::Json(object) => apply(&object),
                _ => HookResult::new(HookStatus::Ok),
            };
            of_exit_2(event, input, answered, &run.stderr_text())
        }
        RunEnd::Exited(_) | RunEnd::InputNotRead(_) | RunEnd::Signalled(_) => match output() {
            Output::Json(object) => apply(&object),
            Output::Broken(why) => error(why),
            Output::Empty | Output::Text(_) => failure(run),
        },
        RunEnd::Answered(200..=299) => match output() {
            Output::Empty => HookResult::new(HookStatus::Ok),
            Output::Json(object) => apply(&object),
            Output::Broken(why) => error(why),
            Output::Text(_) => error("the service answered with something else than JSON"),
        },
        _ => failure(run),
    }
}

/// Says that a run failed, or took too long. The action goes on.
pub(super) fn failure(run: &RawRun) -> HookResult {
    let stderr = run.stderr_text();
    let first = stderr.trim().lines().next().unwrap_or("No stderr output").to_owned();
    match &run.end {
        RunEnd::TimedOut => {
            HookResult::new(HookStatus::Timeout("the hook was canceled".to_owned()))
        }
        RunEnd::Exited(_) | RunEnd::InputNotRead(_) => error(non_blocking(&first)),
        RunEnd::Signalled(signal) => error(non_blocking(&format!("signal {signal}: {first}"))),
        RunEnd::NotStarted(why) | RunEnd::Unreachable(why) => error(why.clone()),
        RunEnd::Answered(status) => error(format!("the service answered with status {status}")),
        RunEnd::Called(_) => error(format!("the tool failed: {}", run.stdout_text().trim())),
        RunEnd::NotConnected => error("the MCP server is not connected"),
        RunEnd::Opinion(_) => error("a model answered where none was asked"),
    }
}

fn non_blocking(what: &str) -> String {
    format!("Failed with non-blocking status code: {what}")
}

/// Says that a hook failed. The action goes on.
pub(super) fn error(why: impl Into<String>) -> HookResult {
    HookResult::new(HookStatus::Error(why.into()))
}

fn of_text(event: &Event, text: String) -> HookResult {
    let mut result = HookResult::new(HookStatus::Ok);
    if event.text_is_context {
        result.context.push(text);
    }
    result
}

/// Says what exit status 2 means; `answered` is what the JSON beside it says.
fn of_exit_2(
    event: &Event,
    input: &Map<String, Value>,
    answered: HookResult,
    stderr: &str,
) -> HookResult {
    let stderr = stderr.trim();
    let failed =
        HookStatus::Error(non_blocking(stderr.lines().next().unwrap_or("No stderr output")));
    let block = event.block_for(input);
    match event.exit_2 {
        Exit2::Blocks if block != Block::Nothing => blocked(event, block, answered, stderr),
        Exit2::Blocks | Exit2::Ignored => HookResult { status: HookStatus::Ignored, ..answered },
        Exit2::ShowsUser => {
            let shown_to_user = Some(stderr.to_owned()).filter(|text| !text.is_empty());
            HookResult { status: failed, shown_to_user, ..answered }
        }
        Exit2::Logged => {
            // The original text of a message is shown.
            HookResult { status: failed, updated_output: None, ..answered }
        }
        Exit2::Fails | Exit2::NotHonoured => HookResult { status: failed, ..answered },
    }
}

/// Blocks with the reason that the JSON gives for a block of its own, else with stderr.
fn blocked(event: &Event, block: Block, answered: HookResult, stderr: &str) -> HookResult {
    let is_block = !matches!(
        answered.verdict,
        ForeignVerdict::Allow | ForeignVerdict::Ask | ForeignVerdict::Defer
    );
    let own = answered.reason.clone().filter(|_| is_block);
    let reason = own.or_else(|| Some(stderr.to_owned()).filter(|text| !text.is_empty()));
    let mut result = HookResult { updated_input: None, ..answered };
    match event.name {
        "Elicitation" => result.effect.clear(),
        "ElicitationResult" => {
            result.effect.clear();
            result.effect.insert(answer::ACTION.to_owned(), Value::from("decline"));
            answer::answer_form(event, &mut result);
        }
        "UserPromptSubmit" => answer::note_prompt_shown(&mut result),
        _ => {}
    }
    answer::block(&mut result, block, reason);
    result
}
