//! Policies about time and history, as people write them, through a real engine.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use hookgate::config::Loader;
use hookgate::envelope::Incoming;
use hookgate::{Engine, HandlerTable, Registry};
use hookgate_conditions::{Conditions, MemoryHistory};
use serde_json::{Value, json};

/// A host with a clock that can be set.
struct Host {
    registry: Registry,
    engine: Engine,
    now: Arc<Mutex<SystemTime>>,
}

impl Host {
    fn new(policy: &str) -> Self {
        let now =
            Arc::new(Mutex::new("2026-11-20T12:00:00Z".parse::<jiff::Timestamp>().unwrap().into()));
        let registry = Registry::from_iter([hookgate::builtin::kind()]);
        let clock = Arc::clone(&now);
        let kinds =
            Conditions::new(Arc::new(MemoryHistory::new())).clock(move || *clock.lock().unwrap());
        for kind in kinds.kinds() {
            registry.add_condition(kind).unwrap();
        }
        let engine = Engine::new(load(&registry, policy));
        Self { registry, engine, now }
    }

    fn reload(&self, policy: &str) {
        self.engine.swap(load(&self.registry, policy));
    }

    fn set_clock(&self, text: &str) {
        *self.now.lock().unwrap() = text.parse::<jiff::Timestamp>().unwrap().into();
    }

    fn pass(&self, seconds: u64) {
        *self.now.lock().unwrap() += Duration::from_secs(seconds);
    }

    /// Evaluates a step and returns its outcome.
    fn step(&self, step: Value) -> String {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let Value::Object(step) = step else { panic!("{step}") };
        let mut incoming = Incoming::from_object(step).unwrap();
        let report = runtime.block_on(self.engine.evaluate(&mut incoming));
        report.decision.name().to_owned()
    }

    fn tool(&self, event: &str, session: &str, tool: &str, input: Value) -> String {
        let mut step = json!({
            "hook_event_name": event, "session_id": session, "cwd": "/home/u/proj", "turn": 1,
            "tool_name": tool, "tool_input": input,
        });
        if event == "post_tool_use" {
            step["tool_response"] = json!("ok");
        }
        if event == "post_tool_use_failure" {
            step["error"] = json!("exit code 101");
        }
        self.step(step)
    }

    fn edit(&self, session: &str) -> String {
        self.tool("post_tool_use", session, "Edit", json!({"file_path": "src/a.rs"}))
    }

    fn test(&self, session: &str) -> String {
        self.tool("post_tool_use", session, "Bash", json!({"command": "cargo test"}))
    }

    fn stop(&self, session: &str) -> String {
        self.step(json!({"hook_event_name": "stop", "session_id": session, "cwd": "/w", "turn": 1}))
    }

    fn read(&self, session: &str, path: &str) -> String {
        self.tool("pre_tool_use", session, "Read", json!({"file_path": path}))
    }
}

fn load(registry: &Registry, policy: &str) -> HandlerTable {
    let loaded = Loader::new(registry).parse("hooks.toml", policy, Path::new("/"));
    loaded.unwrap_or_else(|errors| panic!("{errors}")).table
}

fn wrong(policy: &str) -> String {
    let host = Host::new(TESTED);
    let loaded = Loader::new(&host.registry).parse("hooks.toml", policy, Path::new("/"));
    loaded.map_or_else(|errors| errors.to_string(), |_| panic!("it was taken:\n{policy}"))
}

const TESTED: &str = r#"
[[hook]]
id = "edits"
event = "post_tool_use"
tool = "Edit|Write"
mark = "edited"
builtin = { name = "audit" }

[[hook]]
id = "tests"
event = ["post_tool_use", "post_tool_use_failure"]
tool = "Bash"
input = { "/command" = { regex = 'cargo test' } }
mark = "tested"
builtin = { name = "audit" }

[[hook]]
id = "tested-before-stop"
event = "stop"
marked = { edited = { after = "tested" } }
builtin = { name = "deny", reason = "run the tests: files were edited since" }
"#;

#[test]
fn the_agent_may_stop_only_after_tests_ran_since_the_last_edit() {
    let host = Host::new(TESTED);
    assert_eq!(host.stop("t1"), "allow", "nothing was edited");
    assert_eq!(host.edit("t1"), "allow");
    assert_eq!(host.stop("t1"), "deny");
    assert_eq!(host.stop("t2"), "allow", "another session");
    assert_eq!(host.test("t1"), "allow");
    assert_eq!(host.stop("t1"), "allow");
    host.edit("t1");
    assert_eq!(host.stop("t1"), "deny", "edited again");
}

