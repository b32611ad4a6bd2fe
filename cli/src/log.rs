//! The log on stderr.

use std::io::{self, Write};

use hookgate::contract::visible;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

/// The environment variable that says what is logged.
const VARIABLE: &str = "HOOKGATE_LOG";

/// Starts the log: warnings, unless the variable says otherwise.
pub(crate) fn start() {
    let filter = EnvFilter::builder()
        .with_env_var(VARIABLE)
        .with_default_directive(LevelFilter::WARN.into())
        .from_env_lossy();
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        // `Log` takes out all that controls a terminal, colours too.
        .with_ansi(false)
        .with_writer(|| Log)
        .finish();
    // Only a second subscriber could be refused.
    let _ = tracing::subscriber::set_global_default(subscriber);
}

/// Stderr, a line for each event: what an event quotes cannot begin another one.
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
