//! The log on stderr.

use std::io;

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
    let subscriber =
        tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).finish();
    // Only a second subscriber could be refused.
    let _ = tracing::subscriber::set_global_default(subscriber);
}
