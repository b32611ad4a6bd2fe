//! Who decides about a step: the engine, or a program that holds one.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use hookgate::envelope::{Incoming, IncomingError};
use hookgate::{Engine, HookEngine, Report};
use hookgate_contract::{StopAt, json};
use serde_json::{Map, Value};

/// A step that nobody has decided about.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Undecided {
    /// It has a number that two readers could understand differently, or nests too deep.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// The engine cannot read it.
    #[error(transparent)]
    Step(#[from] IncomingError),
    /// The program that decides cannot be reached, or answered something else.
    #[error("{0}")]
    Program(String),
}

/// The future of a decision.
pub type Decided<'a> = Pin<Box<dyn Future<Output = Result<Report, Undecided>> + Send + 'a>>;

/// Decides about steps.
pub trait Decide: Send + Sync {
    /// Decides about the step of an envelope.
    fn decide(&self, envelope: Map<String, Value>) -> Decided<'_>;

    /// Tells whether what was asked in a report can still be approved: no other table is in force.
    fn holds(&self, report: &Report) -> bool;

    /// Returns `limits.stop_at` of the table in force, if it is known: a host refuses to work with one
    /// that is not of its profile.
    fn stop_at(&self) -> Option<StopAt> {
        None
    }
}

impl Decide for Engine {
    fn decide(&self, envelope: Map<String, Value>) -> Decided<'_> {
        Box::pin(async move {
            let envelope = Value::Object(envelope);
            json::check(&envelope, self.table().limits().integers)?;
            let Value::Object(envelope) = envelope else {
                return Err(IncomingError::NoEvent.into());
            };
            Ok(self.evaluate(&mut Incoming::from_object(envelope)?).await)
        })
    }

    fn holds(&self, report: &Report) -> bool {
        self.generation() == report.generation
    }

    fn stop_at(&self) -> Option<StopAt> {
        Some(self.table().limits().stop_at)
    }
}

impl<D: Decide + ?Sized> Decide for Arc<D> {
    fn decide(&self, envelope: Map<String, Value>) -> Decided<'_> {
        (**self).decide(envelope)
    }

    fn holds(&self, report: &Report) -> bool {
        (**self).holds(report)
    }

    fn stop_at(&self) -> Option<StopAt> {
        (**self).stop_at()
    }
}
