//! Promise: a recorder gets one record of every dispatch that has begun, or the loss is counted.

use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use hookgate::contract::payload::Stop;
use hookgate::recorder::{Channel, DispatchEnd, ReadyFuture, Record, RecordLost, Recorder};
use hookgate::table::TableBuilder;
use hookgate::{Engine, Gate, HandlerTable, HookEngine, Mode, Outcome, Verdict};

use crate::support::{bash, call, context, sync, waiting};

fn table(hooks: impl IntoIterator<Item = hookgate::Hook>) -> HandlerTable {
    let builder = hooks.into_iter().collect::<TableBuilder>();
    builder.build().unwrap()
}

/// How many dispatches the tests of great numbers make: 10^5, or what `HOOKGATE_RECORDS` says.
fn great_number() -> usize {
    std::env::var("HOOKGATE_RECORDS").ok().and_then(|n| n.parse().ok()).unwrap_or(100_000)
}

#[tokio::test]
async fn a_plain_dispatch_is_recorded_as_a_reported_one_is() {
    let (channel, mut records) = Channel::waiting(8);
    let engine = Engine::new(table([sync("h", |_| Ok(Verdict::deny("no")))]));
    let engine = engine.with_recorder(channel);
    let context = context().step_id("step-1").turn(4).agent("a", "reviewer");
    drop(engine.dispatch(bash("ls"), &context).await);
    let plain = records.next().await.unwrap();
    let (_, report) = engine.dispatch_reported(bash("ls"), &context).await;
    let reported = records.next().await.unwrap();
    assert_eq!(plain.report.clone().stable(false), reported.report.clone().stable(false));
    assert_eq!(reported.report, report);
    assert_eq!((plain.end, plain.turn), (DispatchEnd::Decided, 4));
    assert_eq!(plain.agent_id.as_deref(), Some("a"));
    assert_eq!((plain.tool_name.as_deref(), plain.tool_use_id), (Some("Bash"), None));
    assert_eq!(plain.report.votes.len(), 1);
    assert!(plain.report.envelope.is_none(), "it was not requested");
}

#[tokio::test]
async fn a_step_without_a_hook_is_recorded_and_never_passes_unseen() {
    let (channel, mut records) = Channel::waiting(8);
    let engine = Engine::without_hooks().with_recorder(channel);
    assert!(engine.dispatch(bash("ls"), &context()).await.cleared().is_some());
    let record = records.try_next().unwrap();
    assert_eq!((record.report.decision, record.report.votes.len()), (Outcome::Allow, 0));
    // With a recorder every event is armed: `pass` hands the step back to be dispatched, after a swap too.
    engine.swap(HandlerTable::empty());
    let Err(step) = engine.pass(bash("ls")) else { panic!("it passed without a record") };
    assert!(engine.dispatch(step, &context()).await.is_cleared());
    assert!(records.try_next().is_some());
    // The control: without a recorder it passes.
    assert!(Engine::without_hooks().pass(bash("ls")).is_ok());
}

