//! Promise: what hooks do is in the metrics and the spans of the host, and nothing of what a step holds.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use hookgate::recorder::Channel;
use hookgate::{
    Engine, Event, Failure, FailureClass, Gate, HandlerTable, Hook, HookEngine, StepContext,
    ToolUse, Verdict,
};
use hookgate_opentelemetry::Metrics;
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_sdk::metrics::data::{AggregatedMetrics, MetricData};
use opentelemetry_sdk::metrics::{InMemoryMetricExporter, SdkMeterProvider};
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider, SpanData};
use tracing::Instrument as _;
use tracing_subscriber::layer::SubscriberExt as _;

const SECRET: &str = "rm -rf /srv/ledger";

/// The spans of this process. A subscriber of one thread would not do: `tracing` keeps what another thread wants.
static SPANS: LazyLock<InMemorySpanExporter> = LazyLock::new(|| {
    let exporter = InMemorySpanExporter::default();
    let provider = SdkTracerProvider::builder().with_simple_exporter(exporter.clone()).build();
    let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("test"));
    tracing::subscriber::set_global_default(tracing_subscriber::registry().with(layer)).unwrap();
    exporter
});

/// An engine with a guard that denies, and one that fails and denies nothing.
fn engine(metrics: Metrics) -> Engine {
    let guard = Hook::sync("guard", |invocation| {
        let dangerous = invocation.envelope.value()?["tool_input"]["command"] == SECRET;
        Ok(if dangerous { Verdict::deny("not that") } else { Verdict::none() })
    });
    let broken = Hook::sync("broken", |_| Err(Failure::new(FailureClass::Malformed, "no JSON")));
    let broken = broken.on_failure(hookgate::contract::Posture::Allow);
    let mut table = HandlerTable::builder();
    table.extend([guard.event(Event::PreToolUse), broken.event(Event::PreToolUse)]);
    Engine::new(table.build().unwrap()).with_recorder(metrics)
}

async fn step(engine: &Engine, command: &str) {
    let step = ToolUse::propose("Bash", &format!(r#"{{"command":"{command}"}}"#)).unwrap();
    if let Gate::Cleared(cleared) = engine.dispatch(step, &StepContext::new("session-1")).await {
        let ran = cleared.run(async |_| Ok::<_, String>("done")).await;
        drop(engine.dispatch(ran, &StepContext::new("session-1")).await);
    }
}

/// Returns each metric with how often it was recorded, by its attributes.
fn counts(exporter: &InMemoryMetricExporter) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    let finished = exporter.get_finished_metrics().unwrap();
    let last = finished.last().unwrap();
    for metric in last.scope_metrics().flat_map(|scope| scope.metrics()) {
        let mut add = |attributes: Vec<String>, count| {
            let mut attributes = attributes;
            attributes.sort();
            counts.insert(format!("{} {}", metric.name(), attributes.join(" ")), count);
        };
        let text = |key: &opentelemetry::KeyValue| format!("{}={}", key.key, key.value);
        match metric.data() {
            AggregatedMetrics::F64(MetricData::Histogram(histogram)) => {
                for point in histogram.data_points() {
                    add(point.attributes().map(text).collect(), point.count());
                }
            }
            AggregatedMetrics::U64(MetricData::Sum(sum)) => {
                for point in sum.data_points() {
                    add(point.attributes().map(text).collect(), point.value());
                }
            }
            other => panic!("{other:?}"),
        }
    }
    counts
}

#[tokio::test(flavor = "current_thread")]
async fn dispatches_hooks_and_failures_are_counted_and_records_go_on() {
    LazyLock::force(&SPANS);
    let exporter = InMemoryMetricExporter::default();
    let provider = SdkMeterProvider::builder().with_periodic_exporter(exporter.clone()).build();
    let (channel, mut records) = Channel::dropping(8);
    let metrics = Metrics::new(&provider.meter("test")).before(Arc::new(channel));
    let engine = engine(metrics);
    step(&engine, "ls").await;
    step(&engine, SECRET).await;
    provider.force_flush().unwrap();
    let counts = counts(&exporter);
    for (metric, count) in [
        ("hookgate.dispatch.duration end=decided event=pre_tool_use outcome=allow", 1),
        ("hookgate.dispatch.duration end=decided event=pre_tool_use outcome=deny", 1),
        ("hookgate.dispatch.duration end=decided event=post_tool_use outcome=allow", 1),
        ("hookgate.hook.duration event=pre_tool_use hook=guard outcome=abstained", 1),
        ("hookgate.hook.duration event=pre_tool_use hook=guard outcome=verdict", 1),
        ("hookgate.hook.failures class=malformed event=pre_tool_use hook=broken", 1),
    ] {
        assert!(
            counts.get(metric).is_some_and(|counted| *counted >= count),
            "{metric}: {counts:#?}"
        );
    }
    assert!(!format!("{counts:?}").contains("session-1"), "no session is an attribute: {counts:?}");
    assert!(!format!("{counts:?}").contains("ledger"), "nor anything of a step: {counts:?}");
    let mut seen = 0;
    while records.try_next().is_some() {
        seen += 1;
    }
    assert_eq!(seen, 3, "the recorder behind it has each");
}

#[tokio::test(flavor = "current_thread")]
async fn a_dispatch_is_a_span_of_the_turn_and_both_steps_of_a_call_have_one_step() {
    let exporter = &*SPANS;
    let metrics = Metrics::new(&SdkMeterProvider::default().meter("test"));
    let engine = engine(metrics);
    let at_result = Hook::sync("at-result", |_| Ok(Verdict::none())).event(Event::PostToolUse);
    let add = |table: &mut hookgate::table::TableBuilder| {
        table.insert(at_result.clone());
    };
    engine.edit(add).unwrap();
    step(&engine, "ls").instrument(tracing::info_span!("turn")).await;
    let spans = exporter.get_finished_spans().unwrap();
    let turn = spans.iter().find(|span| span.name == "turn").unwrap();
    let is_of_turn = |span: &&SpanData| span.parent_span_id == turn.span_context.span_id();
    let of_turn = spans.iter().filter(is_of_turn);
    let dispatches: Vec<_> = of_turn.filter(|span| span.name == "hookgate.dispatch").collect();
    assert_eq!(dispatches.len(), 2, "{spans:#?}");
    let field = |span: &SpanData, name: &str| {
        let found = span.attributes.iter().find(|field| field.key.as_str() == name);
        found.unwrap().value.to_string()
    };
    for dispatch in &dispatches {
        assert_eq!(field(dispatch, "outcome"), "allow");
    }
    assert_eq!(field(dispatches[0], "step"), field(dispatches[1], "step"));
}
