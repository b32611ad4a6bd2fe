//! `trap CODE EXIT`: code that runs when the shell ends, and with the values that its variables have then.

use std::rc::Rc;

use super::state::State;
use super::walk::Walker;
use crate::variables::{is_name, leading_name};
use crate::word::Word;

/// The most traps of a shell that are looked at once more when it ends.
const MOST_TRAPS: usize = 8;

/// Code that a shell runs when it ends.
#[derive(Debug, Clone)]
pub(super) struct Trap {
    code: Word,
    by: usize,
    /// What the shell knew when the code was looked at; `None` if that is still to be done.
    seen: Option<Rc<State>>,
}

impl Walker<'_> {
    pub(super) fn trap(&mut self, args: &[Word], by: usize) {
        let mut args = args.iter();
        let Some(code) = args.find(|word| word.known().as_deref() != Some("--")) else { return };
        let is_none = matches!(code.known().as_deref(), Some("-" | "" | "-l" | "-p"));
        if is_none || args.next().is_none() {
            return;
        }
        let mut trap = Trap { code: code.clone(), by, seen: None };
        let written = code.written();
        let has_room = self.traps.len() < MOST_TRAPS;
        if !has_room || !self.waits(&written) {
            self.run_trap(&trap);
            trap.seen = Some(Rc::clone(&self.state));
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
            let is_seen = trap.seen.as_ref().is_some_and(|seen| {
                Rc::ptr_eq(seen, &self.state)
                    || names(&written)
                        .all(|name| seen.variables.get(name) == self.state.variables.get(name))
                        && !is_call(&written)
            });
            if !is_seen {
                self.run_trap(&trap);
            }
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
