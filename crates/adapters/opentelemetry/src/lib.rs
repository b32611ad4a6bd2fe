//! hookgate for [OpenTelemetry](https://docs.rs/opentelemetry/0.33) 0.33: metrics of hooks and of what they decide.
//!
//! ```
//! use hookgate::Engine;
//! use hookgate_opentelemetry::Metrics;
//!
//! let meter = opentelemetry::global::meter("my-runtime");
//! let engine = Engine::without_hooks().with_recorder(Metrics::new(&meter));
//! # drop(engine);
//! ```
//!
//! | metric | kind, unit | attributes |
//! |---|---|---|
//! | `hookgate.dispatch.duration` | histogram, s | `event`, `outcome`, `end` |
//! | `hookgate.hook.duration` | histogram, s | `event`, `hook`, `outcome` |
//! | `hookgate.hook.waited` | histogram, s | `event`, `hook`: the time for a place below a bound of the engine |
//! | `hookgate.hook.failures` | counter | `event`, `hook`, `class` |
//! | `hookgate.records.lost` | counter | records that the recorder behind it has lost |
//! | `hookgate.reloads` | counter | `refused`: whether the config had mistakes, so that the table before it stays |
//!
//! No attribute has a session, a step or a text of a hook in it: there are only so many of each. Spans need nothing from
//! here: hookgate emits those of `tracing`, target `hookgate`, and `tracing-opentelemetry` takes them.
//! `examples/traced.rs` has both.

mod metrics;

pub use metrics::Metrics;
