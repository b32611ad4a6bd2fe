//! Esc: the user no longer wants what is being done.

use std::future::Future;
use std::pin::Pin;

use hookgate::contract::Cancel;
use tokio::sync::watch;

/// The Esc key of a session. It cancels the hooks that are at work, the tool that is running, and then
/// the session. A runtime that uses `tokio_util::sync::CancellationToken` enables the Cargo feature
/// `tokio-util` and needs no type of its own.
pub(crate) struct Esc(watch::Sender<bool>);

impl Default for Esc {
    fn default() -> Self {
        Self(watch::Sender::new(false))
    }
}

impl Esc {
    pub(crate) fn press(&self) {
        self.0.send_replace(true);
    }
}

impl Cancel for Esc {
    fn is_cancelled(&self) -> bool {
        *self.0.borrow()
    }

    fn cancelled<'a>(&'a self) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        let mut pressed = self.0.subscribe();
        Box::pin(async move {
            // The sender lives as long as `self`, so the wait ends only when the key is pressed.
            let _ = pressed.wait_for(|pressed| *pressed).await;
        })
    }
}
