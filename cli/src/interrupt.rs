//! Ctrl-C, and the polite signal that means the same.

use std::future::poll_fn;
use std::task::Poll;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// What would end the process: Ctrl-C and `kill`. Not the end of the terminal, which `nohup` keeps
/// from us, and which we would take back by listening to it.
const KINDS: [fn() -> SignalKind; 2] = [SignalKind::interrupt, SignalKind::terminate];

/// Waits until somebody wants us to stop. Whoever selects on this drops what it waits for, and with
/// it the programs that hooks have started; without it they would outlive us, since each runs in a
/// process group of its own.
///
/// It listens from the call on, not from the first poll: by then a hook may have been started.
pub(crate) fn interrupted() -> impl Future<Output = ()> {
    // A signal that cannot be listened to ends us as ever.
    let mut signals: Vec<Signal> = KINDS.iter().filter_map(|kind| signal(kind()).ok()).collect();
    poll_fn(move |context| {
        let mut come = Poll::Pending;
        // All of them are polled, so that each of them wakes us.
        for signal in &mut signals {
            if signal.poll_recv(context).is_ready() {
                come = Poll::Ready(());
            }
        }
        come
    })
}
