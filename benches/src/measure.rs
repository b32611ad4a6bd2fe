//! Counts the instructions and allocations of a case.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::process::Command;
use std::thread;

use allocation_counter::measure;
use hookgate::Engine;

use crate::cases::{self, Case};
use crate::error::MeasureError;

/// How many rounds are run at most before anything is counted: tool names are remembered by then.
const WARM_UP: u64 = 200;

/// Returns how many rounds of a case are not counted. A case of few rounds is a large one.
fn warm_up(case: &Case) -> u64 {
    case.rounds.min(WARM_UP)
}

/// The cost of one round of a case, with that of its baseline subtracted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cost {
    pub(crate) instructions: f64,
    pub(crate) allocations: f64,
}

/// Measures cases, each only once.
#[derive(Default)]
pub(crate) struct Meter {
    gross: BTreeMap<&'static str, Cost>,
}

impl Meter {
    /// Returns what one round of a case costs beyond its baseline.
    pub(crate) fn cost(&mut self, case: &'static Case) -> Result<Cost, MeasureError> {
        let (own, base) = (self.gross(case)?, self.gross(cases::find(case.baseline)?)?);
        Ok(Cost {
            instructions: own.instructions - base.instructions,
            allocations: own.allocations - base.allocations,
        })
    }

    fn gross(&mut self, case: &'static Case) -> Result<Cost, MeasureError> {
        if let Some(&known) = self.gross.get(case.name) {
            return Ok(known);
        }
        let cost = Cost { instructions: instructions(case)?, allocations: allocations(case) };
        self.gross.insert(case.name, cost);
        Ok(cost)
    }
}

/// Two runs that differ in nothing but the number of rounds, so that start and set-up cancel out. They are
/// made at the same time: neither changes what the other counts.
fn instructions(case: &Case) -> Result<f64, MeasureError> {
    let (few, many) = thread::scope(|scope| {
        let few = scope.spawn(|| callgrind(case.name, warm_up(case)));
        let many = callgrind(case.name, warm_up(case) + case.rounds);
        (few.join().unwrap_or_else(|panic| resume_unwind(panic)), many)
    });
    Ok(per_round(many?.saturating_sub(few?), case.rounds))
}

/// Returns how many bytes an engine without hooks takes, once it has evaluated a step: its own, and those
/// that it has allocated.
pub(crate) fn bytes_of_engine() -> u64 {
    let mut kept = None;
    let counted = measure(|| {
        let engine = kept.insert(Engine::without_hooks());
        cases::now(cases::agent(engine, &cases::call, 1));
    });
    let own = u64::try_from(size_of::<Engine>()).unwrap_or(u64::MAX);
    own.saturating_add(u64::try_from(counted.bytes_current).unwrap_or_default())
}

fn allocations(case: &Case) -> f64 {
    let mut rounds = (case.load)();
    rounds(warm_up(case));
    let counted = measure(|| rounds(case.rounds));
    per_round(counted.count_total, case.rounds)
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
fn per_round(count: u64, rounds: u64) -> f64 {
    count as f64 / rounds as f64
}

fn callgrind(name: &str, times: u64) -> Result<u64, MeasureError> {
    let this = std::env::current_exe().map_err(MeasureError::Itself)?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(this)
        .args([name, &times.to_string()])
        // callgrind counts `rep movsb` once per byte, and whether libc uses it depends on the
        // machine: it must not, so that copies of large payloads count alike everywhere.
        .env("GLIBC_TUNABLES", "glibc.cpu.x86_rep_movsb_threshold=0x40000000")
        .output()
        .map_err(MeasureError::Valgrind)?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    let collected = stderr.lines().find_map(|line| line.split_once("Collected :"));
    collected
        .and_then(|(_, count)| count.trim().parse().ok())
        .filter(|_| output.status.success())
        .ok_or_else(|| MeasureError::Uncounted(stderr.into_owned()))
}
