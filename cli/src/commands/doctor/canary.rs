//! A step that must be denied, sent through the very command line that an agent would run.

use std::env;
use std::io::{Read, Write as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use hookgate::contract::dialect::{Dialect, HostEvent, ScriptInput, ScriptOutput};
use hookgate::contract::{Verdict, VerdictDecision, patch_field};
use serde_json::{Map, Value, json};

use super::report::GuardState;
use crate::agents::{Profile, Shell};
use crate::canary::{NO_HOOK, RESULT, SIGN, SIGN_OF_MISTAKE, VARIABLE, envelope};

/// How much of an answer is read.
const LIMIT: u64 = 1 << 20;

/// What became of a canary: its state, and what the hook said.
pub(super) struct Outcome {
    pub(super) state: GuardState,
    pub(super) detail: String,
}

/// How an agent would start a hook.
#[derive(Debug, Clone)]
pub(super) struct Start<'a> {
    /// The command line.
    pub(super) command: &'a str,
    /// The folder of the session.
    pub(super) project: &'a Path,
    /// What the settings of the agent set.
    pub(super) variables: Vec<(String, String)>,
    /// How long it waits.
    pub(super) patience: Duration,
}

impl Start<'_> {
    /// Adds what a hook itself sets.
    pub(super) fn of_hook(mut self, keys: &Map<String, Value>) -> Self {
        let env = keys.get("env").and_then(Value::as_object).into_iter().flatten();
        let texts =
            env.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
        self.variables.extend(texts);
        self
    }
}

/// Sends a canary through a command line.
pub(super) fn send(
    profile: &Profile,
    dialect: &dyn Dialect,
    event: &HostEvent,
    start: &Start<'_>,
) -> Outcome {
    let untried = |detail: String| Outcome { state: GuardState::Untried, detail };
    let input = json!({ "command": "true" });
    let Some(envelope) = envelope(event.ours, profile.shell_tool, &input, start.project) else {
        return untried("there is no canary for this event".to_owned());
    };
    let input = match dialect.write(&envelope) {
        Ok(input) if input.event == event.name => input,
        Ok(input) => return untried(format!("it is tried as `{}`", input.event)),
        Err(error) => return untried(error.to_string()),
    };
    let ran = match run(profile.shell, &input, start) {
        Ok(ran) => ran,
        Err(error) => return Outcome { state: GuardState::Open, detail: error },
    };
    let output = ScriptOutput::new(ran.status.code().unwrap_or(-1), &ran.stdout, &ran.stderr);
    let said = ran.said();
    match dialect.reply(&input, &output) {
        Ok(verdict) if refuses(&verdict) && said.contains(SIGN) => {
            let detail = after(SIGN, &said);
            let is_empty = detail.starts_with(NO_HOOK);
            let state = if is_empty { GuardState::Empty } else { GuardState::Enforced };
            Outcome { state, detail }
        }
        Ok(verdict) if refuses(&verdict) && said.contains(SIGN_OF_MISTAKE) => {
            Outcome { state: GuardState::Mistaken, detail: after(SIGN_OF_MISTAKE, &said) }
        }
        Ok(verdict) if refuses(&verdict) => Outcome { state: GuardState::Broken, detail: said },
        Ok(_) => Outcome { state: GuardState::Open, detail: said },
        Err(failure) => Outcome { state: GuardState::Open, detail: format!("{failure}: {said}") },
    }
}

/// Tells whether the agent would not take the action, or would hide its result.
fn refuses(verdict: &Verdict) -> bool {
    let Some(parts) = verdict.parts() else { return false };
    let hides = |result: &Value| !result.to_string().contains(RESULT);
    matches!(parts.decision, Some(VerdictDecision::Deny | VerdictDecision::Halt))
        || parts.patch.get(patch_field::TOOL_RESPONSE).is_some_and(hides)
}

/// Returns what hookgate says of the policy in force, after a sign.
fn after(sign: &str, said: &str) -> String {
    let from = said.find(sign).and_then(|at| said.get(at + sign.len()..)).unwrap_or_default();
    from.split(['"', '\n']).next().unwrap_or_default().trim().to_owned()
}

struct Ran {
    status: ExitStatus,
    stdout: Vec<u8>,
    stderr: String,
}

impl Ran {
    fn said(&self) -> String {
        format!("{}{}", self.stderr.trim(), String::from_utf8_lossy(&self.stdout).trim())
    }
}

fn run(shell: Shell, input: &ScriptInput, start: &Start<'_>) -> Result<Ran, String> {
    let &Start { command, project, patience, .. } = start;
    let mut process = match shell {
        Shell::Sh => started("/bin/sh", &["-c", command]),
        Shell::Bash => started("bash", &["-c", command]),
        Shell::Login => {
            let shell = env::var("SHELL").unwrap_or_else(|_| "/bin/sh".to_owned());
            started(&shell, &["-lc", command])
        }
        Shell::None => started(command, &[]),
    };
    process.envs(start.variables.iter().map(|(name, value)| (name, value)));
    for (name, value) in &input.variables {
        process.env(name, value);
    }
    let mut child = process
        .current_dir(project)
        .env(VARIABLE, "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("it does not start: {error}"))?;
    let stdin = child.stdin.take();
    let text = input.envelope.to_string();
    // A program that does not read its input is none of our business.
    let writer = thread::spawn(move || stdin.map(|mut pipe| pipe.write_all(text.as_bytes())));
    let end = Instant::now() + patience;
    let stdout = collect(child.stdout.take());
    let stderr = collect(child.stderr.take());
    let status = wait(&mut child, end)?;
    let _ = writer.join();
    let text = |pipe: Receiver<Vec<u8>>| {
        let left = end.saturating_duration_since(Instant::now());
        pipe.recv_timeout(left).map_err(|_| "a process that it left behind keeps its output open")
    };
    let stderr = String::from_utf8_lossy(&text(stderr)?).into_owned();
    Ok(Ran { status, stdout: text(stdout)?, stderr })
}

fn started(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments);
    command
}

fn collect(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(pipe) = pipe {
            // What was read before an error is what the agent would have.
            let _ = pipe.take(LIMIT).read_to_end(&mut bytes);
        }
        // Nobody takes it after the end.
        let _ = sender.send(bytes);
    });
    receiver
}

fn wait(child: &mut Child, end: Instant) -> Result<ExitStatus, String> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) if Instant::now() < end => thread::sleep(Duration::from_millis(2)),
            Ok(None) => {
                // It is as good as gone if it cannot be killed.
                let _ = child.kill();
                let _ = child.wait();
                return Err("it takes longer than the agent waits".to_owned());
            }
            Err(error) => return Err(error.to_string()),
        }
    }
}
