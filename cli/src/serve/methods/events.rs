//! `events`: every decision of the server from now on, as notifications. Who reads too slowly is told how many it has
//! missed, and holds up nobody.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use super::super::caller::Caller;
use super::super::error::{CallError, Code};
use super::super::frame;
use super::super::limits::BEHIND;
use super::super::outbox::Outbox;
use super::super::service::Service;
use super::super::told::{EventParams, Told};
use super::status::Nothing;

/// The name of the notification.
pub(crate) const NOTIFICATION: &str = "event";

/// What is told from now on.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Subscribed {
    /// How many decisions the caller may be behind before it loses some.
    behind: usize,
}

pub(crate) fn call(caller: &Arc<Caller>, _: Nothing) -> Result<Subscribed, CallError> {
    caller.host()?;
    let Some(outbox) = caller.outbox.clone() else {
        let message = "over HTTP, decisions are told as a stream: `GET /events`";
        return Err(CallError::new(Code::UnknownMethod, message));
    };
    // Not the caller itself: it ends when its connection does, and ends this.
    let subscription = Subscription::new(&caller.service);
    caller.subscribe(tokio::spawn(tell(subscription, outbox)).abort_handle());
    Ok(Subscribed { behind: BEHIND })
}

/// What is told to one who listens.
pub(crate) struct Subscription {
    told: Receiver<Arc<Told>>,
    service: Arc<Service>,
}

impl Subscription {
    /// Listens from now on.
    pub(crate) fn new(service: &Arc<Service>) -> Self {
        Self { told: service.told.subscribe(), service: Arc::clone(service) }
    }

    /// Waits for the next one, and returns how many were lost before it; `None` when nothing more is told.
    pub(crate) async fn next(&mut self) -> Option<(u64, Arc<Told>)> {
        let mut lost = 0;
        loop {
            match self.told.recv().await {
                Ok(told) => return Some((lost, told)),
                Err(RecvError::Lagged(missed)) => {
                    lost += missed;
                    self.service.counts.lost(missed);
                }
                Err(RecvError::Closed) => return None,
            }
        }
    }
}

async fn tell(mut subscription: Subscription, outbox: Arc<Outbox>) {
    while let Some((lost, told)) = subscription.next().await {
        let params = EventParams { lost, told: Some(&told) };
        let Some(line) = frame::notification(NOTIFICATION, &params) else { continue };
        if outbox.send(&line).await.is_err() {
            return;
        }
    }
}
