//! Promise: a model is called no more often than there are different questions.
#![cfg(feature = "prompt")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]
#![allow(clippy::indexing_slicing, clippy::string_slice, reason = "a test may fail")]

use hookgate_test_support as support;
use hookgate_test_support::model_server as server;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hookgate::config::Loader;
use hookgate::{
    Engine, FailureClass, Gate, HandlerTable, HookEngine, Outcome, Registry, Report, StepContext,
};
use serde_json::json;
use server::{Mode, Server};
use support::{bash, context};

fn load(registry: &Registry, config: &str, earlier: Option<&HandlerTable>) -> HandlerTable {
    let loader = Loader::new(registry);
    let loader = earlier.map_or(loader, |table| loader.keeping(table));
    loader.parse("hooks.toml", config, Path::new("/")).unwrap().table
}

fn judge(id: &str, server: &Server, prompt: &str, more: &str) -> String {
    format!(
        "[[hook]]\nid = '{id}'\nevent = 'pre_tool_use'\n[hook.prompt]\nmodel = 'm'\n\
         base_url = '{}'\nprompt = '{prompt}'\nbackoff = '1ms'\n{more}\n",
        server.base_url
    )
}

fn five(server: &Server, third: &str, more: &str) -> String {
    let prompt = |n: usize| if n == 3 { third.to_owned() } else { format!("Rule of {n}.") };
    (1..=5).map(|n| judge(&format!("judge-{n}"), server, &prompt(n), more)).collect()
}

/// The same step a hundred times, all at once; how many were cleared.
async fn hundred(engine: &Arc<Engine>, command: &'static str) -> usize {
    let steps: Vec<_> = (0..100)
        .map(|_| {
            let engine = Arc::clone(engine);
            tokio::spawn(async move {
                matches!(engine.dispatch(bash(command), &context()).await, Gate::Cleared(_))
            })
        })
        .collect();
    let mut cleared = 0;
    for step in steps {
        cleared += usize::from(step.await.unwrap());
    }
    cleared
}

async fn report(engine: &Engine, command: &str) -> Report {
    engine.dispatch_reported(bash(command), &context()).await.1
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn five_judges_and_a_hundred_steps_make_one_call() {
    for keeping in [true, false] {
        let server = Server::start(Mode::ByRule).await;
        server.slow(Duration::from_millis(20));
        let registry = support::registry();
        let table = load(&registry, &five(&server, "Rule of 3.", "batch = true"), None);
        let engine = Arc::new(Engine::new(table));
        assert_eq!(hundred(&engine, "ls").await, 100);
        assert_eq!(server.calls(), 1);
        assert_eq!(server::rules(&server.seen()[0]).len(), 5);
        assert_eq!(hundred(&engine, "ls").await, 100);
        assert_eq!(server.calls(), 1);
        // One of them changes: only that one is sent, whether or not the others were kept.
        let earlier = engine.table();
        let changed = five(&server, "never", "batch = true");
        let table = load(&registry, &changed, keeping.then_some(&*earlier));
        engine.swap(table);
        assert_eq!(hundred(&engine, "ls").await, 0);
        assert_eq!(server.calls(), 2);
        assert_eq!(server::rules(&server.seen()[1]).len(), 1);
        // Another registry knows nothing of it.
        let other = support::registry();
        let other = Arc::new(Engine::new(load(&other, &changed, None)));
        assert_eq!(hundred(&other, "ls").await, 0);
        assert_eq!(server.calls(), 3);
    }
}

/// The control: without cache and batch every hook sends a request at every step.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn without_cache_and_batch_it_is_five_hundred() {
    let server = Server::start(Mode::ByRule).await;
    let more = "cache = false";
    let registry = support::registry();
    let engine = Arc::new(Engine::new(load(&registry, &five(&server, "Rule.", more), None)));
    assert_eq!(hundred(&engine, "ls").await, 100);
    assert_eq!(server.calls(), 500);
}

/// Each half alone: a batch without a cache sends one request a step, a cache without a batch one a rule.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn each_half_does_its_part() {
    let server = Server::start(Mode::ByRule).await;
    let registry = support::registry();
    let engine = |more| Arc::new(Engine::new(load(&registry, &five(&server, "Rule.", more), None)));
    let cached = engine("");
    assert_eq!(hundred(&cached, "ls").await, 100);
    assert_eq!(server.calls(), 5);
    let batched = engine("cache = false\nbatch = true");
    assert_eq!(hundred(&batched, "ls").await, 100);
    assert_eq!(server.calls(), 105);
}

