//! Ctrl-C on Windows, which has no other signals: nothing asks a program to load its configs again.

use std::future::pending;

use tokio::signal::ctrl_c;

/// Returns a future that ends at Ctrl-C. A verb that selects on it drops its work, and with it the programs that hooks
/// have started.
pub(crate) async fn interrupted() {
    // One that cannot be listened to ends the process as it would anyway.
    if ctrl_c().await.is_err() {
        pending().await
    }
}

/// Returns the same future: there is no signal that asks for a reload.
pub(crate) fn interrupted_while_watching() -> impl Future<Output = ()> {
    interrupted()
}

/// The signal that asks to load the configs again, of which there is none.
#[derive(Debug)]
pub(crate) struct Hangups;

impl Hangups {
    pub(crate) const fn listen() -> Self {
        Self
    }

    /// Waits for ever.
    pub(crate) async fn requested(&mut self) {
        pending().await
    }
}
