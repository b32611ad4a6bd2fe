//! Promise: where a recorder is required, no step goes on without its record.

use hookgate::recorder::{Channel, Record, RecordLost, Recorder};
use hookgate::{Engine, Gate, HookEngine, Outcome, Verdict};

use crate::support::{bash, context, engine, sync};

/// Panics where it is asked to.
struct Broken {
    record: bool,
    is_required: bool,
}

impl Recorder for Broken {
    fn record(&self, _: Record) -> Result<(), RecordLost> {
        assert!(!self.record, "no room on the disk");
        Ok(())
    }

    fn is_required(&self) -> bool {
        assert!(!self.is_required, "the recorder is broken");
        true
    }
}

async fn outcome(engine: &Engine) -> Outcome {
    engine.dispatch(bash("ls"), &context()).await.outcome()
}

#[tokio::test]
async fn a_step_is_denied_if_nobody_takes_its_record() {
    for (required, expected) in [(true, Outcome::Deny), (false, Outcome::Allow)] {
        let (channel, records) = Channel::waiting(8);
        let channel = if required { channel.required() } else { channel };
        let engine = Engine::without_hooks().with_recorder(channel.clone());
        assert_eq!(outcome(&engine).await, Outcome::Allow);
        drop(records);
        assert_eq!(outcome(&engine).await, expected);
        assert_eq!(channel.dropped(), 1);

        let (gate, report) = engine.dispatch_reported(bash("ls"), &context()).await;
        assert_eq!((gate.outcome(), report.decision), (expected, expected));
        let reason = "there is no record of the step, and there must be one";
        assert_eq!(report.reason.as_deref(), required.then_some(reason));
        assert_eq!(report.by, if required { vec!["hookgate"] } else { Vec::new() });
    }
}

#[tokio::test]
async fn a_step_is_denied_while_there_is_no_room_for_its_record() {
    let (channel, mut records) = Channel::dropping(1);
    let engine = Engine::without_hooks().with_recorder(channel.required());
    assert_eq!(outcome(&engine).await, Outcome::Allow);
    assert_eq!(outcome(&engine).await, Outcome::Deny);
    assert!(records.try_next().is_some());
    assert_eq!(outcome(&engine).await, Outcome::Allow);
}

#[tokio::test]
async fn a_required_recorder_that_panics_denies() {
    for (record, is_required) in [(true, false), (true, true)] {
        let engine = Engine::without_hooks().with_recorder(Broken { record, is_required });
        assert_eq!(outcome(&engine).await, Outcome::Deny);
    }
    let works = Broken { record: false, is_required: false };
    assert_eq!(outcome(&Engine::without_hooks().with_recorder(works)).await, Outcome::Allow);
}

#[tokio::test]
async fn an_approval_that_is_not_recorded_is_none() {
    for required in [true, false] {
        let (channel, records) = Channel::waiting(8);
        let channel = if required { channel.required() } else { channel };
        let asks = sync("asks", |_| Ok(Verdict::ask("really?")));
        let engine = engine([asks]).with_recorder(channel);
        let Gate::Asked(asked) = engine.dispatch(bash("ls"), &context()).await else {
            panic!("a guard asks");
        };
        drop(records);
        let gate = asked.approve(&engine, &context()).await;
        assert_eq!(gate.is_cleared(), !required);
    }
}

#[tokio::test]
async fn what_a_guard_has_denied_stays_as_it_is() {
    let (channel, records) = Channel::waiting(8);
    drop(records);
    let denies = sync("denies", |_| Ok(Verdict::deny("no")));
    let engine = engine([denies]).with_recorder(channel.required());
    let gate = engine.dispatch(bash("ls"), &context()).await;
    let decision = gate.decision().unwrap();
    assert_eq!(
        (decision.by.to_vec(), decision.reason.as_deref()),
        (vec!["denies".into()], Some("no"))
    );
}
