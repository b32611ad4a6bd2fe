//! What the host wants of the task that follows its files.

use std::future::{Future as _, pending, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use tokio::sync::{Notify, oneshot};
use tokio::time::sleep;

/// What the host wants. Both come at any time, and are heeded while nothing is being read.
pub(super) struct Requests {
    asks: Arc<Notify>,
    /// It is ready when the host stops it, or drops what could.
    end: oneshot::Receiver<()>,
    /// Whether a reload is to be made whatever the files look like.
    pub(super) asked: bool,
    /// Whether it is to end.
    pub(super) ended: bool,
}

enum Woken {
    Ended,
    Asked,
    Noticed,
    Time,
}

impl Requests {
    pub(super) fn new(asks: Arc<Notify>, end: oneshot::Receiver<()>) -> Self {
        Self { asks, end, asked: false, ended: false }
    }

    /// Waits for a while, less if the host wants something. Returns whether a notice came first.
    pub(super) async fn wait(&mut self, longest: Duration, notices: Option<&Notify>) -> bool {
        if self.asked || self.ended {
            return false;
        }
        let mut asked = pin!(self.asks.notified());
        let mut noticed = pin!(async {
            match notices {
                Some(notices) => notices.notified().await,
                None => pending().await,
            }
        });
        let mut time = pin!(sleep(longest));
        let end = &mut self.end;
        let woken = poll_fn(|cx| {
            if Pin::new(&mut *end).poll(cx).is_ready() {
                Poll::Ready(Woken::Ended)
            } else if asked.as_mut().poll(cx).is_ready() {
                Poll::Ready(Woken::Asked)
            } else if noticed.as_mut().poll(cx).is_ready() {
                Poll::Ready(Woken::Noticed)
            } else {
                time.as_mut().poll(cx).map(|()| Woken::Time)
            }
        });
        match woken.await {
            Woken::Ended => self.ended = true,
            Woken::Asked => self.asked = true,
            Woken::Noticed => return true,
            Woken::Time => {}
        }
        false
    }
}
