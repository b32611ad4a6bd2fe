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
    let cores = report.machine.cores;
    let mut text = format!(
        "\n## Footprint\n\nOf a program that embeds the system, has one hook that denies, and evaluates one call: the packages \
         that it is built of, itself included; the seconds of a clean build on the clock, by {cores} cores, with all \
         packages downloaded; its size without symbols. All are built alike, with the profile of this comparison: \
         `opt-level = 3` for what is measured above, 0 for the rest, no LTO. So the figures compare the \
         systems; a usual release build takes longer, and its program is smaller. The programs with handlers read a config, which may name hooks of these \
         kinds, so that they are linked. Meerkat's packages are built once, for this and for all that is measured, with \
         the features that the comparison wants. `benches/peers/run footprints` builds \
         the others, each from nothing. An empty cell: some packages were built before.\n\n| | packages | a clean build | program |\n|---|--:|--:|--:|\n",
    );
    for program in footprints {
        let seconds = program.seconds.map(|seconds| format!("{seconds} s")).unwrap_or_default();
        #[expect(clippy::cast_precision_loss, reason = "programs are far smaller than 2^52 bytes")]
        let size = program.bytes.map(|bytes| format!("{} KB", count(bytes as f64 / 1e3)));
        let (name, packages) = (&program.name, program.packages);
        let _ =
            writeln!(text, "| {name} | {packages} | {seconds} | {} |", size.unwrap_or_default());
    }
    text
}

fn clock(seconds: u64) -> String {
    format!("{}:{:02}", seconds / 60, seconds % 60)
}
