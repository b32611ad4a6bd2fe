//! Promise: a hook that fails counts as its posture says, in every way in which a hook of its kind
//! can fail, and nobody has to guess that it failed.
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
mod place;
#[cfg(feature = "prompt")]
mod prompt;
mod results;
use hookgate_test_support::http_service as service;
mod stage;
use hookgate_test_support as support;
mod way;
#[cfg(feature = "command")]
mod worker;

use std::path::Path;

use builtin::hide_panics_on_purpose;
use cell::{Asked, MODES, cells, cells_at};
use hookgate::config::Loader;
use hookgate::{Engine, FailureClass, Gate};
use stage::Stage;
use tokio::task::JoinSet;
use way::{Kind, Needs, Way};

// A `match` outside its crate must pass over classes that it does not know.
const _: () = assert!(FailureClass::COUNT == 16, "a new class: add its cells to each kind");

/// How many cells run at the same time.
const AT_ONCE: usize = 64;

/// The ways of a kind in all classes.
fn ways(kind: Kind) -> impl Iterator<Item = Way> {
    FailureClass::ALL.into_iter().flat_map(move |class| kind.ways(class))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_cell_counts_as_its_posture_says() {
    hide_panics_on_purpose();
    let controls = Kind::ALL.iter().map(|kind| Way::healthy(*kind));
    let ways: Vec<_> = controls.chain(Kind::ALL.iter().flat_map(|kind| ways(*kind))).collect();
    let stage = Stage::set(&ways).await;
    for chunk in cells(&ways).chunks(AT_ONCE) {
        // First all engines: to build them takes long enough for the short deadlines of others.
        let built: Vec<_> = chunk.iter().map(|cell| (*cell, stage.engine(cell))).collect();
        let running: JoinSet<()> =
            built.into_iter().map(|(cell, engine)| cell.run(engine)).collect();
        running.join_all().await;
    }
    for kind in Kind::ALL {
        let ways = ways.iter().filter(|way| way.kind == *kind).count();
        println!("{kind:?}: {} cells", ways * Asked::ALL.len() * MODES.len());
    }
    #[cfg(feature = "http")]
    stage.services.check(Asked::ALL.len() * MODES.len());
}

/// At other events and in other roles, for one way of each class and what stands in each.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failure_counts_as_its_posture_says_at_other_events_too() {
    hide_panics_on_purpose();
    let plain = |way: &Way| {
        let own = way.more.contains("show") || way.more.contains("respond");
        way.is_natural() && matches!(way.needs, Needs::Nothing | Needs::Deadline) && !own
    };
    let mut chosen: Vec<Way> = Vec::new();
    for way in Kind::ALL.iter().flat_map(|kind| ways(*kind)).filter(plain) {
        let same = |other: &&Way| {
            (other.kind, other.class, other.salvaged) == (way.kind, way.class, way.salvaged)
        };
        if !chosen.iter().any(|other| same(&other)) {
            chosen.push(way);
        }
    }
    let stage = Stage::set(&chosen).await;
    for place in &place::OTHERS {
        let mut here = chosen.clone();
        // A judge of nothing but decisions is refused where nothing can be decided.
        #[cfg(feature = "prompt")]
        here.retain(|way| way.kind != Kind::Prompt || !place.observes());
        // An observer may say nothing, and a rewriter may patch: another class.
        here.retain(|way| way.class != FailureClass::Illegal || place.role == "guard");
        for chunk in cells_at(place, &here).chunks(AT_ONCE) {
            let built: Vec<_> = chunk.iter().map(|cell| (*cell, stage.engine(cell))).collect();
            let running: JoinSet<()> =
                built.into_iter().map(|(cell, engine)| cell.evaluate(engine)).collect();
            running.join_all().await;
        }
        println!("{}: {} cells", place.event, cells_at(place, &here).len());
    }
}

/// In which classes handlers of a kind fail, beside those that only say so.
const fn classes(kind: Kind) -> &'static [FailureClass] {
    use FailureClass::*;
    match kind {
        Kind::Sync => &[Malformed, Illegal, Oversize, Panic, Cancelled],
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
        let mut natural: Vec<_> = ways(kind).filter(Way::is_natural).map(|way| way.class).collect();
        natural.dedup();
        assert_eq!(natural, classes(kind), "{kind:?}");
    }
    for class in FailureClass::ALL {
        // Code in process can say so of any.
        for kind in [Kind::Sync, Kind::Async] {
            assert!(kind.ways(class).iter().any(|way| !way.is_natural()), "{class} {kind:?}");
        }
        let happens = Kind::ALL.iter().any(|kind| classes(*kind).contains(&class));
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
        let handler = builtin::handler(Way::new(Kind::Async, class, how));
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