#[test]
fn a_tool_that_failed_sets_no_mark() {
    let host = Host::new(TESTED);
    host.edit("s");
    host.tool("post_tool_use_failure", "s", "Bash", json!({"command": "cargo test"}));
    assert_eq!(host.stop("s"), "deny");
    let failed = |response: Value| {
        host.step(json!({
            "hook_event_name": "post_tool_use", "session_id": "s", "turn": 1, "tool_name": "Bash",
            "tool_input": {"command": "cargo test"}, "tool_response": response,
        }))
    };
    failed(json!({"stdout": "1 failed", "exit_code": 101}));
    failed(json!("error: test failed\nExit code: 101"));
    assert_eq!(host.stop("s"), "deny");
    failed(json!({"stdout": "ok", "exit_code": 0}));
    assert_eq!(host.stop("s"), "allow");
}

#[test]
fn marks_outlive_a_config_that_is_loaded_again() {
    let host = Host::new(TESTED);
    host.edit("s");
    host.reload(&TESTED.replace("run the tests", "please run the tests"));
    assert_eq!(host.stop("s"), "deny");
}

#[test]
fn which_of_two_marks_of_one_step_came_first_is_not_known() {
    let host = Host::new(&TESTED.replace("\"Edit|Write\"", "\"*\""));
    host.test("s");
    assert_eq!(host.stop("s"), "deny", "unclear, and the user cannot be asked at a stop");
    let told = host
        .engine
        .table()
        .explain(&hookgate::contract::payload::Stop::new(), &hookgate::StepContext::new("s"));
    let why = &told[0].conditions[0].why;
    assert!(why.contains("which came first is not known"), "{why}");
}

#[test]
fn a_hook_whose_conditions_are_unknown_sets_no_mark() {
    let policy = r#"
[[hook]]
id = "tests"
event = "post_tool_use"
when = { from = "1999-01-01" }
git_branch = "main"
mark = "tested"
builtin = { name = "audit" }

[[hook]]
id = "untested"
event = "stop"
not = { marked = "tested" }
builtin = { name = "deny", reason = "test first" }
"#;
    let host = Host::new(policy);
    // Without a folder the branch is not known.
    host.step(json!({
        "hook_event_name": "post_tool_use", "session_id": "s", "turn": 1, "tool_name": "Bash",
        "tool_input": {}, "tool_response": "ok",
    }));
    assert_eq!(host.stop("s"), "deny");
}

#[test]
fn a_mark_is_recent_for_a_time() {
    let policy = r#"
[[hook]]
id = "plans"
event = "post_tool_use"
tool = "terraform_plan"
mark = "planned"
builtin = { name = "audit" }

[[hook]]
id = "plan-before-apply"
event = "pre_tool_use"
tool = "terraform_apply"
not = { marked = { planned = { within = "10m" } } }
builtin = { name = "deny", reason = "plan first" }
"#;
    let host = Host::new(policy);
    let apply = || host.tool("pre_tool_use", "s", "terraform_apply", json!({}));
    assert_eq!(apply(), "deny");
    host.tool("post_tool_use", "s", "terraform_plan", json!({}));
    host.pass(600);
    assert_eq!(apply(), "allow");
    host.pass(1);
    assert_eq!(apply(), "deny");
}

#[test]
fn a_mark_is_seen_from_the_next_step_on_whatever_the_order_of_the_hooks() {
    let hook = |id: &str, more: &str| {
        format!("[[hook]]\nid = \"{id}\"\nevent = \"pre_tool_use\"\n{more}\n")
    };
    let first = "mark = \"seen\"\nbuiltin = { name = \"audit\" }\nrole = \"observe\"";
    let second = "marked = \"seen\"\nbuiltin = { name = \"deny\", reason = \"once\" }";
    for policy in [hook("a", first) + &hook("b", second), hook("b", second) + &hook("a", first)] {
        let host = Host::new(&policy);
        assert_eq!(host.read("s", "x"), "allow");
        assert_eq!(host.read("s", "x"), "deny");
        assert_eq!(host.read("other", "x"), "allow");
    }
}

const OUTSIDE: &str = r#"input = { "/file_path" = { not = { glob = "/home/u/proj/*" } } }"#;

fn few_reads(count: &str) -> String {
    // The count is written first: it is evaluated last all the same.
    format!(
        "[[hook]]\nid = \"few\"\nevent = \"pre_tool_use\"\ntool = \"Read\"\ncount = {count}\n{OUTSIDE}\n\
         builtin = {{ name = \"deny\", reason = \"enough was read outside\" }}\n"
    )
}

