//! Promise: damage to a verdict never makes it weaker, whatever the posture; the parser takes any
//! bytes; a verdict that is refused changes nothing.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

mod damage;
mod parser;
mod refused;
mod written;

use hookgate::contract::SyncHandler;
use hookgate::contract::{AsyncHandler, BuiltHandler, Invocation, Reply, ReplyFuture};
use hookgate::{Hook, Outcome, Posture, Report};
use hookgate_test_support as support;
use hookgate_test_support::envelopes;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestError, TestRunner};
use tokio::runtime::Runtime;
use written::{Situation, Written, legal, situations};

type Parser = fn(&[u8]) -> Reply;

/// A handler that answers these bytes, read by this parser, at once or after a while.
struct FixedReply {
    bytes: Vec<u8>,
    parse: Parser,
}

impl SyncHandler for FixedReply {
    fn handle(&self, _: Invocation<'_>) -> Reply {
        (self.parse)(&self.bytes)
    }
}

impl AsyncHandler for FixedReply {
    fn handle<'a>(&'a self, invocation: Invocation<'a>) -> ReplyFuture<'a> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            SyncHandler::handle(self, invocation)
        })
    }
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap()
}

fn report(
    runtime: &Runtime,
    situation: Situation,
    posture: Posture,
    built: BuiltHandler,
) -> Report {
    let hook = Hook::new("hook", "test", built)
        .event(situation.contract.event)
        .role(situation.role)
        .on_failure(posture);
    let engine = support::engine([hook]);
    runtime.block_on(engine.evaluate(&mut envelopes::incoming(situation.contract.event)))
}

/// Checks that what comes out is never weaker than the decision that was written.
fn no_weaker(
    runtime: &Runtime,
    parse: Parser,
    situation: Situation,
    bytes: &[u8],
) -> Result<(), TestCaseError> {
    let postures = Posture::ALL.into_iter().filter(|p| situation.contract.takes_posture(*p));
    for (index, posture) in postures.enumerate() {
        let reply = FixedReply { bytes: bytes.to_vec(), parse };
        let built = if index % 2 == 0 {
            BuiltHandler::from_async(reply)
        } else {
            BuiltHandler::from_sync(reply)
        };
        let report = report(runtime, situation, posture, built);
        prop_assert!(
            report.decision >= Outcome::from(situation.decision),
            "{:?} at {} under {posture:?}: {:?} {:?}",
            report.decision,
            situation.contract.name,
            String::from_utf8_lossy(bytes),
            report.votes,
        );
    }
    Ok(())
}

fn in_a_situation() -> impl Strategy<Value = (Situation, Written)> {
    prop::sample::select(situations())
        .prop_flat_map(|situation| (Just(situation), legal(situation)))
}

fn check<S: Strategy>(
    cases: u32,
    strategy: &S,
    law: impl Fn(S::Value) -> Result<(), TestCaseError>,
) -> Result<(), TestError<S::Value>> {
    let config =
        Config { cases, failure_persistence: None, max_shrink_iters: 500, ..Config::default() };
    TestRunner::new(config).run(strategy, law)
}
