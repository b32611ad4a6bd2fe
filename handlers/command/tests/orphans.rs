//! Promise: no process outlives its step, and none its host.
//!
//! Seven scenarios, a hundred runs each (`-- --ignored`: five hundred); a second later no process is
//! left. This program is the test, the hosts that it starts, and their shim.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Duration;

use hookgate_command::shim;
use hookgate_contract::BuildContext;
use hookgate_contract::StepId;
use hookgate_contract::payload::ToolCall;
use hookgate_contract::settings::{Node, Settings};
use hookgate_contract::{
    BuiltHandler, Envelope, FailureClass, Handler, Invocation, Reply, StepContext, Verdict,
};
use serde_json::{Value, json};

/// The variable by which this test finds what its hooks started.
const TRACE: &str = "ORPHAN_TRACE";

/// How many hooks of a host run at the same time.
const WIDTH: usize = 10;

/// What a hook leaves behind, and whether a group is enough to find it.
const SCENARIOS: &[(&str, &str, bool)] = &[
    ("plain", "", true),
    ("background child", "sleep 60 >/dev/null 2>&1 &", true),
    ("child with setsid", "setsid sleep 60 >/dev/null 2>&1 </dev/null &", false),
    ("double fork", "(setsid -f sleep 60 >/dev/null 2>&1 </dev/null &)", false),
    (
        "grandchild that ignores TERM",
        "sh -c \"trap '' TERM; sleep 60; sleep 60\" >/dev/null 2>&1 &",
        true,
    ),
    ("grandchild that holds stdout", "sh -c 'sleep 60' &", true),
];

fn main() -> ExitCode {
    if let Some(code) = shim::main() {
        return code;
    }
    let args: Vec<String> = std::env::args().collect();
    match args.get(1).map(String::as_str) {
        Some("host") => host(&args[2..]),
        // Test runners ask for names first.
        Some("--list") => println!("orphans: test"),
        _ => {
            let runs = if args.iter().any(|arg| arg.contains("ignored")) { 500 } else { 100 };
            test(runs);
        }
    }
    ExitCode::SUCCESS
}

fn test(runs: usize) {
    shimmed();
    println!("what a shim does: ok");
    for protection in ["shim", "subreaper", "group"] {
        for (index, (scenario, _, by_group)) in SCENARIOS.iter().enumerate() {
            if protection == "group" && !by_group {
                continue;
            }
            let trace = format!("{}-{protection}-{index}", std::process::id());
            let host = start_host(protection, index, runs, "ends", &trace);
            let output = host.wait_with_output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            expect_no_survivors(&trace, &format!("{scenario}, {protection}"), runs);
        }
    }
    for protection in ["shim", "subreaper+shim"] {
        let trace = format!("{}-{protection}-killed", std::process::id());
        for batch in 0..runs / WIDTH {
            let mut host = start_host(protection, batch % SCENARIOS.len(), WIDTH, "hangs", &trace);
            wait_for(&trace, WIDTH);
            host.kill().unwrap();
            host.wait().unwrap();
        }
        expect_no_survivors(&trace, &format!("host killed with -9, {protection}"), runs);
    }
}

fn start_host(protection: &str, scenario: usize, runs: usize, end: &str, trace: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["host", protection, &scenario.to_string(), &runs.to_string(), end])
        .env(TRACE, trace)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The processes that carry the trace and are alive, the hosts excepted.
fn traced(trace: &str) -> Vec<String> {
    let wanted = format!("{TRACE}={trace}");
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let read = |name: &str| std::fs::read(entry.path().join(name)).unwrap_or_default();
        let environ = read("environ");
        let variables: Vec<&[u8]> = environ.split(|byte| *byte == 0).collect();
        let is_hook = variables.iter().any(|variable| variable.starts_with(b"HOOKGATE_RUN="));
        if is_hook && variables.contains(&wanted.as_bytes()) {
            found.push(String::from_utf8_lossy(&read("cmdline")).replace('\0', " "));
        }
    }
    found
}

