//! `GET /events`: every decision of the server from now on, as server-sent events.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream::unfold;
use tokio::sync::OwnedSemaphorePermit;

use super::super::error::{CallError, Code};
use super::super::frame::Id;
use super::super::methods::events::{NOTIFICATION, Subscription};
use super::super::told::EventParams;
use super::callers::Using;
use super::rpc::refuse;
use super::shared::Shared;

/// Begins a stream, which ends with the caller or the server.
pub(super) async fn get(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Response {
    let using = match shared.callers.find(&headers) {
        Ok(Some(using)) => using,
        Ok(None) => return refuse(&shared, &Id::None, &hello_first()),
        Err(error) => return refuse(&shared, &Id::None, &error),
    };
    let place = match using.named.stream() {
        Ok(place) => place,
        Err(error) => return refuse(&shared, &Id::None, &error),
    };
    let subscription = Subscription::new(&shared.service);
    let listener = Listener { subscription, shared, using, _place: place };
    let stream = unfold(listener, async |mut listener| {
        let event = listener.next().await?;
        Some((event, listener))
    });
    Sse::new(stream).keep_alive(KeepAlive::default()).into_response()
}

/// Who listens.
struct Listener {
    subscription: Subscription,
    shared: Arc<Shared>,
    using: Using,
    _place: OwnedSemaphorePermit,
}

impl Listener {
    async fn next(&mut self) -> Option<Result<Event, axum::Error>> {
        let mut end = self.shared.service.ended();
        let (lost, told) = tokio::select! {
            biased;
            _ = end.wait_for(|ended| *ended) => None,
            _ = self.using.named.ended() => None,
            next = self.subscription.next() => next,
        }?;
        let params = EventParams { lost, told: Some(&told) };
        Some(Event::default().event(NOTIFICATION).json_data(&params))
    }
}

fn hello_first() -> CallError {
    CallError::new(Code::HelloFirst, "say `hello` at `/rpc` first, and send the id that it returns")
}
