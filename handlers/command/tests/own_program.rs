//! Promise: programs are hooks on every system that has programs, and nothing that they start survives them.
//!
//! The other tests of this crate write their hooks for `sh` or Python, which Windows has not. Here the program is this
//! test itself, called with the name of a part.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

use std::fs::{self, OpenOptions};
use std::io::{BufRead as _, Read as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use hookgate_contract::payload::ToolCall;
use hookgate_contract::settings::{Node, Settings};
use hookgate_contract::{
    BuildContext, BuiltHandler, Envelope, FailureClass, Handler, Invocation, Reply, StepContext,
    StepId, Verdict,
};
use serde_json::{Value, json};

/// What comes before the name of a part.
const PART: &str = "part:";

/// How often what is left running writes into its file.
const TICK: Duration = Duration::from_millis(20);

/// How long it is looked for.
const LOOK: Duration = Duration::from_millis(500);

/// How long anything is waited for.
const LONGEST: Duration = Duration::from_secs(60);

type Test = (&'static str, fn());

const TESTS: &[Test] = &[
    ("exit_two_denies_with_stderr_as_the_reason", exit_two_denies),
    ("stdout_is_the_verdict_on_the_envelope", stdout_is_the_verdict),
    ("another_status_is_a_failure", another_status_is_a_failure),
    ("a_worker_answers_many_calls", a_worker_answers_many_calls),
    ("what_a_dropped_call_has_started_ends", what_a_dropped_call_has_started_ends),
    ("orphans_of_a_dropped_call_end", orphans_of_a_dropped_call_end),
    ("what_a_program_leaves_behind_ends_with_it", what_a_program_leaves_behind_ends),
    ("a_replaced_program_is_not_run", a_replaced_program_is_not_run),
    ("what_a_system_cannot_enforce_is_refused", what_a_system_cannot_enforce_is_refused),
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let Some(part) = args.first().and_then(|arg| arg.strip_prefix(PART)) {
        return play(part, args.get(1).map(Path::new));
    }
    if args.iter().any(|arg| arg == "--list") {
        TESTS.iter().for_each(|(name, _)| println!("{name}: test"));
        return ExitCode::SUCCESS;
    }
    let filter = args.iter().find(|arg| !arg.starts_with('-'));
    let chosen = TESTS.iter().filter(|(name, _)| filter.is_none_or(|part| name.contains(&**part)));
    let (mut passed, mut failed) = (0, 0);
    for (name, test) in chosen {
        let is_ok = catch_unwind(AssertUnwindSafe(test)).is_ok();
        println!("test {name} ... {}", if is_ok { "ok" } else { "FAILED" });
        *if is_ok { &mut passed } else { &mut failed } += 1;
    }
    println!(
        "test result: {}. {passed} passed; {failed} failed",
        if failed == 0 { "ok" } else { "FAILED" }
    );
    ExitCode::from(u8::from(failed > 0))
}

/// Does what a hook is told to do.
fn play(part: &str, file: Option<&Path>) -> ExitCode {
    let of_part = |part: &str, file: &Path| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.arg(format!("{PART}{part}")).arg(file).stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let ticking = |file: &Path| {
        #[expect(clippy::zombie_processes, reason = "it is left behind, which is what is tested")]
        of_part("tick", file).spawn().unwrap();
    };
    match part {
        "deny" => {
            eprintln!("not on Fridays");
            ExitCode::from(2)
        }
        "fail" => ExitCode::from(3),
        "verdict" => {
            let mut envelope = String::new();
            std::io::stdin().read_to_string(&mut envelope).unwrap();
            let envelope: Value = serde_json::from_str(&envelope).unwrap();
            let reason = format!("it is {}", envelope["tool_name"].as_str().unwrap());
            println!("{}", json!({"decision": "ask", "reason": reason}));
            ExitCode::SUCCESS
        }
        "worker" => {
            println!("{}", json!({"ready": 1}));
            for (number, line) in std::io::stdin().lock().lines().enumerate() {
                let call: Value = serde_json::from_str(&line.unwrap()).unwrap();
                let reason = format!("call {number} of {}", std::process::id());
                let verdict = json!({"decision": "deny", "reason": reason});
                println!("{}", json!({"id": call["id"], "verdict": verdict}));
            }
            ExitCode::SUCCESS
        }
        "wait" => {
            ticking(file.unwrap());
            sleep(LONGEST);
            ExitCode::SUCCESS
        }
        // What goes on was started by a program that has ended: nothing leads from the hook to it any more.
        "wait-for-orphan" => {
            assert!(of_part("leave", file.unwrap()).status().unwrap().success());
            sleep(LONGEST);
            ExitCode::SUCCESS
        }
        "leave" => {
            ticking(file.unwrap());
            // It is there before its parent ends.
            wait_until(|| size(file.unwrap()) > 0);
            ExitCode::SUCCESS
        }
        "tick" => {
            let end = Instant::now() + LONGEST;
            while Instant::now() < end {
                let file = OpenOptions::new().create(true).append(true).open(file.unwrap());
                file.unwrap().write_all(b".").unwrap();
                sleep(TICK);
            }
            ExitCode::SUCCESS
        }
        _ => panic!("there is no part `{part}`"),
    }
}

fn size(file: &Path) -> u64 {
    fs::metadata(file).map_or(0, |found| found.len())
}

fn wait_until(is_so: impl Fn() -> bool) {
    let end = Instant::now() + LONGEST;
    while !is_so() {
        assert!(Instant::now() < end, "it was never so");
        sleep(TICK);
    }
}

/// Whether nothing writes into a file any more.
fn is_quiet(file: &Path) -> bool {
    // What was about to end has ended.
    sleep(LOOK);
    let before = size(file);
    sleep(LOOK);
    size(file) == before
}

fn settings(part: &str, file: Option<&Path>) -> Value {
    let mut argv =
        vec![std::env::current_exe().unwrap().display().to_string(), format!("{PART}{part}")];
    argv.extend(file.map(|file| file.display().to_string()));
    json!({ "argv": argv })
}

fn build(value: &Value) -> Result<BuiltHandler, String> {
    let node = Node::from_json(value);
    let mut settings = Settings::new(&node);
    let folder = std::env::temp_dir();
    let built = hookgate_command::build(&mut settings, &BuildContext::new(&folder, 64 * 1024));
    let errors: Vec<_> = settings.finish().iter().map(ToString::to_string).collect();
    built.filter(|_| errors.is_empty()).ok_or_else(|| errors.join("; "))
}

fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

async fn invoke(built: &BuiltHandler) -> Reply {
    let (call, context) = (ToolCall::new("Bash", json!({"command": "ls"})), StepContext::new("s"));
    let id = StepId::new(Some("step-1"), String::new);
    let envelope = Envelope::new(&call, &context, &id, 1, 1 << 20);
    let Handler::Async(handler) = &built.handler else { panic!("a program answers at once") };
    handler.handle(Invocation::new("guard", &envelope)).await
}

fn run(part: &str) -> Reply {
    block_on(invoke(&build(&settings(part, None)).unwrap()))
}

fn exit_two_denies() {
    assert_eq!(run("deny"), Ok(Verdict::deny("not on Fridays")));
}

fn stdout_is_the_verdict() {
    assert_eq!(run("verdict"), Ok(Verdict::ask("it is Bash")));
}

fn another_status_is_a_failure() {
    let failure = run("fail").unwrap_err();
    assert_eq!(failure.class, FailureClass::Exit);
    assert!(failure.detail.contains("exit status 3"), "{failure:?}");
}

fn a_worker_answers_many_calls() {
    let mut settings = settings("worker", None);
    settings["mode"] = json!("worker");
    let built = build(&settings).unwrap();
    let reasons = block_on(async {
        let mut reasons = Vec::new();
        for _ in 0..20 {
            let verdict = invoke(&built).await.unwrap();
            reasons.push(verdict.parts().unwrap().reason.clone().unwrap());
        }
        reasons
    });
    let process = reasons[0].rsplit(' ').next().unwrap();
    for (number, reason) in reasons.iter().enumerate() {
        assert_eq!(*reason, format!("call {number} of {process}"));
    }
}

fn what_a_dropped_call_has_started_ends() {
    started_by_a_dropped_call_ends("wait");
}

fn orphans_of_a_dropped_call_end() {
    started_by_a_dropped_call_ends("wait-for-orphan");
}

fn started_by_a_dropped_call_ends(part: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ticks");
    let built = build(&settings(part, Some(&file))).unwrap();
    block_on(async {
        let begun = async {
            while size(&file) == 0 {
                tokio::time::sleep(TICK).await;
            }
        };
        tokio::select! {
            ended = invoke(&built) => panic!("it ended by itself: {ended:?}"),
            () = begun => {}
        }
        // Here the call is dropped, as at a deadline.
    });
    assert!(hookgate_command::settle(LONGEST));
    assert!(is_quiet(&file), "what the program has started goes on");
}

fn what_a_program_leaves_behind_ends() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ticks");
    let built = build(&settings("leave", Some(&file))).unwrap();
    assert_eq!(block_on(invoke(&built)), Ok(Verdict::none()));
    assert!(size(&file) > 0 && is_quiet(&file), "what the program has left behind goes on");
}

fn a_replaced_program_is_not_run() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join(if cfg!(windows) { "guard.exe" } else { "guard" });
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    let built = build(&json!({"argv": [program, format!("{PART}deny")]})).unwrap();
    assert_eq!(block_on(invoke(&built)), Ok(Verdict::deny("not on Fridays")));
    let mut other = fs::read(&program).unwrap();
    other.push(0);
    fs::write(&program, other).unwrap();
    assert_eq!(block_on(invoke(&built)).unwrap_err().class, FailureClass::Untrusted);
}

fn what_a_system_cannot_enforce_is_refused() {
    for (key, value) in
        [("limits", json!({"files": 64})), ("sandbox", json!({"read": []})), ("shim", json!(true))]
    {
        let mut settings = settings("deny", None);
        settings[key] = value;
        let built = build(&settings);
        if cfg!(target_os = "linux") && key == "limits" {
            assert!(built.is_ok(), "{key}");
            continue;
        }
        // On Linux this program has no shim.
        let said = if cfg!(target_os = "linux") { "has no shim" } else { "only Linux can" };
        let error = built.map(|_| ()).unwrap_err();
        assert!(error.contains(key) && error.contains(said), "{error}");
    }
}
