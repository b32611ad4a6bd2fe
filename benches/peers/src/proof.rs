//! Each system is proven before it is measured: the same twenty calls, the same verdicts, and all hooks ran.

use crate::call::{Arguments, Call};
use crate::hooks::{About, Act, HookSpec};
use crate::system::{System, Verdict};
use crate::work::SMALL;

/// How a system differs from what is expected of it.
#[derive(Debug, thiserror::Error)]
pub enum ProofError {
    /// A verdict is another one.
    #[error("{system}: the call of `{tool}` came to {found:?} instead of {expected:?}")]
    Verdict {
        /// The system.
        system: &'static str,
        /// The tool.
        tool: String,
        /// What the system said.
        found: Verdict,
        /// What it should have said.
        expected: Verdict,
    },
    /// Another number of hooks ran.
    #[error("{system}: at the call of `{tool}` {found} hooks ran instead of {expected}")]
    Runs {
        /// The system.
        system: &'static str,
        /// The tool.
        tool: String,
        /// How many ran.
        found: u64,
        /// How many should have.
        expected: u64,
    },
    /// The system cannot do what every system can.
    #[error("{0}: it has no hooks for all tool calls")]
    NoHooks(&'static str),
}

/// One proof: hooks, calls, and for each call the verdict and how many hooks run.
struct Proof {
    hooks: Vec<HookSpec>,
    calls: Vec<(Call, Verdict, u64)>,
}

/// Proves a system; returns how many calls it evaluated.
///
/// # Errors
/// The first difference.
pub fn prove(system: &dyn System) -> Result<usize, ProofError> {
    let mut proven = 0;
    for (needed, proof) in proofs() {
        let calls: Vec<Call> = proof.calls.iter().map(|(call, ..)| call.clone()).collect();
        let Some(judged) = system.judge(&proof.hooks, &calls) else {
            if needed {
                return Err(ProofError::NoHooks(system.name()));
            }
            continue;
        };
        for ((call, expected, runs), (found, ran)) in proof.calls.into_iter().zip(judged) {
            let (system, tool) = (system.name(), call.tool);
            if found != expected {
                return Err(ProofError::Verdict { system, tool, found, expected });
            }
            if ran != runs {
                return Err(ProofError::Runs { system, tool, found: ran, expected: runs });
            }
            proven += 1;
        }
    }
    Ok(proven)
}

/// The proofs, and whether every system must have such hooks. The first two together are the twenty calls.
fn proofs() -> Vec<(bool, Proof)> {
    vec![
        (true, by_event()),
        (false, by_tool()),
        (false, rewrites()),
        (true, reads(Act::Json)),
        (true, reads(Act::Value)),
        (true, reads(Act::Typed)),
        (true, reads(Act::Ready)),
        (true, reads(Act::Waits)),
        (true, reads(Act::Allow)),
    ]
}

/// Hooks for all tools: two that say nothing, one that denies, and one after it that is never reached.
fn by_event() -> Proof {
    let hooks = vec![
        HookSpec::new("a-silent", About::Every, Act::Silent),
        HookSpec::new("b-waits", About::Every, Act::Waits),
        HookSpec::new("c-elsewhere", About::OtherEvent, Act::Deny),
        HookSpec::new("d-denies", About::Every, Act::Deny),
    ];
    let calls = ["read_file", "write_file", "Bash", "delete_file"];
    Proof { hooks, calls: calls.map(|tool| (Call::new(tool, SMALL), Verdict::Denied, 3)).into() }
}

/// Hooks for some tools, exact and by glob; at most one of them is about each call.
fn by_tool() -> Proof {
    let hooks = vec![
        HookSpec::new("a-no-delete", About::Tool("delete_file".to_owned()), Act::Deny),
        HookSpec::new("b-no-prod", About::Glob("mcp__prod__*".to_owned()), Act::Deny),
        HookSpec::new("c-safe-write", About::Tool("write_file".to_owned()), Act::Rewrite),
        HookSpec::new("d-watch", About::Glob("mcp__dev__*".to_owned()), Act::Waits),
    ];
    let safe = || Verdict::Rewritten(serde_json::json!({ "path": "/tmp/x" }));
    let calls = vec![
        ("read_file", Verdict::Allowed, 0),
        ("delete_file", Verdict::Denied, 1),
        ("delete_files", Verdict::Allowed, 0),
        ("write_file", safe(), 1),
        ("mcp__prod__query", Verdict::Denied, 1),
        ("mcp__prod__", Verdict::Denied, 1),
        ("mcp__production__query", Verdict::Allowed, 0),
        ("mcp__dev__query", Verdict::Allowed, 1),
        ("Bash", Verdict::Allowed, 0),
        ("write_file", safe(), 1),
        ("delete_file", Verdict::Denied, 1),
        ("mcp__dev__list", Verdict::Allowed, 1),
        ("read", Verdict::Allowed, 0),
        ("file_delete_file", Verdict::Allowed, 0),
        ("mcp__prod__drop", Verdict::Denied, 1),
        ("grep", Verdict::Allowed, 0),
    ];
    let calls =
        calls.into_iter().map(|(tool, verdict, runs)| (Call::new(tool, SMALL), verdict, runs));
    Proof { hooks, calls: calls.collect() }
}

/// Two hooks that rewrite, one after the other.
fn rewrites() -> Proof {
    let hooks = crate::cases::numbered(2, crate::cases::every, Act::Rewrite);
    let safe = Verdict::Rewritten(serde_json::json!({ "path": "/tmp/x" }));
    Proof { hooks, calls: vec![(Call::new("write_file", Arguments::Fields(200)), safe, 2)] }
}

/// Ten hooks of one kind that do not stop the call.
fn reads(act: Act) -> Proof {
    let hooks = crate::cases::numbered(10, crate::cases::every, act);
    let calls = [
        Arguments::Fields(64),
        Arguments::Fields(200),
        Arguments::Fields(4 << 10),
        Arguments::Text(4 << 10),
    ]
    .map(|arguments| (Call::new("read_file", arguments), Verdict::Allowed, 10));
    Proof { hooks, calls: calls.into() }
}
