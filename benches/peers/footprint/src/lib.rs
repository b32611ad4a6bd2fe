//! What the programs have in common: they run one future, and tell by their exit code whether the call was denied.

use std::future::Future;
use std::process::ExitCode;

/// Runs a dispatch that says whether the call was denied. The program succeeds if it was.
pub fn succeed_if_denied(dispatch: impl Future<Output = bool>) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    match runtime.map(|runtime| runtime.block_on(dispatch)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) | Err(_) => ExitCode::FAILURE,
    }
}
