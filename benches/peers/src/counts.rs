//! Instructions, counted by callgrind.
//!
//! One run of valgrind counts all cases of one system: callgrind counts inside of [`rounds_that_count`] only, and writes down
//! what it has counted whenever that returns. Each case is counted twice, with different numbers of rounds; the
//! difference is what the rounds take.

use std::collections::BTreeMap;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::case::Case;
use crate::error::PeersError;
use crate::rounds::Rounds;
use crate::system::System;

/// How many rounds are run at most before anything is counted: tool names are remembered by then.
const WARM_UP: u64 = 200;

/// How many rounds are counted at most.
const ROUNDS: u64 = 200;

/// How long the rounds of one case may take about, under valgrind.
const PATIENCE: Duration = Duration::from_millis(400);

/// How many rounds the shorter of the two runs has.
const FEW: u64 = 1;

/// Instructions for one round, by the name of the case.
pub type Instructions = BTreeMap<String, f64>;

/// Runs rounds whose instructions count.
#[inline(never)]
pub fn rounds_that_count(rounds: &Rounds, times: u64) {
    rounds.run(black_box(times));
}

/// Runs all cases of a system so that valgrind can count them, and prints what is counted, a line each.
pub fn run(system: &dyn System, cases: &[Case]) {
    for case in cases.iter().filter(|case| case.counted) {
        let Some(rounds) = system.rounds(&case.work) else { continue };
        // Both are there until the end: what malloc takes depends on what was freed before.
        let making = system.making(&case.work);
        for (what, rounds) in [("case", &rounds), ("making", &making)] {
            let many = FEW + warmed(rounds);
            for times in [FEW, many] {
                rounds.prepare(times);
                rounds_that_count(rounds, times);
            }
            println!("{what} {} {}", case.name, many - FEW);
        }
    }
}

/// Warms up, and returns how many rounds there is time for.
fn warmed(rounds: &Rounds) -> u64 {
    let start = Instant::now();
    let mut warm = 0;
    while warm < WARM_UP && start.elapsed() < PATIENCE {
        rounds.warm_up(1);
        warm += 1;
    }
    warm.clamp(1, ROUNDS)
}

/// Counts all cases of a system; what it takes to make the calls is subtracted.
///
/// # Errors
/// valgrind cannot be run, or what it wrote cannot be understood.
pub fn instructions(system: &str) -> Result<Instructions, PeersError> {
    let folder =
        std::env::temp_dir().join(format!("hookgate-peers-{}-{system}", std::process::id()));
    fs::create_dir_all(&folder)
        .map_err(|source| PeersError::File { path: folder.clone(), source })?;
    let counted = callgrind(system, &folder);
    // What is left in a folder for temporary files does no harm.
    let _ = fs::remove_dir_all(&folder);
    counted
}

fn callgrind(system: &str, folder: &Path) -> Result<Instructions, PeersError> {
    let program = std::env::current_exe();
    let program =
        program.map_err(|source| PeersError::Program { program: "itself".into(), source })?;
    let out = folder.join("out");
    let output = Command::new("nice")
        .args(["-n", "10", "valgrind", "--tool=callgrind", "--collect-atstart=no"])
        // The patterns differ because callgrind takes only one option for each.
        .args(["--toggle-collect=*rounds_that_count*", "--dump-after=*that_count*"])
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(program)
        .args(["count", system])
        // callgrind counts `rep movsb` once per byte, and whether libc uses it depends on the machine: it must not,
        // so that copies of large calls count alike everywhere.
        .env("GLIBC_TUNABLES", "glibc.cpu.x86_rep_movsb_threshold=0x40000000")
        .output()
        .map_err(|source| PeersError::Program { program: "valgrind".into(), source })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(PeersError::Failed { program: "valgrind".into(), said });
    }
    subtracted(&String::from_utf8_lossy(&output.stdout), &out)
}

/// Reads what was dumped for each line that was printed: two dumps, in order.
fn subtracted(printed: &str, out: &Path) -> Result<Instructions, PeersError> {
    let mut net = Instructions::new();
    for (index, line) in printed.lines().enumerate() {
        let unknown = || PeersError::Uncounted(line.to_owned());
        let mut words = line.split(' ');
        let (Some(what), Some(case), Some(rounds)) = (words.next(), words.next(), words.next())
        else {
            return Err(unknown());
        };
        let rounds: f64 = rounds.parse().map_err(|_| unknown())?;
        let (few, many) = (dumped(out, 2 * index + 1)?, dumped(out, 2 * index + 2)?);
        let each = (many - few) / rounds;
        *net.entry(case.to_owned()).or_default() += if what == "case" { each } else { -each };
    }
    Ok(net)
}

/// Returns how many instructions a dump has counted.
fn dumped(out: &Path, number: usize) -> Result<f64, PeersError> {
    let path = PathBuf::from(format!("{}.{number}", out.display()));
    let text = fs::read_to_string(&path).map_err(|source| PeersError::File { path, source })?;
    let count = text.lines().find_map(|line| line.strip_prefix("summary: "));
    count
        .and_then(|count| count.trim().parse().ok())
        .ok_or_else(|| PeersError::Uncounted(format!("dump {number} has no sum")))
}