#[test]
fn at_most_three_reads_outside_of_the_folder() {
    let host = Host::new(&few_reads("{ over = 3 }"));
    for (path, outcome) in [
        ("/etc/a", "allow"),
        ("/etc/b", "allow"),
        ("/home/u/proj/a", "allow"),
        ("/etc/c", "allow"),
        ("/etc/d", "deny"),
        ("/home/u/proj/b", "allow"),
        ("/etc/e", "deny"),
    ] {
        assert_eq!(host.read("s", path), outcome, "{path}");
    }
    assert_eq!(host.read("t", "/etc/a"), "allow", "another session");
    host.reload(&few_reads("{ over = 5 }"));
    assert_eq!(host.read("s", "/etc/f"), "deny", "counts outlive a config that is loaded again");
}

#[test]
fn a_count_can_begin_again_with_each_turn_or_be_of_the_last_hour() {
    let host = Host::new(&few_reads("{ over = 1, per = \"turn\" }"));
    let read = |turn: u64| {
        host.step(json!({
            "hook_event_name": "pre_tool_use", "session_id": "s", "turn": turn, "tool_name": "Read",
            "tool_input": {"file_path": "/etc/a"},
        }))
    };
    assert_eq!([read(1), read(1), read(2), read(2)], ["allow", "deny", "allow", "deny"]);

    let host = Host::new(&few_reads("{ over = 1, per = \"1h\" }"));
    assert_eq!(host.read("s", "/etc/a"), "allow");
    host.pass(3000);
    assert_eq!(host.read("s", "/etc/a"), "deny");
    host.pass(3500);
    assert_eq!(host.read("s", "/etc/a"), "deny", "proposals count as well");
    host.pass(3601);
    assert_eq!(host.read("s", "/etc/a"), "allow");
}

#[test]
fn a_hook_can_count_another() {
    let policy = format!(
        "[[hook]]\nid = \"reads-outside\"\nevent = \"pre_tool_use\"\ntool = \"Read\"\n{OUTSIDE}\nrole = \"guard\"\n\
         builtin = {{ name = \"ask\", reason = \"outside\" }}\nmode = \"shadow\"\n\
         [[hook]]\nid = \"no-more-shell\"\nevent = \"pre_tool_use\"\ntool = \"*\"\n\
         count = {{ of = \"reads-outside\", over = 1 }}\n\
         builtin = {{ name = \"deny\", reason = \"too much was read\" }}\n"
    );
    let host = Host::new(&policy);
    assert_eq!(host.read("s", "/etc/a"), "allow");
    assert_eq!(host.tool("pre_tool_use", "s", "Bash", json!({"command": "ls"})), "allow");
    assert_eq!(host.read("s", "/etc/b"), "deny", "this step is counted");
    assert_eq!(host.tool("pre_tool_use", "s", "Bash", json!({"command": "ls"})), "deny");
}

#[test]
fn no_writes_in_a_freeze() {
    let policy = r#"
[[hook]]
id = "freeze"
event = "pre_tool_use"
tool = "Bash"
input = { "/command" = { regex = '^kubectl apply\b' } }
when = { days = ["fri-sun"], hours = ["16:00-24:00", "00:00-24:00"], zone = "Europe/Berlin", from = 2026-11-01 }
builtin = { name = "deny", reason = "no changes from Friday to Sunday" }
"#;
    let host = Host::new(policy);
    let apply = |at: &str| {
        host.set_clock(at);
        host.tool("pre_tool_use", "s", "Bash", json!({"command": "kubectl apply -f x"}))
    };
    assert_eq!(apply("2026-11-20T15:30:00Z"), "deny");
    assert_eq!(apply("2026-11-19T22:59:00Z"), "allow");
    assert_eq!(apply("2026-11-19T23:00:00Z"), "deny", "Friday has begun in Berlin");
    assert_eq!(apply("2026-11-23T09:00:00Z"), "allow");
    assert_eq!(apply("2026-10-30T15:30:00Z"), "allow", "before the first day");
}

#[test]
fn no_commit_on_the_main_branch() {
    let folder = tempfile::tempdir().unwrap();
    let git = |args: &[&str]| {
        let status = Command::new("git").current_dir(folder.path()).args(args).status().unwrap();
        assert!(status.success());
    };
    git(&["init", "-q", "-b", "main"]);
    let policy = r#"
[[hook]]
id = "not-on-main"
event = "pre_tool_use"
tool = "Bash"
input = { "/command" = { regex = '^git\b.*\bcommit\b' } }
git_branch = "main"
builtin = { name = "deny", reason = "make a branch" }
"#;
    let host = Host::new(policy);
    let commit = || {
        host.step(json!({
            "hook_event_name": "pre_tool_use", "session_id": "s", "turn": 1, "cwd": folder.path(),
            "tool_name": "Bash", "tool_input": {"command": "git commit -m x"},
        }))
    };
    assert_eq!(commit(), "deny");
    git(&["checkout", "-q", "-b", "topic"]);
    assert_eq!(commit(), "allow");
}

