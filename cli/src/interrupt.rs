//! Ctrl-C, and the other signals that ask this program to end, or to load its configs again.

use std::future::poll_fn;
use std::io::{IsTerminal as _, stderr, stdin, stdout};
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
    ended_by(None)
}

/// Returns the same future for a verb that loads its configs again on SIGHUP: see [`Hangups`].
pub(crate) fn interrupted_while_watching() -> impl Future<Output = ()> {
    ended_by(Some(Terminal::now()))
}

/// With a terminal, SIGHUP counts only if that is gone.
fn ended_by(terminal: Option<Terminal>) -> impl Future<Output = ()> {
    force_on_second();
    // A signal that cannot be listened to ends the process as it would anyway.
    let mut signals: Vec<(SignalKind, Signal)> = KINDS
        .iter()
        .map(|kind| kind())
        .filter(|kind| *kind == SignalKind::interrupt() || !is_ignored(*kind))
        .filter_map(|kind| Some((kind, signal(kind).ok()?)))
        .collect();
    poll_fn(move |context| {
        let mut received = Poll::Pending;
        // Each of them is polled, so that each of them wakes this task.
        for (kind, signal) in &mut signals {
            while signal.poll_recv(context).is_ready() {
                let is_hangup = *kind == SignalKind::hangup();
                if !is_hangup || terminal.is_none_or(Terminal::is_gone) {
                    received = Poll::Ready(());
                    break;
                }
            }
        }
        received
    })
}

/// Whether this program was started in a terminal.
#[derive(Debug, Clone, Copy)]
struct Terminal {
    was_there: bool,
}

impl Terminal {
    fn now() -> Self {
        Self { was_there: Self::is_there() }
    }

    fn is_there() -> bool {
        stdin().is_terminal() || stdout().is_terminal() || stderr().is_terminal()
    }

    /// Whether it was closed: none of the streams that were a terminal is one any more.
    fn is_gone(self) -> bool {
        self.was_there && !Self::is_there()
    }
}

/// SIGHUP where it asks to load the configs again, as services have it. It still ends a program whose terminal
/// was closed, unless it was started to outlive that.
#[derive(Debug)]
pub(crate) struct Hangups {
    /// `None` if it cannot be listened to: then it ends the process.
    signal: Option<Signal>,
    terminal: Terminal,
    /// Whether it was ignored, as by `nohup`.
    was_ignored: bool,
}

impl Hangups {
    /// Listens from now on.
    pub(crate) fn listen() -> Self {
        let was_ignored = is_ignored(SignalKind::hangup());
        let terminal = Terminal::now();
        Self { signal: signal(SignalKind::hangup()).ok(), terminal, was_ignored }
    }

    /// Waits until the next one asks for a reload.
    pub(crate) async fn requested(&mut self) {
        let Some(signal) = &mut self.signal else { return std::future::pending().await };
        while signal.recv().await.is_some() {
            if self.was_ignored || !self.terminal.is_gone() {
                return;
            }
        }
        std::future::pending().await
    }
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
