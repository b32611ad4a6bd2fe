//! Promise: as many sessions as there are can have a program judge their steps: no more programs run at once than
//! `[limits] processes` allows, sessions take turns, and none is denied for lack of open files.
#![cfg(feature = "command")]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

use hookgate_test_support as support;

use std::fmt::Write as _;
use std::path::Path;
use std::pin::Pin;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{join_all, poll_immediate};
use hookgate::config::Loader;
use hookgate::{Engine, FailureClass, HookEngine, Outcome, Report, StepContext};
use support::bash;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::unix::pipe::{OpenOptions, Receiver, Sender};

fn engine(folder: &Path, limits: &str, hooks: &str) -> Engine {
    let config = format!("[limits]\n{limits}\n{hooks}");
    let loaded = Loader::new(&support::registry()).parse("hooks.toml", &config, folder);
    Engine::new(loaded.unwrap_or_else(|errors| panic!("{errors}")).table)
}

/// A program that says whose step it judges, and judges it once it is told to: by a byte for each.
const PROGRAM: &str = r#"
session=$(sed 's/.*"session_id":"\([^"]*\)".*/\1/')
echo "$session" > begun
read -r _ < go
"#;

/// The two pipes of the program.
struct Programs {
    folder: tempfile::TempDir,
    begun: Lines<BufReader<Receiver>>,
    go: Sender,
}

impl Programs {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("program.sh"), PROGRAM).unwrap();
        let pipe = |name: &str| folder.path().join(name);
        let made = Command::new("mkfifo").args([pipe("begun"), pipe("go")]).status().unwrap();
        assert!(made.success());
        let begun = OpenOptions::new().read_write(true).open_receiver(pipe("begun")).unwrap();
        let go = OpenOptions::new().read_write(true).open_sender(pipe("go")).unwrap();
        Self { begun: BufReader::new(begun).lines(), go, folder }
    }

    fn engine(&self, processes: usize, timeout: &str) -> Engine {
        let hook = |id: &str, tool: &str, timeout: &str| {
            format!(
                "[[hook]]\nid = \"{id}\"\nevent = \"pre_tool_use\"\ntool = \"{tool}\"\ntimeout = \"{timeout}\"\n\
                 command = {{ argv = [\"sh\", \"program.sh\"], shim = false }}\n"
            )
        };
        let hooks = hook("program", "Bash", "50s") + &hook("short", "Read", timeout);
        engine(self.folder.path(), &format!("processes = {processes}"), &hooks)
    }

    /// Lets one program end.
    async fn let_one_go(&mut self) {
        self.go.write_all(b"\n").await.unwrap();
    }
}

type Dispatch<'a> = Pin<Box<dyn Future<Output = Report> + 'a>>;

async fn begin<'a>(engine: &'a Engine, cx: &'a StepContext<'a>) -> Dispatch<'a> {
    let mut dispatch = Box::pin(async { engine.dispatch_reported(bash("x"), cx).await.1 });
    assert!(poll_immediate(&mut dispatch).await.is_none());
    dispatch
}

#[tokio::test]
async fn no_more_programs_run_than_are_allowed_and_sessions_take_turns() {
    let mut programs = Programs::new();
    let engine = programs.engine(2, "50s");
    let [greedy, modest, third] = ["greedy", "modest", "third"].map(StepContext::new);
    let mut all = Vec::new();
    for _ in 0..12 {
        all.push(begin(&engine, &greedy).await);
    }
    all.push(begin(&engine, &modest).await);
    all.push(begin(&engine, &third).await);
    let calls = all.len();
    let orders = async {
        let mut begun = Vec::new();
        for let_go in 0..calls {
            // Two have begun, whatever has ended; the next begins when one ends.
            while begun.len() < (let_go + 2).min(calls) {
                begun.push(programs.begun.next_line().await.unwrap().unwrap());
            }
            programs.let_one_go().await;
        }
        begun
    };
    // One that began too early would be the next line to read, before anything is let go.
    let (reports, begun) = futures_util::future::join(join_all(all), orders).await;
    assert!(reports.iter().all(|report| report.decision == Outcome::Allow), "{reports:?}");
    let place = |session: &str| begun.iter().position(|one| one == session).unwrap();
    // Two of the first session had begun, and one more of it is before them.
    assert!(place("modest") <= 4 && place("third") <= 5, "{begun:?}");
    let waited = reports.iter().filter(|report| report.votes[0].waited_us.is_some()).count();
    assert_eq!(waited, calls - 2);
}

