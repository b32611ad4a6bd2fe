//! What `hookgate hook` costs: the time from its start to its end, beside that of `/bin/true` in the same
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
const RUNS: usize = 200;

/// Policies of builtins only: one hook, and a set as a project has it.
const POLICIES: [(&str, &str); 2] = [
    (
        "one hook",
        "[[hook]]\nid = 'push'\nevent = 'pre_tool_use'\ntool = 'Bash'\n\
         input = { '/command' = { regex = 'push.*--force' } }\nbuiltin = { name = 'deny', reason = 'no' }\n",
    ),
    (
        "effects",
        "[[hook]]\nid = 'secrets'\nevent = 'pre_tool_use'\nreads = ['**/.env', '~/.ssh/**']\n\
         builtin = { name = 'deny', reason = 'no' }\n\
         [[hook]]\nid = 'push'\nevent = 'pre_tool_use'\nruns = ['git push --force|-f']\n\
         builtin = { name = 'deny', reason = 'no' }\n\
         [[hook]]\nid = 'outside'\nevent = 'pre_tool_use'\nwrites = { outside = ['$cwd', '$tmp'] }\n\
         builtin = { name = 'deny', reason = 'no' }\n",
    ),
];

fn main() -> io::Result<()> {
    let program = program()?;
    let folder = tempfile::tempdir()?;
    let config = folder.path().join("hooks.toml");
    let envelope = serde_json::json!({
        "hook_event_name": "PreToolUse", "session_id": "s", "cwd": folder.path(), "tool_name": "Bash",
        "tool_input": {"command": "cargo test --workspace && git status"}, "tool_use_id": "1",
    })
    .to_string();
    println!("{:<10} {:>9} {:>9} {:>9} {:>7}", "policy", "median", "p95", "true", "ratio");
    for (name, policy) in POLICIES {
        fs::write(&config, policy)?;
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            ours.push(time(&hook(&program, &config), envelope.as_bytes())?);
            theirs.push(time(&Vec::from(["/bin/true".into()]), b"")?);
        }
        let (median, p95, baseline) = (at(&mut ours, 50), at(&mut ours, 95), at(&mut theirs, 50));
        let ratio = median.as_secs_f64() / baseline.as_secs_f64();
        println!("{name:<10} {median:>9.2?} {p95:>9.2?} {baseline:>9.2?} {ratio:>6.1}x");
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
fn time(line: &[PathBuf], input: &[u8]) -> io::Result<Duration> {
    let started = Instant::now();
    let mut words = line.iter();
    let program = words.next().ok_or_else(|| io::Error::other("no program"))?;
    let mut child = Command::new(program)
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
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
