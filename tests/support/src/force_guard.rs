//! A guard against force pushes, as a script, and what it must do.

/// What it stops.
pub const PUSH: &str = "git push --force";

/// The guard.
pub const SCRIPT: &str =
    "#!/bin/sh\nif grep -q -e --force; then\n  echo 'no force' >&2\n  exit 2\nfi\n";

/// The canaries of its hook: what it must stop, and what it must let pass.
pub const CANARY: &str = r#"
canary = [
    { step = { tool_name = "Bash", tool_input = { command = "git push --force" } }, decision = "deny" },
    { step = { tool_name = "Bash", tool_input = { command = "git push" } }, decision = "allow" },
]
"#;
