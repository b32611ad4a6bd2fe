//! What a command would do.

use std::hint::black_box;

use hookgate_effects::{Effects, Surroundings};

use super::Loop;

/// A command as agents write them.
const TYPICAL: &str = "git add -A && git commit -m \"x\" && cargo test 2>&1 | tail -20";

/// The effects of a typical command.
pub(crate) fn typical() -> Loop {
    let around =
        Surroundings { cwd: Some("/home/u/p".to_owned()), home: Some("/home/u".to_owned()) };
    Box::new(move |times| {
        for _ in 0..times {
            let effects = Effects::of_command(black_box(TYPICAL), &around);
            assert_eq!(effects.runs.len(), 4, "the case does not do what it says");
            black_box(&effects);
        }
    })
}
