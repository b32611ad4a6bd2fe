//! Allocations, counted by an allocator. What is here runs in the program `allocations`, which is linked with it.

use std::collections::BTreeMap;
use std::process::Command;

use serde::{Deserialize, Serialize};

use crate::error::PeersError;

/// What one round of a case allocates, with what the making of the calls does subtracted.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct Allocated {
    /// How often.
    pub count: f64,
    /// How many bytes.
    pub bytes: f64,
}

/// What engines keep.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct Kept {
    /// The bytes of an engine without hooks.
    pub engine: f64,
    /// The bytes that each of a thousand hooks adds.
    pub hook: f64,
    /// The bytes that each of a thousand hooks adds that are about a tool; NaN is not JSON, so it may be missing.
    pub tool_hook: Option<f64>,
}

/// What the program `allocations` counts, by system and by case.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Memory {
    /// What the cases allocate.
    pub cases: BTreeMap<String, BTreeMap<String, Allocated>>,
    /// What the engines keep.
    pub kept: BTreeMap<String, Kept>,
}

/// Runs the program `allocations`, which stands beside this one.
///
/// # Errors
/// It is not there, or fails.
pub fn counted() -> Result<Memory, PeersError> {
    let program = std::env::current_exe().map(|this| this.with_file_name("allocations"));
    let program =
        program.map_err(|source| PeersError::Program { program: "itself".into(), source })?;
    let output = Command::new(&program)
        .output()
        .map_err(|source| PeersError::Program { program: "allocations".into(), source })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(PeersError::Failed { program: "allocations".into(), said });
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}
