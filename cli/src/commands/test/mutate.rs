//! `hookgate test --mutate`: which parts of a policy no case needs.
//!
//! One thing of the policy at a time is taken out or turned round, and the policy's own cases run against what is
//! left. A change that no case notices survives: either a case is missing, or the part is not needed.

mod bench;
mod change;
mod find;
mod keep;
mod policy;
mod report;
mod words;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use tokio::task::JoinSet;

use super::output::Format;
use super::{Args, configs};
use crate::abort::Abort;
use crate::config::Configs;
use crate::exit_code::Exit;
use crate::terminal::progress::Progress;
use crate::terminal::stderr;
use bench::{Fate, Subject};
use policy::Policy;
use report::Outcome;

/// Runs the verb with `--mutate`.
///
/// # Errors
/// A policy or its cases cannot be read, or stdout takes no more.
pub(super) async fn run(args: &Args) -> Result<Exit, Abort> {
    let format = match (args.json, args.format) {
        (true, _) => Format::Json,
        (false, None) => Format::default_of_stdout(),
        (false, Some(Format::Junit | Format::Tap)) => {
            let message = "--mutate has no report in this format";
            return Err(Abort::usage(message).help("use --format human or --format json"));
        }
        (false, Some(format)) => format,
    };
    let began = Instant::now();
    let mut outcome = Outcome::default();
    for (configs, tests) in policies(args)? {
        let policy = Policy::read(configs, &tests, args.filter.as_ref())?;
        match examine(policy, &mut outcome).await? {
            true => {}
            false => return Ok(Exit::Deny),
        }
    }
    outcome.duration = began.elapsed();
    report::print(&outcome, format)?;
    Ok(if outcome.survived() > 0 || outcome.unexplained > 0 { Exit::Deny } else { Exit::Ok })
}

/// Returns the policies: each path that is a config, or a folder with one, is a policy of its own; the others are
/// test files of the configs of the command line.
fn policies(args: &Args) -> Result<Vec<(Configs, Vec<PathBuf>)>, Abort> {
    let (mut alone, mut tests) = (Vec::new(), Vec::new());
    for path in &args.paths {
        let config = if path.is_dir() { path.join(CONFIG) } else { path.clone() };
        if config.is_file() && !super::find::is_test(&config) {
            alone.push((Configs::alone(&config), Vec::new()));
        } else {
            tests.push(path.clone());
        }
    }
    if !tests.is_empty() || alone.is_empty() {
        alone.push((configs(args)?, tests));
    }
    Ok(alone)
}

/// The name of a config in a folder of its own.
const CONFIG: &str = "hooks.toml";

/// Examines a policy, and adds what came out. Returns whether its cases passed to begin with.
async fn examine(policy: Policy, outcome: &mut Outcome) -> Result<bool, Abort> {
    let name = policy.configs.name().to_string();
    let subject = Arc::new(Subject::of(policy).await?);
    if let Some(problem) = subject.problem() {
        stderr::error(&format!("{name}: {problem}"), Some("run `hookgate test` first"));
        return Ok(false);
    }
    let changes = subject.policy.changes.len();
    let progress = Progress::over_items(u64::try_from(changes).unwrap_or(u64::MAX));
    let next = Arc::new(AtomicUsize::new(0));
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(changes.max(1));
    let runtime = tokio::runtime::Handle::current();
    let mut running = JoinSet::new();
    for _ in 0..workers {
        let (subject, next) = (Arc::clone(&subject), Arc::clone(&next));
        let (progress, runtime) = (progress.clone(), runtime.clone());
        running.spawn_blocking(move || {
            let mut fates = Vec::new();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= changes {
                    return Ok(fates);
                }
                fates.push((index, runtime.block_on(subject.fate(index))?));
                progress.advance_item();
            }
        });
    }
    let mut fates: Vec<(usize, Fate)> = Vec::new();
    while let Some(ended) = running.join_next().await {
        let ended: Result<Vec<_>, Abort> =
            ended.map_err(|error| Abort::failure(format!("a worker has failed: {error}")))?;
        fates.extend(ended?);
    }
    progress.finish();
    fates.sort_by_key(|(index, _)| *index);
    outcome.add(&subject.policy, fates.into_iter().map(|(_, fate)| fate));
    Ok(true)
}

/// Returns the place of an offset in a file: its name, line and column.
fn place(file: &Path, text: &str, at: usize) -> (String, usize, usize) {
    let (line, column) = crate::text_position::position(text, at);
    (file.display().to_string(), line, column)
}
