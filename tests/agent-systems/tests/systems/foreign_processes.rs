//! The programs of foreign hooks run for real, and nothing that they do with their pipes or their children
//! hangs the host.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hookgate_agent_systems::claude::ClaudeSystem;
use hookgate_agent_systems::foreign::{
    EventRun, ForeignHooks, ForeignVerdict, HookStatus, Host, Layer, RunEnd, Services,
};
use serde_json::{Map, Value, json};

/// The hooks of a settings file with one command before each tool.
fn hooks(folder: &Path, command: &str, more: Value) -> ForeignHooks {
    let mut handler = json!({"type": "command", "command": command});
    handler.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let settings = json!({"hooks": {"PreToolUse": [{"hooks": [handler]}]}});
    let layer =
        Layer { name: "project".to_owned(), file: "settings.json".to_owned(), content: settings };
    let host = Host {
        cwd: folder.to_owned(),
        project: folder.to_owned(),
        env: vec![
            ("PATH".to_owned(), std::env::var("PATH").unwrap()),
            ("TMPDIR".to_owned(), folder.to_string_lossy().into_owned()),
        ],
        interactive: true,
        facts: Map::new(),
    };
    let hooks = ForeignHooks::load(Arc::new(ClaudeSystem), &[layer], host, Services::default());
    assert_eq!(hooks.config().warnings, []);
    hooks
}

fn step(command: &str) -> Map<String, Value> {
    let step = json!({"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash",
        "tool_input": {"command": command}, "tool_use_id": "u"});
    step.as_object().unwrap().clone()
}

async fn run(folder: &Path, command: &str, more: Value, input: &Map<String, Value>) -> EventRun {
    hooks(folder, command, more).run("PreToolUse", input).await
}

fn is_alive(pid: &str) -> bool {
    // A zombie is dead.
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ")
}

fn wait_for(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[tokio::test]
async fn a_program_that_reads_nothing_of_a_large_input_still_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let large = step(&"x".repeat(4_000_000));
    let run = run(folder.path(), "echo no >&2; exit 2", json!({}), &large).await;
    assert_eq!(run.outcome.verdict, ForeignVerdict::Deny);
    assert_eq!(run.outcome.reason.as_deref(), Some("no"));
    assert_eq!(run.runs[0].run.as_ref().unwrap().end, RunEnd::InputNotRead(2));
}

#[tokio::test]
async fn a_program_that_writes_before_it_reads_does_not_hang() {
    let folder = tempfile::tempdir().unwrap();
    let large = step(&"x".repeat(1_000_000));
    let noisy = "head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2; cat | wc -c >&2; exit 2";
    let run = run(folder.path(), noisy, json!({}), &large).await;
    let raw = run.runs[0].run.as_ref().unwrap();
    assert_eq!(raw.end, RunEnd::Exited(2));
    assert_eq!(raw.stdout.len(), 3_000_000);
    // What goes beyond the limit is read and thrown away.
    assert_eq!((raw.stderr.len(), raw.is_cut), (1024 * 1024, true));
}

#[tokio::test]
async fn the_time_limit_ends_the_program_and_its_children() {
    let folder = tempfile::tempdir().unwrap();
    let command = "sleep 60 & echo $! > child; echo '{\"decision\":\"block\"}'; sleep 60";
    let start = Instant::now();
    let run = run(folder.path(), command, json!({"timeout": 0.5}), &step("ls")).await;
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert!(matches!(run.runs[0].result.status, HookStatus::Timeout(_)));
    // What it had written counts for nothing in this agent, and is there for whoever wants it.
    assert_eq!(run.outcome.verdict, ForeignVerdict::None);
    let raw = run.runs[0].run.as_ref().unwrap();
    assert_eq!(raw.stdout_text(), "{\"decision\":\"block\"}\n");
    let child = std::fs::read_to_string(folder.path().join("child")).unwrap();
    wait_for("the child still runs", || !is_alive(child.trim()));
}

#[tokio::test]
async fn a_child_that_is_left_behind_holds_up_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let command = "sleep 60 & echo $! > child; echo no >&2; exit 2";
    let start = Instant::now();
    let run = run(folder.path(), command, json!({}), &step("ls")).await;
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert_eq!(run.outcome.verdict, ForeignVerdict::Deny);
    // It was started to stay, as under the agent itself.
    let child = std::fs::read_to_string(folder.path().join("child")).unwrap();
    assert!(is_alive(child.trim()));
    let killed = std::process::Command::new("kill").arg(child.trim()).status().unwrap();
    assert!(killed.success());
}

#[tokio::test]
async fn a_run_that_is_given_up_ends_its_program() {
    let folder = tempfile::tempdir().unwrap();
    let hooks = hooks(folder.path(), "sleep 60 & echo $! > child; wait", json!({}));
    let pid = folder.path().join("child");
    let input = step("ls");
    let started = async {
        while std::fs::read_to_string(&pid).map_or(true, |text| text.is_empty()) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::select! {
        _ = hooks.run("PreToolUse", &input) => panic!("it cannot have ended"),
        () = started => {}
    }
    let child = std::fs::read_to_string(&pid).unwrap();
    wait_for("the child still runs", || !is_alive(child.trim()));
}

#[tokio::test]
async fn a_program_gets_the_envelope_and_no_variable_but_those_of_the_host() {
    let folder = tempfile::tempdir().unwrap();
    let run = run(folder.path(), "cat > stdin; env > env", json!({}), &step("ls")).await;
    assert_eq!(run.runs[0].result.status, HookStatus::Ok);
    let stdin = std::fs::read_to_string(folder.path().join("stdin")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&stdin).unwrap(), Value::Object(step("ls")));
    let env = std::fs::read_to_string(folder.path().join("env")).unwrap();
    let names: Vec<_> = env.lines().filter_map(|line| line.split('=').next()).collect();
    assert!(names.contains(&"CLAUDE_PROJECT_DIR"), "{names:?}");
    assert!(!names.iter().any(|name| name.starts_with("CARGO")), "{names:?}");
}

#[tokio::test]
async fn a_program_that_cannot_be_started_is_an_error_and_not_silence() {
    let folder = tempfile::tempdir().unwrap();
    let run = run(folder.path(), "./not-there", json!({"args": []}), &step("ls")).await;
    let HookStatus::Error(why) = &run.runs[0].result.status else { panic!("{:?}", run.runs) };
    assert!(why.contains("`./not-there` cannot be started"), "{why}");
    assert!(!run.runs[0].is_started());
    let gone = folder.path().join("gone");
    let run = self::run(&gone, "true", json!({}), &step("ls")).await;
    let HookStatus::Error(why) = &run.runs[0].result.status else { panic!("{:?}", run.runs) };
    assert!(why.contains("is not there"), "{why}");
}

#[tokio::test]
async fn a_long_text_that_comes_later_goes_to_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let answer = "printf '{\"systemMessage\": \"%012000d\"}' 0";
    let mut run = run(folder.path(), answer, json!({"async": true}), &step("ls")).await;
    run.settle().await;
    let text = run.outcome.effect["delivered_later"]["context"][0].as_str().unwrap();
    let (beginning, place) = text.split_once('\n').unwrap();
    assert_eq!((beginning.len(), place.contains("the whole is in")), (2000, true), "{text}");
}
