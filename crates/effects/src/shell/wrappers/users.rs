//! `su`, `runuser`, `flock`, `watch`, `script`: code in an option.

use super::super::builtins::joined;
use super::super::start::Launch;
use super::super::walk::Walker;
use crate::options::{OptionTable, read_options};
use crate::word::Word;

const fn options(
    short_flags: &'static str,
    short_value: &'static str,
    long_flags: &'static str,
    long_value: &'static str,
) -> OptionTable<'static> {
    OptionTable {
        short_value,
        short_flags,
        long_value,
        long_flags,
        abbreviations: true,
        ..OptionTable::NONE
    }
}

const SU: OptionTable<'static> = options(
    "lmpfPhV",
    "cgGsTw",
    "login preserve-environment fast pty help version",
    "command session-command group supp-group shell whitelist-environment",
);
const RUNUSER: OptionTable<'static> = options(
    "lmpfPhV",
    "ucgGsTw",
    "login preserve-environment fast pty help version",
    "user command session-command group supp-group shell whitelist-environment",
);
const FLOCK: OptionTable<'static> = OptionTable {
    stop_at_operand: true,
    ..options(
        "sxeunoFhV",
        "wE",
        "shared exclusive unlock nonblock nb close no-fork verbose help version",
        "timeout wait conflict-exit-code",
    )
};
const WATCH: OptionTable<'static> = OptionTable {
    stop_at_operand: true,
    short_optional: "d",
    long_optional: "differences",
    ..options(
        "bceghprtwxvC",
        "nqs",
        "beep color errexit chgexit precise no-rerun no-title no-wrap exec help version no-color",
        "interval equexit shotsdir",
    )
};
const SCRIPT: OptionTable<'static> = OptionTable {
    short_optional: "t",
    long_optional: "timing",
    ..options(
        "aefqhV",
        "cIOBTmEo",
        "append return flush force quiet help version",
        "command log-in log-out log-io log-timing logging-format echo output-limit",
    )
};

impl Walker<'_> {
    pub(super) fn su(&mut self, name: &str, args: &[Word], by: usize) {
        let table = if name == "runuser" { RUNUSER } else { SU };
        let read = read_options(&table, args);
        if read.has("h V help version") {
            return;
        }
        self.check_options(&read, args, name, by);
        let codes: Vec<Word> = read.values("c command session-command").cloned().collect();
        if codes.is_empty() {
            // `runuser -u root -- rm x`: the words are a program.
            if read.has("u user") {
                let table = OptionTable { stop_at_operand: true, ..RUNUSER };
                let read = read_options(&table, args);
                let rest = args.get(read.rest..).unwrap_or_default();
                self.start_by(name, rest, Launch::default());
                return;
            }
            self.start_by(name, &[Word::text("sh")], Launch::default());
            return;
        }
        for code in codes {
            self.run_by(name, |walker| walker.code_in_new_shell(&code, by, None, None, &[]));
        }
    }

    pub(super) fn flock(&mut self, name: &str, args: &[Word], by: usize) {
        let read = read_options(&FLOCK, args);
        if read.has("h V help version u unlock") && args.len() < read.rest + 2 {
            return;
        }
        self.check_options(&read, args, name, by);
        // The file, then a program or `-c` and code.
        let rest = args.get(read.rest + 1..).unwrap_or_default();
        match rest {
            [option, code, ..] if matches!(option.known().as_deref(), Some("-c" | "--command")) => {
                self.run_by(name, |walker| walker.code_in_new_shell(code, by, None, None, &[]));
            }
            rest => self.start_by(name, rest, Launch::default()),
        }
    }

    pub(super) fn watch(&mut self, name: &str, args: &[Word], by: usize) {
        let read = read_options(&WATCH, args);
        if read.has("h v help version") {
            return;
        }
        self.check_options(&read, args, name, by);
        let rest = args.get(read.rest..).unwrap_or_default();
        if read.has("x exec") {
            self.start_by(name, rest, Launch::default());
        } else if !rest.is_empty() {
            let code = joined(rest.iter());
            self.run_by(name, |walker| walker.code_in_new_shell(&code, by, None, None, &[]));
        }
    }

    pub(super) fn script_program(&mut self, name: &str, args: &[Word], by: usize) {
        let read = read_options(&SCRIPT, args);
        if read.has("h V help version") {
            return;
        }
        self.check_options(&read, args, name, by);
        match read.value("c command").cloned() {
            Some(code) => {
                self.run_by(name, |walker| walker.code_in_new_shell(&code, by, None, None, &[]))
            }
            None => {
                // On macOS and BSD a program follows the file.
                let operands: Vec<Word> = read.operands().skip(1).cloned().collect();
                if operands.is_empty() {
                    self.fed_shell(name);
                } else {
                    self.start_by(name, &operands, Launch::default());
                }
            }
        }
    }
}
