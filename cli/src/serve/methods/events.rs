//! `events`: every decision of the server from now on, as notifications. Who reads too slowly is told how many it has
//! missed, and holds up nobody.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use super::super::caller::Caller;
use super::super::error::CallError;
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
    let told = caller.service.told.subscribe();
    // Not the caller itself: it ends when its connection does, and ends this.
    let (outbox, service) = (Arc::clone(&caller.outbox), Arc::clone(&caller.service));
    caller.subscribe(tokio::spawn(tell(told, outbox, service)).abort_handle());
    Ok(Subscribed { behind: BEHIND })
}

async fn tell(mut told: Receiver<Arc<Told>>, outbox: Arc<Outbox>, service: Arc<Service>) {
    let mut lost = 0;
    loop {
        match told.recv().await {
            Ok(told) => {
                let params = EventParams { lost: std::mem::take(&mut lost), told: Some(&told) };
                let Some(line) = frame::notification(NOTIFICATION, &params) else { continue };
                if outbox.send(&line).await.is_err() {
                    return;
                }
            }
            Err(RecvError::Lagged(missed)) => {
                lost += missed;
                service.counts.lost(missed);
            }
            Err(RecvError::Closed) => return,
        }
    }
}