#[tokio::test]
async fn a_tool_that_was_started_and_never_finished_is_recorded() {
    // As many records as there is room for: what is made in a drop waits for none.
    let (channel, mut records) = Channel::waiting(1);
    let asks = sync("ask", |_| Ok(Verdict::ask("sure?")));
    for engine in [Engine::without_hooks(), Engine::new(table([asks]))] {
        let engine = engine.with_recorder(channel.clone());
        let context = context().step_id("step-1").turn(4).agent("a", "reviewer");
        let tool = match engine.dispatch(bash("ls"), &context).await {
            Gate::Asked(asked) => {
                assert!(records.try_next().is_some());
                asked.approve(&engine, &context).await.cleared().unwrap()
            }
            gate => gate.cleared().unwrap(),
        };
        drop(tool.start());
        let call = records.try_next().unwrap();
        let unfinished = records.try_next().unwrap();
        assert_eq!(unfinished.end, DispatchEnd::Unfinished);
        assert_eq!((unfinished.turn, unfinished.agent_id.as_deref()), (4, Some("a")));
        assert_eq!(unfinished.tool_name.as_deref(), Some("Bash"));
        let report = unfinished.report;
        assert_eq!(report.event.as_deref(), Some("post_tool_use"));
        assert_eq!((report.decision, report.by), (Outcome::Deny, vec!["hookgate".into()]));
        assert_eq!(
            (report.step_id, report.generation),
            (call.report.step_id, call.report.generation)
        );
        // The future of `run` that is dropped leaves one as well; a result that is handed over leaves none.
        let Gate::Cleared(tool) = Engine::without_hooks()
            .with_recorder(channel.clone())
            .dispatch(bash("ls"), &context)
            .await
        else {
            panic!()
        };
        assert!(records.try_next().is_some());
        let never = tool.run(async |_| std::future::pending::<Result<String, String>>().await);
        assert!(tokio::time::timeout(Duration::from_millis(5), never).await.is_err());
        assert_eq!(records.try_next().unwrap().end, DispatchEnd::Unfinished);
        let Gate::Cleared(tool) = Engine::without_hooks()
            .with_recorder(channel.clone())
            .dispatch(bash("ls"), &context)
            .await
        else {
            panic!()
        };
        assert!(records.try_next().is_some());
        drop(tool.run(async |_| Ok::<_, String>("out")).await);
        assert!(records.try_next().is_none());
    }
    assert_eq!(records.dropped(), 0);
}

#[tokio::test]
async fn a_dispatch_that_is_dropped_in_the_middle_is_recorded_and_one_that_never_began_is_not() {
    let (channel, mut records) = Channel::waiting(8);
    let hangs = waiting("hangs", |_| Box::pin(std::future::pending()));
    let engine = Engine::new(table([hangs])).with_recorder(channel);
    let context = context().step_id("step-1");
    let cut =
        tokio::time::timeout(Duration::from_millis(20), engine.dispatch(bash("ls"), &context));
    assert!(cut.await.is_err());
    let record = records.try_next().unwrap();
    assert_eq!((record.end, record.report.decision), (DispatchEnd::Dropped, Outcome::Cancelled));
    assert!(record.report.by.is_empty());
    assert_eq!(record.report.step_id.as_deref(), Some("step-1"));
    assert!(record.report.duration_us.is_some());
    drop(engine.dispatch(bash("ls"), &context));
    assert!(records.try_next().is_none());
}

#[tokio::test]
async fn an_approval_is_recorded_under_the_step_id_of_the_ask() {
    let (channel, mut records) = Channel::waiting(8);
    let engine = Arc::new(
        Engine::new(table([sync("h", |_| Ok(Verdict::ask("may it?")))])).with_recorder(channel),
    );
    let Gate::Asked(asked) = engine.dispatch(bash("ls"), &context()).await else { panic!() };
    let question = records.try_next().unwrap();
    assert_eq!(question.report.decision, Outcome::Ask);
    assert!(asked.approve(&engine, &context()).await.cleared().is_some());
    let approval = records.try_next().unwrap();
    assert_eq!((approval.end, approval.report.decision), (DispatchEnd::Approved, Outcome::Allow));
    assert_eq!(approval.report.by, ["the user"]);
    assert_eq!(approval.report.step_id, question.report.step_id);
    assert_eq!(approval.report.config_hash, question.report.config_hash);

    // By another table it is evaluated anew, which is a dispatch.
    let Gate::Asked(asked) = engine.dispatch(bash("ls"), &context()).await else { panic!() };
    drop(records.try_next());
    engine.swap(table([sync("h", |_| Ok(Verdict::deny("no")))]));
    drop(asked.approve(&engine, &context()).await);
    let anew = records.try_next().unwrap();
    assert_eq!((anew.end, anew.report.decision), (DispatchEnd::Decided, Outcome::Deny));
}

