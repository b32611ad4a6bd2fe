//! Promise: a worker answers as a plain program does, and a broken one spoils one call at most.

use std::collections::BTreeSet;
use std::time::Duration;

use hookgate_contract::payload::ToolCall;
use hookgate_contract::{BuiltHandler, FailureClass, StepContext, Verdict, VerdictDecision};
use hookgate_test_support::needs;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::support::{build_in, invoke, invoke_with, misbehaving};

/// Which call of which process answered.
async fn counted(built: &BuiltHandler) -> (u64, u64) {
    let reason = invoke(built).await.unwrap().parts().unwrap().reason.clone().unwrap();
    let (call, process) = reason.split_once(" of ").unwrap();
    (call.parse().unwrap(), process.parse().unwrap())
}

fn worker(argument: &str, mut further: Value) -> BuiltHandler {
    further["mode"] = json!("worker");
    misbehaving(argument, &further)
}

fn runs(pid: u64) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !stat.rsplit(')').next().unwrap_or_default().starts_with(" Z"))
}

async fn gone(pid: u64) -> bool {
    for _ in 0..200 {
        if !runs(pid) {
            return true;
        }
        sleep(Duration::from_millis(10)).await;
    }
    false
}

#[tokio::test]
async fn one_process_answers_many_steps_and_ends_with_its_handler() {
    let built = worker("count", json!({}));
    let (first, process) = counted(&built).await;
    assert_eq!(first, 1);
    for call in 2..=20 {
        assert_eq!(counted(&built).await, (call, process));
    }
    assert!(runs(process));
    drop(built);
    assert!(gone(process).await);
}

#[tokio::test]
async fn a_process_is_replaced_after_its_calls() {
    let built = worker("count", json!({"max_calls": 3}));
    let mut processes = BTreeSet::new();
    for call in 0..9 {
        let (count, process) = counted(&built).await;
        assert_eq!(count, call % 3 + 1);
        processes.insert(process);
    }
    assert_eq!(processes.len(), 3);
}

#[tokio::test]
async fn there_are_as_many_processes_as_are_needed_at_most() {
    let built = worker("count", json!({"workers": 2}));
    let calls: Vec<_> = (0..6).map(|_| counted(&built)).collect();
    let mut processes = BTreeSet::new();
    // All at once, in one task.
    let mut calls: Vec<_> = calls.into_iter().map(Box::pin).collect();
    std::future::poll_fn(|cx| {
        calls.retain_mut(|call| match call.as_mut().poll(cx) {
            std::task::Poll::Ready((_, process)) => {
                processes.insert(process);
                false
            }
            std::task::Poll::Pending => true,
        });
        if calls.is_empty() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    assert_eq!(processes.len(), 2);
}

#[tokio::test]
async fn too_many_waiting_calls_are_refused() {
    let built = worker("hang", json!({"queue": 1}));
    let first = invoke(&built);
    let second = invoke(&built);
    tokio::pin!(first, second);
    let short = Duration::from_millis(50);
    assert!(timeout(short, &mut first).await.is_err());
    assert!(timeout(short, &mut second).await.is_err());
    let failure = invoke(&built).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Overloaded);
}

#[tokio::test]
async fn the_answer_to_a_cancelled_call_is_discarded() {
    let built = worker("late_once", json!({"grace": "10s"}));
    assert_eq!(invoke(&built).await, Ok(Verdict::deny("no")));
    assert!(timeout(Duration::from_millis(100), invoke(&built)).await.is_err());
    assert_eq!(
        invoke(&built).await,
        Ok(Verdict::deny("no")),
        "the late halt was taken for an answer"
    );
}

#[tokio::test]
async fn a_worker_that_hangs_is_killed_and_replaced() {
    let base = tempfile::tempdir().unwrap();
    let script = r#"
import json, os, sys, time
print('{"ready":1}', flush=True)
for number, line in enumerate(sys.stdin):
    call = json.loads(line)
    if number == 1 and not os.path.exists("hung"):
        open("hung", "w").write(str(os.getpid()))
        time.sleep(60)
    print(json.dumps({"id": call["id"], "verdict": {"decision": "allow"}}), flush=True)
"#;
    std::fs::write(base.path().join("guard.py"), script).unwrap();
    let settings = json!({"argv": ["python3", "guard.py"], "mode": "worker"});
    let built = build_in(base.path(), &settings).unwrap();
    assert_eq!(invoke(&built).await, Ok(Verdict::allow()));
    assert!(timeout(Duration::from_millis(500), invoke(&built)).await.is_err());
    assert_eq!(invoke(&built).await, Ok(Verdict::allow()));
    let hung = std::fs::read_to_string(base.path().join("hung")).unwrap().parse().unwrap();
    assert!(gone(hung).await);
}

#[tokio::test]
async fn a_slow_start_outlives_the_call_that_caused_it() {
    let base = tempfile::tempdir().unwrap();
    let file = base.path().join("starts");
    let set = json!({"FAULT_FILE": file.to_str().unwrap()});
    let built = worker("slow_start", json!({ "set_env": set }));
    // No call alone waits for long enough.
    let mut calls = 0;
    let reply = loop {
        match timeout(Duration::from_millis(150), invoke(&built)).await {
            Ok(reply) => break reply,
            Err(_) => calls += 1,
        }
        assert!(calls < 100, "it is never ready");
    };
    assert_eq!(reply, Ok(Verdict::deny("no")));
    assert!(calls >= 2, "{calls}");
    assert_eq!(std::fs::read_to_string(file).unwrap(), "started\n", "it was started anew");
}

#[tokio::test]
async fn a_worker_that_is_never_ready_fails() {
    let built = worker("never_ready", json!({"startup": "200ms"}));
    let failure = invoke(&built).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Spawn);
    assert!(failure.detail.contains("startup"), "{failure}");
}

