//! Any command line has effects, and they can be written. `cargo +nightly fuzz run effects`
#![no_main]

use hookgate_effects::{Effects, Surroundings};

libfuzzer_sys::fuzz_target!(|command: &str| {
    let around =
        Surroundings { cwd: Some("/home/u/p".to_owned()), home: Some("/home/u".to_owned()) };
    let effects = Effects::of_command(command, &around);
    // What may run more than is told says why.
    let report = effects.report("Bash", around.cwd.as_deref());
    let report = serde_json::to_value(report).expect("effects are JSON");
    let is_silent = report["unclear"].as_array().is_some_and(Vec::is_empty);
    assert!(!(effects.more_programs && is_silent));
});