#[test]
fn mistakes_are_found_at_load_with_their_place() {
    let hook = |line: &str| {
        format!(
            "[[hook]]\nid = \"h\"\nevent = \"pre_tool_use\"\n{line}\nbuiltin = {{ name = \"deny\", reason = \"r\" }}\n"
        )
    };
    for (line, part) in [
        (
            "when = { days = [\"mon-fri\", \"sut\"] }",
            "hooks.toml:4:29: `days`: `sut` is not a day; did you mean `sat`?",
        ),
        ("when = { hours = \"9-17\" }", "hooks.toml:4:18: `hours`: "),
        (
            "when = { hours = \"09:00-17:00\", zone = \"Berlin\" }",
            "hooks.toml:4:40: `zone`: `Berlin` is not a time zone; did you mean `Europe/Berlin`?",
        ),
        (
            "git_branch = [\"main\", \"^x$\"]",
            "hooks.toml:4:23: `git_branch`: `^x$` looks like a regular expression",
        ),
        (
            "marked = { edited = { afer = \"tested\" } }",
            "hooks.toml:4:23: unknown key `afer`; did you mean `after`?",
        ),
        ("marked = \"!edited\"", "write not = { marked"),
        ("marked = [\"a\", \"b\"]", "a list could mean any or all"),
        ("marked = { a = { after = \"a\" } }", "a mark is never set after itself"),
        ("marked = { a = {} }", "write marked = \"a\""),
        ("mark = \"was tested\"", "hooks.toml:4:8: `mark`: "),
        ("count = { of = \"h2\" }", "`over` is missing"),
        ("count = { over = -1 }", "must be 0 to 10000"),
        ("count = { over = 1, per = \"trun\" }", "did you mean `turn`?"),
        ("count = { of = \"hh\", over = 1 }", "`hh`"),
        ("not = { count = { over = 1 } }", "`count`"),
        ("any = [{ mark = \"a\" }]", "`mark`"),
    ] {
        let why = wrong(&hook(line));
        assert!(why.contains(part), "{line}\n{why}");
    }
}

#[test]
fn a_mark_that_no_hook_sets_is_told() {
    let load = |policy: &str| {
        let registry = Registry::from_iter([hookgate::builtin::kind()]);
        for kind in Conditions::new(Arc::new(MemoryHistory::new())).kinds() {
            registry.add_condition(kind).unwrap();
        }
        let loaded = Loader::new(&registry).parse("hooks.toml", policy, Path::new("/")).unwrap();
        let place = |warning: &hookgate::config::ConfigError| {
            format!("{}:{}: {warning}", warning.line(), warning.column())
        };
        loaded.warnings.iter().map(place).collect::<Vec<_>>()
    };
    assert_eq!(load(TESTED), [""; 0]);
    let warnings = load(&TESTED.replace("after = \"tested\"", "after = \"testd\""));
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].starts_with("20:10: "), "{warnings:?}");
    assert!(
        warnings[0].ends_with("no hook sets the mark `testd`; did you mean `tested`?"),
        "{warnings:?}"
    );
    let (edits, stop) = TESTED.split_at(TESTED.rfind("[[hook]]").unwrap());
    assert_eq!(load(&format!("{stop}{edits}")), [""; 0], "the order of hooks does not matter");
}

#[cfg(feature = "expr")]
#[test]
fn a_mistake_in_an_expression_is_found_at_its_character() {
    let policy = "[[hook]]\nid = \"h\"\nevent = \"pre_tool_use\"\nexpr = 'step.tool_name == \"Bash\" && sesion.turn > 3'\n\
                  builtin = { name = \"deny\", reason = \"r\" }\n";
    let why = wrong(policy);
    let part = "hooks.toml:4:37: `expr`: column 29: there is no variable `sesion`; did you mean `session`?";
    assert!(why.contains(part), "{why}");
}

#[cfg(feature = "expr")]
#[test]
fn an_expression_without_an_answer_is_unclear_to_a_static_handler() {
    let policy = "[[hook]]\nid = \"h\"\nevent = \"pre_tool_use\"\nexpr = 'step.tool_input.size > 3'\n\
                  builtin = { name = \"deny\", reason = \"r\" }\n";
    let host = Host::new(policy);
    assert_eq!(host.tool("pre_tool_use", "s", "T", json!({"size": 5})), "deny");
    assert_eq!(host.tool("pre_tool_use", "s", "T", json!({"size": 1})), "allow");
    // Until builtins say that they are static, deny is called.
    assert_ne!(host.tool("pre_tool_use", "s", "T", json!({})), "allow");
}
