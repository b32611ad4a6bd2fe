//! The hook.

use std::io::BufRead as _;
use std::process::ExitCode;

use serde_json::{Value, json};

/// Denies each step, with its number and this process as the reason.
pub fn worker() -> ExitCode {
    println!("{}", json!({"ready": 1}));
    for (number, line) in std::io::stdin().lock().lines().enumerate() {
        let call: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let reason = format!("step {number} of {}.", std::process::id());
        println!(
            "{}",
            json!({"id": call["id"], "verdict": {"decision": "deny", "reason": reason}})
        );
    }
    ExitCode::SUCCESS
}
