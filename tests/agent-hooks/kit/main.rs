//! Promise: as a host of AGENT-HOOKS hookgate does what `docs/conformance.md` claims.
//!
//! The kit of the standard (crate `agent-hooks-sdk`) scripts interceptors, an approver and a small agent,
//! and checks what they saw and what was recorded. Here the agent's steps go to the engine of hookgate,
//! once in this process and once through the program `hookgate run`; nothing of the dispatch is done
//! again. Hosts that are lenient in one point each must fail it, or a pass would mean nothing.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

mod agent;
mod bridge;
mod golden;
mod harness;
mod in_process;
mod lenient;
mod program;
mod raw_numbers;
mod service;
mod surface;
mod tally;
mod vectors;

use std::path::Path;
use std::process::ExitCode;

use hookgate_test_support::needs;

use harness::KitHarness;
use in_process::InProcess;
use program::Program;
use surface::{IN_PROCESS, PROGRAM};
use tally::Tally;

#[tokio::main]
async fn main() -> ExitCode {
    let kit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance/agent-hooks");
    if !needs::path(&kit) {
        return ExitCode::SUCCESS;
    }
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // A provider of identities of the kit panics on purpose.
        let text = panic.payload().downcast_ref::<&str>();
        if !text.is_some_and(|text| text.starts_with("ctk scripted")) {
            usual(panic);
        }
    }));
    let vectors = vectors::load(&kit);
    let mut good = golden::check(&kit.join("golden/identity.json"));
    let mut in_process = KitHarness::new(InProcess::strict());
    good &= Tally::of("in process", IN_PROCESS, &mut in_process, &vectors).await.print();
    let mut program = KitHarness::new(Program::find());
    good &= Tally::of("hookgate run", PROGRAM, &mut program, &vectors).await.print();
    good &= lenient::all_fail(&vectors).await;
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
