//! Promise: `doctor` says what of a policy enforces nothing in an agent, and `check --agent` says which hooks never run
//! there; a policy without such hooks stays well.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::Value;

use crate::install::machine::Machine;
use crate::support::run;

const USERS: &str = "home/.config/hookgate/hooks.toml";

/// A hook that denies, with more keys.
fn deny(id: &str, event: &str, more: &str) -> String {
    format!(
        "[[hook]]\nid = \"{id}\"\nevent = \"{event}\"\n{more}\nbuiltin = {{ name = \"deny\", reason = \"no\" }}\n"
    )
}

const GUARD: &str = "runs = \"rm\"";

/// A machine on which hookgate is installed for its user, with a policy.
fn machine(agent: &str, policy: &str) -> Machine {
    let machine = Machine::new();
    machine.write(USERS, policy);
    machine.install_in(agent, &[]);
    machine
}

/// What doctor says of an agent: each finding as "level: about", and the code.
fn doctor(machine: &Machine, agent: &str) -> (Vec<String>, i32) {
    let done = run(machine.command(&["doctor", "--agent", agent, "--json"]), b"");
    let [report] = done.lines().try_into().unwrap();
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_owned();
    let findings = report["findings"].as_array().unwrap().iter();
    let findings = findings.map(|one| format!("{}: {}", text(one, "level"), text(one, "about")));
    (findings.collect(), done.code())
}

/// What `check --agent` warns about.
fn check(machine: &Machine, agent: &str) -> String {
    let done = run(machine.command(&["check", "--agent", agent, "--json"]), b"");
    assert_eq!(done.code(), 0, "{}", done.err());
    done.lines()[0]["warnings"].to_string()
}

fn is_well(machine: &Machine, agent: &str) {
    assert_eq!(doctor(machine, agent), (Vec::new(), 0), "{agent}");
    let done = run(machine.command(&["doctor", "--agent", agent, "--table"]), b"");
    assert!(done.out().contains("all is well"), "{}", done.out());
}

#[test]
fn a_hook_on_an_event_that_the_agent_never_tells() {
    let only = machine("claude", &deny("x", "pre_llm_request", ""));
    let (findings, code) = doctor(&only, "claude");
    let all = findings.join("\n");
    assert!(all.contains("idle: the hook `x` never runs with Claude Code: Claude Code has no event `pre_llm_request`"), "{all}");
    assert!(all.contains("open: no hook can refuse anything in Claude Code now"), "{all}");
    assert_eq!(code, 2);
    assert!(check(&only, "claude").contains("never runs with claude"));
    // Beside a guard that counts it is told, and the agent is guarded.
    let policy = deny("x", "pre_llm_request", "") + &deny("y", "pre_tool_use", GUARD);
    let both = machine("claude", &policy);
    let (findings, code) = doctor(&both, "claude");
    assert!(findings.len() == 1 && findings[0].starts_with("idle: the hook `x`"), "{findings:?}");
    assert_eq!(code, 0);
    // Another agent tells it; and a hook that has an event more is called.
    assert!(!check(&only, "gemini").contains("never runs"));
    let gemini = machine("gemini", &policy);
    is_well(&gemini, "gemini");
    let events = "event = [\"pre_llm_request\", \"pre_tool_use\"]";
    let more = deny("x", "pre_llm_request", "").replacen("event = \"pre_llm_request\"", events, 1);
    let more = deny("y", "pre_tool_use", GUARD) + &more;
    is_well(&machine("claude", &more), "claude");
}

#[test]
fn one_event_of_an_agent_may_tell_of_several() {
    for (agent, event) in [
        ("gemini", "post_tool_use_failure"),
        ("cline", "post_tool_use_failure"),
        ("opencode", "post_tool_use"),
    ] {
        let policy = deny("y", "pre_tool_use", "")
            + &format!("[[hook]]\nid = \"x\"\nevent = \"{event}\"\nbuiltin = \"audit\"\n");
        let machine = machine(agent, &policy);
        assert!(!check(&machine, agent).contains("never runs"), "{agent}");
        assert_eq!(doctor(&machine, agent).0, Vec::<String>::new(), "{agent}");
    }
}

