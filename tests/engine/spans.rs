//! Promise: `tracing` receives dispatches, swaps, failures, drops and slow hooks, and never a
//! secret.

use std::collections::HashMap;
use std::fmt::{Debug, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hookgate::contract::Failure;
use hookgate::{
    Engine, FailureClass, HandlerTable, HookEngine, Posture, Role, StepContext, Verdict,
};
use hookgate_test_support::listeners;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use crate::support::{bash, engine, sync, waiting};

/// Keeps what it receives, up to a level.
#[derive(Clone)]
pub(crate) struct Capture(Arc<Heard>);

pub(crate) struct Heard {
    level: Level,
    next: AtomicU64,
    /// The spans, with their fields.
    spans: Mutex<HashMap<u64, String>>,
    /// The spans that were entered and not left.
    inside: Mutex<Vec<u64>>,
    /// The events, with the span that they happened in.
    events: Mutex<Vec<(Option<u64>, String)>>,
}

impl Capture {
    pub(crate) fn at(level: Level) -> Self {
        Self(Arc::new(Heard {
            level,
            next: AtomicU64::new(1),
            spans: Mutex::default(),
            inside: Mutex::default(),
            events: Mutex::default(),
        }))
    }

    pub(crate) fn events(&self) -> Vec<String> {
        self.0.events.lock().unwrap().iter().map(|(_, event)| event.clone()).collect()
    }

    fn spans(&self) -> Vec<String> {
        let spans = self.0.spans.lock().unwrap();
        let mut ids: Vec<_> = spans.keys().collect();
        ids.sort();
        ids.into_iter().map(|id| spans[id].clone()).collect()
    }
}

struct Text<'a>(&'a mut String);

impl Visit for Text<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, " {}={value:?}", field.name()).unwrap();
    }
}

impl Subscriber for Capture {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "hookgate" && *metadata.level() <= self.0.level
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let id = self.0.next.fetch_add(1, Ordering::SeqCst);
        let mut text = attributes.metadata().name().to_owned();
        attributes.record(&mut Text(&mut text));
        self.0.spans.lock().unwrap().insert(id, text);
        Id::from_u64(id)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        let mut spans = self.0.spans.lock().unwrap();
        values.record(&mut Text(spans.get_mut(&span.into_u64()).unwrap()));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut text = event.metadata().level().to_string();
        event.record(&mut Text(&mut text));
        let inside = self.0.inside.lock().unwrap().last().copied();
        self.0.events.lock().unwrap().push((inside, text));
    }

    fn enter(&self, span: &Id) {
        self.0.inside.lock().unwrap().push(span.into_u64());
    }

    fn exit(&self, span: &Id) {
        let left = self.0.inside.lock().unwrap().pop();
        assert_eq!(left, Some(span.into_u64()));
    }
}

pub(crate) fn run<F: Future>(capture: &Capture, future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    listeners::keep_second();
    let _listening = tracing::subscriber::set_default(capture.clone());
    let output = runtime.block_on(future);
    drop(runtime);
    output
}

fn context() -> StepContext<'static> {
    StepContext::new("session-1").step_id("step-1")
}

#[test]
fn a_dispatch_is_a_span_that_says_what_came_out_and_not_what_was_evaluated() {
    let capture = Capture::at(Level::DEBUG);
    let engine = engine([
        sync("denies", |_| Ok(Verdict::deny("a reason with hunter2"))),
        sync("later", |_| Ok(Verdict::none())),
    ]);
    run(&capture, async {
        drop(engine.dispatch(bash("echo hunter2"), &context()).await);
    });
    assert_eq!(
        capture.spans(),
        ["hookgate.dispatch event=\"pre_tool_use\" session=\"session-1\" step=\"step-1\" \
          generation=1 outcome=\"deny\""]
    );
    assert_eq!(capture.events(), ["DEBUG message=a step was evaluated by=\"denies\""]);
    assert!(!format!("{:?}{:?}", capture.spans(), capture.events()).contains("hunter2"));
}