#[tokio::test]
async fn a_bound_of_one_is_never_passed() {
    let folder = tempfile::tempdir().unwrap();
    // Whoever is not alone finds the folder of another one.
    let script = "mkdir at-work || exit 3; cat >/dev/null; rmdir at-work";
    let hook = format!(
        "[[hook]]\nid = \"alone\"\nevent = \"pre_tool_use\"\ntimeout = \"50s\"\ncommand = {{ shell = '{script}' }}\n"
    );
    let judged = async |limits: &str| {
        let engine = Arc::new(engine(folder.path(), limits, &hook));
        let cwd = folder.path().to_str().unwrap();
        let sessions: Vec<String> = (0..24).map(|n| format!("s{n}")).collect();
        let dispatch = async |session: &String| {
            let context = StepContext::new(session).cwd(cwd);
            engine.dispatch(bash("x"), &context).await.outcome()
        };
        join_all(sessions.iter().map(dispatch)).await
    };
    assert_eq!(judged("processes = 1").await, [Outcome::Allow; 24]);
    // The control: without the bound they meet.
    assert!(judged("processes = 24").await.contains(&Outcome::Deny));
}

#[tokio::test]
async fn a_program_that_cannot_be_started_in_time_is_overloaded() {
    let mut programs = Programs::new();
    let engine = programs.engine(1, "100ms");
    let context = StepContext::new("s");
    let mut first = begin(&engine, &context).await;
    tokio::select! {
        line = programs.begun.next_line() => assert_eq!(line.unwrap().unwrap(), "s"),
        report = &mut first => panic!("{report:?}"),
    }
    let read = hookgate::testing::tool_call("Read").step();
    let (gate, report) = engine.dispatch_reported(read, &context).await;
    assert_eq!(report.votes[0].failure, Some(FailureClass::Overloaded));
    let hookgate::Gate::Denied(denied) = gate else { panic!("{report:?}") };
    assert!(denied.feedback().contains("1 of 1 processes were at work"), "{}", denied.feedback());
    programs.let_one_go().await;
    assert_eq!(first.await.decision, Outcome::Allow);
}

#[tokio::test]
async fn the_calls_of_one_session_do_not_keep_another_from_its_worker() {
    let folder = tempfile::tempdir().unwrap();
    let script = r#"
import json, sys
print('{"ready":1}', flush=True)
for line in sys.stdin:
    call = json.loads(line)
    print(json.dumps({"id": call["id"], "verdict": {}}), flush=True)
"#;
    std::fs::write(folder.path().join("worker.py"), script).unwrap();
    let hook = "[[hook]]\nid = \"worker\"\nevent = \"pre_tool_use\"\ntimeout = \"50s\"\n\
                command = { argv = [\"python3\", \"-S\", \"worker.py\"], mode = \"worker\", queue = 1000 }\n";
    let engine = engine(folder.path(), "processes = 1", hook);
    let ended = support::Log::default();
    let sessions = std::iter::repeat_n("greedy", 200).chain(["modest"]);
    let calls = sessions.map(|session| {
        let (engine, ended) = (&engine, &ended);
        async move {
            let outcome = engine.dispatch(bash("x"), &StepContext::new(session)).await.outcome();
            ended.push(session);
            outcome
        }
    });
    assert_eq!(join_all(calls).await, [Outcome::Allow; 201]);
    let place = ended.take().iter().position(|session| session == "modest").unwrap();
    assert!(place <= 3, "it ended as number {place}");
}

