//! The log on stderr.

use std::io::{self, Write};

use hookgate::contract::visible;
use tracing::Subscriber;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::{EnvFilter, Layer, Registry, fmt, registry};

/// The environment variable that sets what is logged.
pub(crate) const VARIABLE: &str = "HOOKGATE_LOG";

/// Starts the log on stderr: warnings, unless the environment variable `HOOKGATE_LOG` sets another
/// filter. Only the first call in a process has an effect.
pub fn start() {
    // Only a second subscriber is refused.
    let _ = tracing::subscriber::set_global_default(registry().with(to_stderr()));
}

/// Returns a subscriber for the log and for one more listener, which gets these targets at `DEBUG`.
pub(crate) fn also_to<L: Layer<Registry> + Send + Sync>(
    listener: L,
    targets: &'static [&'static str],
) -> impl Subscriber + Send + Sync {
    let targets = targets.iter().map(|target| (*target, LevelFilter::DEBUG));
    registry().with(listener.with_filter(Targets::from_iter(targets))).with(to_stderr())
}

fn to_stderr<S: Subscriber + for<'s> LookupSpan<'s>>() -> Box<dyn Layer<S> + Send + Sync> {
    let filter = EnvFilter::builder()
        .with_env_var(VARIABLE)
        .with_default_directive(LevelFilter::WARN.into())
        .from_env_lossy();
    // `Log` removes everything that controls a terminal, colours included.
    fmt::layer().with_ansi(false).with_writer(|| Log).with_filter(filter).boxed()
}

/// Stderr with one line for each event: what an event quotes cannot begin another line.
struct Log;

impl Write for Log {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(event);
        let line = visible::in_place(text.trim_end_matches('\n')).replace('\n', " ");
        writeln!(io::stderr().lock(), "{line}")?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
