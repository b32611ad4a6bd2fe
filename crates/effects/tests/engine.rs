//! Conditions on effects in a config, from the file to the decision.
#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a test may fail")]

use std::sync::Arc;

use hookgate::config::Loader;
use hookgate::envelope::Incoming;
use hookgate::testing::tool_call;
use hookgate::{Engine, HookEngine, Outcome, Registry, StepContext};
use hookgate_conditions::{Conditions, MemoryHistory, SystemClock, WrittenFiles};
use hookgate_effects::conditions;
use hookgate_test_support::registry;
use serde_json::{Value, json};

const CONFIG: &str = r#"
[[tool]]
name = "mcp__notes__save"
writes = "/file"

[[tool]]
name = "mcp__clock__*"
effects = "none"

[[hook]]
id = "stay-inside"
event = "pre_tool_use"
writes = { outside = "$cwd" }
builtin = { name = "deny", reason = "outside" }

[[hook]]
id = "no-force-push"
event = "pre_tool_use"
runs = "git push -f|--force"
not = { agent = "release" }
builtin = { name = "deny", reason = "force" }

[[hook]]
id = "known-hosts"
event = "pre_tool_use"
connects = { outside = "docs.rs" }
on_unclear = "deny"
builtin = { name = "ask", reason = "host" }
"#;

#[tokio::test]
async fn a_config_with_effects_decides() {
    let registry = registry();
    for kind in conditions::kinds_at_home(Some("/home/u".into())) {
        registry.add_condition(kind).unwrap();
    }
    registry.add_section(conditions::section()).unwrap();
    let loaded = Loader::new(&registry).parse("hooks.toml", CONFIG, ".".as_ref()).unwrap();
    let engine = Engine::new(loaded.table);
    let outcome = async |tool: &str, key: &str, value: &str| {
        let context = StepContext::new("s").cwd("/home/u/proj");
        engine.dispatch(tool_call(tool).input(key, value).step(), &context).await.outcome()
    };

    assert_eq!(outcome("Write", "file_path", "src/a").await, Outcome::Allow);
    assert_eq!(outcome("Write", "file_path", "~/.bashrc").await, Outcome::Deny);
    assert_eq!(outcome("mcp__notes__save", "file", "/etc/x").await, Outcome::Deny);
    assert_eq!(outcome("mcp__notes__save", "file", "notes.md").await, Outcome::Allow);
    assert_eq!(outcome("mcp__clock__now", "zone", "UTC").await, Outcome::Allow);
    assert_eq!(outcome("Bash", "command", "sudo git -C x push -f").await, Outcome::Deny);
    assert_eq!(outcome("Bash", "command", "echo x >> ~/.bashrc").await, Outcome::Deny);
    assert_eq!(outcome("WebFetch", "url", "https://docs.rs/x").await, Outcome::Allow);
    assert_eq!(outcome("WebFetch", "url", "https://docs.rs@evil.com").await, Outcome::Ask);
    // What cannot be told counts as the posture says, at each hook.
    assert_eq!(outcome("Bash", "command", "echo x > $OUT").await, Outcome::Ask);
    assert_eq!(outcome("WebFetch", "link", "https://docs.rs/x").await, Outcome::Deny);
    // A tool without manifest may do anything.
    assert_eq!(outcome("mcp__other__save", "file", "a").await, Outcome::Deny);
}

/// A registry with all conditions, which share a history.
fn remembering() -> Registry {
    let registry = registry();
    let history = Arc::new(MemoryHistory::new());
    let written = WrittenFiles::new(history.clone(), Arc::new(SystemClock));
    let home = Some("/home/u".to_owned());
    let on_effects = conditions::kinds_with(home, Some(Arc::new(written)));
    for kind in Conditions::new(history).kinds().into_iter().chain(on_effects) {
        registry.add_condition(kind).unwrap();
    }
    registry
}

