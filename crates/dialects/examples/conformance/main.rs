//! Runs cases of hook protocols for real, and says which are not as expected.
//!
//! ```text
//! cargo run --release -q -p hookgate-dialects --example conformance -- claude/cases.jsonl …
//! ```
//!
//! A file holds one case a line. The agent is the first word of a case's id. The last line says how many
//! passed; the exit status is 1 if one did not.

#![allow(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "JSON values of cases: a missing one is null"
)]

mod case;
mod compare;
mod error;
mod expect;
mod handler;
mod run;
mod services;

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use hookgate_agent_systems::foreign::Services;

use case::Case;
use error::{CaseError, Result};
use expect::Difference;

/// How many cases run at the same time.
const AT_ONCE: usize = 8;

/// How long a case may take.
const LIMIT: Duration = Duration::from_secs(60);

/// How much of a value is printed.
const MOST_SHOWN: usize = 300;

fn main() -> ExitCode {
    if let Some(code) = handler::act() {
        return code;
    }
    let files: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let result = runtime.map_err(CaseError::from).and_then(|runtime| {
        let cases = read(&files)?;
        Ok(runtime.block_on(run_all(cases)))
    });
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "{error}");
            ExitCode::from(64)
        }
    }
}

fn read(files: &[String]) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(file)?;
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            cases.push(Case::parse(line)?);
        }
    }
    Ok(cases)
}

async fn run_all(cases: Vec<Case>) -> bool {
    let shared = Services::default();
    let total = cases.len();
    let results = stream::iter(cases)
        .map(|case| {
            let shared = shared.clone();
            async move {
                let id = case.id.clone();
                let run = tokio::spawn(async move { check(&case, &shared).await });
                let result = match tokio::time::timeout(LIMIT, run).await {
                    Ok(Ok(result)) => result.map_err(|error| error.to_string()),
                    Ok(Err(panic)) => Err(panic.to_string()),
                    Err(_) => Err(format!("it takes longer than {LIMIT:?}")),
                };
                (id, result)
            }
        })
        .buffered(AT_ONCE);
    let passed =
        results.fold(0, |passed, (id, result)| async move { passed + report(&id, &result) });
    let passed = passed.await;
    let _ = writeln!(std::io::stdout(), "passed {passed} of {total}");
    passed == total
}

async fn check(case: &Case, shared: &Services) -> Result<Vec<Difference>> {
    let folder = tempfile::tempdir()?;
    let seen = run::run(case, folder.path(), shared).await?;
    expect::differences(&seen)
}

/// Prints what is not as expected; returns 1 if all is.
fn report(id: &str, result: &std::result::Result<Vec<Difference>, String>) -> usize {
    let mut out = std::io::stdout().lock();
    match result {
        Ok(differences) if differences.is_empty() => return 1,
        Ok(differences) => {
            for Difference { key, expected, got } in differences {
                let (expected, got) = (shown(&expected.to_string()), shown(&got.to_string()));
                let _ = writeln!(out, "{id}: `{key}` expected {expected}, got {got}");
            }
        }
        Err(why) => {
            let _ = writeln!(out, "{id}: {why}");
        }
    }
    0
}

fn shown(text: &str) -> String {
    if text.chars().count() <= MOST_SHOWN {
        return text.to_owned();
    }
    let start: String = text.chars().take(MOST_SHOWN).collect();
    format!("{start}… ({} characters)", text.chars().count())
}