#[test]
fn a_hook_on_a_tool_that_the_agent_does_not_have() {
    for (tool, told) in [
        ("tool = \"run_shell_command\"", "Claude Code has no tool `run_shell_command`"),
        ("tool = [\"run_shell_command\", \"read_file\"]", "`read_file` or `run_shell_command`"),
        ("tool_glob = \"run_*_command\"", "`run_shell_command`"),
        ("any = [{ tool = \"run_shell_command\" }, { tool = \"exec_command\" }]", "`exec_command`"),
    ] {
        let machine = machine("claude", &deny("x", "pre_tool_use", tool));
        let (findings, code) = doctor(&machine, "claude");
        let all = findings.join("\n");
        assert!(
            all.contains("idle: the hook `x` never runs") && all.contains(told),
            "{tool}: {all}"
        );
        assert_eq!(code, 2, "{tool}");
        assert!(check(&machine, "claude").contains(told), "{tool}");
    }
    for tool in [
        "tool = \"Bash\"",
        "tool = [\"run_shell_command\", \"Bash\"]",
        "tool = [\"run_shell_command\", \"mcp__db__query\"]",
        "tool = \"mcp__db__query\"",
        "tool = \"ToolOfTomorrow\"",
        "tool = [\"run_shell_command\", \"ToolOfTomorrow\"]",
        "tool = \"mcp__filesystem__*\"",
        "tool = \"!Bash\"",
        "any = [{ tool = \"run_shell_command\" }, { runs = \"rm\" }]",
        GUARD,
    ] {
        let machine = machine("claude", &deny("x", "pre_tool_use", tool));
        assert!(!check(&machine, "claude").contains("never runs"), "{tool}");
        is_well(&machine, "claude");
    }
    is_well(
        &machine("gemini", &deny("x", "pre_tool_use", "tool = \"run_shell_command\"")),
        "gemini",
    );
}

#[test]
fn a_hook_at_an_event_where_hookgate_is_not_installed() {
    let policy = deny("x", "worktree_create", "") + &deny("y", "pre_tool_use", GUARD);
    let (findings, _) = doctor(&machine("claude", &policy), "claude");
    let told = "does not call hookgate at `WorktreeCreate`";
    assert!(
        findings.iter().any(|one| one.starts_with("idle") && one.contains(told)),
        "{findings:?}"
    );
}

#[test]
fn what_check_warns_about_is_counted() {
    for dead in ["tool = \"Raed\"", "when = { until = \"2001-01-01\" }"] {
        let policy = deny("x", "pre_tool_use", dead) + &deny("y", "pre_tool_use", GUARD);
        let machine = machine("claude", &policy);
        let (findings, code) = doctor(&machine, "claude");
        let told = "doubt: `hookgate check` has 1 warning: ";
        assert!(findings.len() == 1 && findings[0].starts_with(told), "{dead}: {findings:?}");
        assert_eq!(code, 0, "{dead}");
        let screen = run(machine.command(&["doctor", "--agent", "claude", "--table"]), b"");
        assert!(screen.out().contains("`hookgate check --agent claude`"), "{}", screen.out());
    }
}

#[test]
fn hooks_that_count_from_a_later_day_on() {
    for later in ["enforce_after = \"2206-01-01\"", "when = { from = \"2206-01-01\" }"] {
        let alone = machine("claude", &deny("x", "pre_tool_use", later));
        let (findings, code) = doctor(&alone, "claude");
        let told = "idle: the hook `x` enforces nothing before 2206-01-01".to_owned();
        assert!(findings.contains(&told), "{later}: {findings:?}");
        assert!(findings.iter().any(|one| one.starts_with("open: no hook can refuse")));
        assert_eq!(code, 2, "{later}");
        let policy = deny("x", "pre_tool_use", later) + &deny("y", "pre_tool_use", GUARD);
        // That the year is far away is a warning of check, which is counted beside it.
        let warned = "doubt: `hookgate check` has 1 warning: `x`: it begins on 2206-01-01";
        let (findings, code) = doctor(&machine("claude", &policy), "claude");
        let [idle, doubt] = findings.as_slice() else { panic!("{later}: {findings:?}") };
        assert_eq!((idle, code), (&told, 0), "{later}");
        assert!(doubt.starts_with(warned), "{later}: {doubt}");
    }
    is_well(
        &machine("claude", &deny("x", "pre_tool_use", "when = { from = \"2001-01-01\" }")),
        "claude",
    );
}