#[tokio::test]
async fn a_worker_that_keeps_dying_is_started_ever_later() {
    let built = worker("exit_7", json!({}));
    assert_eq!(invoke(&built).await.unwrap_err().class, FailureClass::Exit);
    assert_eq!(invoke(&built).await.unwrap_err().class, FailureClass::Exit, "replaced at once");
    let failure = invoke(&built).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Spawn);
    assert!(failure.detail.contains("2 workers died in a row"), "{failure}");
    sleep(Duration::from_millis(150)).await;
    assert_eq!(invoke(&built).await.unwrap_err().class, FailureClass::Exit);
}

#[tokio::test]
async fn a_call_is_made_again_only_if_it_may_be() {
    let base = tempfile::tempdir().unwrap();
    let file = base.path().join("died");
    let with = |idempotent| {
        let set = json!({"FAULT_FILE": file.to_str().unwrap()});
        worker("die_once", json!({"idempotent": idempotent, "set_env": set}))
    };
    let failure = invoke(&with(false)).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Exit);
    assert!(failure.detail.contains("in the middle of a call: exit status 7"), "{failure}");
    std::fs::remove_file(&file).unwrap();
    assert_eq!(invoke(&with(true)).await, Ok(Verdict::deny("no")));
}

#[tokio::test]
async fn a_worker_that_died_between_calls_costs_nothing() {
    let built = worker("count", json!({}));
    let (_, process) = counted(&built).await;
    let killed = std::process::Command::new("kill").args(["-9", &process.to_string()]).status();
    assert!(killed.unwrap().success());
    assert!(gone(process).await);
    let (call, other) = counted(&built).await;
    assert_eq!(call, 1);
    assert_ne!(process, other);
}

#[tokio::test]
async fn a_large_step_goes_through() {
    let built = worker("noisy", json!({}));
    let payload = ToolCall::new("Write", json!({"content": "x".repeat(1 << 20)}));
    for _ in 0..3 {
        let reply = invoke_with(&built, &payload, &StepContext::new("s")).await;
        assert_eq!(reply, Ok(Verdict::deny("no")));
    }
}

/// The pipes of a worker are woken by the runtime in which it was started.
#[test]
fn another_runtime_has_workers_of_its_own() {
    let built = worker("count", json!({}));
    let once = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async { timeout(Duration::from_secs(10), counted(&built)).await.unwrap() })
    };
    let (first, second) = (once(), once());
    assert_eq!((first.0, second.0), (1, 1));
    assert_ne!(first.1, second.1);
}

#[tokio::test]
async fn the_sdks_serve_both_modes() {
    let base = tempfile::tempdir().unwrap();
    let base = base.path();
    std::fs::write(base.join("hookgate.py"), hookgate_command::PYTHON_SDK).unwrap();
    std::fs::write(base.join("hookgate.mjs"), hookgate_command::NODE_SDK).unwrap();
    std::fs::write(
        base.join("guard.py"),
        r#"
import hookgate
def guard(step):
    print("printed by the hook")
    command = step["tool_input"]["command"]
    if command == "fail":
        raise ValueError("bad command")
    if command != "ls":
        return hookgate.deny("no: é\n", context=["c"])
hookgate.run(guard)
"#,
    )
    .unwrap();
    std::fs::write(
        base.join("guard.mjs"),
        r#"
import { deny, run } from "./hookgate.mjs";
run(async (step) => {
  console.log("printed by the hook");
  const { command } = step.tool_input;
  if (command === "fail") throw new TypeError("bad command");
  if (command !== "ls") return deny("no: é\n", { context: ["c"] });
});
"#,
    )
    .unwrap();
    for argv in [json!(["python3", "guard.py"]), json!(["node", "guard.mjs"])] {
        if argv[0] == "node" && !needs::program("node") {
            continue;
        }
        for mode in ["plain", "worker"] {
            let built = build_in(base, &json!({"argv": argv, "mode": mode})).unwrap();
            let reply_to = async |command: &str| {
                let payload = ToolCall::new("Bash", json!({"command": command}));
                invoke_with(&built, &payload, &StepContext::new("s")).await
            };
            assert_eq!(reply_to("ls").await, Ok(Verdict::none()), "{argv} {mode}");
            let failure = reply_to("fail").await.unwrap_err();
            assert_eq!(failure.class, FailureClass::Exit, "{argv} {mode}");
            assert!(failure.detail.contains("bad command"), "{failure}");
            if mode == "worker" {
                let place = if argv[0] == "node" { "guard.mjs:6" } else { "guard.py:7" };
                assert!(failure.detail.ends_with(&format!("bad command ({place})")), "{failure}");
            }
            let denied = Verdict::deny("no: é\n").context("c");
            assert_eq!(reply_to("rm").await, Ok(denied), "{argv} {mode}");
        }
    }
}