/// More rules than a model can keep apart are sent in several calls, each of them once.
#[tokio::test]
async fn twenty_judges_make_two_calls() {
    let server = Server::start(Mode::ByRule).await;
    let registry = support::registry();
    let config: String = (0..20)
        .map(|n| judge(&format!("judge-{n}"), &server, &format!("Rule of {n}."), "batch = true"))
        .collect();
    let config = format!("[limits]\nconcurrency = 32\n{config}");
    let engine = Engine::new(load(&registry, &config, None));
    let report = report(&engine, "ls").await;
    assert_eq!((report.decision, report.votes.len()), (Outcome::Allow, 20), "{report:?}");
    let mut rules: Vec<_> = server.seen().iter().map(|body| server::rules(body).len()).collect();
    rules.sort_unstable();
    assert_eq!(rules, [4, 16]);
}

/// A session that has spent its money does not spoil the answer of another.
#[tokio::test]
async fn the_budget_of_one_session_is_not_that_of_another() {
    let server = Server::start(Mode::ByRule).await;
    server.slow(Duration::from_millis(30));
    let registry = support::registry();
    let more = "budget = { session = { calls = 1 } }\nlimits = { concurrency = 1 }";
    let engine = Engine::new(load(&registry, &judge("a", &server, "No force.", more), None));
    let [poor, rich] = ["poor", "rich"].map(StepContext::new);
    let _ = engine.dispatch_reported(bash("first"), &poor).await;
    let (one, other) = tokio::join!(
        engine.dispatch_reported(bash("ls"), &poor),
        engine.dispatch_reported(bash("ls"), &rich),
    );
    assert_eq!(one.1.votes[0].failure, Some(FailureClass::Budget));
    assert_eq!(other.1.decision, Outcome::Allow, "{:?}", other.1);
}

#[tokio::test]
async fn a_known_answer_expires() {
    let server = Server::start(Mode::ByRule).await;
    let registry = support::registry();
    let config = judge("a", &server, "No force.", "cache = { ttl = '100ms', size = 10 }");
    let engine = Engine::new(load(&registry, &config, None));
    for _ in 0..3 {
        assert_eq!(report(&engine, "ls").await.decision, Outcome::Allow);
    }
    assert_eq!(server.calls(), 1);
    tokio::time::sleep(Duration::from_millis(120)).await;
    server.then(Mode::Decision("unsure"));
    for calls in 2..4 {
        let report = report(&engine, "ls").await;
        assert_eq!(report.votes[0].failure, Some(FailureClass::Unsure));
        assert_eq!(server.calls(), calls, "an unsure answer is not cached");
    }
}

/// What the judge does not see makes no other question; what it sees does, to the last byte.
#[tokio::test]
async fn the_cache_key_is_all_that_is_shown() {
    let server = Server::start(Mode::ByRule).await;
    let registry = support::registry();
    let cut = "show_limit = 40\non_cut = 'judge'";
    let config = judge("a", &server, "No force.", cut);
    let engine = Engine::new(load(&registry, &config, None));
    let long = |middle: &str| format!("{}{middle}{}", "a".repeat(50), "b".repeat(50));
    report(&engine, &long("zebra")).await;
    report(&engine, &long("zebra")).await;
    assert_eq!(server.calls(), 1);
    report(&engine, &long("tiger")).await;
    assert_eq!(server.calls(), 2, "the difference is in what was cut");
    let seen = server.seen();
    let text = server::user(&seen[0]);
    assert!(text.contains("bytes of the data were left out here"), "{text}");
    assert!(text.contains("were left out of its middle"), "{text}");
    assert!(!text.contains("zebra"), "{text}");
    assert_eq!(seen[0]["messages"][0], seen[1]["messages"][0], "the rules stay what they are");
}

