//! Promise: a hook that fails counts as its posture says, for every fault that a hook of its kind
//! can fail, and every failure is reported.
//!
//! The matrix: kind (sync builtin, async builtin, command, worker, http, prompt) × class × posture ×
//! mode, and kind × class × posture at events where other things count.
//! All hooks come from hooks.toml; the failures are those of real programs and real services.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

mod builtin;
mod cell;
#[cfg(feature = "command")]
mod command;
mod defaults;
use hookgate_test_support::envelopes;
#[cfg(feature = "http")]
mod http;
#[cfg(feature = "prompt")]
use hookgate_test_support::model_server;
#[cfg(any(feature = "http", feature = "prompt"))]
use hookgate_test_support::unused_port;
mod position;
#[cfg(feature = "prompt")]
mod prompt;
mod results;
use hookgate_test_support::http_service as service;
mod fixture;
use hookgate_test_support as support;
mod fault;
#[cfg(feature = "command")]
mod worker;

use std::path::Path;

use builtin::hide_panics_on_purpose;
use cell::{MODES, PostureKeys, cells, cells_at};
use fault::{Fault, Kind, Needs};
use fixture::Fixture;
use hookgate::config::Loader;
use hookgate::{Engine, FailureClass, Gate};
use tokio::sync::Mutex;
use tokio::task::JoinSet;

// A `match` outside its crate must pass over classes that it does not know.
const _: () = assert!(FailureClass::COUNT == 19, "a new class: add its cells to each kind");

/// How many cells run at the same time.
const AT_ONCE: usize = 64;

/// The faults of a kind in all classes.
fn faults(kind: Kind) -> impl Iterator<Item = Fault> {
    FailureClass::ALL.into_iter().flat_map(move |class| kind.faults(class))
}

/// One kind at a time: its programs and services would miss the short deadlines of another.
static ONE_KIND: Mutex<()> = Mutex::const_new(());

/// Runs every cell of a kind; the message of a failing one ends with the cell.
async fn run_cells_of(kind: Kind) {
    hide_panics_on_purpose();
    let _one = ONE_KIND.lock().await;
    let faults: Vec<_> = std::iter::once(Fault::healthy(kind)).chain(faults(kind)).collect();
    let fixture = Fixture::set_up(&faults).await;
    for chunk in cells(&faults).chunks(AT_ONCE) {
        // First all engines: to build them takes long enough for the short deadlines of others.
        let built: Vec<_> = chunk.iter().map(|cell| (*cell, fixture.engine(cell))).collect();
        let running: JoinSet<()> =
            built.into_iter().map(|(cell, engine)| cell.run(engine)).collect();
        running.join_all().await;
    }
    println!("{kind:?}: {} cells", faults.len() * PostureKeys::ALL.len() * MODES.len());
    #[cfg(feature = "http")]
    fixture.services.check(PostureKeys::ALL.len() * MODES.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_failure_of_a_sync_builtin_counts_as_its_posture_says() {
    run_cells_of(Kind::Sync).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_failure_of_an_async_builtin_counts_as_its_posture_says() {
    run_cells_of(Kind::Async).await;
}

#[cfg(feature = "command")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_failure_of_a_command_counts_as_its_posture_says() {
    run_cells_of(Kind::Command).await;
}

#[cfg(feature = "command")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_failure_of_a_worker_counts_as_its_posture_says() {
    run_cells_of(Kind::Worker).await;
}

#[cfg(feature = "http")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_failure_of_a_service_counts_as_its_posture_says() {
    run_cells_of(Kind::Http).await;
}

#[cfg(feature = "prompt")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_failure_of_a_judge_counts_as_its_posture_says() {
    run_cells_of(Kind::Prompt).await;
}

/// At other events and in other roles, for one fault of each class and the decision that each contains.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failure_counts_as_its_posture_says_at_other_events_too() {
    hide_panics_on_purpose();
    let _one = ONE_KIND.lock().await;
    let plain = |fault: &Fault| {
        let own = fault.more.contains("show") || fault.more.contains("respond");
        fault.is_natural()
            && matches!(fault.needs, Needs::Nothing | Needs::Deadline | Needs::UnknownCondition)
            && !own
    };
    let mut chosen: Vec<Fault> = Vec::new();
    for fault in Kind::ALL.iter().flat_map(|kind| faults(*kind)).filter(plain) {
        let same = |other: &&Fault| {
            (other.kind, other.class, other.salvaged) == (fault.kind, fault.class, fault.salvaged)
        };
        if !chosen.iter().any(|other| same(&other)) {
            chosen.push(fault);
        }
    }
    let fixture = Fixture::set_up(&chosen).await;
    for position in &position::OTHERS {
        let mut here = chosen.clone();
        // A judge of nothing but decisions is refused where nothing can be decided.
        #[cfg(feature = "prompt")]
        here.retain(|fault| fault.kind != Kind::Prompt || !position.observes());
        // Any handler of an observer is called.
        here.retain(|fault| fault.needs != Needs::UnknownCondition || !position.observes());
        // An observer may say nothing, and a rewriter may patch: another class.
        here.retain(|fault| fault.class != FailureClass::Illegal || position.role == "guard");
        for chunk in cells_at(position, &here).chunks(AT_ONCE) {
            let built: Vec<_> = chunk.iter().map(|cell| (*cell, fixture.engine(cell))).collect();
            let running: JoinSet<()> =
                built.into_iter().map(|(cell, engine)| cell.evaluate(engine)).collect();
            running.join_all().await;
        }
        println!("{}: {} cells", position.event, cells_at(position, &here).len());
    }
}

