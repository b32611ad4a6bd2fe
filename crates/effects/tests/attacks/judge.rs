//! The shipped policies, and what they say of a line.

use std::path::{Path, PathBuf};

use hookgate::config::Loader;
use hookgate::testing::tool_call;
use hookgate::{Engine, HookEngine, Outcome, StepContext};
use hookgate_effects::conditions;
use hookgate_test_support::registry;

use super::goal::Goal;

/// A shipped policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Policy {
    DangerousShell,
    Guardrails,
}

impl Policy {
    const ALL: [(Self, &'static str); 2] = [
        (Self::DangerousShell, "examples/policies/dangerous-shell/hooks.toml"),
        (Self::Guardrails, "examples/guardrails/hooks.toml"),
    ];
}

/// A line that is known to be allowed though it does harm.
pub(crate) struct Limit {
    pub(crate) goal: Goal,
    pub(crate) line: String,
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The texts of the policies. They are read before anything is mounted over them.
pub(crate) fn sources() -> Vec<(Policy, String)> {
    let read = |file: &str| {
        let text = std::fs::read_to_string(repository().join(file)).expect("a policy");
        // What protects the configs is handed in by the program, and no attack here is about them.
        let hooks = text.split("[[hook]]").filter(|hook| !hook.contains("\"protect_config\""));
        hooks.collect::<Vec<_>>().join("[[hook]]")
    };
    Policy::ALL.iter().map(|(policy, file)| (*policy, read(file))).collect()
}

/// The lines in the section "Lines that do harm and are allowed" of `docs/shell.md`: `| GOAL | LINE | why |`.
pub(crate) fn known_limits() -> Vec<Limit> {
    let text = std::fs::read_to_string(repository().join("docs/shell.md")).expect("docs/shell.md");
    let (_, section) =
        text.split_once("## Lines that do harm and are allowed").expect("the section");
    let section = section.split("\n## ").next().unwrap_or_default();
    let limit = |row: &str| {
        let (goal, rest) = row.strip_prefix("| ")?.split_once(" | `")?;
        let goal = Goal::ALL.into_iter().find(|one| one.name() == goal)?;
        let (line, _) = rest.split_once("` | ")?;
        Some(Limit { goal, line: line.replace("\\|", "|") })
    };
    section.lines().filter_map(limit).collect()
}

/// A policy with the same hooks, of which none matches anything.
pub(crate) fn without_rules(text: &str) -> String {
    let policy: toml::Table = toml::from_str(text).expect("the policy is TOML");
    let hooks = policy["hook"].as_array().expect("a list of hooks");
    let emptied = hooks.iter().map(|hook| {
        let id = hook["id"].as_str().expect("an id");
        format!(
            "[[hook]]\nid = \"{id}\"\nevent = \"pre_tool_use\"\nruns = \"no-such-program\"\n\
             builtin = {{ name = \"deny\", reason = \"none\" }}\n"
        )
    });
    emptied.collect()
}

/// A policy that is in force.
pub(crate) struct Judge {
    pub(crate) policy: Policy,
    engine: Engine,
}

impl Judge {
    pub(crate) fn new(policy: Policy, text: &str) -> Self {
        let registry = registry();
        for kind in conditions::kinds_at_home(Some("/mnt/home".into())) {
            registry.add_condition(kind).expect("the names are free");
        }
        let loaded = Loader::new(&registry).parse("hooks.toml", text, Path::new("/mnt/home"));
        Self { policy, engine: Engine::new(loaded.expect("the policy is valid").table) }
    }

    /// Whether the policy says that it stops this at all.
    pub(crate) const fn promises(&self, goal: Goal) -> bool {
        match self.policy {
            Policy::DangerousShell => true,
            Policy::Guardrails => matches!(goal, Goal::Delete | Goal::GitHook | Goal::History),
        }
    }

    /// Whether the policy lets a line run without a question.
    pub(crate) fn allows(&self, line: &str) -> bool {
        let step = tool_call("Bash").input("command", line).step();
        let context = StepContext::new("s").cwd("/mnt/proj");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let gate = runtime.expect("a runtime").block_on(self.engine.dispatch(step, &context));
        gate.outcome() == Outcome::Allow
    }
}
