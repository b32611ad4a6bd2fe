//! What an answer costs that is known, against one that a model on the loopback gives at once. It
//! fails where a known answer is not so many times cheaper: a quotient within one run, which a slow
//! or busy machine changes little. docs/performance/handlers.md has the times.
//!
//! `cargo run --release -p hookgate-prompt --example cached_answer`
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "it may fail")]
#![allow(clippy::indexing_slicing, clippy::string_slice, clippy::panic, reason = "a test server")]

use hookgate_test_support::model_server as server;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hookgate_contract::BuildContext;
use hookgate_contract::StepId;
use hookgate_contract::payload::ToolCall;
use hookgate_contract::settings::{Node, Settings};
use hookgate_contract::{Envelope, Invocation, StepContext};
use hookgate_prompt::{Judge, JudgeState};
use serde_json::json;
use server::{Mode, Server};

/// How many known answers must fit into the time of one call: a call takes 46 µs where nobody else
/// is at work, and a known answer is promised in 5.
const LEAST: f64 = 9.0;

fn judge(base_url: &str, cache: bool, state: &Arc<JudgeState>) -> Judge {
    let node = Node::from_json(&json!({
        "model": "m", "base_url": base_url, "prompt": "No force.", "cache": cache,
    }));
    let mut settings = Settings::new(&node);
    let context = BuildContext::new(Path::new("/"), 262_144);
    Judge::build(&mut settings, &context, Arc::clone(state)).expect("the settings are good")
}

/// The time of one answer, the step made anew each time as the engine does; the median of batches.
async fn time(judge: &Judge, batches: usize, batch: usize, cached: bool) -> Duration {
    let call = ToolCall::new("Bash", json!({"command": "git push origin main", "timeout": 120}));
    let context = StepContext::new("session-1").turn(3).cwd("/srv/ledger");
    let mut times = Vec::new();
    for _ in 0..batches {
        let started = Instant::now();
        for _ in 0..batch {
            let id = StepId::new(Some("step-1"), String::new);
            let envelope = Envelope::new(&call, &context, &id, 1, 1 << 20);
            let judgement = judge.evaluate(Invocation::new("judge", &envelope)).await;
            assert!(judgement.reply.is_ok() && judgement.cached == cached, "{judgement:?}");
        }
        times.push(started.elapsed() / u32::try_from(batch).expect("small"));
    }
    times.sort();
    times[times.len() / 2]
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let server = Server::start(Mode::ByRule).await;
    let state = Arc::new(JudgeState::default());
    let asks = judge(&server.base_url, false, &state);
    time(&asks, 1, 50, false).await;
    let uncached = time(&asks, 50, 10, false).await;
    let knows = judge(&server.base_url, true, &state);
    time(&knows, 1, 1, false).await;
    let calls = server.calls();
    time(&knows, 1, 1000, true).await;
    let cached = time(&knows, 101, 1000, true).await;
    assert_eq!(server.calls(), calls, "a known answer asks nobody");
    println!("known answer     {:>9.2} µs", cached.as_secs_f64() * 1e6);
    println!("loopback call    {:>9.2} µs", uncached.as_secs_f64() * 1e6);
    println!("ratio            {:>9.0}", uncached.as_secs_f64() / cached.as_secs_f64());
    let ratio = uncached.as_secs_f64() / cached.as_secs_f64();
    assert!(ratio >= LEAST, "only {ratio:.0} known answers in the time of a call, not {LEAST}");
}
