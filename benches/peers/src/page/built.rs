//! How long the run took, and the footprints of the systems.

use std::fmt::Write as _;

use super::table::count;
use crate::report::Report;

/// Returns a sentence about the parts of the run; nothing if they were not noted.
pub(super) fn parts(report: &Report) -> String {
    let parts = &report.built.parts;
    if parts.is_empty() {
        return String::new();
    }
    let all: u64 = parts.iter().map(|(_, seconds)| seconds).sum();
    let each: Vec<_> =
        parts.iter().map(|(name, seconds)| format!("{name} {}", clock(*seconds))).collect();
    format!(" The run took {} (minutes and seconds): {}.", clock(all), each.join(", "))
}

/// Returns the section about footprints; nothing if there are none.
pub(super) fn footprints(report: &Report) -> String {
    let footprints = &report.built.footprints;
    if footprints.is_empty() {
        return String::new();
    }
    let mut text = String::from(
        "\n## Footprint\n\nOf a program that embeds the system, has one hook that denies, and evaluates one call: \
         the packages that it is built of, itself included; the processor time of a clean build; its size without \
         symbols. All are built alike, with the profile of this comparison: `opt-level = 3` for what is measured \
         above, 0 for the rest (1 for what macros are made of), no LTO. So the figures compare the systems; a usual \
         release build takes longer, and its program is smaller. The programs with handlers read a config, which \
         may name hooks of these kinds, so that they are linked.\n\n\
         The time is that of rustc and its linker, user and system, added up over all packages, with their macros \
         and build scripts; for the runs of build scripts, that on the clock. Downloads and cargo itself are not \
         counted, and several cores need less on the clock. A package that is built in the same way for several \
         programs is compiled once in this run, and counted for each. It has the features that the program wants \
         by itself, with two exceptions: `syn` and `proc-macro2` have all that any of the programs wants, so that \
         macros are built once (small programs pay for that: hookgate's engine by itself would need half of `syn`); \
         and Meerkat's program is built together with what is measured above, which wants \
         more of a few of its packages. An empty cell: some packages were built before this run.\n\n\
         | | packages | processor time of a clean build | program |\n|---|--:|--:|--:|\n",
    );
    for program in footprints {
        let seconds = program.processor_seconds.map(|seconds| format!("{seconds:.0} s"));
        #[expect(clippy::cast_precision_loss, reason = "programs are far smaller than 2^52 bytes")]
        let size = count(program.bytes as f64 / 1e3);
        let (name, packages) = (&program.name, program.packages);
        let seconds = seconds.unwrap_or_default();
        let _ = writeln!(text, "| {name} | {packages} | {seconds} | {size} KB |");
    }
    text
}

fn clock(seconds: u64) -> String {
    format!("{}:{:02}", seconds / 60, seconds % 60)
}
