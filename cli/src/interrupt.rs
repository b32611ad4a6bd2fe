//! Ctrl-C, and the polite signal that means the same.

use std::future::poll_fn;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::task::Poll;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// How we end on a second signal: as on the first, with an operational failure.
const FORCED: i32 = 1;

/// What would end the process: Ctrl-C and `kill`, Ctrl-\ and the end of the terminal.
const KINDS: [fn() -> SignalKind; 4] =
    [SignalKind::interrupt, SignalKind::terminate, SignalKind::hangup, SignalKind::quit];

/// Whether a signal was ignored when we were started, as `nohup` does with the end of the terminal.
/// By listening to it we would take it back.
fn is_ignored(kind: SignalKind) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    mask & (1 << (kind.as_raw_value() - 1)) != 0
}

/// Waits until somebody wants us to stop. Whoever selects on this drops what it waits for, and with
/// it the programs that hooks have started; without it they would outlive us, since each runs in a
/// process group of its own.
///
/// It listens from the call on, not from the first poll: by then a hook may have been started.
pub(crate) fn interrupted() -> impl Future<Output = ()> {
    force_on_second();
    // A signal that cannot be listened to ends us as ever.
    let mut signals: Vec<Signal> = KINDS
        .iter()
        .map(|kind| kind())
        .filter(|kind| *kind == SignalKind::interrupt() || !is_ignored(*kind))
        .filter_map(|kind| signal(kind).ok())
        .collect();
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

/// From now on a second signal ends the process at once, in the signal's handler: no thread of ours
/// need be free for it. What hooks have started is killed by the shims, which outlive us.
fn force_on_second() {
    static ASKED: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    ASKED.get_or_init(|| {
        let asked = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // In this order: the first signal must not find its own mark. One that cannot be
            // listened to ends us as ever.
            let _ = flag::register_conditional_shutdown(signal, FORCED, Arc::clone(&asked));
            let _ = flag::register(signal, Arc::clone(&asked));
        }
        asked
    });
}
