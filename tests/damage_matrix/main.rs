//! Promise: damage never weakens. Whatever happens to a verdict in transit, the outcome is not weaker
//! than the ask, the deny or the halt that can be made out in it, and not weaker than what the failure
//! counts as.
//!
//! The matrix: kind (builtin, command, worker, http, prompt) × damage × decision × posture. All hooks come
//! from hooks.toml; the programs, services and model servers are real ones.
#![cfg(all(feature = "command", feature = "http", feature = "prompt"))]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

mod builtin;
mod http;
use hookgate_test_support::model_server;
mod programs;
mod prompt;
use hookgate_test_support as support;
use hookgate_test_support::http_service as service;
mod text;

use std::path::Path;

use hookgate::config::Loader;
use hookgate::contract::VerdictDecision;
use hookgate::{Engine, Outcome, Posture, Registry, StepContext};
use tokio::task::JoinSet;

/// How many bytes an answer may have.
pub(crate) const OUTPUT: usize = 8 * 1024;

/// The decisions that a verdict can have, the control first.
const DECISIONS: [VerdictDecision; 4] =
    [VerdictDecision::Allow, VerdictDecision::Ask, VerdictDecision::Deny, VerdictDecision::Halt];

/// One hook that answers with a damaged verdict.
pub(crate) struct Damaged {
    /// What happened to the verdict, for messages.
    pub(crate) what: String,
    pub(crate) decision: VerdictDecision,
    /// The line of hooks.toml that sets up the handler.
    pub(crate) handler: String,
    /// Whether the answer never ends.
    pub(crate) late: bool,
}

/// A deadline that leaves a program on a busy machine time to answer.
const LATE: &str = "3s";

/// How many cells run at the same time.
const AT_ONCE: usize = 48;

/// Invokes each hook once with each posture.
async fn check(registry: &Registry, base: &Path, all: &[Damaged]) {
    let (mut running, mut wrong) = (JoinSet::new(), Vec::new());
    // Those that end with their deadline come last, so that they wait for it at the same time.
    let (late, answered): (Vec<_>, Vec<_>) = all.iter().partition(|damaged| damaged.late);
    for damaged in answered.into_iter().chain(late) {
        for posture in Posture::ALL {
            let timeout = if damaged.late { LATE } else { "60s" };
            let config = format!(
                "[limits]\noutput = {OUTPUT}\n[[hook]]\nid = \"h\"\nevent = \"pre_tool_use\"\n\
                 timeout = \"{timeout}\"\non_failure = \"{0}\"\non_oversize = \"{0}\"\n{1}\n",
                posture.name(),
                damaged.handler
            );
            let loaded = Loader::new(registry).parse("hooks.toml", &config, base);
            let engine = Engine::new(loaded.unwrap_or_else(|e| panic!("{e}\n{config}")).table);
            let what =
                format!("{} {} on_failure = {}", damaged.what, damaged.decision, posture.name());
            // A damaged allow does not count as one.
            let salvaged =
                Some(damaged.decision).filter(|decision| *decision > VerdictDecision::Allow);
            let least = salvaged.max(posture.decision()).map_or(Outcome::Allow, Outcome::from);
            running.spawn(async move {
                let context = StepContext::new("damage");
                let (_, report) = engine.dispatch_reported(support::bash("ls"), &context).await;
                let vote = report.votes.first().expect("the hook was invoked");
                // The control: it is damaged.
                let held = vote.failure.is_some() && report.decision == least;
                (!held).then(|| format!("{what}: {:?}, {vote:?}", report.decision))
            });
        }
        if running.len() >= AT_ONCE {
            wrong.extend(running.join_all().await.into_iter().flatten());
            running = JoinSet::new();
        }
    }
    wrong.extend(running.join_all().await.into_iter().flatten());
    assert!(wrong.is_empty(), "{} cells:\n{}", wrong.len(), wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_builtin_that_answers_damage() {
    let registry = builtin::registry();
    check(&registry, Path::new("/"), &builtin::all()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_command_that_answers_damage() {
    let folder = programs::folder();
    check(&support::registry(), folder.path(), &programs::commands(folder.path())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_answers_damage() {
    let folder = programs::folder();
    check(&support::registry(), folder.path(), &programs::workers(folder.path())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_that_answers_damage() {
    let (all, _services) = http::all().await;
    check(&support::registry(), Path::new("/"), &all).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_judge_that_answers_damage() {
    let (all, _servers) = prompt::all().await;
    check(&support::registry(), Path::new("/"), &all).await;
}
