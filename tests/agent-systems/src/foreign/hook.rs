//! The run of one hook for one envelope.

use std::time::Duration;

use serde_json::{Map, Value};
use tokio::time::timeout;

use super::config::{Action, ForeignHook};
use super::host::Host;
use super::outcome::{HookResult, HookStatus};
use super::process;
use super::run::{Given, McpCall, Question, RawRun, RunEnd};
use super::services::Services;
use super::system::HookSystem;

/// What happened to one hook, and what it came to.
#[derive(Debug, Clone, PartialEq)]
pub struct HookRun {
    /// The hook.
    pub hook: ForeignHook,
    /// What it was given. `None` if it was not started.
    pub given: Option<Given>,
    /// What came of it. `None` if it was not started.
    pub run: Option<RawRun>,
    /// What that means to its agent.
    pub result: HookResult,
}

impl HookRun {
    /// Makes the run of a hook that was skipped.
    pub(super) fn skipped(hook: &ForeignHook, why: String) -> Self {
        let result = HookResult::new(HookStatus::Skipped(why));
        Self { hook: hook.clone(), given: None, run: None, result }
    }

    /// Returns whether the hook was started: its program ran, its request was sent, its tool was called,
    /// its question was asked.
    #[must_use]
    pub fn is_started(&self) -> bool {
        self.given.is_some()
    }
}

/// Runs one hook for one envelope of its agent, and says what that means to the agent. It does not look
/// at the matcher.
///
/// # Cancel safety
/// If the future is dropped, a program that it runs is killed with its group.
pub async fn run_hook(
    system: &dyn HookSystem,
    hook: &ForeignHook,
    input: &Map<String, Value>,
    host: &Host,
    services: &Services,
) -> HookRun {
    let limit = system.timeout(hook, input, host);
    let (given, run) = match give(system, hook, input, host) {
        Ok(None) => (None, RawRun::new(RunEnd::Exited(0))),
        Ok(Some(given)) => {
            let run = take(&given, limit, services).await;
            let is_started = !matches!(run.end, RunEnd::NotStarted(_));
            (is_started.then_some(given), run)
        }
        Err(why) => (None, RawRun::new(RunEnd::NotStarted(why))),
    };
    let mut result = system.read(hook, input, &run, host);
    result.event.clone_from(&hook.event);
    result.layer.clone_from(&hook.layer);
    HookRun { hook: hook.clone(), given, run: Some(run), result }
}

/// Returns what a hook is given; `None` if nothing has to run.
fn give(
    system: &dyn HookSystem,
    hook: &ForeignHook,
    input: &Map<String, Value>,
    host: &Host,
) -> Result<Option<Given>, String> {
    Ok(Some(match &hook.action {
        Action::Command { .. } => {
            Given::Process(system.process(hook, input, host)?, system.stdin(hook, input, host))
        }
        Action::Http { .. } => Given::Request(system.request(hook, input, host)?),
        Action::McpTool { .. } => Given::Call(system.mcp_call(hook, input, host)?),
        Action::Prompt { .. } => Given::Question(system.question(hook, input, host)?),
        Action::Submit { .. } => return Ok(None),
    }))
}

async fn take(given: &Given, limit: Duration, services: &Services) -> RawRun {
    let answer = async {
        match given {
            Given::Process(process, stdin) => process::run(process, stdin, limit).await,
            Given::Request(request) => services.http.send(request).await,
            Given::Call(call) => call_tool(call, services).await,
            Given::Question(question) => ask(question, services).await,
        }
    };
    if matches!(given, Given::Process(..)) {
        // It minds the limit itself, and keeps what the program wrote until then.
        return answer.await;
    }
    timeout(limit, answer).await.unwrap_or(RawRun::new(RunEnd::TimedOut))
}

async fn call_tool(call: &McpCall, services: &Services) -> RawRun {
    match services.mcp.call(call).await {
        Some(reply) => {
            RawRun::new(RunEnd::Called(reply.is_error)).with_stdout(reply.text.into_bytes())
        }
        None => RawRun::new(RunEnd::NotConnected),
    }
}

async fn ask(question: &Question, services: &Services) -> RawRun {
    match services.model.ask(question).await {
        Ok(text) => {
            let opinion =
                serde_json::from_str(&text).unwrap_or_else(|_| Value::from(text.as_str()));
            RawRun::new(RunEnd::Opinion(opinion)).with_stdout(text.into_bytes())
        }
        Err(why) => RawRun::new(RunEnd::Unreachable(why)),
    }
}
