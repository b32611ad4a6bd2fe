//! Policies about branches, pushes and tests that passed, through a real engine, in real repositories.

use std::sync::Arc;

use hookgate::config::Loader;
use hookgate::envelope::Incoming;
use hookgate::{Engine, Registry};
use hookgate_conditions::{Conditions, MemoryHistory};
use hookgate_effects::conditions;
use serde_json::{Value, json};

use super::known_lines::{COMMITS, WORLD};
use super::world::World;

struct Host(Engine);

impl Host {
    fn new(policy: &str, home: &str) -> Self {
        let registry = Registry::from_iter([hookgate::builtin::kind()]);
        let kinds = Conditions::new(Arc::new(MemoryHistory::new())).kinds();
        for kind in kinds.into_iter().chain(conditions::kinds_at_home(Some(home.into()))) {
            registry.add_condition(kind).unwrap();
        }
        let loaded = Loader::new(&registry).parse("hooks.toml", policy, ".".as_ref());
        Self(Engine::new(loaded.unwrap().table))
    }

    /// The outcome of a step.
    fn step(&self, step: Value) -> String {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let Value::Object(step) = step else { panic!("{step}") };
        let mut incoming = Incoming::from_object(step).unwrap();
        let report = runtime.block_on(self.0.evaluate(&mut incoming));
        report.decision.name().to_owned()
    }

    fn asks(&self, line: &str, cwd: &str) -> String {
        self.step(json!({
            "hook_event_name": "pre_tool_use", "session_id": "s", "cwd": cwd, "tool_name": "Bash",
            "tool_input": {"command": line},
        }))
    }

    fn ran(&self, line: &str) {
        self.step(json!({
            "hook_event_name": "post_tool_use", "session_id": "s", "cwd": "/home/u/p", "tool_name": "Bash",
            "tool_input": {"command": line}, "tool_response": "ok",
        }));
    }
}

#[test]
fn a_commit_is_judged_by_its_own_branch() {
    let world = World::new(WORLD);
    let policy = include_str!("../../../../examples/policies/07-no-commit-on-main/hooks.toml");
    let host = Host::new(policy, &world.path("home"));
    for (line, session, branch) in COMMITS {
        let expected = match *branch {
            "main" => "deny",
            mixed if mixed.split('|').any(|one| matches!(one, "main" | "?")) => "ask",
            _ => "allow",
        };
        let decision = host.asks(line, &world.path(&format!("w/{session}")));
        assert_eq!(decision, expected, "{session}: {line}");
    }
    // Its own advice is taken.
    let decision = host.asks("git switch -c NAME && git commit -m x", &world.path("w/m"));
    assert_eq!(decision, "allow");
}

#[test]
fn conditions_on_a_place_hold_for_one_command() {
    let world = World::new(WORLD);
    let both = r#"
[[hook]]
id = "h"
event = "pre_tool_use"
runs = ["git commit", "git push"]
not = { git_branch = ["feature", "topic"] }
cwd_glob = "**/w/*"
builtin = { name = "deny", reason = "{{ effect }}" }
"#;
    let host = Host::new(both, &world.path("home"));
    let decision =
        |line: &str, session: &str| host.asks(line, &world.path(&format!("w/{session}")));
    assert_eq!(decision("git commit", "m"), "deny");
    assert_eq!(decision("git commit", "f"), "allow");
    assert_eq!(decision("cd ../f && git commit; cd ../m && git push", "f"), "deny");
    assert_eq!(decision("cd ../f && git commit; cd ../m && git status", "f"), "allow");
    // Not the folder that is asked for.
    assert_eq!(decision("cd sub && git commit", "m"), "allow");
    // A file belongs to the repository that it lies in.
    let writes = r#"
[[hook]]
id = "h"
event = "pre_tool_use"
writes = "**"
git_branch = "main"
builtin = { name = "deny", reason = "{{ effect }}" }
"#;
    let host = Host::new(writes, &world.path("home"));
    let decision =
        |line: &str, session: &str| host.asks(line, &world.path(&format!("w/{session}")));
    assert_eq!(decision("echo x > ../m/sub/file", "f"), "deny");
    assert_eq!(decision("echo x > ../f/file", "m"), "allow");
    assert_eq!(decision("git switch -c new && echo x > file", "m"), "allow");
}

/// No push to main unless tests passed in this session.
const WISH: &str = r#"
[[hook]]
id = "tested"
event = "post_tool_use"
runs = ["cargo test|nextest", "npm test"]
mark = "tested"
builtin = "audit"

[[hook]]
id = "no-untested-push"
event = "pre_tool_use"
pushes = "main"
not = { marked = "tested" }
builtin = { name = "deny", reason = "run the tests first" }
"#;

#[test]
fn nothing_is_pushed_unless_tests_passed() {
    let world = World::new(WORLD);
    for (line, expected) in [
        ("cargo test || true", "deny"),
        ("cargo test; true", "deny"),
        ("cargo test --no-run", "deny"),
        ("cargo test --help", "deny"),
        ("cargo test > /dev/null &", "deny"),
        ("cargo test | tee log", "deny"),
        ("! cargo test", "deny"),
        ("if cargo test; then :; fi", "deny"),
        ("pwsh -c 'cargo test; echo done'", "deny"),
        ("cargo test", "allow"),
        ("cd sub && cargo test && echo done", "allow"),
        ("set -o pipefail; cargo test | tee log", "allow"),
    ] {
        let host = Host::new(WISH, &world.path("home"));
        let push = |line: &str| host.asks(line, &world.path("w/f"));
        assert_eq!(push("git push origin main"), "deny");
        host.ran(line);
        assert_eq!(push("git push origin HEAD:refs/heads/main"), expected, "{line}");
        assert_eq!(push("git push origin topic"), "allow");
    }
}
