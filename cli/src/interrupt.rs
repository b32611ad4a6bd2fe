//! Ctrl-C, and the other signals that ask this program to end.

use std::future::poll_fn;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::task::Poll;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The exit code after a second signal, the same as after the first: an operational failure.
const FORCED: i32 = 1;

/// The signals that would end the process: Ctrl-C, `kill`, the end of the terminal, and Ctrl-\.
const KINDS: [fn() -> SignalKind; 4] =
    [SignalKind::interrupt, SignalKind::terminate, SignalKind::hangup, SignalKind::quit];

/// Whether a signal was ignored when this program was started, as `nohup` does with the end of the
/// terminal. To listen to the signal would undo that.
fn is_ignored(kind: SignalKind) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    mask & (1 << (kind.as_raw_value() - 1)) != 0
}

/// Returns a future that ends at the first signal. A verb that selects on it drops its work, and with
/// it the programs that hooks have started; otherwise they would outlive this program, because each
/// runs in a process group of its own.
///
/// It listens from the call on, not from the first poll: by then a hook may have been started.
pub(crate) fn interrupted() -> impl Future<Output = ()> {
    force_on_second();
    // A signal that cannot be listened to ends the process as it would anyway.
    let mut signals: Vec<Signal> = KINDS
        .iter()
        .map(|kind| kind())
        .filter(|kind| *kind == SignalKind::interrupt() || !is_ignored(*kind))
        .filter_map(|kind| signal(kind).ok())
        .collect();
    poll_fn(move |context| {
        let mut received = Poll::Pending;
        // Each of them is polled, so that each of them wakes this task.
        for signal in &mut signals {
            if signal.poll_recv(context).is_ready() {
                received = Poll::Ready(());
            }
        }
        received
    })
}

/// Makes a second signal end the process at once, in the signal's handler, even if no thread is free.
/// The shims, which outlive this program, kill what hooks have started.
fn force_on_second() {
    static SIGNALLED: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    SIGNALLED.get_or_init(|| {
        let signalled = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // In this order: the first signal must not find the flag that it sets itself. A signal
            // that cannot be listened to ends the process as it would anyway.
            let _ = flag::register_conditional_shutdown(signal, FORCED, Arc::clone(&signalled));
            let _ = flag::register(signal, Arc::clone(&signalled));
        }
        signalled
    });
}
