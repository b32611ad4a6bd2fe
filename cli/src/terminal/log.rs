//! The log on stderr.

use std::io::{self, Write};

use hookgate::contract::visible;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

/// The environment variable that sets what is logged.
const VARIABLE: &str = "HOOKGATE_LOG";

/// Starts the log on stderr: warnings, unless the environment variable `HOOKGATE_LOG` sets another
/// filter. Only the first call in a process has an effect.
pub fn start() {
    let filter = EnvFilter::builder()
        .with_env_var(VARIABLE)
        .with_default_directive(LevelFilter::WARN.into())
        .from_env_lossy();
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        // `Log` removes everything that controls a terminal, colours included.
        .with_ansi(false)
        .with_writer(|| Log)
        .finish();
    // Only a second subscriber is refused.
    let _ = tracing::subscriber::set_global_default(subscriber);
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