fn wait_for(trace: &str, count: usize) {
    for _ in 0..500 {
        if traced(trace).len() >= 2 * count {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("the hooks do not start: {:?}", traced(trace));
}

fn expect_no_survivors(trace: &str, scenario: &str, runs: usize) {
    std::thread::sleep(Duration::from_secs(1));
    let survivors = traced(trace);
    assert!(survivors.is_empty(), "{scenario}: {} survive: {survivors:?}", survivors.len());
    println!("{scenario}: {runs} runs, 0 survivors");
}

// ==== A host ====

fn host(args: &[String]) {
    let [protection, scenario, runs, end] = args else { panic!("{args:?}") };
    if protection.contains("shim") {
        assert!(shim::register(std::env::current_exe().unwrap()));
    }
    if protection.contains("subreaper") {
        hookgate_command::become_subreaper().unwrap();
    }
    let (_, text, _) = SCENARIOS[scenario.parse::<usize>().unwrap()];
    let trace = std::env::var(TRACE).unwrap();
    let build = |end: &str| {
        built(&json!({"shell": format!("{text}\n{end}"), "set_env": {TRACE: trace}})).unwrap()
    };
    // Half of the hooks end by themselves, half are left at their deadline.
    let (ending, hanging) = (build("exit 2"), build("sleep 60; exit 0"));
    let runs: usize = runs.parse().unwrap();
    let deadline = Duration::from_secs(if end == "hangs" { 60 } else { 0 });
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (ending, hanging) = (std::sync::Arc::new(ending), std::sync::Arc::new(hanging));
        for _ in 0..runs / WIDTH {
            let mut batch = tokio::task::JoinSet::new();
            for index in 0..WIDTH {
                if end != "hangs" && index % 2 == 0 {
                    let ending = ending.clone();
                    batch.spawn(async move {
                        assert_eq!(invoke(&ending).await, Ok(Verdict::deny("denied by `guard`")));
                    });
                } else {
                    let hanging = hanging.clone();
                    let deadline = deadline.max(Duration::from_millis(40 + 10 * index as u64));
                    batch.spawn(async move {
                        let reply = tokio::time::timeout(deadline, invoke(&hanging)).await;
                        assert!(reply.is_err(), "{reply:?}");
                    });
                }
            }
            batch.join_all().await;
        }
    });
    drop(runtime);
    assert!(hookgate_command::settle(Duration::from_secs(5)));
}

fn built(settings: &Value) -> Result<BuiltHandler, String> {
    let node = Node::from_json(settings);
    let mut settings = Settings::new(&node);
    let built = hookgate_command::build(&mut settings, &BuildContext::new(Path::new("/"), 65_536));
    let errors: Vec<_> = settings.finish().iter().map(ToString::to_string).collect();
    built.filter(|_| errors.is_empty()).ok_or_else(|| errors.join("; "))
}

async fn invoke(built: &BuiltHandler) -> Reply {
    let (payload, context) = (ToolCall::new("Bash", json!({})), StepContext::new("s"));
    let id = StepId::new(Some("step-1"), String::new);
    let envelope = Envelope::new(&payload, &context, &id, 1, 4 << 20);
    let Handler::Async(handler) = &built.handler else { panic!("a program answers at once") };
    handler.handle(Invocation::new("guard", &envelope)).await
}

// ==== What the shim adds, and what it leaves as it is ====

fn shimmed() {
    assert!(shim::register(std::env::current_exe().unwrap()));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        statuses().await;
        inheritance().await;
        sandbox().await;
        a_worker().await;
        an_answer_through_another_process().await;
        a_shim_that_a_signal_of_the_terminal_ends().await;
    });
}

fn shell(text: &str, further: Value) -> BuiltHandler {
    let mut settings = json!({ "shell": text });
    settings.as_object_mut().unwrap().extend(further.as_object().unwrap().clone());
    built(&settings).unwrap()
}

/// A program under the shim ends as it would without.
async fn statuses() {
    for (text, expected) in [
        ("exit 3", Err((FailureClass::Exit, "exit status 3"))),
        ("exit 125", Err((FailureClass::Exit, "exit status 125"))),
        ("kill -9 $$", Err((FailureClass::Signal, "signal 9"))),
        ("kill -15 $$", Err((FailureClass::Signal, "signal 15"))),
        ("kill -11 $$", Err((FailureClass::Signal, "signal 11"))),
        ("echo no >&2; exit 2", Ok(Verdict::deny("no"))),
        ("cat >/dev/null; true", Ok(Verdict::none())),
    ] {
        match (invoke(&shell(text, json!({}))).await, expected) {
            (Ok(verdict), Ok(expected)) => assert_eq!(verdict, expected, "{text}"),
            (Err(failure), Err((class, expected))) => {
                assert_eq!(failure.class, class, "{text}: {failure}");
                assert!(failure.detail.contains(expected), "{text}: {failure}");
            }
            (reply, _) => panic!("{text}: {reply:?}"),
        }
    }
    let base = tempfile::tempdir().unwrap();
    let program = base.path().join("guard");
    std::fs::copy("/bin/true", &program).unwrap();
    let gone = built(&json!({ "argv": [program] })).unwrap();
    std::fs::remove_file(&program).unwrap();
    let failure = invoke(&gone).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Spawn);
    assert!(failure.detail.contains("guard"), "{failure}");
}

/// Limits hold from the start, privileges cannot be gained, signals are not ignored, and no file
/// but the three is open.
async fn inheritance() {
    let text = "ulimit -n; grep -E 'NoNewPrivs|SigIgn' /proc/self/status; \
                set -- /proc/$$/fd/*; echo $#";
    let context = json!({"stdout": "context", "limits": {"files": 64}});
    let verdict = invoke(&shell(text, context)).await.unwrap();
    let seen = verdict.parts().unwrap().context.concat();
    let lines: Vec<&str> = seen.split_whitespace().collect();
    assert_eq!((lines[0], &lines[3..5]), ("64", &["NoNewPrivs:", "1"][..]), "{seen}");
    let ignored = u64::from_str_radix(lines[2], 16).unwrap();
    assert_eq!(ignored & (1 << 14), 0, "TERM is ignored: {seen}");
    // The fourth is the folder itself, which the shell lists.
    assert_eq!(lines[5], "4", "{seen}");
}

