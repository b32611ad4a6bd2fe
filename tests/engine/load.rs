//! Promise: what hooks have at work outside of the process is bounded for the whole engine: who comes later waits within
//! the time of its hook, sessions take turns, and who waits in vain has failed as `overloaded`.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::{join_all, poll_immediate};
use hookgate::contract::payload::ToolCall;
use hookgate::contract::{BuiltHandler, Cancel, Invocation, Resource};
use hookgate::table::{Limits, Retry};
use hookgate::{
    Engine, Event, Failure, FailureClass, HandlerTable, Hook, HookEngine, Outcome, Posture, Report,
    StepContext, Verdict,
};
use tokio::sync::{Notify, Semaphore};

use crate::support::{Log, bash, sync, waiting};

const LONG: Duration = Duration::from_secs(50);

/// What stands for a program: it takes a place, notes its session, and works until it is let go.
#[derive(Clone)]
struct Work {
    begun: Log,
    ends: Arc<Semaphore>,
    running: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

impl Default for Work {
    fn default() -> Self {
        Self {
            begun: Log::default(),
            ends: Arc::new(Semaphore::new(0)),
            running: Arc::default(),
            most: Arc::default(),
        }
    }
}

struct Running(Arc<AtomicUsize>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Work {
    async fn run(&self, call: Invocation<'_>, resource: Resource) -> Result<Verdict, Failure> {
        let _place = call.place(resource).await?;
        let running = self.running.fetch_add(1, Ordering::SeqCst) + 1;
        let _running = Running(Arc::clone(&self.running));
        self.most.fetch_max(running, Ordering::SeqCst);
        self.begun.push(call.context().session_id);
        tokio::task::yield_now().await;
        self.ends.acquire().await.unwrap().forget();
        Ok(Verdict::none())
    }

    fn takes(&self, id: &str, resource: Resource) -> Hook {
        let work = self.clone();
        let handler = BuiltHandler::async_fn(move |call| {
            let work = work.clone();
            Box::pin(async move { work.run(call, resource).await })
        });
        Hook::new(id, "test", handler.takes(resource)).event(Event::PreToolUse).timeout(LONG)
    }

    fn hook(&self, id: &str) -> Hook {
        self.takes(id, Resource::Process)
    }

    fn let_go(&self, calls: usize) {
        self.ends.add_permits(calls);
    }
}

fn table(processes: usize, hooks: impl IntoIterator<Item = Hook>) -> HandlerTable {
    let mut table = HandlerTable::builder();
    table.limits(Limits::new().processes(processes).requests(1)).extend(hooks);
    table.build().unwrap()
}

type Dispatch<'a> = Pin<Box<dyn Future<Output = Report> + 'a>>;

/// Begins a dispatch, up to the first moment at which it waits.
async fn begin<'a, E: HookEngine>(engine: &'a E, cx: &'a StepContext<'a>) -> Dispatch<'a> {
    let mut dispatch = Box::pin(async { engine.dispatch_reported(bash("x"), cx).await.1 });
    assert!(poll_immediate(&mut dispatch).await.is_none(), "it waits for its hook");
    dispatch
}

