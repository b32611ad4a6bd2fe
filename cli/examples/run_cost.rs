//! What `hookgate run` costs with ten rules, beside a program that only parses each line and writes it again, in
//! the same run, so that the machine and its load divide out. And how much memory it takes for ten times the steps.
//!
//! ```text
//! cargo build --release -q -p hookgate-cli
//! cargo run --release -q -p hookgate-cli --example run_cost -- sessions/*.jsonl
//! ```

use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

/// How many steps are evaluated at once.
const STEPS: usize = 100_000;

/// How often each is run.
const RUNS: usize = 7;

/// What this program does as its own child.
const PARSE_AND_WRITE: &str = "parse-and-write";

/// What the rules look for in the command.
const RULES: [&str; 10] = [
    "git push.*(--force|-f\\b)",
    "rm\\s+-rf?\\s+/",
    "curl.*\\|\\s*(ba)?sh",
    "npm publish",
    "chmod\\s+777",
    "docker\\s+run.*--privileged",
    "mkfs",
    "dd\\s+if=",
    "sudo\\s",
    "\\.env\\b",
];

fn main() -> io::Result<()> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if let [what, file] = arguments.as_slice()
        && what == Path::new(PARSE_AND_WRITE)
    {
        return parse_and_write(file);
    }
    let lines = lines_of(&arguments)?;
    let folder = tempfile::tempdir()?;
    let (few, many) = (folder.path().join("few.jsonl"), folder.path().join("many.jsonl"));
    write_steps(&few, &lines, STEPS)?;
    write_steps(&many, &lines, 10 * STEPS)?;
    let config = folder.path().join("hooks.toml");
    fs::write(&config, rules())?;
    let program = program()?;
    let run = |steps: &Path| {
        let mut command = Command::new(&program);
        command.args(["run", "--quiet", "--json", "-c"]).arg(&config).arg(steps);
        command
    };
    let alone = || {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg(PARSE_AND_WRITE).arg(&few);
        Ok::<_, io::Error>(command)
    };
    let (mut of_run, mut of_alone) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        of_alone.push(time(&mut alone()?)?);
        of_run.push(time(&mut run(&few))?);
    }
    let (of_run, of_alone) = (a_step(&mut of_run), a_step(&mut of_alone));
    println!("parse and write alone  {of_alone:>6.2} µs a step");
    println!("hookgate run           {of_run:>6.2} µs a step, {:.2} x", of_run / of_alone);
    let (few, many) = (peak(&mut run(&few))?, peak(&mut run(&many))?);
    println!(
        "memory                 {few:>6} KiB for {STEPS} steps, {many} KiB for ten times as many"
    );
    Ok(())
}

fn lines_of(files: &[PathBuf]) -> io::Result<Vec<String>> {
    let mut lines = Vec::new();
    for file in files {
        lines.extend(fs::read_to_string(file)?.lines().map(str::to_owned));
    }
    match lines.is_empty() {
        true => Err(io::Error::other("name files of recorded steps")),
        false => Ok(lines),
    }
}

fn write_steps(file: &Path, lines: &[String], count: usize) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(file)?);
    for line in lines.iter().cycle().take(count) {
        writeln!(out, "{line}")?;
    }
    out.flush()
}

fn rules() -> String {
    let rule = |(at, pattern): (usize, &&str)| {
        format!(
            "[[hook]]\nid = 'rule-{at}'\nevent = 'pre_tool_use'\ntool = 'Bash'\n\
             input = {{ '/command' = {{ regex = '{pattern}' }} }}\n\
             builtin = {{ name = 'deny', reason = 'rule {at}' }}\n\n"
        )
    };
    RULES.iter().enumerate().map(rule).collect()
}

/// Parses each line and writes it, with as few calls of the system as possible.
fn parse_and_write(file: &Path) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let mut input = BufReader::with_capacity(1 << 16, File::open(file)?);
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        let value: Value = serde_json::from_slice(&line)?;
        serde_json::to_writer(&mut out, &value)?;
        out.write_all(b"\n")?;
        line.clear();
    }
    out.flush()
}

/// Returns the program that was built beside this one.
fn program() -> io::Result<PathBuf> {
    let own = std::env::current_exe()?;
    let folder = own.parent().and_then(Path::parent);
    let found = folder.map(|folder| folder.join("hookgate")).filter(|program| program.is_file());
    found.ok_or_else(|| io::Error::other("build it first: cargo build --release -p hookgate-cli"))
}

fn time(command: &mut Command) -> io::Result<Duration> {
    let started = Instant::now();
    let status = command.stdout(Stdio::null()).status()?;
    let took = started.elapsed();
    if status.success() {
        Ok(took)
    } else {
        Err(io::Error::other(format!("{command:?}: {status}")))
    }
}

/// Returns the microseconds of a step, of the median run.
fn a_step(times: &mut [Duration]) -> f64 {
    times.sort();
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    median.as_secs_f64() * 1e6 / STEPS as f64
}

/// Returns the most memory that a command has taken, in KiB: what its status says last.
fn peak(command: &mut Command) -> io::Result<u64> {
    let mut child = command.stdout(Stdio::null()).spawn()?;
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    while child.try_wait()?.is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        most = most.max(kib.unwrap_or_default());
        sleep(Duration::from_millis(5));
    }
    Ok(most)
}
