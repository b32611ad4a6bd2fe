//! Counts the instructions and allocations of the hot paths and holds them to `limits.toml`.
//!
//! ```text
//! cargo run --profile dist -p hookgate-benches -- check        every case, a table, exit code 1 if over
//! cargo run --profile dist -p hookgate-benches -- list         the names of the cases
//! cargo run --profile dist -p hookgate-benches -- time NAME    how long one round takes on the clock
//! cargo run --profile dist -p hookgate-benches -- NAME N       one case N times, for valgrind and perf
//! cargo run --profile dist -p hookgate-benches -- record FOLDER N MODE
//!                                                         N records of the steps in a folder, how many a second
//! ```
//!
//! Instructions are counted by callgrind, which this starts on itself: the counts are the same on
//! a busy machine. (gungraun does the same, but its runner takes minutes to build.)

#![expect(clippy::panic, reason = "a case that does not do what it says must not be measured")]

mod cases;
mod error;
mod limits;
mod machine_code;
mod measure;
mod recording;
mod threads;
mod wall_time;

use std::path::Path;
use std::process::ExitCode;

use cases::CASES;
use error::MeasureError;
use hookgate_store::EnvelopeMode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match *args {
        ["check"] => limits::check(),
        ["list"] => {
            CASES.iter().for_each(|case| println!("{}", case.name));
            Ok(true)
        }
        ["time", name] => wall_time::microseconds(name).map(|time| {
            println!("{name} takes {time:.3} µs");
            true
        }),
        ["record", folder, times, mode] => record(folder, times, mode).map(|()| true),
        [name, times] => run(name, times).map(|()| true),
        _ => Err(MeasureError::Usage),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn record(folder: &str, times: &str, mode: &str) -> Result<(), MeasureError> {
    let times = times.parse().map_err(|_| MeasureError::Times(times.to_owned()))?;
    let mode = EnvelopeMode::from_name(mode).ok_or(MeasureError::Usage)?;
    let recorded = recording::record(Path::new(folder), times, mode)?;
    println!("{:.0} rows a second", recorded.rows_per_second);
    println!("{:.0} are read in a second", recorded.read_per_second);
    if let Some(worked) = recorded.microseconds {
        println!("{worked:.1} µs of work for each, by the threads of the journal");
    }
    Ok(())
}

fn run(name: &str, times: &str) -> Result<(), MeasureError> {
    let case = cases::find(name)?;
    let times = times.parse().map_err(|_| MeasureError::Times(times.to_owned()))?;
    (case.load)()(times);
    Ok(())
}
