//! The time that hooks have.

use std::time::Duration;

use serde_json::Value;

use crate::foreign::{Action, ForeignHook, Host};

/// The option of a hook whose own time limit is written in the config.
pub(super) const WRITTEN: &str = "timeout";

/// The time that all hooks share at the end of a session, if none asks for more.
const SESSION_END: Duration = Duration::from_millis(1500);

/// The most that they can ask for.
const MOST_SESSION_END: Duration = Duration::from_secs(60);

const SESSION_END_VARIABLE: &str = "CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS";

/// Returns the time limit of a handler that names none.
pub(super) const fn default(action: &Action, event: &str) -> Duration {
    let seconds = match (action, event.as_bytes()) {
        (Action::Prompt { agent: true, .. }, _) => 60,
        (Action::Prompt { .. }, _) | (_, b"UserPromptSubmit") => 30,
        (_, b"MessageDisplay") => 10,
        _ => 600,
    };
    Duration::from_secs(seconds)
}

/// Returns the time that all hooks share at the end of a session. Plugins cannot raise it.
pub(super) fn session_end(hooks: &[ForeignHook], host: &Host) -> Duration {
    let milliseconds = host.var(SESSION_END_VARIABLE).and_then(|text| text.parse().ok());
    if let Some(milliseconds) = milliseconds {
        return Duration::from_millis(milliseconds);
    }
    let asked = hooks.iter().filter(|hook| {
        let is_settings = !hook.layer.contains(':');
        hook.event == "SessionEnd" && is_settings && hook.options.contains_key(WRITTEN)
    });
    let longest = asked.map(|hook| hook.timeout).max().unwrap_or_default();
    longest.clamp(SESSION_END, MOST_SESSION_END)
}

/// Cuts the time limits of the hooks at the end of a session to the time that they share.
pub(super) fn share_session_end(hooks: &mut [ForeignHook], host: &Host) {
    let shared = session_end(hooks, host);
    for hook in hooks.iter_mut().filter(|hook| hook.event == "SessionEnd") {
        hook.timeout = hook.timeout.min(shared);
    }
}

/// Returns a time in seconds.
pub(super) fn seconds(time: Duration) -> Value {
    Value::from(time.as_secs_f64())
}
