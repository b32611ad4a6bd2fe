//! What a call of a program leaves in the log: its stderr, and how it ended.
//!
//! These are events of `tracing` at `DEBUG`, target `hookgate::command`, with the id of the hook. A
//! failure quotes the end of stderr by itself; here stands all of it, also of a program that has
//! answered, and it is logged nowhere else. Secrets that the program was given are hidden. Without a
//! listener nothing of it is made.

use std::borrow::Cow;
use std::fmt::Display;

use hookgate_contract::visible;
use hookgate_secrets::Secrets;
use tracing::Level;

/// How many characters of a line are logged.
const LONGEST_LINE: usize = 2000;

/// Returns whether anybody listens.
pub(crate) fn is_enabled() -> bool {
    tracing::enabled!(target: "hookgate::command", Level::DEBUG)
}

/// Logs what a program has written to stderr, line by line.
pub(crate) fn log_stderr(hook: &str, stderr: &str, secrets: &Secrets) {
    if stderr.is_empty() || !is_enabled() {
        return;
    }
    // Before it is split: a secret may have several lines.
    for line in secrets.hide(stderr).lines().filter(|line| !line.trim().is_empty()) {
        let stderr = bounded(line);
        tracing::debug!(target: "hookgate::command", hook, %stderr);
    }
}

/// Logs how a program has ended.
pub(crate) fn log_exit(hook: &str, exit: impl Display) {
    tracing::debug!(target: "hookgate::command", hook, %exit);
}

/// Logs that a program that stays has answered, and which of its calls this was. `name` is what it is:
/// a worker, a server.
pub(crate) fn log_answer(hook: &str, name: &str, call: u64) {
    let answered = format_args!("answered, call {call} of its process");
    match name {
        "worker" => tracing::debug!(target: "hookgate::command", hook, worker = %answered),
        _ => tracing::debug!(target: "hookgate::command", hook, server = %answered),
    }
}

/// Returns a line as it was indented, without what controls a terminal.
fn bounded(line: &str) -> Cow<'_, str> {
    match line.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => {
            let beginning = line.get(..end).unwrap_or_default();
            format!("{}…", visible::in_place(beginning)).into()
        }
        None => visible::in_place(line),
    }
}
