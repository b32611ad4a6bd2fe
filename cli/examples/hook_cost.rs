//! What `hookgate hook` costs: the time from its start to its answer, beside that of `/bin/true` in the same
//! run, so that the machine and its load divide out.
//!
//! ```text
//! cargo build --release -q -p hookgate-cli
//! cargo run --release -q -p hookgate-cli --example hook_cost
//! ```

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How often each is run.
const RUNS: usize = 300;

/// A policy of one hook.
const ONE_HOOK: &str = "[[hook]]\nid = 'push'\nevent = 'pre_tool_use'\ntool = 'Bash'\n\
    input = { '/command' = { regex = 'push.*--force' } }\nbuiltin = { name = 'deny', reason = 'no' }\n";

/// What is measured.
struct Case {
    name: &'static str,
    line: Vec<PathBuf>,
    /// How long a daemon waits for the next call, in seconds.
    daemon: Option<&'static str>,
    times: Vec<Duration>,
}

fn main() -> io::Result<()> {
    let program = program()?;
    let folder = tempfile::tempdir()?;
    let home = folder.path();
    let one = home.join("one.toml");
    fs::write(&one, ONE_HOOK)?;
    let init = Command::new(&program)
        .args(["init", "--example", "guardrails", "--dir"])
        .arg(home)
        .output()?;
    if !init.status.success() {
        return Err(io::Error::other(format!("hookgate init has failed: {init:?}")));
    }
    let stock = home.join("hooks.toml");
    let envelope = serde_json::json!({
        "hook_event_name": "PreToolUse", "session_id": "s", "cwd": home, "tool_name": "Bash",
        "tool_input": {"command": "cargo test --workspace && git status"}, "tool_use_id": "1",
    })
    .to_string();
    let case = |name, line, daemon| Case { name, line, daemon, times: Vec::new() };
    let mut cases = [
        case("/bin/true", vec!["/bin/true".into()], None),
        case("--help", vec![program.clone(), "hook".into(), "--help".into()], None),
        case("one hook", hook(&program, &one), None),
        case("stock policy", hook(&program, &stock), None),
        case("with a daemon", hook(&program, &stock), Some("10")),
        case("hookgate-call", hook(&program.with_file_name("hookgate-call"), &stock), Some("10")),
    ];
    for _ in 0..RUNS {
        for case in &mut cases {
            let took = time(case, home, envelope.as_bytes())?;
            case.times.push(took);
        }
    }
    println!("{:<14} {:>9} {:>9} {:>7}", "", "median", "p95", "ratio");
    let mut baseline = None;
    for case in &mut cases {
        let (median, p95) = (at(&mut case.times, 50), at(&mut case.times, 95));
        let ratio = median.as_secs_f64() / baseline.get_or_insert(median).as_secs_f64();
        println!("{:<14} {median:>9.2?} {p95:>9.2?} {ratio:>6.1}x", case.name);
    }
    Ok(())
}

/// Returns the program that was built beside this one.
fn program() -> io::Result<PathBuf> {
    let own = std::env::current_exe()?;
    let folder = own.parent().and_then(Path::parent);
    let found = folder.map(|folder| folder.join("hookgate")).filter(|program| program.is_file());
    found.ok_or_else(|| io::Error::other("build it first: cargo build --release -p hookgate-cli"))
}

fn hook(program: &Path, config: &Path) -> Vec<PathBuf> {
    let words = ["hook", "--agent", "claude", "-c"].map(PathBuf::from);
    [program.to_owned()].into_iter().chain(words).chain([config.to_owned()]).collect()
}

/// Runs a command line once, from its start to the end of its output.
fn time(case: &Case, home: &Path, input: &[u8]) -> io::Result<Duration> {
    let mut words = case.line.iter();
    let program = words.next().ok_or_else(|| io::Error::other("no program"))?;
    let mut command = Command::new(program);
    command
        .args(words)
        .env("HOME", home)
        .env_remove("HOOKGATE_DAEMON")
        .env_remove("XDG_RUNTIME_DIR")
        .env_remove("XDG_STATE_HOME")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if let Some(seconds) = case.daemon {
        command.env("HOOKGATE_DAEMON", seconds);
    }
    let started = Instant::now();
    let mut child = command.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // `true` does not read it.
        let _ = stdin.write_all(input);
    }
    let output = child.wait_with_output()?;
    let took = started.elapsed();
    if output.status.success() && output.stderr.is_empty() {
        Ok(took)
    } else {
        Err(io::Error::other(format!("{} has failed: {output:?}", program.display())))
    }
}

fn at(times: &mut [Duration], percent: usize) -> Duration {
    times.sort();
    times.get(times.len() * percent / 100).copied().unwrap_or_default()
}
