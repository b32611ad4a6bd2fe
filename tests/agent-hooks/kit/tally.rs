//! What came of the vectors.

use std::collections::BTreeMap;

use agent_hooks::ctk::{Harness, run_vector};
use serde_json::Value;

use crate::surface::{Capabilities, left_out};

/// The results of all vectors against one host.
pub(crate) struct Tally {
    host: String,
    pub(crate) passed: Vec<String>,
    pub(crate) failed: Vec<(String, Vec<String>)>,
    /// The reasons, each with how many vectors it leaves out.
    skipped: BTreeMap<String, usize>,
}

impl Tally {
    /// Runs the vectors that apply.
    pub(crate) async fn of(
        host: &str,
        capabilities: Capabilities,
        harness: &mut dyn Harness,
        vectors: &[Value],
    ) -> Self {
        let mut tally = Self {
            host: host.to_owned(),
            passed: Vec::new(),
            failed: Vec::new(),
            skipped: BTreeMap::new(),
        };
        for vector in vectors {
            if let Some(why) = left_out(vector, capabilities) {
                *tally.skipped.entry(why).or_default() += 1;
                continue;
            }
            let result = run_vector(harness, vector).await;
            match result.status {
                "pass" => tally.passed.push(result.id),
                // A vector that the kit leaves out although it applies was not passed.
                _ => {
                    tally.failed.push((result.id, [vec![result.detail], result.failures].concat()))
                }
            }
        }
        tally
    }

    /// Prints the results, and returns whether all vectors have passed.
    pub(crate) fn print(&self) -> bool {
        for (id, why) in &self.failed {
            println!("{}: {id} failed: {}", self.host, why.join("; ").trim_start_matches("; "));
        }
        let (passed, failed) = (self.passed.len(), self.failed.len());
        let skipped: usize = self.skipped.values().sum();
        println!(
            "{}: passed {passed} of {} applicable, {skipped} skipped:",
            self.host,
            passed + failed
        );
        for (why, count) in &self.skipped {
            println!("  {count:2} {why}");
        }
        failed == 0 && passed > 0
    }
}