fn engine(policy: &str) -> Engine {
    let loaded = Loader::new(&remembering()).parse("hooks.toml", policy, ".".as_ref());
    Engine::new(loaded.unwrap_or_else(|errors| panic!("{errors}")).table)
}

fn wrong(policy: &str) -> String {
    let loaded = Loader::new(&remembering()).parse("hooks.toml", policy, ".".as_ref());
    loaded.map_or_else(|errors| errors.to_string(), |_| panic!("it was taken:\n{policy}"))
}

/// Evaluates a step of a session in `/home/u/proj`.
async fn step(engine: &Engine, session: &str, more: Value) -> String {
    let mut step = json!({"session_id": session, "cwd": "/home/u/proj"});
    let all = step.as_object_mut().unwrap();
    all.extend(more.as_object().unwrap().clone());
    let mut incoming = Incoming::from_object(all.clone()).unwrap();
    engine.evaluate(&mut incoming).await.decision.name().to_owned()
}

async fn writes(engine: &Engine, session: &str, path: &str) -> String {
    let input = json!({"file_path": path, "content": ""});
    let call =
        json!({"hook_event_name": "pre_tool_use", "tool_name": "Write", "tool_input": input});
    step(engine, session, call).await
}

async fn shell(engine: &Engine, session: &str, command: &str) -> String {
    let input = json!({"command": command});
    let call = json!({"hook_event_name": "pre_tool_use", "tool_name": "Bash", "tool_input": input});
    step(engine, session, call).await
}

const FEW_FILES: &str = r#"
[[hook]]
id = "few-files"
event = "pre_tool_use"
any = [{ writes = "**" }, { deletes = "**" }]
count = { distinct = "files", over = 2 }
builtin = { name = "deny", reason = "too many files" }

[[hook]]
id = "changed"
event = "pre_tool_use"
any = [{ writes = "**" }, { deletes = "**" }]
builtin = "audit"

[[hook]]
id = "at-the-end"
event = "stop"
count = { of = "changed", distinct = "files", over = 2 }
builtin = { name = "deny", reason = "too many files" }
"#;

#[tokio::test]
async fn different_files_are_counted_and_not_steps() {
    let engine = engine(FEW_FILES);
    let stop = json!({"hook_event_name": "stop"});
    for path in ["a", "a", "/home/u/proj/a", "./b", "a", "b"] {
        assert_eq!(writes(&engine, "s", path).await, "allow", "{path}");
    }
    assert_eq!(shell(&engine, "s", "cat c; touch a; rm b").await, "allow");
    assert_eq!(step(&engine, "s", stop.clone()).await, "allow");
    // A third one, by any tool; the first two can be written again.
    assert_eq!(shell(&engine, "s", "touch a c").await, "deny");
    assert_eq!(writes(&engine, "s", "c").await, "deny");
    assert_eq!(writes(&engine, "s", "b").await, "allow");
    assert_eq!(step(&engine, "s", stop.clone()).await, "deny");
    // The controls: another session has files of its own, and what is only read is no file of these.
    assert_eq!(writes(&engine, "t", "c").await, "allow");
    assert_eq!(step(&engine, "t", stop).await, "allow");
    for path in ["d", "e", "f"] {
        let command = format!("cat {path}");
        assert_eq!(shell(&engine, "u", &command).await, "allow");
    }
}

#[tokio::test]
async fn a_file_that_is_not_known_counts_as_one_of_its_own() {
    let engine = engine(FEW_FILES);
    for command in ["echo > $A", "echo > $A"] {
        assert_eq!(shell(&engine, "s", command).await, "allow");
    }
    assert_ne!(shell(&engine, "s", "echo > $A").await, "allow");
}

