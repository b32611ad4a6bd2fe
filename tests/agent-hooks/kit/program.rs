//! The program `hookgate run`: steps in as lines of JSON, records out, interceptors as services.

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;

use agent_hooks::ctk::async_trait;
use hookgate::Report;
use hookgate_agent_hooks::{Decide, Decided, EnforcementMode, InterceptionPoint, Undecided};
use hookgate_contract::FailureClass;
use hookgate_test_support::built;
use serde_json::{Map, Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::Mutex;

use crate::harness::{Wanted, Wiring};
use crate::raw_numbers;
use crate::service::Service;
use crate::surface::{Capabilities, PROGRAM};

/// Processes of the program, one for each vector.
pub(crate) struct Program {
    path: PathBuf,
}

impl Program {
    /// The program that `HOOKGATE_KIT_PROGRAM` names, else one with the features that tests ask for.
    pub(crate) fn find() -> Self {
        let named = std::env::var_os("HOOKGATE_KIT_PROGRAM").map(PathBuf::from);
        Self { path: named.unwrap_or_else(|| built::program("hookgate")) }
    }
}

#[async_trait]
impl Wiring for Program {
    fn capabilities(&self) -> Capabilities {
        PROGRAM
    }

    async fn decider(&self, wanted: &Wanted) -> Arc<dyn Decide> {
        let folder = tempfile::tempdir().unwrap();
        let service =
            Service::start(wanted.interceptors.iter().map(|(_, script)| script.clone())).await;
        std::fs::write(folder.path().join("hooks.toml"), config(wanted, &service)).unwrap();
        let mut child = Command::new(&self.path)
            .args(["run", "--quiet", "-"])
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let pipes = Mutex::new((stdin, lines));
        Arc::new(Running { pipes, _child: child, _service: service, _folder: folder })
    }
}

/// The hooks of a vector.
fn config(wanted: &Wanted, service: &Service) -> String {
    let points = InterceptionPoint::ALL.into_iter().flat_map(|point| point.events().iter());
    let events = points.map(|event| event.name()).filter(|name| *name != "session_end");
    let events = json!(events.collect::<Vec<_>>());
    let stop_at = wanted.profile.stop_at();
    let (mode, required) = match wanted.mode {
        EnforcementMode::Enforce => ("enforce", &events),
        EnforcementMode::EvaluateOnly => ("shadow", &Value::Array(Vec::new())),
    };
    let mut config = format!(
        "version = 1\nallow_empty = true\n[limits]\nstop_at = \"{stop_at}\"\n[require]\nevents = {required}\n"
    );
    let authority = service.address.to_string();
    for (index, (name, _)) in wanted.interceptors.iter().enumerate() {
        let http = format!(
            "http = {{ url = \"http://{authority}/{index}\", allow_loopback = [\"{authority}\"], dialect = \"agent-hooks\" }}"
        );
        config += &format!(
            "[[hook]]\nid = \"{name}\"\nevent = {events}\nrole = \"rewrite\"\nmode = \"{mode}\"\n\
             priority = 1000\non_failure = \"deny\"\n{http}\n\
             [[hook]]\nid = \"{name}/agent_shutdown\"\nevent = \"session_end\"\n{http}\n"
        );
    }
    config
}

/// A process that decides.
struct Running {
    pipes: Mutex<(ChildStdin, Lines<BufReader<ChildStdout>>)>,
    _child: Child,
    _service: Service,
    _folder: TempDir,
}

impl Decide for Running {
    fn decide(&self, envelope: Map<String, Value>) -> Decided<'_> {
        Box::pin(async move {
            let line = raw_numbers::restored(&Value::Object(envelope).to_string());
            let (stdin, lines) = &mut *self.pipes.lock().await;
            stdin.write_all(format!("{line}\n").as_bytes()).await.map_err(lost)?;
            stdin.flush().await.map_err(lost)?;
            let record = lines.next_line().await.map_err(lost)?;
            let record = record.ok_or_else(|| Undecided::Program("it has ended".to_owned()))?;
            let report = Report::from_json(record.as_bytes())?;
            // The program refuses a step that it cannot read; no hook has seen it.
            match report.votes.first() {
                Some(vote)
                    if report.event.is_none() && vote.failure == Some(FailureClass::Malformed) =>
                {
                    Err(Undecided::Program(report.reason.unwrap_or_default()))
                }
                _ => Ok(report),
            }
        })
    }

    fn holds(&self, _: &Report) -> bool {
        // It does not follow its config.
        true
    }
}

fn lost(error: std::io::Error) -> Undecided {
    Undecided::Program(error.to_string())
}
