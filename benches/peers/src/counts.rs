//! Instructions, counted by callgrind.
//!
//! One run of valgrind counts all cases of one system: callgrind counts inside of [`rounds_that_count`] only, and writes down
//! what it has counted whenever that returns. Each case is counted twice, with different numbers of rounds; the
//! difference is what the rounds take.

mod code;
mod dump;

use std::collections::BTreeMap;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::case::Case;
use crate::error::PeersError;
use crate::rounds::Rounds;
use crate::system::System;
pub use code::lines;
use dump::Dump;
pub use dump::Functions;

/// How many rounds are run at most before anything is counted: tool names are remembered by then.
const WARM_UP: u64 = 200;

/// How many rounds are counted at most.
const ROUNDS: u64 = 200;

/// How long the rounds of one case may take about, under valgrind.
const PATIENCE: Duration = Duration::from_millis(400);

/// How many rounds the shorter of the two runs has.
const FEW: u64 = 1;

/// What was counted of one case, for one round.
#[derive(Debug, Clone, Default)]
pub struct Counted {
    /// All instructions.
    pub instructions: f64,
    /// The same by function. Making the calls is subtracted, which may take more in a function than the case does.
    pub functions: Functions,
}

/// What was counted, by the name of the case.
pub type Instructions = BTreeMap<String, Counted>;

/// Runs rounds whose instructions count.
#[inline(never)]
pub fn rounds_that_count(rounds: &Rounds, times: u64) {
    rounds.run(black_box(times));
}

/// Runs all cases of a system so that valgrind can count them, and prints what is counted, a line each.
pub fn run(system: &dyn System, cases: &[Case]) {
    for case in cases.iter().filter(|case| case.is_counted(system.name())) {
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
    in_folder(system, |folder| {
        let out = folder.join("out");
        // The pattern differs from the other one because callgrind takes only one option for each.
        let printed = valgrind(&out, &["--dump-after=*that_count*"], &["count", system])?;
        subtracted(&printed, &out)
    })
}

/// Does something with a folder of its own for temporary files.
fn in_folder<T>(
    name: &str,
    what: impl FnOnce(&Path) -> Result<T, PeersError>,
) -> Result<T, PeersError> {
    let folder = std::env::temp_dir().join(format!("hookgate-peers-{}-{name}", std::process::id()));
    fs::create_dir_all(&folder)
        .map_err(|source| PeersError::File { path: folder.clone(), source })?;
    let done = what(&folder);
    // What is left in a folder for temporary files does no harm.
    let _ = fs::remove_dir_all(&folder);
    done
}

/// Runs this program under callgrind, which counts inside of [`rounds_that_count`] only. Returns what it printed.
fn valgrind(out: &Path, options: &[&str], arguments: &[&str]) -> Result<String, PeersError> {
    let program = std::env::current_exe();
    let program =
        program.map_err(|source| PeersError::Program { program: "itself".into(), source })?;
    let output = Command::new("nice")
        .args(["-n", "10", "valgrind", "--tool=callgrind", "--collect-atstart=no"])
        .arg("--toggle-collect=*rounds_that_count*")
        .arg(format!("--callgrind-out-file={}", out.display()))
        .args(options)
        .arg(program)
        .args(arguments)
        // callgrind counts `rep movsb` once per byte, and whether libc uses it depends on the machine: it must not,
        // so that copies of large calls count alike everywhere.
        .env("GLIBC_TUNABLES", "glibc.cpu.x86_rep_movsb_threshold=0x40000000")
        .output()
        .map_err(|source| PeersError::Program { program: "valgrind".into(), source })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(PeersError::Failed { program: "valgrind".into(), said });
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
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
        let (few, many) = (Dump::read(out, 2 * index + 1)?, Dump::read(out, 2 * index + 2)?);
        let sign = if what == "case" { 1.0 } else { -1.0 };
        net.entry(case.to_owned()).or_default().add(&many, sign / rounds);
        net.entry(case.to_owned()).or_default().add(&few, -sign / rounds);
    }
    Ok(net)
}

impl Counted {
    /// Adds so many times what a dump has counted.
    fn add(&mut self, dump: &Dump, times: f64) {
        self.instructions += dump.sum * times;
        for (name, count) in &dump.functions {
            *self.functions.entry(name.clone()).or_default() += count * times;
        }
    }
}