#[tokio::test]
async fn sessions_take_turns_however_many_calls_one_has() {
    let work = Work::default();
    let engine = Engine::new(table(1, [work.hook("program")]));
    let (greedy, modest) = (StepContext::new("greedy"), StepContext::new("modest"));
    let mut all = Vec::new();
    for _ in 0..500 {
        all.push(begin(&engine, &greedy).await);
    }
    let mut last = begin(&engine, &modest).await;
    assert_eq!(work.begun.take(), ["greedy"]);
    // One call ends, then another one: each is polled, as its task would.
    for expected in ["greedy", "modest"] {
        work.let_go(1);
        tokio::task::yield_now().await;
        let mut rest = Vec::new();
        for mut dispatch in std::mem::take(&mut all) {
            if poll_immediate(&mut dispatch).await.is_none() {
                rest.push(dispatch);
            }
        }
        all = rest;
        assert!(poll_immediate(&mut last).await.is_none());
        assert_eq!(work.begun.take(), [expected]);
    }
    work.let_go(500);
    all.push(last);
    let reports = join_all(all).await;
    assert!(reports.iter().all(|report| report.decision == Outcome::Allow));
    // All but the first, which has ended above.
    assert!(reports.iter().all(|report| report.votes[0].waited_us.is_some()));
    assert_eq!(work.most.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn an_engine_its_scopes_its_background_and_every_hook_share_one_bound() {
    let work = Work::default();
    let after = work.hook("after").role(hookgate::Role::Observe).background(true);
    let engine = Arc::new(Engine::new(table(2, [work.hook("a"), work.hook("b"), after])));
    let scopes = ["one", "two"].map(|id| engine.scope(id).hook(work.hook("c")).open().unwrap());
    let tasks: Vec<_> = (0..30)
        .map(|n| {
            let (engine, scopes) = (Arc::clone(&engine), scopes.clone());
            tokio::spawn(async move {
                match scopes.get(n % 3) {
                    Some(scope) => scope.dispatch(bash("x"), &scope.context()).await.outcome(),
                    None => engine.dispatch(bash("x"), &StepContext::new("s")).await.outcome(),
                }
            })
        })
        .collect();
    let calls = 20 * 3 + 10 * 2 + 30;
    work.let_go(calls);
    for task in tasks {
        assert_eq!(task.await.unwrap(), Outcome::Allow);
    }
    engine.drain(LONG).await;
    assert_eq!(work.begun.take().len(), calls);
    assert_eq!(work.most.load(Ordering::SeqCst), 2);
}

#[tokio::test(start_paused = true)]
async fn who_waits_until_its_time_is_over_is_overloaded_and_its_posture_decides() {
    let work = Work::default();
    let short = Duration::from_secs(1);
    let guard = work.hook("guard").timeout(short);
    let engine =
        Engine::new(table(1, [guard.clone().tool("Bash"), work.hook("first").tool("Read")]));
    let context = StepContext::new("s");
    let read = hookgate::ToolUse::from(ToolCall::new("Read", serde_json::json!({})));
    let mut first = Box::pin(engine.dispatch(read, &context));
    assert!(poll_immediate(&mut first).await.is_none());
    let (gate, report) = engine.dispatch_reported(bash("x"), &context).await;
    assert_eq!(gate.outcome(), Outcome::Deny, "a guard fails closed");
    let vote = &report.votes[0];
    assert_eq!(vote.failure, Some(FailureClass::Overloaded));
    let detail = vote.detail.as_deref().unwrap();
    let says = "1 of 1 processes were at work: raise `processes` in [limits], or the `timeout` of the hook";
    assert_eq!(detail, says);
    assert!(report.reason.as_deref().unwrap().contains(says), "{report:?}");
    assert_eq!(engine.failures("guard", FailureClass::Overloaded), 1);
    let line = serde_json::to_string(&report).unwrap();
    assert_eq!(Report::from_json(line.as_bytes()).unwrap(), report);
    // The control: one that is at work until its time is over has failed as `timeout`, and the next one is served.
    work.let_go(1);
    assert!(first.await.is_cleared());
    let report = engine.dispatch_reported(bash("x"), &context).await.1;
    assert_eq!(report.votes[0].failure, Some(FailureClass::Timeout));
    assert_eq!(report.votes[0].waited_us, None);
    // A posture of its own.
    let asking = guard.on_failure_of(FailureClass::Overloaded, Posture::Ask).tool("Bash");
    engine.swap(table(1, [asking, work.hook("first").tool("Read")]));
    let read = hookgate::ToolUse::from(ToolCall::new("Read", serde_json::json!({})));
    let mut first = Box::pin(engine.dispatch(read, &context));
    assert!(poll_immediate(&mut first).await.is_none());
    assert_eq!(engine.dispatch(bash("x"), &context).await.outcome(), Outcome::Ask);
}

#[tokio::test]
async fn a_swap_changes_how_many_there_are_and_not_who_is_one() {
    let work = Work::default();
    let program = work.hook("program");
    let engine = Engine::new(table(1, [program.clone()]));
    let contexts = ["a", "b", "c", "d"].map(StepContext::new);
    let mut all = Vec::new();
    for context in &contexts {
        all.push(begin(&engine, context).await);
    }
    assert_eq!(work.begun.take(), ["a"]);
    engine.swap(table(3, [program.clone()]));
    for dispatch in &mut all {
        assert!(poll_immediate(dispatch).await.is_none());
    }
    assert_eq!(work.begun.take(), ["b", "c"], "those who waited are served");
    // Fewer: none is stopped, and none begins before there is room.
    engine.swap(table(1, [program]));
    work.let_go(2);
    let mut left = Vec::new();
    for mut dispatch in all {
        if poll_immediate(&mut dispatch).await.is_none() {
            left.push(dispatch);
        }
    }
    assert_eq!((left.len(), work.begun.take().len()), (2, 0));
    work.let_go(2);
    assert!(join_all(left).await.iter().all(|report| report.decision == Outcome::Allow));
    assert_eq!(work.begun.take(), ["d"]);
}

#[tokio::test]
async fn each_resource_has_a_bound_of_its_own_and_who_takes_none_never_waits() {
    let work = Work::default();
    let free = waiting("free", |_| {
        Box::pin(async {
            tokio::task::yield_now().await;
            Ok(Verdict::none())
        })
    });
    let hooks = [
        work.hook("program").tool("Read"),
        work.takes("service", Resource::Request).tool("Bash"),
        free.tool("Write"),
        sync("at-once", |_| Ok(Verdict::none())),
    ];
    let engine = Engine::new(table(1, hooks));
    let context = StepContext::new("s");
    let call = |tool: &str| hookgate::ToolUse::from(ToolCall::new(tool, serde_json::json!({})));
    let mut dispatches = Vec::new();
    for tool in ["Read", "Read", "Bash", "Bash"] {
        let mut dispatch = Box::pin(engine.dispatch(call(tool), &context));
        assert!(poll_immediate(&mut dispatch).await.is_none());
        dispatches.push(dispatch);
    }
    assert_eq!(work.begun.take().len(), 2, "a process and a request");
    assert!(engine.dispatch(call("Write"), &context).await.is_cleared());
    work.let_go(4);
    assert!(join_all(dispatches).await.into_iter().all(|gate| gate.is_cleared()));
}

#[derive(Default)]
struct Esc(std::sync::atomic::AtomicBool, Notify);

impl Cancel for Esc {
    fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    fn cancelled<'a>(&'a self) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(self.1.notified())
    }
}

