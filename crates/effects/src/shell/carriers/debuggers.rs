//! Programs that run another one to watch it: `gdb --args`, `rr`, `perf record`, `py-spy record`.

use super::super::start::Launch;
use super::super::walk::Walker;
use crate::options::{OptionTable, read_options};
use crate::word::Word;

/// The options of `perf record`, `stat`, `trace` and `rr record` that take a value.
const OPTIONS: OptionTable<'static> = OptionTable {
    short_value: "eoFcCpturmGDI",
    short_optional: "j",
    long_value: "event output freq count cpu pid tid uid mmap-pages cgroup delay interval-print repeat call-graph \
                 clockid filter duration expr",
    stop_at_operand: true,
    ..OptionTable::NONE
};

impl Walker<'_> {
    /// Starts what stands after `--args` of gdb, or `--` of lldb.
    pub(super) fn debugged(&mut self, name: &str, args: &[Word]) {
        let place = args.iter().position(|word| match word.known().as_deref() {
            Some("--args" | "-args") => name == "gdb",
            Some("--") => name == "lldb",
            _ => false,
        });
        if let Some(words) = place.and_then(|place| args.get(place + 1..)) {
            self.carried_program(words, name);
        }
    }

    /// Starts what `perf`, `rr` or `py-spy` watch.
    pub(super) fn watched(&mut self, name: &str, args: &[Word]) {
        let first = args.first().and_then(Word::known).unwrap_or_default();
        let args = match (name, first.as_ref()) {
            ("perf", "record" | "stat" | "trace") | ("rr", "record") => {
                args.get(1..).unwrap_or_default()
            }
            ("rr", first) if !matches!(first, "replay" | "ps" | "pack" | "dump" | "ls" | "rm") => {
                args
            }
            // Its options end at `--`.
            ("py-spy", _) => {
                let end = args.iter().position(|word| word.known().as_deref() == Some("--"));
                end.and_then(|end| args.get(end + 1..)).unwrap_or_default()
            }
            _ => return,
        };
        let rest = read_options(&OPTIONS, args).rest;
        let words = args.get(rest..).unwrap_or_default();
        if !words.is_empty() {
            self.start_by(name, words, Launch::default());
        }
    }
}