#[tokio::test]
async fn a_refusal_of_the_user_is_recorded_as_an_approval_is() {
    for resumed in [false, true] {
        let (channel, mut records) = Channel::waiting(8);
        let asking = || table([sync("h", |_| Ok(Verdict::ask("may it?")))]);
        let engine = Engine::new(asking()).with_recorder(channel);
        let context = context();
        let Gate::Asked(mut asked) = engine.dispatch(bash("ls"), &context).await else { panic!() };
        let question = records.try_next().unwrap();
        if resumed {
            let parked = asked.park(&engine, &context, Duration::from_secs(60)).unwrap();
            // Other hooks are in force when the user has made up his mind.
            engine.swap(table([sync("other", |_| Ok(Verdict::none()))]));
            asked = engine.resume(parked, &context).unwrap();
        }
        let denied = asked.reject("not now", &engine, &context).await;
        assert_eq!(denied.feedback(), "denied by the user: not now");
        let record = records.try_next().unwrap();
        assert_eq!((record.end, record.report.decision), (DispatchEnd::Rejected, Outcome::Deny));
        assert_eq!(record.report.by, ["the user"]);
        assert_eq!(record.report.reason.as_deref(), Some("not now"));
        assert_eq!(record.report.step_id, question.report.step_id);
        let line = serde_json::to_string(&record).unwrap();
        assert_eq!(hookgate::recorder::Record::from_json(line.as_bytes()).unwrap(), record);
        assert!(records.try_next().is_none());
    }
    // In another session it is refused, and is no record of that one.
    let (channel, mut records) = Channel::waiting(8);
    let engine =
        Engine::new(table([sync("h", |_| Ok(Verdict::ask("may it?")))])).with_recorder(channel);
    let Gate::Asked(asked) = engine.dispatch(bash("ls"), &context()).await else { panic!() };
    drop(records.try_next());
    let other = hookgate::StepContext::new("another");
    assert!(!asked.reject("no", &engine, &other).await.is_cancelled());
    assert!(records.try_next().is_none());
}

#[tokio::test]
async fn the_envelope_is_that_of_the_step_before_any_hook_has_changed_it() {
    let (channel, mut records) = Channel::waiting(8);
    let rewrites = sync("h", |_| {
        Ok(Verdict::none().patch("tool_input", serde_json::json!({"command": "true"})))
    });
    let engine = Engine::new(table([rewrites.role(hookgate::Role::Rewrite)]));
    let engine = engine.with_recorder(channel.with_envelopes());
    let cleared = engine.dispatch(bash("rm -rf /"), &context()).await.cleared().unwrap();
    assert_eq!(cleared.call().tool_input["command"], "true");
    let record = records.try_next().unwrap();
    let envelope = record.report.envelope.unwrap();
    assert_eq!(envelope["tool_input"]["command"], "rm -rf /");
    assert_eq!(envelope["hook_event_name"], "pre_tool_use");
    assert_eq!(record.report.final_fields["tool_input"]["command"], "true");
}

#[tokio::test]
async fn what_was_published_in_the_background_is_left_to_whoever_takes_it() {
    let (channel, mut records) = Channel::waiting(8);
    let rewrites = sync("h", |_| Ok(Verdict::none().patch("content", "later")))
        .role(hookgate::Role::Rewrite)
        .background(true);
    let Ok(table) = HandlerTable::builder().insert(rewrites).build() else { return };
    let engine = Engine::new(table).with_recorder(channel);
    drop(engine.dispatch(bash("ls"), &context()).await);
    assert!(records.try_next().unwrap().report.published.is_empty());
}

/// A result, or an error, of a tool that cannot be taken.
struct Shapeless;

impl std::fmt::Display for Shapeless {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Err(std::fmt::Error)
    }
}

impl From<Shapeless> for serde_json::Value {
    fn from(_: Shapeless) -> Self {
        panic!("no value")
    }
}

