//! Ten rules beside policy engines: two programs, since Cedar changes how serde_json is built.

use std::process::Command;

pub use hookgate_policies::timing::PerStep;

use crate::error::PeersError;

/// The programs: hookgate and Rego, and Cedar.
const PROGRAMS: [&str; 2] = ["judge", "judge-cedar"];

/// Runs the programs, which stand beside this one; what each of them timed.
///
/// # Errors
/// One of them is not there, or fails.
pub fn timed() -> Result<Vec<Vec<PerStep>>, PeersError> {
    PROGRAMS.into_iter().map(run).collect()
}

fn run(name: &str) -> Result<Vec<PerStep>, PeersError> {
    let cannot = |source| PeersError::Program { program: name.to_owned(), source };
    let program = std::env::current_exe().map(|this| this.with_file_name(name)).map_err(cannot)?;
    let output = Command::new(program).output().map_err(cannot)?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(PeersError::Failed { program: name.to_owned(), said });
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}
