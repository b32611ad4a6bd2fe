//! Reads the configs of the agents.

mod copilot;
mod cursor;
mod defect;
mod docker_agent;
mod handlers;
mod kimi;
mod meerkat;
mod nested;

use super::agent::Agent;
use super::document::{Document, Slip};
use super::events;
use super::node::{Entry, Node};
use super::report::Findings;
use super::source::Source;

/// Reads a config. `builtins` are handlers of the host that are builtins here.
pub(super) fn read(agent: Agent, document: &Document, builtins: &[String]) -> Source {
    let root = &document.root;
    let mut source = match agent {
        Agent::Claude | Agent::Codex | Agent::Gemini | Agent::Qwen => nested::read(agent, root),
        Agent::Cursor => cursor::read(root),
        Agent::Copilot => copilot::read(root),
        Agent::Kimi => kimi::read(root),
        Agent::DockerAgent => docker_agent::read(root),
        Agent::Meerkat => meerkat::read(root, builtins),
        Agent::Defect => defect::read(root),
    };
    for (at, slip) in &document.slips {
        tell_slip(agent, *at, *slip, &mut source.findings);
    }
    source
}

/// Tells what an agent does with a file that is not quite in its format.
fn tell_slip(agent: Agent, at: usize, slip: Slip, findings: &mut Findings) {
    let what = match slip {
        Slip::Comment => "a comment",
        Slip::TrailingComma => "a comma before a closing bracket",
        Slip::ByteOrderMark => "a byte order mark",
    };
    let done = match (agent, slip) {
        (Agent::Gemini | Agent::Qwen, Slip::Comment) | (Agent::Qwen, Slip::ByteOrderMark) => return,
        (Agent::Gemini | Agent::Qwen, _) => "it refuses to start",
        (Agent::Codex, _) => "it drops the whole file with a warning, and no hook runs",
        (Agent::Copilot, _) => "it drops the whole file without a word, and no hook runs",
        (Agent::Claude, _) => "it reports the file and goes on without it, so that no hook runs",
        (Agent::Cursor, _) => "the file cannot be read, and no hook runs",
        _ => return,
    };
    findings.add(
        "unreadable",
        at,
        format!("{what} is no JSON for {agent}: {done}"),
        "take it out; the hooks are imported as they are meant",
    );
}

/// Finds the event of a key, and tells if it is a wrong name. `None` if nobody knows what is meant.
fn event_of(agent: Agent, entry: &Entry, findings: &mut Findings) -> Option<String> {
    if events::find(agent, &entry.key).is_some() {
        return Some(entry.key.clone());
    }
    let name = &entry.key;
    let meant = events::meant(agent, name);
    let advice = match meant {
        Some(meant) => format!("its hooks are imported for `{meant}`, which seems to be meant"),
        None => {
            "they stand in the file as comments; give them an event of `hookgate events`".to_owned()
        }
    };
    let done = match agent {
        Agent::Kimi => "it drops all hooks of the file then",
        Agent::Defect => "it does not start then",
        _ => "none of them ever runs",
    };
    findings.add(
        "unknown_event",
        entry.key_at,
        format!("{agent} has no event `{name}`, and {done}"),
        advice,
    );
    meant.map(str::to_owned)
}

/// Tells of keys that stand twice: parsers keep the last one.
fn tell_duplicates(node: &Node, what: &str, findings: &mut Findings) {
    for (index, entry) in node.entries().iter().enumerate() {
        let later = node.entries().iter().skip(index + 1).any(|other| other.key == entry.key);
        if later {
            findings.add(
                "duplicate_key",
                entry.key_at,
                format!("{what} `{}` stands again below, and only the last one counts", entry.key),
                "join the two; here both are imported",
            );
        }
    }
}
