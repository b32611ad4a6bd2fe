//! Matchers that never match.

use regex::Regex;
use serde_json::Value;

use super::Subject;
use crate::commands::doctor::report::Finding;

pub(super) fn check(subject: Subject<'_>) -> Vec<Finding> {
    let title = subject.dialect.title();
    let mut findings = Vec::new();
    for hook in &subject.content.hooks {
        let Some(matcher) = hook.matcher.as_ref().and_then(Value::as_str) else { continue };
        let event = &hook.event;
        if never_matches(subject.profile.name, event, matcher) {
            findings.push(Finding::open(
                format!("the matcher `{matcher}` at {event} never matches in {title}: its hooks never run"),
                "remove the matcher: without one a hook always runs",
            ));
        } else if hook.calls_hookgate() && !matches_all(matcher) {
            findings.push(Finding::open(
                format!("hookgate is called for `{matcher}` only at {event}"),
                "remove the matcher: the policy says which tools it is about",
            ));
        }
    }
    findings
}

fn matches_all(matcher: &str) -> bool {
    ["", "*", ".*"].contains(&matcher.trim())
}

fn never_matches(agent: &str, event: &str, matcher: &str) -> bool {
    let is_camel = event.starts_with(|letter: char| letter.is_ascii_lowercase());
    match agent {
        "copilot" if is_camel && matches_all(matcher) => matcher != ".*",
        "copilot" => matcher.is_empty() || (matcher != "*" && Regex::new(matcher).is_err()),
        "kimi" => matcher == "*" || Regex::new(matcher).is_err(),
        "codex" | "gemini" | "qwen" | "claude" => {
            !matches_all(matcher) && !is_list(matcher) && is_no_regex(matcher)
        }
        _ => false,
    }
}

/// Names with signs between them, which is not read as a regex.
fn is_list(matcher: &str) -> bool {
    matcher.chars().all(|letter| letter.is_alphanumeric() || "_|-, ".contains(letter))
}

/// Whether it is a regex nowhere. Those of JavaScript know more than ours: look around, back references.
fn is_no_regex(matcher: &str) -> bool {
    let beyond = ["(?=", "(?!", "(?<=", "(?<!", "\\1", "\\2", "\\k<"];
    Regex::new(matcher).is_err() && !beyond.iter().any(|sign| matcher.contains(sign))
}