/// Runs a test of this binary alone, where so many files may be open.
fn with_files(files: u32, name: &str, variables: &[(&str, String)]) {
    let this = std::env::current_exe().unwrap();
    let output = Command::new("sh")
        .args(["-c", "ulimit -n \"$0\" && exec \"$@\"", &files.to_string()])
        .arg(this)
        .args(["--exact", name, "--ignored", "--nocapture"])
        .envs(variables.iter().map(|(name, value)| (*name, value.as_str())))
        .output()
        .unwrap();
    let mut shown = String::from_utf8_lossy(&output.stdout).into_owned();
    let _ = write!(shown, "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && shown.contains("1 passed"), "{shown}");
    eprintln!("{shown}");
}

fn number(variable: &str) -> usize {
    std::env::var(variable).unwrap().parse().unwrap()
}

/// 1,000 sessions at the 1,024 files of most systems, in `.ci/full`.
#[test]
fn every_session_has_its_step_judged_however_few_files_may_be_open() {
    let (sessions, files) = (support::cases(150, 1_000), support::cases(64, 1_024));
    let variables = [("HOOKGATE_TEST_SESSIONS", sessions.to_string())];
    with_files(files, "load::all_sessions_at_once", &variables);
}

/// What the host itself needs is not known: here it has left fewer files than the bound would take.
#[test]
fn where_the_host_has_taken_the_files_a_program_is_started_once_there_are_some() {
    let variables =
        [("HOOKGATE_TEST_SESSIONS", "60".to_owned()), ("HOOKGATE_TEST_TAKEN", "30".to_owned())];
    with_files(64, "load::all_sessions_at_once", &variables);
}

#[tokio::test]
#[ignore = "is run by the tests above, alone"]
async fn all_sessions_at_once() {
    const GUARD: &str = r#"
import json, sys
step = json.load(sys.stdin)
if step["tool_input"]["command"] == "rm":
    print(json.dumps({"decision": "deny", "reason": "no " + step["session_id"]}))
"#;
    let taken = std::env::var("HOOKGATE_TEST_TAKEN").map_or(0, |taken| taken.parse().unwrap());
    let _taken: Vec<_> = (0..taken).map(|_| std::fs::File::open("/dev/null").unwrap()).collect();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("guard.py"), GUARD).unwrap();
    let hook = "[[hook]]\nid = \"guard\"\nevent = \"pre_tool_use\"\ntimeout = \"20m\"\n\
                command = { argv = [\"python3\", \"-S\", \"-E\", \"guard.py\"] }\n";
    let engine = Arc::new(engine(folder.path(), "dispatch_deadline = \"20m\"", hook));
    let begun = std::time::Instant::now();
    let tasks: Vec<_> = (0..number("HOOKGATE_TEST_SESSIONS"))
        .map(|n| {
            let engine = Arc::clone(&engine);
            tokio::spawn(async move {
                let session = format!("s{n}");
                let scope = engine.scope(session.as_str()).open().unwrap();
                let command = if n % 2 == 0 { "rm" } else { "ls" };
                let (_, report) = scope.dispatch_reported(bash(command), &scope.context()).await;
                match n % 2 {
                    0 => assert_eq!(report.reason, Some(format!("no {session}")), "{report:?}"),
                    _ => assert_eq!(report.decision, Outcome::Allow, "{report:?}"),
                }
                report.votes[0].waited_us.unwrap_or_default()
            })
        })
        .collect();
    let sessions = tasks.len();
    let mut longest = 0;
    for task in tasks {
        longest = longest.max(task.await.expect("each session has its step judged"));
    }
    let (took, longest) = (begun.elapsed(), Duration::from_micros(longest));
    println!("{sessions} sessions in {took:?}; the last one has waited {longest:?}");
}