#[tokio::test(start_paused = true)]
async fn who_is_cancelled_dropped_or_out_of_the_time_of_the_step_has_left_the_queue() {
    let work = Work::default();
    let mut table = HandlerTable::builder();
    let limits = Limits::new().processes(1).dispatch_deadline(Duration::from_secs(2));
    let engine = Engine::new(table.limits(limits).insert(work.hook("program")).build().unwrap());
    let esc = Esc::default();
    let contexts = ["first", "dropped", "late"].map(StepContext::new);
    let cancelled = StepContext::new("cancelled").cancel(&esc);
    let first = begin(&engine, &contexts[0]).await;
    let dropped = begin(&engine, &contexts[1]).await;
    let stopped = begin(&engine, &cancelled).await;
    drop(dropped);
    esc.0.store(true, Ordering::SeqCst);
    esc.1.notify_one();
    let report = stopped.await;
    assert_eq!((report.decision, report.votes[0].failure), (Outcome::Cancelled, None));
    // The deadline of the whole step counts as well.
    let late = begin(&engine, &contexts[2]).await.await;
    assert_eq!(late.votes[0].failure, Some(FailureClass::Overloaded));
    drop(first);
    work.let_go(1);
    assert_eq!(begin_and_end(&engine, &contexts[0]).await, Outcome::Allow, "nobody is in its way");
    assert_eq!(work.begun.take(), ["first", "first"]);
}

async fn begin_and_end(engine: &Engine, context: &StepContext<'_>) -> Outcome {
    engine.dispatch(bash("x"), context).await.outcome()
}