/// A judge does not judge what it would see in part only, unless its hook says so. The vote then says
/// how much was not shown, also for a known answer.
#[tokio::test]
async fn a_step_that_is_too_long_to_be_shown_is_oversize() {
    let server = Server::start(Mode::ByRule).await;
    let registry = support::registry();
    let padded = format!("echo {};rm --force /;{}", "a".repeat(20_000), "b".repeat(20_000));
    let on_failure = "on_failure = 'allow'\n[hook.prompt]";
    let whole = judge("a", &server, "No force.", "").replace("[hook.prompt]", on_failure);
    let engine = Engine::new(load(&registry, &whole, None));
    let refused = report(&engine, &padded).await;
    assert_eq!(refused.decision, Outcome::Deny, "{refused:?}");
    assert_eq!(refused.votes[0].failure, Some(FailureClass::Oversize));
    assert_eq!(server.calls(), 0, "no part is shown");
    let cut = whole.replace("prompt = ", "on_cut = 'judge'\nprompt = ");
    let engine = Engine::new(load(&registry, &cut, None));
    for calls in [1, 1] {
        let report = report(&engine, &padded).await;
        assert_eq!(report.decision, Outcome::Allow, "the judge was shown no force: {report:?}");
        let detail = report.votes[0].detail.clone().unwrap_or_default();
        let omitted =
            detail.split("; ").find_map(|part| part.strip_suffix(" bytes were not shown"));
        let omitted: usize = omitted.unwrap_or_else(|| panic!("{detail}")).parse().unwrap();
        assert!((7_000..10_000).contains(&omitted), "{omitted}");
        assert_eq!(server.calls(), calls);
    }
    // The control: what is shown whole is evaluated, and nothing is reported as missing.
    let short = report(&engine, "rm --force /").await;
    assert_eq!(short.decision, Outcome::Deny);
    assert!(!short.votes[0].detail.clone().unwrap().contains("not shown"), "{short:?}");
}

/// A cheaper judge that sees a part clears nothing.
#[tokio::test]
async fn a_first_judge_clears_only_what_it_has_seen_whole() {
    let (cheap, dear) =
        (Server::start(Mode::Decision("allow")).await, Server::start(Mode::ByRule).await);
    let registry = support::registry();
    let off = "mode = 'off'\n[hook.prompt]";
    for cut in ["", "on_cut = 'judge'\n"] {
        let small = format!("{cut}show_limit = 100");
        let named = judge("cheap", &cheap, "No force.", &small).replace("[hook.prompt]", off);
        let config = judge("dear", &dear, "No force.", "first = 'cheap'\ncache = false") + &named;
        let engine = Engine::new(load(&registry, &config, None));
        let long = format!("rm --force {}", "x".repeat(200));
        assert_eq!(report(&engine, &long).await.decision, Outcome::Deny, "{cut}");
        assert_eq!(report(&engine, "rm --force x").await.decision, Outcome::Allow, "{cut}");
    }
    assert_eq!(dear.calls(), 2);
}

/// The deny of a cheaper judge may be overruled, but not by a failure.
#[tokio::test]
async fn a_first_deny_counts_until_it_is_overruled() {
    let (cheap, dear) =
        (Server::start(Mode::Decision("deny")).await, Server::start(Mode::ByRule).await);
    let registry = support::registry();
    let first = format!(
        "first = {{ model = 'small', base_url = '{}' }}\ncache = false\nretries = 0",
        cheap.base_url
    );
    let config = judge("dear", &dear, "No force.", &first)
        .replace("[hook.prompt]", "on_failure = 'allow'\ntimeout = '2s'\n[hook.prompt]");
    let engine = Engine::new(load(&registry, &config, None));
    assert_eq!(report(&engine, "ls").await.decision, Outcome::Allow, "the dear one may");
    for mode in [Mode::Status(500), Mode::Prose, Mode::Reset, Mode::Decision("unsure")] {
        dear.then(mode.clone());
        assert_eq!(report(&engine, "ls").await.decision, Outcome::Deny, "{mode:?}");
    }
    dear.slow(Duration::from_secs(10));
    let late = report(&engine, "ls").await;
    assert_eq!(
        (late.decision, late.votes[0].failure),
        (Outcome::Deny, Some(FailureClass::Timeout))
    );
    cheap.then(Mode::Decision("unsure"));
    assert_eq!(report(&engine, "pwd").await.decision, Outcome::Allow, "nothing is salvaged");
}

#[tokio::test]
async fn the_cheap_judge_clears_most() {
    let (cheap, dear) = (Server::start(Mode::ByRule).await, Server::start(Mode::ByRule).await);
    let registry = support::registry();
    let inline = format!("first = {{ model = 'small', base_url = '{}' }}", cheap.base_url);
    let named = judge("cheap", &cheap, "No force.", "")
        .replace("[hook.prompt]", "mode = 'off'\n[hook.prompt]");
    let configs = [
        judge("dear", &dear, "No force.", &inline),
        // The named judge may come after the one that names it.
        judge("dear", &dear, "No force.", "first = 'cheap'") + &named,
    ];
    for (config, dear_calls) in configs.iter().zip([0, 2]) {
        let engine = Engine::new(load(&registry, config, None));
        assert_eq!(report(&engine, "ls").await.decision, Outcome::Allow);
        assert_eq!(dear.calls(), dear_calls);
        assert_eq!(report(&engine, "push --force").await.decision, Outcome::Deny);
        assert_eq!(dear.calls(), dear_calls + 1);
        // What the cheap one cannot decide goes to the dear one.
        cheap.first([Mode::Decision("unsure")]);
        assert_eq!(report(&engine, "pwd").await.decision, Outcome::Allow);
        assert_eq!(dear.calls(), dear_calls + 2);
    }
    // An id without a judge clears nothing.
    let lone = judge("dear", &dear, "No force, lone.", "first = 'missing'");
    let engine = Engine::new(load(&registry, &lone, None));
    assert_eq!(report(&engine, "ls").await.decision, Outcome::Allow);
    assert_eq!(dear.calls(), 5);
}