#[test]
fn hooks_that_cannot_refuse() {
    for mode in ["off", "shadow", "warn"] {
        let policy = deny("x", "pre_tool_use", &format!("mode = \"{mode}\""));
        let (findings, code) = doctor(&machine("claude", &policy), "claude");
        let told = format!(
            "open: no hook can refuse anything in Claude Code now: 1 hook in force (mode {mode})"
        );
        assert!(findings.contains(&told), "{mode}: {findings:?}");
        assert_eq!(code, 2, "{mode}");
        // One hook that counts is enough.
        let policy = policy + &deny("y", "pre_tool_use", GUARD);
        is_well(&machine("claude", &policy), "claude");
    }
    let audit = "[[hook]]\nid = \"x\"\nevent = \"pre_tool_use\"\nbuiltin = \"audit\"\n";
    let (findings, code) = doctor(&machine("claude", audit), "claude");
    assert!(findings.iter().any(|one| one.starts_with("open: no hook can refuse")), "{findings:?}");
    assert_eq!(code, 2);
}

#[test]
fn a_policy_that_others_can_change() {
    let set =
        |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    for (name, mode) in
        [(USERS, 0o666), (USERS, 0o777), ("home/.config/hookgate", 0o777), ("home/.config", 0o777)]
    {
        let machine = machine("claude", &deny("x", "pre_tool_use", GUARD));
        is_well(&machine, "claude");
        set(&machine.file(name), mode);
        let (findings, code) = doctor(&machine, "claude");
        let told = |one: &String| one.starts_with("open: somebody else can change this policy");
        assert!(findings.iter().any(told), "{name} {mode:o}: {findings:?}");
        assert_eq!(code, 2, "{name} {mode:o}");
    }
    for (name, mode) in
        [(USERS, 0o644), (USERS, 0o400), ("home/.config/hookgate", 0o755), ("home", 0o711)]
    {
        let machine = machine("claude", &deny("x", "pre_tool_use", GUARD));
        set(&machine.file(name), mode);
        is_well(&machine, "claude");
    }
    // A link to a file that is the user's own is no fault.
    let machine = machine("claude", &deny("x", "pre_tool_use", GUARD));
    fs::create_dir(machine.file("home/dotfiles")).unwrap();
    fs::rename(machine.file(USERS), machine.file("home/dotfiles/hooks.toml")).unwrap();
    std::os::unix::fs::symlink(machine.file("home/dotfiles/hooks.toml"), machine.file(USERS))
        .unwrap();
    is_well(&machine, "claude");
}

/// Only who may give files to any group can set it up.
#[test]
fn a_policy_that_a_group_of_others_can_change() {
    let machine = machine("claude", &deny("x", "pre_tool_use", GUARD));
    let file = machine.file(USERS);
    if std::os::unix::fs::chown(&file, None, Some(54321)).is_err() {
        return;
    }
    fs::set_permissions(&file, fs::Permissions::from_mode(0o664)).unwrap();
    let (findings, code) = doctor(&machine, "claude");
    assert!(findings.iter().any(|one| one.contains("a group that is not yours")), "{findings:?}");
    assert_eq!(code, 2);
}

/// Without a name it is told once, of the machine.
#[test]
fn what_is_so_in_every_agent_is_told_once() {
    let machine = machine("claude", &deny("x", "pre_tool_use", "mode = \"shadow\""));
    let done = run(machine.command(&["doctor", "--json"]), b"");
    let told = done.out().matches("no hook can refuse").count();
    assert_eq!((told, done.code()), (1, 0), "{}", done.out());
}