#[test]
fn swaps_failures_drops_and_slow_hooks_are_events() {
    let capture = Capture::at(Level::INFO);
    let fails =
        |_: hookgate::Invocation<'_>| Err(Failure::new(FailureClass::Exit, "printed hunter2"));
    let slow = waiting("slow", |_| {
        Box::pin(async {
            tokio::time::sleep(Duration::from_millis(60)).await;
            Ok(Verdict::none())
        })
    });
    let held = waiting("held", |_| Box::pin(std::future::pending()));
    let mut limits = hookgate::table::Limits::default();
    (limits.background_queue, limits.concurrency) = (1, 1);
    let table = HandlerTable::builder()
        .limits(limits)
        .insert(
            slow.timeout(Duration::from_millis(100))
                .on_failure_of(FailureClass::Timeout, Posture::Allow),
        )
        .insert(sync("open", fails).on_failure(Posture::Allow))
        .insert(sync("asks", fails).on_failure(Posture::Ask))
        .insert(held.role(Role::Observe).background(true))
        .build()
        .unwrap();
    run(&capture, async {
        let engine = Engine::without_hooks();
        engine.swap(table);
        drop(engine.dispatch(bash("x"), &context()).await);
        engine.edit(|table| assert!(table.remove("slow"))).unwrap();
        for _ in 0..3 {
            drop(engine.dispatch(bash("x"), &context()).await);
        }
    });
    let events = capture.events();
    let count = |text: &str| events.iter().filter(|event| event.starts_with(text)).count();
    assert_eq!(
        count("INFO message=a table was put in force generation=2 hooks=4"),
        1,
        "{events:#?}"
    );
    assert_eq!(
        count("INFO message=a table was put in force generation=3 hooks=3"),
        1,
        "{events:#?}"
    );
    assert_eq!(count("INFO message=a hook is slow hook=\"slow\""), 1, "{events:#?}");
    let open = "WARN message=a hook failed and was not enforced hook=\"open\" event=\"pre_tool_use\" class=\"exit\"";
    assert_eq!(count(open), 4, "{events:#?}");
    let asks = "INFO message=a hook failed hook=\"asks\" event=\"pre_tool_use\" class=\"exit\" counts_as=\"ask\"";
    assert_eq!(count(asks), 4, "{events:#?}");
    assert_eq!(count("WARN message=a background call was dropped hook=\"held\""), 1, "{events:#?}");
    assert_eq!(count("WARN message=background calls were lost calls=2"), 1, "{events:#?}");
    assert!(!events.concat().contains("hunter2"));
    assert!(capture.spans().is_empty(), "spans need a subscriber at DEBUG");
}

/// Two dispatches take turns: what happens in one is never in the span of the other.
#[test]
fn a_span_is_left_while_its_dispatch_waits() {
    let capture = Capture::at(Level::DEBUG);
    let engine = engine([waiting("h", |invocation| {
        Box::pin(async move {
            for _ in 0..5 {
                tokio::task::yield_now().await;
                tracing::debug!(target: "hookgate", session = invocation.context().session_id, "called");
            }
            Ok(Verdict::none())
        })
    })]);
    run(&capture, async {
        let contexts = ["one", "two"].map(StepContext::new);
        let both = contexts.each_ref().map(|context| engine.dispatch(bash("x"), context));
        let [one, two] = both;
        let _ = tokio::join!(one, two, async {
            for _ in 0..5 {
                assert!(tracing::Span::current().is_none(), "a span of neither dispatch");
                tokio::task::yield_now().await;
            }
        });
    });
    let events = capture.0.events.lock().unwrap();
    let spans = capture.0.spans.lock().unwrap();
    let called: Vec<_> = events.iter().filter(|(_, event)| event.contains("called")).collect();
    assert_eq!(called.len(), 10);
    for (span, event) in called {
        let session = event.rsplit("session=").next().unwrap();
        let span = &spans[&span.expect("inside of a dispatch")];
        assert!(span.contains(&format!("session={session}")), "{event} in {span}");
    }
    assert!(capture.0.inside.lock().unwrap().is_empty());
}

/// The control: a subscriber without a level receives nothing.
#[test]
fn without_a_listener_there_is_nothing() {
    let capture = Capture::at(Level::ERROR);
    let engine = engine([sync("denies", |_| Ok(Verdict::deny("no")))]);
    run(&capture, async {
        drop(engine.dispatch(bash("x"), &context()).await);
    });
    assert!(capture.spans().is_empty() && capture.events().is_empty());
}