async fn sandbox() {
    let inside = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    let (inside, outside) = (inside.path(), outside.path());
    std::fs::write(outside.join("secret"), "s").unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let text = format!(
        "echo in > {inside}/file && echo written; cat {inside}/file; cat {outside}/secret; \
         echo out > {outside}/file; \
         python3 -S -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}))' \
         && echo connected; true",
        inside = inside.display(),
        outside = outside.display(),
    );
    let settings = |sandbox: Value| json!({"stdout": "context", "sandbox": sandbox});
    let run = async |sandbox: Value| {
        let built = shell(&text, settings(sandbox));
        assert!(built.notes.iter().any(|note| note == "sandbox: enforced"), "{:?}", built.notes);
        invoke(&built).await.unwrap().parts().unwrap().context.concat()
    };
    // The interpreter may be anywhere.
    let python = ["/root", "/opt", "/home"].map(str::to_owned);
    let python: Vec<String> = python.into_iter().filter(|path| Path::new(path).exists()).collect();
    let seen = run(json!({"write": [inside], "read": python})).await;
    assert_eq!(seen, "written\nin");
    assert!(!outside.join("file").exists());
    let seen = run(json!({"write": [inside], "read": python, "network": true})).await;
    assert_eq!(seen, "written\nin\nconnected");
    let seen = run(json!({"write": [inside, outside], "read": python})).await;
    assert_eq!(seen, "written\nin\ns");
}

/// A process that still holds stdout is waited for, and no part of an answer is lost in silence.
async fn an_answer_through_another_process() {
    const DENY: &str = r#"echo '{"decision":"deny","reason":"no"}'"#;
    let bash = |text: &str| shell(text, json!({"shell_program": "bash"}));
    let log = tempfile::tempdir().unwrap();
    for text in [
        format!("exec > >(tee -a {}/log); cat >/dev/null; {DENY}", log.path().display()),
        format!("exec > >(cat); {DENY}"),
        format!("{DENY} > >(sleep 0.2; cat)"),
        format!("(setsid sh -c \"sleep 0.2; echo '{{}}' >/dev/null\"; {DENY}) & disown"),
    ] {
        for _ in 0..10 {
            assert_eq!(invoke(&bash(&text)).await, Ok(Verdict::deny("no")), "{text}");
        }
    }
    for text in [
        format!("{DENY} > >(sleep 20; cat)"),
        "setsid sleep 20 & disown".to_owned(),
        "printf '{\"decision\"'; sleep 20 &".to_owned(),
    ] {
        let failure = invoke(&bash(&text)).await.unwrap_err();
        assert_eq!(failure.class, FailureClass::Malformed, "{text}: {failure}");
        assert!(failure.detail.contains("still held its stdout"), "{text}: {failure}");
    }
    // The controls.
    for (text, verdict) in [
        ("sleep 20 >/dev/null 2>&1 </dev/null &".to_owned(), Verdict::none()),
        ("setsid sleep 20 >/dev/null & disown".to_owned(), Verdict::none()),
        (format!("{DENY}; sleep 20 &"), Verdict::deny("no")),
        ("echo '{}'; sleep 20 &".to_owned(), Verdict::none()),
    ] {
        assert_eq!(invoke(&bash(&text)).await, Ok(verdict), "{text}");
    }
    let start = std::time::Instant::now();
    for _ in 0..20 {
        assert_eq!(invoke(&bash("sleep 20 >/dev/null 2>&1 &")).await, Ok(Verdict::none()));
    }
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
}

fn hangup_is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    u64::from_str_radix(mask.trim(), 16).unwrap() & 1 != 0
}

/// HUP and QUIT are as TERM: the program does not go on alone.
async fn a_shim_that_a_signal_of_the_terminal_ends() {
    for signal in ["HUP", "QUIT", "INT"] {
        // Under `nohup` it stays ignored.
        if signal == "HUP" && hangup_is_ignored() {
            continue;
        }
        let base = tempfile::tempdir().unwrap();
        let file = base.path().join("pid");
        let text = format!(
            "echo $$ > {0}.new; mv {0}.new {0}; kill -{signal} $PPID; sleep 30",
            file.display()
        );
        let failure = invoke(&shell(&text, json!({}))).await.unwrap_err();
        let pid = std::fs::read_to_string(&file).unwrap();
        assert!(!Path::new("/proc").join(pid.trim()).exists(), "{signal}: {failure}");
    }
}

async fn a_worker() {
    let worker = "echo '{\"ready\":1}'; while read -r line; do n=${line#*:}; n=${n%%,*}; \
                  echo \"{\\\"id\\\":$n,\\\"verdict\\\":{\\\"decision\\\":\\\"allow\\\"}}\"; done";
    let built = shell(worker, json!({"mode": "worker"}));
    for _ in 0..10 {
        assert_eq!(invoke(&built).await, Ok(Verdict::allow()));
    }
    drop(built);
    let settled = tokio::task::spawn_blocking(|| hookgate_command::settle(Duration::from_secs(5)));
    assert!(settled.await.unwrap());
}
