//! Proves, measures and writes down how hookgate compares with other hook engines.
//!
//! ```text
//! hookgate-peers prove                     the same verdicts from every system, and all hooks ran
//! hookgate-peers measure RESULTS.json      proves, then measures everything
//! hookgate-peers built RESULTS.json NOTES  adds what was noted about the build
//! hookgate-peers page RESULTS.json DIR     writes performance.md and its plots into a folder
//! hookgate-peers count SYSTEM              all cases of one system, for valgrind
//! hookgate-peers run SYSTEM CASE N         one case N times, for a profiler
//! hookgate-peers making SYSTEM CASE N      the same without the evaluation: what is subtracted
//! ```

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use hookgate_peers::built::Built;
use hookgate_peers::error::PeersError;
use hookgate_peers::proof::prove;
use hookgate_peers::report::Report;
use hookgate_peers::system::System;
use hookgate_peers::systems::{self, Floor};
use hookgate_peers::{cases, counts, page};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match *arguments {
        ["prove"] => proven(),
        ["measure", results] => measured(Path::new(results)),
        ["built", results, notes] => noted(Path::new(results), Path::new(notes)),
        ["page", results, folder] => written(Path::new(results), Path::new(folder)),
        ["count", system] => {
            found(system).map(|system| counts::run(system.as_ref(), &cases::all()))
        }
        ["run", system, case, times] => profiled(system, case, times, false),
        ["making", system, case, times] => profiled(system, case, times, true),
        _ => Err(PeersError::Usage),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn proven() -> Result<(), PeersError> {
    for system in systems::all() {
        println!("{}: {} calls as expected", system.name(), prove(system.as_ref())?);
    }
    Ok(())
}

fn measured(results: &Path) -> Result<(), PeersError> {
    kept(&Report::measured()?, results)
}

fn noted(results: &Path, notes: &Path) -> Result<(), PeersError> {
    let mut report: Report = serde_json::from_str(&read(results)?)?;
    report.built = Built::parse(&read(notes)?, read)?;
    kept(&report, results)
}

fn kept(report: &Report, results: &Path) -> Result<(), PeersError> {
    let text = serde_json::to_string(report)?;
    fs::write(results, text + "\n")
        .map_err(|source| PeersError::File { path: results.into(), source })
}

fn read(path: &Path) -> Result<String, PeersError> {
    fs::read_to_string(path).map_err(|source| PeersError::File { path: path.into(), source })
}

fn written(results: &Path, folder: &Path) -> Result<(), PeersError> {
    page::write(&serde_json::from_str(&read(results)?)?, folder)
}

fn found(name: &str) -> Result<Box<dyn System>, PeersError> {
    let mut systems = systems::all();
    systems.push(Floor::system());
    let found = systems.into_iter().find(|system| system.name() == name);
    found.ok_or_else(|| PeersError::NoSystem(name.to_owned()))
}

fn profiled(system: &str, case: &str, times: &str, making: bool) -> Result<(), PeersError> {
    let system = found(system)?;
    let cases = cases::all();
    let case = cases.iter().find(|known| known.name == case).ok_or(PeersError::Usage)?;
    let times = times.parse().map_err(|_| PeersError::Usage)?;
    let rounds = if making { Some(system.making(&case.work)) } else { system.rounds(&case.work) };
    if let Some(rounds) = rounds {
        rounds.warm_up(100);
        rounds.prepare(times);
        counts::rounds_that_count(&rounds, times);
    }
    Ok(())
}
