//! What happened in the calls of a hook: what it got, what its handler told, what it answered.
//!
//! A layer around the handler sees what goes in and what comes out, whatever the kind of handler is.
//! What only the handler knows (stderr, how a program ended, the status of a service, the model that
//! answered) it tells as events of `tracing`, which a listener collects. Each field of an event but
//! `hook` becomes a line of the trace.

use std::fmt::{self, Write as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hookgate::contract::{Invocation, Parts, Reply, visible};
use hookgate::layer::{HandlerLayer, around};
use hookgate_secrets::Secrets;
use serde_json::{Map, Value, json};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

use crate::terminal::sanitize;
use crate::terminal::style::{BOLD, DIM};

/// Where handlers tell what they do.
pub(super) const TARGETS: &[&str] = &[
    "hookgate::cedar",
    "hookgate::command",
    "hookgate::http",
    "hookgate::prompt",
    "hookgate::rego",
];

/// How many characters of an envelope and of an answer are shown.
const LONGEST: usize = 4000;

/// How many lines of a call are shown: a program can write many.
const MOST_LINES: usize = 500;

/// The calls so far. Clones share them.
#[derive(Clone, Default)]
pub(super) struct CallTrace(Arc<Mutex<Vec<Call>>>);

/// A call of a hook.
struct Call {
    hook: String,
    envelope: String,
    /// What the handler told: the name of a field and its value.
    told: Vec<(&'static str, String)>,
    /// How many more lines there were.
    left_out: usize,
    /// The answer; `None` if the call was given up.
    answer: Option<String>,
    took: Duration,
}

impl CallTrace {
    /// Returns a layer that notes each call of a handler.
    pub(super) fn into_layer(self) -> impl HandlerLayer {
        around(move |handler, invocation| {
            let trace = self.clone();
            Box::pin(async move {
                let mut call = trace.begin(&invocation);
                let reply = handler.invoke(invocation).await;
                call.answer = Some(answer_text(&reply));
                reply
            })
        })
    }

    fn calls(&self) -> MutexGuard<'_, Vec<Call>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, invocation: &Invocation<'_>) -> OpenCall {
        let envelope = match invocation.envelope.bytes() {
            Ok(bytes) => hidden(&String::from_utf8_lossy(bytes)),
            Err(failure) => failure.to_string(),
        };
        let mut calls = self.calls();
        calls.push(Call {
            hook: invocation.hook.to_owned(),
            envelope,
            told: Vec::new(),
            left_out: 0,
            answer: None,
            took: Duration::ZERO,
        });
        OpenCall {
            trace: self.clone(),
            index: calls.len() - 1,
            since: Instant::now(),
            answer: None,
        }
    }

    /// Returns the calls for people.
    pub(super) fn to_text(&self) -> String {
        let mut out = String::new();
        for call in self.calls().iter() {
            // Writing to a string does not fail.
            let _ = call.write(&mut out);
        }
        out
    }
}

/// A call that has not come to its end. It ends with this value, also when it is given up.
struct OpenCall {
    trace: CallTrace,
    index: usize,
    since: Instant,
    answer: Option<String>,
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        if let Some(call) = self.trace.calls().get_mut(self.index) {
            call.answer = self.answer.take();
            call.took = self.since.elapsed();
        }
    }
}

impl Call {
    fn write(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "{BOLD}call{BOLD:#}  {}", sanitize::line(&self.hook))?;
        let mut last = "";
        let mut field = |out: &mut String, name: &'static str, text: &str| {
            let label = if name == last { "" } else { name };
            last = name;
            writeln!(out, "  {DIM}{label:<9}{DIM:#} {}", visible::in_place(text))
        };
        field(out, "got", &self.envelope)?;
        for (name, text) in &self.told {
            field(out, name, text)?;
        }
        if self.left_out > 0 {
            field(out, "…", &format!("{} more lines", self.left_out))?;
        }
        field(out, "took", &format!("{:.1?}", self.took))?;
        field(out, "answered", self.answer.as_deref().unwrap_or("nothing: the call was given up"))
    }
}

impl<S: Subscriber> Layer<S> for CallTrace {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut told = Told::default();
        event.record(&mut told);
        let mut calls = self.calls();
        // A hook has one call at a time, or the last one tells.
        let Some(call) = calls.iter_mut().rev().find(|call| call.hook == told.hook) else { return };
        for field in told.fields {
            if call.told.len() < MOST_LINES {
                call.told.push(field);
            } else {
                call.left_out += 1;
            }
        }
    }
}

/// The fields of an event.
#[derive(Default)]
struct Told {
    hook: String,
    fields: Vec<(&'static str, String)>,
}

impl Visit for Told {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "hook" {
            value.clone_into(&mut self.hook);
        } else {
            self.fields.push((field.name(), value.to_owned()));
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.record_str(field, &format!("{value:?}"));
    }
}

fn answer_text(reply: &Reply) -> String {
    match reply {
        Ok(verdict) => match verdict.parts() {
            Some(parts) => hidden(&parts_json(parts).to_string()),
            None => "{}, which is no opinion".to_owned(),
        },
        Err(failure) => hidden(&format!("a failure, {failure}")),
    }
}

/// Returns a verdict as it is written, without the parts that are empty.
fn parts_json(parts: &Parts) -> Value {
    let all = [
        ("decision", json!(parts.decision)),
        ("reason", json!(parts.reason)),
        ("reason_code", json!(parts.reason_code)),
        ("patch", json!(parts.patch)),
        ("context", json!(parts.context)),
        ("message", json!(parts.message)),
        ("answer", json!(parts.answer)),
        ("contributions", json!(parts.contributions)),
        ("annotations", json!(parts.annotations)),
        ("payload", json!(parts.payload)),
    ];
    let is_there = |value: &Value| match value {
        Value::Null => false,
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        _ => true,
    };
    let said = all.into_iter().filter(|(_, value)| is_there(value));
    Value::Object(said.map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>())
}

/// Returns a text without secrets, and of bounded length.
fn hidden(text: &str) -> String {
    sanitize::one_line(&Secrets::default().hide(text), LONGEST)
}
