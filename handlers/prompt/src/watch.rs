//! The end of the wait for an answer.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::{Either, select};
use hookgate_contract::{Failure, FailureClass, Word};

use crate::desk::Flight;
use crate::heard::Heard;
use crate::outcome::Outcome;

/// How long before the engine gives up a judge says what has come so far.
const BEFORE: Duration = Duration::from_millis(3);

/// When the engine gives up, and what stands until then.
pub(crate) struct Watch {
    deadline: Option<Instant>,
    /// The decision of a judge that was asked first.
    pub(crate) stands: Option<Word>,
}

impl Watch {
    pub(crate) const fn new(deadline: Option<Instant>) -> Self {
        Self { deadline, stands: None }
    }

    /// Waits for an answer. Where it does not come in time, but an ask or a deny is written in the
    /// part that has come, that stands in the failure; else the engine ends the wait.
    pub(crate) async fn wait(&self, flight: Flight, heard: &Heard) -> Arc<Outcome> {
        let Some(end) = self.deadline.and_then(|deadline| deadline.checked_sub(BEFORE)) else {
            return flight.await;
        };
        let end = Box::pin(tokio::time::sleep_until(end.into()));
        match select(flight, end).await {
            Either::Left((outcome, _)) => outcome,
            Either::Right(((), flight)) => match heard.standing().max(self.stands) {
                Some(word) if word > Word::Allow => {
                    let detail = format!("no whole answer in time, and {word} stands in what came");
                    let failure = Failure::new(FailureClass::Timeout, detail);
                    Arc::new(Outcome::failed(failure.standing(Some(word))))
                }
                _ => flight.await,
            },
        }
    }
}
