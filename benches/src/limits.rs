//! Holds what was measured to `limits.toml`.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::cases::CASES;
use crate::error::MeasureError;
use crate::measure::{self, Meter};
use crate::{machine_code, threads, wall_time};

/// The limits, read when this is compiled.
const LIMITS: &str = include_str!("../limits.toml");

/// What one figure may be.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Limit {
    /// At most so many instructions.
    ir: Option<f64>,
    /// At most so many allocations.
    allocs: Option<f64>,
    /// At least this ratio.
    ratio: Option<f64>,
    /// At most so many microseconds.
    us: Option<f64>,
    /// At most so many bytes.
    bytes: Option<u64>,
}

/// A figure that is not a case but follows from some.
type Derived = (&'static str, fn(&BTreeMap<&str, (f64, f64)>) -> Option<(f64, f64)>);

/// The figures of one more hook.
const DERIVED: &[Derived] = &[
    ("sync_hook", |all| per(9.0, all.get("sync_10")?, all.get("sync_1")?)),
    ("async_hook", |all| per(9.0, all.get("async_10")?, all.get("async_1")?)),
    ("pending_hook", |all| per(9.0, all.get("pending_10")?, all.get("pending_1")?)),
    ("envelope_hook", |all| per(9.0, all.get("envelope_4KB")?, all.get("envelope_4KB_1")?)),
];

fn per(hooks: f64, many: &(f64, f64), one: &(f64, f64)) -> Option<(f64, f64)> {
    Some(((many.0 - one.0) / hooks, (many.1 - one.1) / hooks))
}

/// Measures all cases, prints a table, and returns whether all limits are kept.
pub(crate) fn check() -> Result<bool, MeasureError> {
    if cfg!(debug_assertions) {
        return Err(MeasureError::Debug);
    }
    let limits: BTreeMap<String, Limit> =
        toml::from_str(LIMITS).map_err(|error| MeasureError::Limits(error.to_string()))?;
    let mut report = Report { limits, kept: true };
    let mut meter = Meter::default();
    let mut measured = BTreeMap::new();
    println!("{:<24} {:>12} {:>8}   {:<26} ", "case", "Ir", "allocs", "limit");
    for case in CASES {
        let cost = meter.cost(case)?;
        measured.insert(case.name, (cost.instructions, cost.allocations));
        let is_baseline = CASES.iter().any(|other| other.baseline == case.name);
        report.costs(case.name, cost.instructions, cost.allocations, is_baseline)?;
    }
    for (name, derive) in DERIVED {
        if let Some((instructions, allocations)) = derive(&measured) {
            report.costs(name, instructions, allocations, false)?;
        }
    }
    report.holds("noop_machine_code", machine_code::check()?);
    report.all_measured(&measured)?;
    report.bytes("engine_bytes", measure::bytes_of_engine())?;
    report.time("effects_typical_time", wall_time::microseconds("effects_typical")?)?;
    report.ratio("two_threads", threads::ratio())?;
    Ok(report.kept)
}

struct Report {
    limits: BTreeMap<String, Limit>,
    kept: bool,
}

impl Report {
    fn limit(&self, name: &str) -> Result<&Limit, MeasureError> {
        self.limits.get(name).ok_or_else(|| {
            MeasureError::Limits(format!("`{name}` has no limit: add a section [{name}]"))
        })
    }

    fn costs(
        &mut self,
        name: &str,
        instructions: f64,
        allocations: f64,
        may_be_free: bool,
    ) -> Result<(), MeasureError> {
        let limit = match self.limit(name) {
            Err(_) if may_be_free => {
                println!("{name:<24} {instructions:>12.0} {allocations:>8.1}   baseline");
                return Ok(());
            }
            limit => limit?,
        };
        let within = |limit: Option<f64>, value: f64| limit.is_none_or(|limit| value <= limit);
        let ok = within(limit.ir, instructions) && within(limit.allocs, allocations);
        let shown = |limit: Option<f64>| limit.map_or("-".to_owned(), |limit| format!("{limit}"));
        let text = format!("{} Ir, {} allocs", shown(limit.ir), shown(limit.allocs));
        println!("{name:<24} {instructions:>12.0} {allocations:>8.1}   {text:<26} {}", status(ok));
        self.kept &= ok;
        Ok(())
    }

    fn time(&mut self, name: &str, time: f64) -> Result<(), MeasureError> {
        let most = self.limit(name)?.us;
        let ok = most.is_none_or(|most| time <= most);
        let text = most.map_or("-".to_owned(), |most| format!("at most {most} µs"));
        println!("{name:<24} {time:>9.1} µs {:>8}   {text:<26} {}", "", status(ok));
        self.kept &= ok;
        Ok(())
    }

    fn bytes(&mut self, name: &str, bytes: u64) -> Result<(), MeasureError> {
        let most = self.limit(name)?.bytes;
        let ok = most.is_none_or(|most| bytes <= most);
        let text = most.map_or("-".to_owned(), |most| format!("at most {most} bytes"));
        println!("{name:<24} {bytes:>12} {:>8}   {text:<26} {}", "", status(ok));
        self.kept &= ok;
        Ok(())
    }

    fn ratio(&mut self, name: &str, ratio: Option<f64>) -> Result<(), MeasureError> {
        let least = self.limit(name)?.ratio;
        let Some(ratio) = ratio else {
            println!("{name:<24} not measured: the machine is too busy for two threads");
            return Ok(());
        };
        let ok = least.is_none_or(|least| ratio >= least);
        let text = least.map_or("-".to_owned(), |least| format!("at least {least} times"));
        println!("{name:<24} {ratio:>11.2}x {:>8}   {text:<26} {}", "", status(ok));
        self.kept &= ok;
        Ok(())
    }

    fn holds(&mut self, name: &str, ok: bool) {
        println!(
            "{name:<24} {:>12} {:>8}   {:<26} {}",
            "",
            "",
            "the same without hooks",
            status(ok)
        );
        self.kept &= ok;
    }

    /// Returns an error for a limit that no case is held to: it would be an empty promise.
    fn all_measured(&self, measured: &BTreeMap<&str, (f64, f64)>) -> Result<(), MeasureError> {
        let known = |name: &str| {
            measured.contains_key(name)
                || name == "two_threads"
                || name == "engine_bytes"
                || name == "effects_typical_time"
                || DERIVED.iter().any(|derived| derived.0 == name)
        };
        match self.limits.keys().find(|name| !known(name)) {
            None => Ok(()),
            Some(name) => {
                Err(MeasureError::Limits(format!("[{name}] limits nothing: there is no such case")))
            }
        }
    }
}

const fn status(ok: bool) -> &'static str {
    if ok { "ok" } else { "OVER" }
}