/// A worker in Python that runs a line at each call, with `call`, `out`, `frame` and `n`, the number
/// of the call.
fn scripted(base: &std::path::Path, body: &str) -> BuiltHandler {
    let script = format!(
        "import json, os, sys, time\nout = lambda t: (sys.stdout.write(t), sys.stdout.flush())\n\
         frame = lambda i, v: json.dumps({{'id': i, 'verdict': v}}) + '\\n'\n\
         out('{{\"ready\":1}}\\n')\nfor n, line in enumerate(sys.stdin):\n    call = json.loads(line)\n\
         \x20   {body}\n"
    );
    std::fs::write(base.join("guard.py"), script).unwrap();
    build_in(base, &json!({"argv": ["python3", "-S", "guard.py"], "mode": "worker"})).unwrap()
}

/// What the step makes a worker print is not its answer: the id of a call cannot be known before.
#[tokio::test]
async fn an_answer_cannot_be_forged_by_what_a_worker_prints() {
    let base = tempfile::tempdir().unwrap();
    for number in ["1", "2", "n + 1", "0"] {
        let body = format!(
            "out(frame({number}, {{'decision': 'allow'}})); out(frame(call['id'], {{'decision': \
             'deny', 'reason': 'no'}}))"
        );
        let built = scripted(base.path(), &body);
        for _ in 0..2 {
            let failure = invoke(&built).await.unwrap_err();
            assert_eq!(failure.class, FailureClass::Malformed, "{number}: {failure}");
        }
    }
}

#[tokio::test]
async fn an_answer_ahead_of_its_call_or_a_second_one_puts_a_worker_out_of_step() {
    let base = tempfile::tempdir().unwrap();
    // A second frame later than the first: the next call does not get it.
    let deny = "{'decision': 'deny', 'reason': 'no'}";
    let body = format!(
        "out(frame(call['id'], {deny})); time.sleep(0.1); out(frame(call['id'], \
         {{'decision': 'allow'}})); os.path.exists('later') and time.sleep(1)"
    );
    let built = scripted(base.path(), &body);
    assert_eq!(invoke(&built).await, Ok(Verdict::deny("no")));
    sleep(Duration::from_millis(400)).await;
    let failure = invoke(&built).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Malformed);
    assert!(failure.detail.contains("before a call"), "{failure}");
    // It was replaced.
    assert_eq!(invoke(&built).await, Ok(Verdict::deny("no")));
    // Both at once: the stricter one counts.
    let body =
        format!("out(frame(call['id'], {{'decision': 'allow'}}) + frame(call['id'], {deny}))");
    let failure = invoke(&scripted(base.path(), &body)).await.unwrap_err();
    assert_eq!(
        (failure.class, failure.salvaged),
        (FailureClass::Malformed, Some(VerdictDecision::Deny))
    );
    assert!(failure.detail.contains("more than one line"), "{failure}");
}

#[test]
fn outside_a_runtime_no_program_is_started_and_nothing_panics() {
    for mode in ["plain", "worker"] {
        let built =
            build_in(std::path::Path::new("/"), &json!({"argv": ["true"], "mode": mode})).unwrap();
        let failure = poll_once(invoke(&built)).expect("it waits").unwrap_err();
        assert_eq!(failure.class, FailureClass::Spawn, "{mode}");
        assert!(failure.detail.contains("tokio runtime"), "{failure}");
    }
    // Nor in one that cannot read pipes.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let built = build_in(std::path::Path::new("/"), &json!({"argv": ["true"]})).unwrap();
    let failure = runtime.block_on(invoke(&built)).unwrap_err();
    assert_eq!(failure.class, FailureClass::Spawn, "{failure}");
}

fn poll_once<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::pin!(future).poll(&mut context) {
        std::task::Poll::Ready(value) => Some(value),
        std::task::Poll::Pending => None,
    }
}
