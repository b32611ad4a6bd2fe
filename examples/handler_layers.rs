//! Layers around a handler: one that meters the calls of a hook, and one that limits their time.
//!
//! Run it: `cargo run --example handler_layers`

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hookgate::contract::{AsyncHandler, BuiltHandler, ReplyFuture};
use hookgate::layer::{HandlerLayer, around};
use hookgate::{
    Engine, Event, Failure, FailureClass, Gate, HandlerTable, Hook, HookEngine, Invocation,
    Posture, StepContext, ToolUse, Verdict,
};

/// How often each hook was called, and how long that took in all. Clones count together.
#[derive(Debug, Default, Clone)]
struct Meter(Arc<Mutex<BTreeMap<String, (u32, Duration)>>>);

impl Meter {
    /// Returns a layer that counts the calls of one hook.
    fn layer(&self) -> impl HandlerLayer + use<> {
        let counts = Arc::clone(&self.0);
        around(move |handler, invocation| {
            let counts = Arc::clone(&counts);
            Box::pin(async move {
                let started = Instant::now();
                let reply = handler.invoke(invocation).await;
                let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
                let (calls, time) = counts.entry(invocation.hook.to_owned()).or_default();
                *calls += 1;
                *time += started.elapsed();
                reply
            })
        })
    }
}

/// Returns a layer that fails a call which takes longer. The hook's posture decides what that counts
/// as. (`Hook::timeout` limits a call as well; a layer can do it by other rules, such as the
/// time of day.)
fn limit_time(limit: Duration) -> impl HandlerLayer {
    around(move |handler, invocation| {
        Box::pin(async move {
            let call = handler.invoke(invocation);
            let late = || Failure::new(FailureClass::Timeout, format!("no reply within {limit:?}"));
            tokio::time::timeout(limit, call).await.unwrap_or_else(|_| Err(late()))
        })
    })
}

/// A handler that takes a minute.
struct Slow;

impl AsyncHandler for Slow {
    fn handle<'a>(&'a self, _: Invocation<'a>) -> ReplyFuture<'a> {
        Box::pin(async {
            tokio::time::sleep(Duration::from_secs(60)).await;
            Ok(Verdict::none())
        })
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let meter = Meter::default();
    let quick = Hook::sync("quick", |_| Ok(Verdict::none()))
        .event(Event::PreToolUse)
        .map_handler(meter.layer());
    let slow = Hook::new("slow", "example", BuiltHandler::from_async(Slow))
        .event(Event::PreToolUse)
        .on_failure(Posture::Ask)
        // The meter is the outer layer: it also counts the calls that the limit ended.
        .map_handler(limit_time(Duration::from_millis(20)))
        .map_handler(meter.layer());
    let engine = Engine::new(HandlerTable::builder().insert(quick).insert(slow).build()?);

    let step = ToolUse::propose("Bash", r#"{"command":"ls"}"#)?;
    let gate = engine.dispatch(step, &StepContext::new("session-1")).await;
    assert!(matches!(gate, Gate::Asked(_)), "a late reply counts as the posture says");
    let counts = meter.0.lock().unwrap_or_else(PoisonError::into_inner);
    for (hook, (calls, time)) in &*counts {
        println!("{hook}: {calls} call, {time:?}");
    }
    assert_eq!(counts.len(), 2);
    Ok(())
}