/// In which classes handlers of a kind fail, beside those that only say so, and `skipped`: there the hook is not called.
const fn classes(kind: Kind) -> &'static [FailureClass] {
    use FailureClass::*;
    match kind {
        Kind::Sync => &[Malformed, Illegal, Oversize, Panic, Cancelled, State, Unclear],
        Kind::Async => &[Timeout, Malformed, Illegal, Oversize, Panic, Cancelled],
        #[cfg(feature = "command")]
        Kind::Command => {
            &[Timeout, Spawn, Exit, Signal, Malformed, Illegal, Oversize, Cancelled, Untrusted]
        }
        #[cfg(feature = "command")]
        Kind::Worker => &[
            Timeout, Spawn, Exit, Signal, Malformed, Illegal, Oversize, Overloaded, Cancelled,
            Untrusted,
        ],
        #[cfg(feature = "http")]
        Kind::Http => &[
            Timeout,
            Malformed,
            Illegal,
            Oversize,
            Unreachable,
            HttpStatus,
            Auth,
            Cancelled,
            Untrusted,
        ],
        #[cfg(feature = "prompt")]
        Kind::Prompt => &[
            Timeout,
            Malformed,
            Illegal,
            Oversize,
            Unreachable,
            HttpStatus,
            Auth,
            Overloaded,
            Cancelled,
            Budget,
            Unsure,
        ],
    }
}

#[test]
fn every_class_has_cells_of_every_kind_that_can_fail_so() {
    for &kind in Kind::ALL {
        let mut natural: Vec<_> =
            faults(kind).filter(Fault::is_natural).map(|fault| fault.class).collect();
        natural.dedup();
        assert_eq!(natural.pop(), Some(FailureClass::Skipped), "{kind:?}");
        assert_eq!(natural, classes(kind), "{kind:?}");
    }
    for class in FailureClass::ALL {
        // Code in process can say so of any.
        for kind in [Kind::Sync, Kind::Async] {
            assert!(kind.faults(class).iter().any(|fault| !fault.is_natural()), "{class} {kind:?}");
        }
        let happens = class == FailureClass::Skipped
            || Kind::ALL.iter().any(|kind| classes(*kind).contains(&class));
        if cfg!(all(feature = "command", feature = "http", feature = "prompt")) {
            assert!(happens, "{class}");
        }
    }
}

/// Several hooks of one step fail: each counts, each is named.
#[tokio::test]
async fn failures_side_by_side_are_all_named() {
    hide_panics_on_purpose();
    let registry = builtin::registry();
    use FailureClass::{Auth, Exit, Panic};
    let hook = |id: &str, class, how, posture: &str| {
        let handler = builtin::handler(Fault::new(Kind::Async, class, how));
        format!(
            "[[hook]]\nid = \"{id}\"\nevent = \"pre_tool_use\"\non_failure = \"{posture}\"\n\
             {handler}\n"
        )
    };
    let config = [
        hook("a", Exit, builtin::RETURNS, "ask"),
        hook("b", Panic, "panic-inside", "ask"),
        hook("c", Auth, builtin::RETURNS, "allow"),
    ];
    let loaded = Loader::new(&registry).parse("hooks.toml", &config.concat(), Path::new("/"));
    let engine = Engine::new(loaded.unwrap().table);
    let (gate, report) = engine.dispatch_reported(support::bash("x"), &support::context()).await;
    assert!(matches!(gate, Gate::Asked(_)), "{report:?}");
    assert_eq!(report.by, ["a", "b"]);
    assert_eq!(report.messages, ["the hook `c` failed (auth) and was not enforced"]);
    let failures: Vec<_> = report.votes.iter().map(|vote| vote.failure).collect();
    assert_eq!(failures, [Some(Exit), Some(Panic), Some(Auth)]);
}
