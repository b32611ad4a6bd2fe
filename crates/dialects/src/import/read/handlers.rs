//! The parts of handlers that several agents have.

use std::time::Duration;

use crate::import::agent::Agent;
use crate::import::node::Node;
use crate::import::report::Findings;
use crate::import::source::{Matcher, SourceHook};

/// The unit of a time limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Seconds,
    Milliseconds,
}

/// From how many seconds a time limit looks as if it were in milliseconds.
const LONG: f64 = 1000.0;

/// Up to how many milliseconds a time limit looks as if it were in seconds.
const SHORT: f64 = 999.0;

/// Reads a time limit, and tells if it seems to be in the other unit.
///
/// # Errors
/// If it is no number that can be a time.
pub(super) fn timeout(
    agent: Agent,
    node: &Node,
    unit: Unit,
    findings: &mut Findings,
) -> Result<Duration, String> {
    let number = node.number().ok_or("it is no number")?;
    let seconds = match unit {
        Unit::Seconds => number,
        Unit::Milliseconds => number / 1000.0,
    };
    let limit = Duration::try_from_secs_f64(seconds).map_err(|_| "it is no length of time")?;
    match unit {
        Unit::Seconds if number >= LONG => findings.add(
            "milliseconds",
            node.at,
            format!(
                "{agent} counts this time limit in seconds, so that it is {}: it looks like milliseconds",
                humane(limit)
            ),
            format!("write {} if milliseconds are meant", number / 1000.0),
        ),
        Unit::Milliseconds if number > 0.0 && number <= SHORT => findings.add(
            "seconds",
            node.at,
            format!(
                "{agent} counts this time limit in milliseconds, so that it is {}: most hooks are too \
                 slow for it, and then the step goes on",
                humane(limit)
            ),
            format!("write {} if seconds are meant", number * 1000.0),
        ),
        _ => {}
    }
    Ok(limit)
}

/// Says a time for people.
fn humane(limit: Duration) -> String {
    let seconds = limit.as_secs_f64();
    if seconds < 1.0 {
        format!("{} ms", limit.as_millis())
    } else if seconds < 600.0 {
        format!("{seconds} s")
    } else {
        format!("{} minutes", (seconds / 60.0).round())
    }
}

/// Reads the matcher of a group or a hook.
pub(super) fn matcher(node: &Node, findings: &mut Findings) -> Matcher {
    let Some(written) = node.get("matcher") else { return Matcher::default() };
    if written.text().is_none() {
        findings.add(
            "wrong_type",
            written.at,
            "the matcher is no text, so the agent drops the hook",
            "the hook is imported without it",
        );
    }
    Matcher { text: written.text().map(str::to_owned), at: written.at }
}

/// Tells of keys that the agent does not know, which it ignores or drops the hook for.
pub(super) fn tell_unknown_keys(
    agent: Agent,
    node: &Node,
    known: &[&str],
    then: &str,
    findings: &mut Findings,
) {
    for entry in node.entries().iter().filter(|entry| !known.contains(&&*entry.key)) {
        findings.add(
            "unknown_key",
            entry.key_at,
            format!("{agent} has no key `{}` here, and {then}", entry.key),
            "take it out, or correct its name",
        );
    }
}

/// Reads a name.
pub(super) fn name(node: &Node, hook: &mut SourceHook) {
    hook.name = node.text_of("name").or_else(|| node.text_of("id")).map(str::to_owned);
}
