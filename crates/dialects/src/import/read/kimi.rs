//! The configs of Kimi Code: `[[hooks]]`.

use std::time::Duration;

use super::event_of;
use super::handlers::{self, Unit};
use crate::import::agent::Agent;
use crate::import::node::{Entry, Node};
use crate::import::report::Findings;
use crate::import::source::{Command, Handler, Line, Source, SourceHook};

const KEYS: &[&str] = &["event", "matcher", "command", "timeout"];

/// Reads a config.
pub(super) fn read(root: &Node) -> Source {
    let mut source = Source::default();
    for node in root.get("hooks").map_or(&[][..], Node::items) {
        let mut findings = Findings::default();
        let Some(event) = node.entry("event") else {
            dropped(node.at, "a hook needs an `event`", &mut source.findings);
            continue;
        };
        let written = event.node.text().unwrap_or_default().to_owned();
        let entry = Entry { key: written.clone(), key_at: event.node.at, node: event.node.clone() };
        let name = event_of(Agent::Kimi, &entry, &mut findings).unwrap_or(written);
        let command = node.text_of("command").unwrap_or_default();
        let handler = if command.trim().is_empty() {
            dropped(node.at, "a hook needs a `command`", &mut findings);
            Handler::Unknown { kind: "command".to_owned(), detail: String::new() }
        } else {
            let line = Line::Shell("sh", command.to_owned());
            Handler::Command(Command { line, ..Command::default() })
        };
        handlers::tell_unknown_keys(
            Agent::Kimi,
            node,
            KEYS,
            "drops all hooks of the file for it, with a warning",
            &mut findings,
        );
        let mut hook = SourceHook::new(node.at, name, handler);
        hook.matcher = handlers::matcher(node, &mut findings);
        hook.timeout = Duration::from_secs(30);
        if let Some(limit) = node.get("timeout") {
            match handlers::timeout(Agent::Kimi, limit, Unit::Seconds, &mut findings) {
                Ok(read) if (1.0..=600.0).contains(&read.as_secs_f64()) => {
                    (hook.timeout, hook.timeout_is_given) = (read, true);
                }
                _ => dropped(limit.at, "a time limit is 1 to 600 seconds", &mut findings),
            }
        }
        hook.findings = findings;
        source.hooks.push(hook);
    }
    source
}

fn dropped(at: usize, what: &str, findings: &mut Findings) {
    findings.add(
        "dropped",
        at,
        format!("{what}; Kimi Code drops all hooks of the file for it, with a warning"),
        "correct it; the hook is imported as it is meant, as far as that can be told",
    );
}