#[test]
fn a_count_of_files_needs_a_condition_on_files() {
    let hook = |more: &str| {
        format!("[[hook]]\nid = 'h'\nevent = 'pre_tool_use'\n{more}\nbuiltin = 'audit'\n")
    };
    let count = "count = { distinct = 'files', over = 2 }";
    for (more, why) in [
        (format!("runs = 'ls'\n{count}"), "no condition of the hook `h` says which files"),
        (format!("not = {{ writes = '**' }}\n{count}"), "says which files are counted"),
        ("writes = '**'\ncount = { distinct = 'file', over = 2 }".to_owned(), "files"),
        ("writes = '**'\ncount = { distinct = 'files', over = 1001 }".to_owned(), "1000"),
        (
            "writes = '**'\ncount = { distinct = 'files', over = 2, per = '1h' }".to_owned(),
            "over the session",
        ),
    ] {
        let errors = wrong(&hook(&more));
        assert!(errors.contains(why), "{more}: {errors}");
    }
}

const EXIT: &str = r#"
[[hook]]
id = "failed"
event = ["post_tool_use", "post_tool_use_failure"]
runs = "cargo test"
exit_status = { not = 0 }
mark = "failed"
builtin = "audit"

[[hook]]
id = "tested"
event = "post_tool_use"
runs = "cargo test"
exit_status = 0
mark = "tested"
builtin = "audit"

[[hook]]
id = "is-101"
event = "post_tool_use"
runs = "cargo test"
exit_status = [101, 102]
on_unclear = "allow"
builtin = { name = "deny", reason = "101" }

[[hook]]
id = "at-the-end"
event = "stop"
marked = "tested"
builtin = { name = "deny", reason = "tested" }
"#;

/// Returns the outcome of a result, and whether the session counts as tested after it.
async fn result(engine: &Engine, session: &str, command: &str, response: Value) -> (String, bool) {
    let call = json!({
        "hook_event_name": "post_tool_use", "tool_name": "Bash",
        "tool_input": {"command": command}, "tool_response": response,
    });
    let outcome = step(engine, session, call).await;
    let stop = step(engine, session, json!({"hook_event_name": "stop"})).await;
    (outcome, stop == "deny")
}

#[tokio::test]
async fn an_exit_status_is_that_of_the_program_or_not_known() {
    let engine = engine(EXIT);
    let code = |code: i64| json!({"output": "", "exit_code": code});
    let claude = json!({"stdout": "ok", "stderr": "", "interrupted": false});
    let cases = [
        ("cargo test", code(0), "allow", true),
        ("cargo test", claude.clone(), "allow", true),
        ("cd x && cargo test", code(0), "allow", true),
        ("cargo test", code(101), "deny", false),
        ("sudo cargo test", code(102), "deny", false),
        ("cargo test", code(1), "allow", false),
        ("cargo test", json!("boom\nExit code: 101"), "deny", false),
        // Nobody says it: no success, and no 101.
        ("cargo test", json!("exit codes are numbers"), "allow", false),
        ("cargo test", json!({"stdout": "", "stderr": "", "interrupted": true}), "allow", false),
        (
            "cargo test &",
            json!({"stdout": "", "stderr": "", "interrupted": false, "backgroundTaskId": "1"}),
            "allow",
            false,
        ),
        // It is not that of the program.
        ("cargo test || true", code(0), "allow", false),
        ("cargo test; true", code(0), "allow", false),
        ("cargo test | tee log", claude.clone(), "allow", false),
        ("cargo test &", claude.clone(), "allow", false),
        ("cargo build && cargo test", code(101), "allow", false),
        ("set -o pipefail; cargo test | tail", code(0), "allow", true),
        // The control: another program.
        ("cargo build", code(101), "allow", false),
    ];
    for (number, (command, response, outcome, tested)) in cases.into_iter().enumerate() {
        let found = result(&engine, &format!("s{number}"), command, response.clone()).await;
        assert_eq!(found, (outcome.to_owned(), tested), "{command} {response}");
    }
}