#[tokio::test]
async fn a_tool_whose_result_cannot_be_taken_has_failed_and_hooks_see_that() {
    for result in [Err(Shapeless), Ok(Shapeless)] {
        let (channel, mut records) = Channel::waiting(8);
        let guard = sync("h", |_| Ok(Verdict::none()));
        let engine = Engine::new(table([guard])).with_recorder(channel);
        let cleared = engine.dispatch(bash("ls"), &context()).await.cleared().unwrap();
        let ran = cleared.start().finish(result);
        let Gate::Cleared(done) = engine.dispatch(ran, &context()).await else { panic!() };
        assert!(done.is_error());
        assert!(done.into_message().contains("panicked"));
        let ends: Vec<_> =
            std::iter::from_fn(|| records.try_next()).map(|record| record.end).collect();
        assert_eq!(ends, [DispatchEnd::Decided, DispatchEnd::Decided]);
    }
}

/// The room that a channel makes for the record of an approval is given back if there is no such record.
#[tokio::test(start_paused = true)]
async fn approvals_that_do_not_hold_take_no_room() {
    let asks = |id: &str| sync(id, |_| Ok(Verdict::ask("sure?")));
    let (channel, mut records) = Channel::waiting(1);
    let engine = Engine::new(table([asks("a")])).with_recorder(channel);
    let reader = tokio::spawn(async move {
        let mut count = 0;
        while records.next().await.is_some() {
            count += 1;
        }
        count
    });
    let minute = Duration::from_secs(60);
    for round in 0..3 {
        let Gate::Asked(asked) = engine.dispatch(bash("ls"), &context()).await else { panic!() };
        // Another session, or another table: the step is evaluated anew.
        let context = match round {
            0 => hookgate::StepContext::new("another"),
            _ => context(),
        };
        if round == 1 {
            engine.swap(table([asks("b")]));
        }
        let gate = tokio::time::timeout(minute, asked.approve(&engine, &context)).await.unwrap();
        let outcome = if round == 2 { Outcome::Allow } else { Outcome::Ask };
        assert_eq!(gate.outcome(), outcome, "{round}");
    }
    drop(engine);
    assert_eq!(reader.await.unwrap(), 6);
}

/// As above, if the table is swapped while the approval waits for room.
#[tokio::test(start_paused = true)]
async fn an_approval_that_a_swap_ends_while_it_waits_gives_its_room_back() {
    let asks = |id: &str| sync(id, |_| Ok(Verdict::ask("sure?")));
    let (channel, mut records) = Channel::waiting(1);
    let engine = Engine::new(table([asks("a")])).with_recorder(channel);
    let context = context();
    let Gate::Asked(asked) = engine.dispatch(bash("ls"), &context).await else { panic!() };
    let approved = asked.approve(&engine, &context);
    let swapped = async {
        tokio::task::yield_now().await;
        engine.swap(table([asks("b")]));
        records.next().await.unwrap()
    };
    let both = async { tokio::join!(approved, swapped) };
    let minute = Duration::from_secs(60);
    let (gate, _) = tokio::time::timeout(minute, both).await.unwrap();
    assert_eq!(gate.outcome(), Outcome::Ask);
    // There is one record, and no room for another one.
    let next = engine.dispatch(bash("ls"), &context);
    assert!(tokio::time::timeout(minute, next).await.is_err());
    assert!(records.try_next().is_some() && records.try_next().is_none());
}

/// A recorder that panics wherever it is called.
struct Broken;

impl Recorder for Broken {
    fn record(&self, _: Record) -> Result<(), RecordLost> {
        panic!("no room on the disk");
    }

    fn ready(&self) -> Option<ReadyFuture<'_>> {
        Some(Box::pin(async { panic!("not ready") }))
    }

    fn wants_envelope(&self) -> bool {
        panic!("the recorder is broken")
    }
}