#[tokio::test(start_paused = true)]
async fn between_two_attempts_nobody_is_kept_waiting() {
    let log = Log::default();
    let retry = Retry::times(1).backoff(Duration::from_secs(10)).on([FailureClass::Unreachable]);
    let (noting, calls) = (log.clone(), Arc::new(AtomicUsize::new(0)));
    let handler = BuiltHandler::async_fn(move |call| {
        let (log, calls) = (noting.clone(), Arc::clone(&calls));
        Box::pin(async move {
            let _place = call.place(Resource::Process).await?;
            log.push(call.context().session_id);
            match calls.fetch_add(1, Ordering::SeqCst) {
                0 => Err(Failure::new(FailureClass::Unreachable, "not yet")),
                _ => Ok(Verdict::none()),
            }
        })
    });
    let hook = Hook::new("h", "test", handler.takes(Resource::Process)).event(Event::PreToolUse);
    let engine = Engine::new(table(1, [hook.timeout(LONG).retry(retry)]));
    let contexts = ["waits", "other"].map(StepContext::new);
    let waits = begin(&engine, &contexts[0]).await;
    assert_eq!(begin_and_end(&engine, &contexts[1]).await, Outcome::Allow);
    assert_eq!(waits.await.decision, Outcome::Allow);
    assert_eq!(log.take(), ["waits", "other", "waits"]);
}

/// A call that a deny has made needless is stopped at once: an earlier hook may wait for its very place.
#[tokio::test(start_paused = true)]
async fn a_call_behind_a_deny_gives_its_place_to_those_before_it() {
    let (work, deny) = (Work::default(), Arc::new(Notify::new()));
    let attempts = Arc::new(AtomicUsize::new(0));
    let first = BuiltHandler::async_fn(move |call| {
        let attempts = Arc::clone(&attempts);
        Box::pin(async move {
            let _place = call.place(Resource::Process).await?;
            tokio::task::yield_now().await;
            match attempts.fetch_add(1, Ordering::SeqCst) {
                0 => Err(Failure::new(FailureClass::Unreachable, "not yet")),
                _ => Ok(Verdict::none()),
            }
        })
    });
    let retry = Retry::times(1).backoff(Duration::from_secs(1)).on([FailureClass::Unreachable]);
    let first = Hook::new("first", "test", first.takes(Resource::Process)).event(Event::PreToolUse);
    let told = Arc::clone(&deny);
    let second = waiting("second", move |_| {
        let told = Arc::clone(&told);
        Box::pin(async move {
            told.notified().await;
            Ok(Verdict::deny("no"))
        })
    });
    let hooks = [first.timeout(LONG).retry(retry), second.timeout(LONG), work.hook("third")];
    let engine = Engine::new(table(1, hooks));
    let context = StepContext::new("s");
    let mut dispatch = begin(&engine, &context).await;
    while work.running.load(Ordering::SeqCst) == 0 {
        assert!(poll_immediate(&mut dispatch).await.is_none());
        tokio::task::yield_now().await;
    }
    deny.notify_one();
    let report = dispatch.await;
    assert_eq!(report.by, ["second"]);
    assert_eq!(report.votes[0].failure, None, "{report:?}");
    assert_eq!(work.running.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_layer_around_a_handler_changes_nothing_and_a_call_by_hand_is_not_bounded() {
    let work = Work::default();
    let layer = hookgate::layer::around(|handler, call| handler.invoke(call));
    let engine = Engine::new(table(1, [work.hook("program").map_handler(layer)]));
    let contexts = ["a", "b"].map(StepContext::new);
    let mut all = vec![begin(&engine, &contexts[0]).await];
    all.push(begin(&engine, &contexts[1]).await);
    assert_eq!(work.begun.take(), ["a"]);
    work.let_go(2);
    join_all(all).await;
    // An engine in which nothing says how many has what the machine has: more than two on any machine of ours.
    let engine = crate::support::engine([work.hook("program")]);
    let _begun = [begin(&engine, &contexts[0]).await, begin(&engine, &contexts[1]).await];
    assert_eq!(work.begun.take(), ["b", "a", "b"]);
}

/// A hook of the background waits as others do, and a later dispatch is not held up by it.
#[tokio::test]
async fn what_waits_in_the_background_is_counted_there() {
    let work = Work::default();
    let after = work.hook("after").role(hookgate::Role::Observe).background(true);
    let engine = Engine::new(table(1, [after]));
    let context = StepContext::new("s");
    for _ in 0..3 {
        assert!(engine.dispatch(bash("x"), &context).await.is_cleared());
    }
    assert_eq!(engine.background().pending, 3);
    work.let_go(3);
    assert_eq!(engine.drain(LONG).await.finished, 3);
    assert_eq!(work.most.load(Ordering::SeqCst), 1);
}