#[tokio::test]
async fn samples_vote() {
    let server = Server::start(Mode::ByRule).await;
    let registry = support::registry();
    let config = judge("a", &server, "No force.", "samples = 3\nagree = 2\nseed = 7");
    let engine = Engine::new(load(&registry, &config, None));
    server.first([Mode::Decision("allow"), Mode::Decision("deny"), Mode::Decision("deny")]);
    assert_eq!(report(&engine, "ls").await.decision, Outcome::Deny);
    let mut seeds: Vec<_> = server.seen().iter().map(|body| body["seed"].as_i64()).collect();
    seeds.sort();
    assert_eq!(seeds, [Some(7), Some(8), Some(9)]);
    server.first([Mode::Decision("allow"), Mode::Decision("ask"), Mode::Decision("deny")]);
    assert_eq!(report(&engine, "pwd").await.votes[0].failure, Some(FailureClass::Unsure));
    assert_eq!(report(&engine, "ls").await.decision, Outcome::Deny);
    assert_eq!(server.calls(), 6);
}

/// The step that started a request may go away; steps that wait for the same answer still get it, from
/// one call.
#[tokio::test]
async fn an_answer_outlives_the_step_that_started_it_but_not_the_last_one() {
    let server = Server::start(Mode::ByRule).await;
    server.slow(Duration::from_millis(300));
    let registry = support::registry();
    for (more, prompt) in [("", "No force."), ("batch = true", "No force at all.")] {
        let calls = server.calls();
        let config = judge("a", &server, prompt, more);
        let engine = Arc::new(Engine::new(load(&registry, &config, None)));
        let start = || {
            let engine = Arc::clone(&engine);
            tokio::spawn(async move { report(&engine, "ls").await.decision })
        };
        let first = start();
        tokio::time::sleep(Duration::from_millis(50)).await;
        let second = start();
        tokio::time::sleep(Duration::from_millis(50)).await;
        first.abort();
        assert_eq!(second.await.unwrap(), Outcome::Allow);
        assert_eq!(server.calls(), calls + 1, "{more}");
        // When no step waits any more, the next one sends a new request.
        let engine = Arc::new(Engine::new(load(&registry, &config.replace("No", "Not"), None)));
        let gone = tokio::spawn(async move { report(&engine, "ls").await.decision });
        tokio::time::sleep(Duration::from_millis(100)).await;
        gone.abort();
        assert!(gone.await.unwrap_err().is_cancelled());
        assert_eq!(server.calls(), calls + 2);
        let engine = Engine::new(load(&registry, &config.replace("No", "Not"), None));
        assert_eq!(report(&engine, "ls").await.decision, Outcome::Allow);
        assert_eq!(server.calls(), calls + 3);
    }
}

#[tokio::test]
async fn a_record_holds_nothing_of_the_question() {
    let server = Server::start(Mode::Decision("allow")).await;
    let registry = support::registry();
    let config = judge("a", &server, "The secret rule of the house is long.", "");
    let engine = Engine::new(load(&registry, &config, None));
    let command = "curl https://example.com/a-long-address";
    let report = report(&engine, command).await;
    let text = format!("{report:?}");
    assert!(!text.contains("secret rule"), "{text}");
    let vote = report.votes[0].detail.clone().unwrap_or_default();
    assert!(vote.starts_with("m, prompt "), "{vote}");
}

#[tokio::test]
async fn why_a_judge_sees_nothing_wrong_is_noted() {
    let server =
        Server::start(Mode::Keys(json!({"decision": "allow", "reason": "it only\nlists"}))).await;
    let registry = support::registry();
    let engine = Engine::new(load(&registry, &judge("a", &server, "No.", ""), None));
    let report = report(&engine, "ls").await;
    assert_eq!((report.decision, report.by.len()), (Outcome::Allow, 0), "{report:?}");
    let vote = report.votes[0].detail.clone().unwrap_or_default();
    assert!(vote.contains("; it allows: it only") && !vote.contains('\n'), "{vote}");
}