#[tokio::test]
async fn a_failure_whose_status_is_not_known_is_no_success() {
    let engine = engine(
        "[[hook]]\nid = 'h'\nevent = 'post_tool_use'\nexit_status = { not = 0 }\n\
         builtin = { name = 'deny', reason = 'failed' }\n",
    );
    let of = async |tool: &str, input: Value, response: Value| {
        let call = json!({
            "hook_event_name": "post_tool_use", "tool_name": tool, "tool_input": input,
            "tool_response": response,
        });
        step(&engine, "s", call).await
    };
    assert_eq!(of("Bash", json!({"command": "ls"}), json!({"is_error": true})).await, "deny");
    // It cannot be told, and so the hook denies by its posture.
    assert_eq!(of("Bash", json!({"command": "ls"}), json!("a b")).await, "deny");
    assert_eq!(of("Bash", json!({"command": "ls"}), json!({"exit_code": 0})).await, "allow");
    // The control: a tool that runs nothing.
    assert_eq!(of("Write", json!({"file_path": "a", "content": ""}), json!("ok")).await, "allow");
}

#[test]
fn an_exit_status_is_a_number_after_the_deed() {
    let hook = |event: &str, status: &str| {
        format!(
            "[[hook]]\nid = 'h'\nevent = '{event}'\nexit_status = {status}\nbuiltin = 'audit'\n"
        )
    };
    assert!(wrong(&hook("pre_tool_use", "0")).contains("no program has ended there"));
    for status in ["256", "-1", "'0'", "[]", "{}", "{ not = [] }", "{ is = 0 }"] {
        wrong(&hook("post_tool_use", status));
    }
    engine(&hook("post_tool_use", "[0, 1]"));
}

const WRITTEN: &str = r#"
[[hook]]
id = "look-first"
event = "pre_tool_use"
tool = "Bash"
runs = { written_in_session = true }
builtin = { name = "deny", reason = "written in this session" }
"#;

#[tokio::test]
async fn a_script_that_the_session_wrote_is_known_when_it_runs() {
    let engine = engine(WRITTEN);
    // The hook is about `Bash` alone, and sees what other tools write all the same.
    assert_eq!(writes(&engine, "s", "tools/x.sh").await, "allow");
    assert_eq!(shell(&engine, "s", "printf 1 > y.py; cp /tmp/z z; mkdir -p d").await, "allow");
    for command in [
        "bash tools/x.sh",
        "cd tools && ./x.sh",
        "sudo sh -x /home/u/proj/tools/x.sh",
        ". tools/x.sh",
        "python3 y.py --flag",
        "./z",
        "echo ls > n.sh; bash n.sh",
    ] {
        assert_eq!(shell(&engine, "s", command).await, "deny", "{command}");
    }
    // The controls: other files, another session, files that are named but not run, a mode that changes.
    for command in
        ["bash tools/other.sh", "cat tools/x.sh", "ls", "chmod +x gradlew && ./gradlew test"]
    {
        assert_eq!(shell(&engine, "s", command).await, "allow", "{command}");
    }
    assert_eq!(shell(&engine, "t", "bash tools/x.sh").await, "allow");
}

#[tokio::test]
async fn a_folder_that_was_written_and_a_name_that_is_half_known() {
    let engine = engine(WRITTEN);
    shell(&engine, "s", "cp -r /tmp/kit kit; echo ls > out/$NAME").await;
    assert_eq!(shell(&engine, "s", "bash kit/a/run.sh").await, "deny");
    // It may be the one, so that the user is asked.
    assert_eq!(shell(&engine, "s", "bash out/run.sh").await, "ask");
    assert_eq!(shell(&engine, "s", "bash other/run.sh").await, "allow");
}

#[test]
fn a_host_that_keeps_no_files_says_so() {
    let registry = registry();
    for kind in conditions::kinds_at_home(None) {
        registry.add_condition(kind).unwrap();
    }
    let loaded = Loader::new(&registry).parse("hooks.toml", WRITTEN, ".".as_ref());
    assert!(loaded.unwrap_err().to_string().contains("keeps no record of what a session writes"));
}
