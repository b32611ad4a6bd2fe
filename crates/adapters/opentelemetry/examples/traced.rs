//! A turn with its hooks as spans and metrics of OpenTelemetry, printed to stdout: `cargo run --example traced`.
//!
//! A real program has an exporter for its collector in place of `opentelemetry-stdout`; the rest is the same.

use std::error::Error;

use hookgate::{
    Engine, Event, Gate, HandlerTable, Hook, HookEngine, StepContext, ToolUse, Verdict,
};
use hookgate_opentelemetry::Metrics;
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing_subscriber::layer::SubscriberExt as _;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let spans = SdkTracerProvider::builder()
        .with_simple_exporter(opentelemetry_stdout::SpanExporter::default())
        .build();
    let metrics = SdkMeterProvider::builder()
        .with_periodic_exporter(opentelemetry_stdout::MetricExporter::default())
        .build();
    let tracer = spans.tracer("my-runtime");
    // hookgate emits spans of `tracing`: this layer makes those of OpenTelemetry of them.
    let layer = tracing_opentelemetry::layer().with_tracer(tracer);
    let _logs = tracing::subscriber::set_default(tracing_subscriber::registry().with(layer));

    let guard = Hook::sync("no-force", |invocation| {
        let command = invocation.envelope.value()?.pointer("/tool_input/command");
        let force = command.is_some_and(|command| command == "git push --force");
        Ok(if force { Verdict::deny("push without --force") } else { Verdict::none() })
    });
    let table = HandlerTable::builder().insert(guard.event(Event::PreToolUse)).build()?;
    let recorder = Metrics::new(&metrics.meter("my-runtime"));
    let engine = Engine::new(table).with_recorder(recorder);

    let context = StepContext::new("session-1").turn(1);
    let turn = tracing::info_span!("turn", number = 1);
    for command in ["git status", "git push --force"] {
        let step = ToolUse::propose("Bash", &format!(r#"{{"command":"{command}"}}"#))?;
        let gate = tracing::Instrument::instrument(engine.dispatch(step, &context), turn.clone());
        match gate.await {
            Gate::Cleared(cleared) => {
                let ran = cleared.run(async |_| Ok::<_, String>("done")).await;
                drop(engine.dispatch(ran, &context).await);
            }
            gate => eprintln!("{command}: {}", gate.outcome().name()),
        }
    }
    drop(turn);
    spans.shutdown()?;
    metrics.shutdown()?;
    Ok(())
}
