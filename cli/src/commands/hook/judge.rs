//! One step: read, judged by the configs in force, answered.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use hookgate::contract::dialect::{HostEffect, HostStep};
use hookgate::contract::json;
use hookgate::envelope::{Incoming, IncomingError};
use hookgate::{Engine, command};
use serde_json::Value;

use super::daemon::client;
use super::error::HookError;
use super::joined_configs::{self, InForce};
use super::later::Later;
use super::tables::Tables;
use super::{Work, answer, input, remembering};
use crate::trust::{Grants, projects};
use crate::{canary, certified, sources};

/// How long observers in the background may go on after the answer.
const DRAIN: Duration = Duration::from_secs(2);

/// How long a daemon takes for what hooks do later. It ends when nobody calls any more, whatever it does then.
const LATER: Duration = Duration::from_secs(600);

/// Judges the step on stdin, and answers it.
///
/// # Errors
/// Whatever keeps the step from being judged.
pub(super) fn judge(work: &Work, stdin: impl Read) -> Result<(), HookError> {
    let bytes = input::read(stdin)?;
    let step = work.dialect.read(work.call.event(), input::parse(&bytes)?)?;
    work.seen.set(step.event.name);
    if let Some(problem) = work.call.problem() {
        return Err(problem.clone());
    }
    if let Some(tables) = &work.tables {
        return in_daemon(work, step, tables);
    }
    // What a daemon keeps is the table of the configs alone.
    if !work.call.overrides().is_empty() {
        return judge_locally(work, step, None);
    }
    let note = match client::ask(&work.call, &bytes, rest(work)) {
        Ok(answer) => {
            work.say(answer);
            return Ok(());
        }
        Err(unanswered) => unanswered.note(),
    };
    let judged = judge_locally(work, step, note);
    client::start(&work.call);
    judged
}

/// Judges a step with a table of its own; `note` is to be told with the answer.
fn judge_locally(work: &Work, step: HostStep, note: Option<String>) -> Result<(), HookError> {
    let folder = folder(&step);
    let sources = sources::find(work.call.config(), &folder);
    let grants = Grants::read(&projects(&sources), work.call.trusted());
    let mut table = joined_configs::load(&sources, work.call.strict(), &grants, step.event.ours)?;
    table.change(work.call.overrides())?;
    // `hookgate doctor` asks whether the agent would obey.
    if canary::is_sent() {
        let policy = table.engine.table();
        let problem = remembering::problem(&policy, &table.state, &*work.dialect);
        let canary =
            canary::deny_all_table(&policy, step.event.ours, problem.as_deref(), &*work.dialect);
        table.engine = Arc::new(Engine::new(canary));
        table.later = Later::default();
    }
    // What a program of a hook leaves behind comes to this process, and is killed.
    let _ = command::become_subreaper();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| HookError::Process(error.to_string()))?;
    let judged = runtime.block_on(async {
        let judged = judge_with_table(work, step, &table, &folder, note).await;
        let time = DRAIN.min(rest(work));
        // Both at the same time: an agent that waits for the end of this process waits no longer for the second.
        let later = table.later.work(&table.engine, table.read, time);
        tokio::join!(table.engine.drain(time), later);
        judged
    });
    runtime.shutdown_background();
    // After the answer nothing is left to do about those that go on.
    let _ = command::settle(DRAIN.min(rest(work)));
    judged
}

/// Judges a step with a table that is kept.
fn in_daemon(work: &Work, step: HostStep, tables: &Tables) -> Result<(), HookError> {
    let folder = folder(&step);
    let sources = sources::find(work.call.config(), &folder);
    let grants = Grants::read(&projects(&sources), work.call.trusted());
    let checked = SystemTime::now();
    let table = tables.get(&sources, work.call.strict(), grants, step.event.ours)?;
    let judging = judge_with_table(work, step, &table, &folder, None);
    let judged = tables.runtime().block_on(judging);
    if judged.is_err() {
        tables.forget(&table);
    }
    // The call has its answer, and waits no longer.
    tables.runtime().block_on(table.later.work(&table.engine, checked, LATER));
    judged
}

/// Judges a step of a session in a folder, and says the answer.
async fn judge_with_table(
    work: &Work,
    mut step: HostStep,
    table: &InForce,
    folder: &Path,
    told: Option<String>,
) -> Result<(), HookError> {
    let InForce { engine, state, skipped, .. } = table;
    let found = certify(work, table).await;
    let in_force = engine.table();
    json::check(&Value::Object(step.envelope.clone()), in_force.limits().integers)
        .map_err(|error| IncomingError::Json(error.to_string()))?;
    state.tell_denials(&mut step.envelope, &in_force);
    remembering::tell_usage(&mut step.envelope, &in_force, &*work.dialect);
    let mut incoming = Incoming::from_object(step.envelope.clone())?;
    incoming.header.no_context = !step.event.can(HostEffect::Context);
    let report = engine.evaluate(&mut incoming).await;
    state.note_denials(&step.envelope, report.decision);
    let failed = state.tell_failed_trials(&step.envelope, &report);
    state.check()?;
    let answer = answer::answer(&*work.dialect, &step, &report, &in_force);
    let note = skipped.take().or_else(|| sources::note(work.call.config(), folder));
    let unrecorded = table.journal_problem().await;
    let notes = told.into_iter().chain(note).chain(failed).chain(unrecorded).chain(found);
    let notes: Vec<String> = notes.collect();
    let note = (!notes.is_empty()).then(|| notes.join("\n"));
    work.say(answer::with_note(answer, note));
    Ok(())
}

/// Proves the hooks in force as often as `[certify]` asks for, and returns what to tell of it.
async fn certify(work: &Work, table: &InForce) -> Option<String> {
    let settings = table.certify.filter(|_| !canary::is_sent())?;
    let before = table.engine.table().generation();
    let found = certified::certify(settings, &table.engine, rest(work)).await;
    if table.engine.table().generation() != before {
        table.note_table();
    }
    found
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
