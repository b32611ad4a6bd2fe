//! `trap CODE EXIT`: code that runs when the shell ends, and with the values that its variables have then.

use std::rc::Rc;

use super::state::State;
use super::walk::Walker;
use crate::run::Run;
use crate::variables::{is_name, leading_name};
use crate::word::Word;

/// The most traps of a shell that are looked at once more when it ends.
const MOST_TRAPS: usize = 8;

/// Code that a shell runs when it ends.
#[derive(Debug, Clone)]
pub(super) struct Trap {
    code: Word,
    by: usize,
    /// What the shell knew when the trap was set.
    then: Rc<State>,
    /// Whether the code was looked at then.
    seen: bool,
}

impl Walker<'_> {
    pub(super) fn trap(&mut self, args: &[Word], by: usize) {
        let mut args = args.iter();
        let Some(code) = args.find(|word| word.known().as_deref() != Some("--")) else { return };
        let signals = args.as_slice();
        let is_none = matches!(code.known().as_deref(), Some("-" | "" | "-l" | "-p"));
        if is_none || signals.is_empty() {
            return;
        }
        let written = code.written();
        let has_room = self.traps.len() < MOST_TRAPS;
        let seen = !has_room || !signals.iter().all(is_at_end) || !self.waits(&written);
        let trap = Trap { code: code.clone(), by, then: Rc::clone(&self.state), seen };
        if seen {
            self.run_trap(&trap);
        }
        if has_room {
            let state = self.change();
            state.all_trapped |= is_call(&written);
            state.trapped.extend(names(&written).map(str::to_owned));
            self.traps.push(trap);
        }
    }

    /// Goes through the traps of a shell that ends, as far as something has changed since they were seen.
    pub(super) fn end_of_shell(&mut self) {
        for trap in std::mem::take(&mut self.traps) {
            let written = trap.code.written();
            self.forget_uncertain(&trap, &written);
            let is_same = || {
                names(&written)
                    .all(|name| trap.then.variables.get(name) == self.state.variables.get(name))
            };
            let has_changed = !Rc::ptr_eq(&trap.then, &self.state);
            if !trap.seen || has_changed && (is_call(&written) || !is_same()) {
                self.run_trap(&trap);
            }
        }
    }

    /// Forgets the variables of a trap whose values nobody knows when it runs: those that have changed if the shell may end in
    /// between, and those that have another value for a while.
    fn forget_uncertain(&mut self, trap: &Trap, code: &str) {
        let runs = self.runs.get(trap.by..).unwrap_or_default();
        let may_end = runs.iter().any(|run| is_one_of(run, &["exit", "return", "exec", "kill"]));
        let is_for_a_while = |name: &str| {
            let is_local = |run: &Run| {
                is_one_of(run, &["local", "declare", "typeset"])
                    && run.args.iter().any(|word| leading_name(word.known_prefix()) == name)
            };
            runs.iter().any(|run| is_local(run) || run.env.iter().any(|(set, _)| set == name))
        };
        let is_uncertain = |name: &&String| {
            let has_changed = trap.then.variables.get(*name) != self.state.variables.get(*name);
            may_end && has_changed || is_for_a_while(name)
        };
        let of_code: Vec<&str> = names(code).collect();
        let is_meant = |name: &&String| is_call(code) || of_code.contains(&name.as_str());
        let variables = self.state.variables.keys();
        let uncertain: Vec<String> =
            variables.filter(is_meant).filter(is_uncertain).cloned().collect();
        for name in uncertain {
            self.change().forget(&name);
        }
    }

    fn run_trap(&mut self, trap: &Trap) {
        self.run_by("trap", |walker| walker.in_branch(|walker| walker.code(&trap.code, trap.by)));
    }

    /// Whether code names a variable or a function that the line has not set so far.
    fn waits(&self, code: &str) -> bool {
        is_call(code)
            || names(code).any(|name| {
                !matches!(name, "HOME" | "PWD") && !self.state.variables.contains_key(name)
            })
    }
}

/// Whether a signal comes when the shell ends: not before each command, as `DEBUG` does.
fn is_at_end(signal: &Word) -> bool {
    let name = signal.known().unwrap_or_default().to_ascii_uppercase();
    let name = name.strip_prefix("SIG").unwrap_or(&name);
    matches!(name, "EXIT" | "0" | "INT" | "TERM" | "HUP" | "QUIT" | "1" | "2" | "3" | "15")
}

fn is_one_of(run: &Run, programs: &[&str]) -> bool {
    run.name().is_some_and(|name| programs.contains(&&*name))
}

/// Whether code is one name: that of a function, which the line may set later.
fn is_call(code: &str) -> bool {
    is_name(code.trim())
}

/// The names behind each `$` and `${`.
fn names(code: &str) -> impl Iterator<Item = &str> {
    let behind = code.split('$').skip(1);
    behind
        .map(|rest| leading_name(rest.strip_prefix('{').unwrap_or(rest)))
        .filter(|name| is_name(name))
}
