//! One step: read, judged by the configs in force, answered.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hookgate::contract::dialect::HostStep;
use hookgate::contract::json;
use hookgate::envelope::{Incoming, IncomingError};
use hookgate::{Engine, command};
use serde_json::Value;

use super::error::HookError;
use super::state::State;
use super::trust::Skipped;
use super::{Work, answer, input, sources};
use crate::canary;
use crate::kinds::note_all_files;

/// How long observers in the background may go on after the answer.
const DRAIN: Duration = Duration::from_secs(2);

/// Judges the step on stdin, and answers it.
///
/// # Errors
/// Whatever keeps the step from being judged.
pub(super) fn judge(work: &Work, stdin: impl Read) -> Result<(), HookError> {
    let native = input::read(stdin)?;
    let mut step = work.dialect.read(work.call.event(), native)?;
    work.seen.set(step.event.name);
    if let Some(problem) = work.call.problem() {
        return Err(problem.clone());
    }
    let cwd = folder(&step);
    let sources = sources::find(work.call.config(), &cwd);
    let state = State::open();
    let skipped = Skipped::default();
    let table = sources::load(&sources, &state, &skipped, step.event.ours)?;
    let files: Vec<PathBuf> = sources.into_iter().map(|source| source.file).collect();
    note_all_files(&files, &table);
    let envelope = Value::Object(step.envelope.clone());
    json::check(&envelope, table.limits().integers)
        .map_err(|error| IncomingError::Json(error.to_string()))?;
    state.tell_denials(&mut step.envelope, &table);
    let mut incoming = Incoming::from_object(step.envelope.clone())?;

    // `hookgate doctor` asks whether the agent would obey.
    let table = if canary::is_sent() { canary::table(&table, step.event.ours) } else { table };

    // What a program of a hook leaves behind comes to this process, and is killed.
    let _ = command::become_subreaper();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| HookError::Process(error.to_string()))?;
    let engine = Engine::new(table);
    let judged = runtime.block_on(async {
        let report = engine.evaluate(&mut incoming).await;
        state.note_denials(&step.envelope, report.decision);
        state.check()?;
        let answer = answer::answer(&*work.dialect, &step, &report, &engine.table());
        work.say(answer::with_note(answer, skipped.note()));
        engine.drain(DRAIN.min(rest(work))).await;
        Ok(())
    });
    runtime.shutdown_background();
    command::settle(DRAIN.min(rest(work)));
    judged
}

fn rest(work: &Work) -> Duration {
    work.end.saturating_duration_since(Instant::now())
}

/// Returns the folder of the session, or that of this process.
fn folder(step: &HostStep) -> PathBuf {
    let given = step.envelope.get("cwd").and_then(Value::as_str).map(Path::new);
    let given = given.filter(|cwd| cwd.is_absolute()).map(Path::to_path_buf);
    given.or_else(|| std::env::current_dir().ok()).unwrap_or_default()
}
