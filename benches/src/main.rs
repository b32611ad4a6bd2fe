//! Counts the instructions and allocations of the hot paths and holds them to `limits.toml`.
//!
//! ```text
//! cargo run --release -p hookgate-benches -- check        every case, a table, exit code 1 if over
//! cargo run --release -p hookgate-benches -- list         the names of the cases
//! cargo run --release -p hookgate-benches -- time NAME    how long one round takes on the clock
//! cargo run --release -p hookgate-benches -- NAME N       one case N times, for valgrind and perf
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
mod threads;
mod wall_time;

use std::process::ExitCode;

use cases::CASES;
use error::MeasureError;

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

fn run(name: &str, times: &str) -> Result<(), MeasureError> {
    let case = cases::find(name)?;
    let times = times.parse().map_err(|_| MeasureError::Times(times.to_owned()))?;
    (case.load)()(times);
    Ok(())
}