#[tokio::test]
async fn a_recorder_that_panics_does_not_change_a_decision() {
    let hook = || sync("h", |_| Ok(Verdict::deny("no")));
    let engine = Engine::new(table([hook()])).with_recorder(Broken);
    let gate = engine.dispatch(bash("ls"), &context()).await;
    assert_eq!(gate.outcome(), Outcome::Deny);
    assert!(
        Engine::without_hooks()
            .with_recorder(Broken)
            .dispatch(bash("ls"), &context())
            .await
            .cleared()
            .is_some()
    );
    let stop = engine.dispatch(Stop::default(), &context()).await;
    assert_eq!(stop.outcome(), Outcome::Allow);
}

/// Is ready with its second poll, and panics when it is dropped.
struct ReadyOnce(bool);

impl Future for ReadyOnce {
    type Output = ();

    fn poll(mut self: std::pin::Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.0, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

impl Drop for ReadyOnce {
    fn drop(&mut self) {
        panic!("there was no room");
    }
}

/// As [`ReadyOnce`]: it keeps what it gets.
struct Unroomy(Arc<AtomicUsize>);

impl Recorder for Unroomy {
    fn record(&self, _: Record) -> Result<(), RecordLost> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn ready(&self) -> Option<ReadyFuture<'_>> {
        Some(Box::pin(ReadyOnce(false)))
    }
}

#[tokio::test]
async fn a_recorder_whose_wait_for_room_panics_at_its_end_loses_no_record() {
    let records = Arc::new(AtomicUsize::new(0));
    let engine = Engine::new(table([sync("h", |_| Ok(Verdict::deny("no")))]))
        .with_recorder(Unroomy(Arc::clone(&records)));
    assert_eq!(engine.dispatch(bash("ls"), &context()).await.outcome(), Outcome::Deny);
    assert_eq!(records.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn nothing_is_made_for_a_recorder_that_is_not_there() {
    let seen = Arc::new(AtomicUsize::new(0));
    let counts = Arc::clone(&seen);
    let recorded = Engine::without_hooks().with_recorder(move |_: Record| {
        counts.fetch_add(1, Ordering::Relaxed);
    });
    drop(Engine::without_hooks().dispatch(bash("ls"), &context()).await);
    assert_eq!(seen.load(Ordering::Relaxed), 0);
    drop(recorded.dispatch(bash("ls"), &context()).await);
    assert_eq!(seen.load(Ordering::Relaxed), 1);
}

#[test]
fn a_full_queue_holds_up_the_next_dispatch_without_a_thread_or_a_runtime() {
    let (channel, mut records) = Channel::waiting(2);
    let engine =
        Engine::new(table([sync("h", |_| Ok(Verdict::deny("no")))])).with_recorder(channel);
    let context = context();
    let poll = |future: std::pin::Pin<&mut dyn Future<Output = Gate<hookgate::ToolUse>>>| {
        future.poll(&mut Context::from_waker(Waker::noop())).map(|gate| gate.outcome())
    };
    for _ in 0..2 {
        let mut dispatch = pin!(engine.dispatch(bash("ls"), &context));
        assert_eq!(poll(dispatch.as_mut()), Poll::Ready(Outcome::Deny));
    }
    let mut third = pin!(engine.dispatch(bash("ls"), &context));
    assert_eq!(poll(third.as_mut()), Poll::Pending);
    assert!(records.try_next().is_some());
    assert_eq!(poll(third.as_mut()), Poll::Ready(Outcome::Deny));
    // One that gives up waiting has taken no room.
    let mut fourth = Box::pin(engine.dispatch(bash("ls"), &context));
    assert_eq!(poll(fourth.as_mut()), Poll::Pending);
    drop(fourth);
    assert!(records.try_next().is_some() && records.try_next().is_some());
    for _ in 0..2 {
        let mut dispatch = pin!(engine.dispatch(bash("ls"), &context));
        assert_eq!(poll(dispatch.as_mut()), Poll::Ready(Outcome::Deny));
    }
    // Nobody waits for a writer that is gone.
    drop(records);
    let mut last = pin!(engine.dispatch(bash("ls"), &context));
    assert_eq!(poll(last.as_mut()), Poll::Ready(Outcome::Deny));
}

/// Dispatches, some of which are dropped in the middle, from several tasks.
async fn many(engine: &Arc<Engine>, all: usize) -> usize {
    const TASKS: usize = 4;
    let mut tasks = Vec::new();
    for task in 0..TASKS {
        let engine = Arc::clone(engine);
        tasks.push(tokio::spawn(async move {
            let context = context();
            let mut begun = 0;
            for number in 0..all / TASKS {
                let mut dispatch = Box::pin(engine.dispatch(bash("ls"), &context));
                if (number + task) % 10 == 0 {
                    // Begun or not, depending on whether there was room at once.
                    let polled = std::future::poll_fn(|cx| Poll::Ready(dispatch.as_mut().poll(cx)));
                    drop(polled.await);
                } else {
                    drop(dispatch.await);
                }
                begun += 1;
            }
            begun
        }));
    }
    let mut begun = 0;
    for task in tasks {
        begun += task.await.unwrap();
    }
    begun
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_great_number_of_dispatches_none_is_lost() {
    let invoked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&invoked);
    let hook = sync("h", move |_| {
        count.fetch_add(1, Ordering::Relaxed);
        Ok(Verdict::none())
    });
    let (channel, mut records) = Channel::waiting(1000);
    let counted = channel.clone();
    let engine = Arc::new(Engine::new(table([hook])).with_recorder(channel));
    let writer = std::thread::spawn(move || {
        let mut written = 0;
        while let Some(record) = records.blocking_next() {
            assert_eq!(record.report.votes.len(), 1);
            written += 1;
        }
        written
    });
    let tried = many(&engine, great_number()).await;
    drop(engine);
    let counted_drops = counted.dropped();
    drop(counted);
    let written: usize = writer.join().unwrap();
    assert_eq!(counted_drops, 0);
    assert_eq!(written, invoked.load(Ordering::Relaxed), "each that has begun has one record");
    assert!(written <= tried && written >= tried / 10 * 9, "{written} of {tried}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_great_number_of_dispatches_each_is_written_or_counted_as_dropped() {
    let (channel, mut records) = Channel::dropping(100);
    let drops = channel.clone();
    let hook = sync("h", |_| Ok(Verdict::none()));
    let engine = Arc::new(Engine::new(table([hook])).with_recorder(channel));
    let writer = std::thread::spawn(move || {
        let mut written = 0;
        while records.blocking_next().is_some() {
            written += 1;
            if written % 100 == 0 {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        written
    });
    let begun = many(&engine, great_number()).await;
    let dropped = usize::try_from(drops.dropped()).unwrap();
    drop((engine, drops));
    let written: usize = writer.join().unwrap();
    assert_eq!(written + dropped, begun);
    assert!(dropped > 0, "the control: the queue was full at times");
}

#[tokio::test]
async fn hooks_in_shadow_and_cancelled_dispatches_are_in_the_record_too() {
    let journal = Arc::new(Mutex::new(Vec::new()));
    let lines = Arc::clone(&journal);
    let hook = sync("h", |_| Ok(Verdict::deny("no"))).mode(Mode::Shadow);
    let engine = Engine::new(table([hook]))
        .with_recorder(move |record: Record| lines.lock().unwrap().push(record));
    drop(engine.dispatch(hookgate::ToolUse::from(call("ls")), &context()).await);
    let journal = journal.lock().unwrap();
    assert_eq!(journal[0].report.decision, Outcome::Allow);
    assert_eq!(
        journal[0].report.votes[0].decision,
        Some(hookgate::contract::VerdictDecision::Deny)
    );
}

#[tokio::test]
async fn an_engine_that_gets_a_recorder_keeps_its_generation_or_counts_on() {
    let recorded = || Engine::new(table([sync("h", |_| Ok(Verdict::none()))]));
    assert_eq!(recorded().with_recorder(|_: Record| {}).generation(), 1);
    let engine = recorded();
    engine.swap(HandlerTable::empty());
    assert_eq!(engine.with_recorder(|_: Record| {}).generation(), 3);
}
