//! Work that starts itself without end: functions that call themselves, and loops without end that
//! leave jobs in the background.

use super::syntax::tree::{Joint, Kind, List, Word as Written};
use super::walk::Walker;
use crate::effects::UnclearWhat;
use crate::word::Word;

/// What a shell process has started in the background, and where it is in its text.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Jobs {
    /// Jobs of this shell run that no `wait` has waited for.
    running: bool,
    /// Jobs run that nothing can wait for: the subshell that started them has ended.
    left: bool,
    /// How many loops are left by a `break` that may have run before this point.
    leaves: usize,
    /// Whether the function that runs, or the shell, may have ended before this point.
    ends: bool,
    /// How many branches are around this point, which may run or not.
    branches: usize,
    /// How many processes were started around this point.
    forks: usize,
}

/// `return` leaves all loops of its function.
const RETURN: usize = usize::MAX - 1;

/// `exit` leaves everything in its shell.
const EXIT: usize = usize::MAX;

impl Jobs {
    /// What the shell around a subshell knows after it.
    pub(super) const fn after_subshell(self, inner: Self) -> Self {
        Self { left: self.left || inner.left || inner.running, ..self }
    }

    /// What is known at the start of a subshell or a loop.
    pub(super) const fn inside(self) -> Self {
        Self { running: false, left: false, leaves: 0, ..self }
    }
}

impl Walker<'_> {
    /// Goes through something that another process of this shell runs beside it.
    pub(super) fn forked(&mut self, in_background: bool, go: impl FnOnce(&mut Self)) {
        self.jobs.forks += 1;
        go(self);
        self.jobs.forks = self.jobs.forks.saturating_sub(1);
        self.jobs.running |= in_background;
    }

    /// Goes through something that may run or not, without a shell of its own.
    pub(super) fn perhaps(&mut self, go: impl FnOnce(&mut Self)) {
        self.jobs.branches += 1;
        let checkouts = self.checkouts.len();
        go(self);
        self.checkouts_perhaps(checkouts);
        self.jobs.branches = self.jobs.branches.saturating_sub(1);
    }

    /// Goes through a loop.
    pub(super) fn looped(&mut self, endless: bool, go: impl FnOnce(&mut Self)) {
        let outer = self.jobs;
        self.jobs = outer.inside();
        let (first_run, first_checkout) = (self.runs.len(), self.checkouts.len());
        go(self);
        self.repeat_checkouts(first_run, first_checkout);
        let inner = self.jobs;
        if endless && inner.leaves == 0 && (inner.running || inner.left) {
            self.unclear_beside("the loop starts work in the background without end", None);
        }
        let leaves =
            if inner.leaves >= RETURN { inner.leaves } else { inner.leaves.saturating_sub(1) };
        self.jobs = Jobs {
            running: outer.running || inner.running,
            left: outer.left || inner.left,
            leaves: outer.leaves.max(leaves),
            ends: outer.ends || inner.ends,
            ..outer
        };
    }

    /// Goes through the body of a function.
    pub(super) fn called(&mut self, name: String, go: impl FnOnce(&mut Self)) {
        let outer = self.jobs;
        let ended = self.status.may_have_ended;
        (self.jobs.leaves, self.jobs.ends) = (0, false);
        self.active.push((name, self.jobs));
        go(self);
        self.active.pop();
        if self.jobs.leaves != EXIT {
            self.status.may_have_ended = ended;
            (self.jobs.leaves, self.jobs.ends) = (outer.leaves, outer.ends);
        }
    }

    /// A function calls one that runs already. It ends if a branch decides whether it calls itself, and
    /// it waits for itself.
    pub(super) fn calls_itself(&mut self, name: &str) {
        let Some((_, entry)) = self.active.iter().find(|(active, _)| active == name) else {
            return;
        };
        let is_sure = self.jobs.branches <= entry.branches || self.jobs.forks > entry.forks;
        if is_sure && !self.jobs.ends {
            self.unclear_beside(format!("the function `{name}` calls itself without end"), None);
        }
    }

    /// Notes what a program of the shell does with jobs and loops.
    pub(super) fn job_control(&mut self, name: &str, args: &[Word]) {
        let jobs = &mut self.jobs;
        match name {
            "wait" => jobs.running = false,
            // What follows in the round, a `wait` as well, does not run.
            "disown" | "continue" => jobs.left |= jobs.running,
            "break" => {
                let count = args.first().and_then(Word::known).and_then(|count| count.parse().ok());
                jobs.leaves = jobs.leaves.max(count.unwrap_or(1));
            }
            "return" => (jobs.leaves, jobs.ends) = (jobs.leaves.max(RETURN), true),
            "exit" => (jobs.leaves, jobs.ends) = (EXIT, true),
            "exec" if !args.is_empty() => (jobs.leaves, jobs.ends) = (EXIT, true),
            _ => {}
        }
    }

    /// Something unclear that leaves the list of programs of the shell itself complete.
    pub(super) fn unclear_beside(&mut self, why: impl Into<String>, by: Option<usize>) {
        let complete = self.complete;
        self.unclear(UnclearWhat::Program, why, by);
        self.complete = complete;
    }
}

/// Returns whether a condition always holds, or never; `None` if that depends on something.
pub(super) fn constant(condition: &List) -> Option<bool> {
    let last = condition.last().filter(|last| last.joint == Joint::Next && !last.background)?;
    let [command] = last.pipeline.commands.as_slice() else { return None };
    let holds = match &command.kind {
        Kind::Simple(simple) => program(&texts(&simple.words)?)?,
        Kind::Test(words) => test(&texts(words)?)?,
        Kind::Arithmetic(word) => number(&word.literal()?)?,
        _ => return None,
    };
    Some(holds != last.pipeline.negated)
}

/// Returns whether the middle of `for ((…;…;…))` always holds.
pub(super) fn is_endless(head: &Written) -> bool {
    // Only the middle must be known: what is expanded elsewhere counts as nothing.
    let text = head.pieces.iter().map(|piece| Written { pieces: vec![piece.clone()] });
    let text: String =
        text.map(|piece| piece.literal().unwrap_or_else(|| "$".to_owned())).collect();
    match text.split(';').collect::<Vec<_>>().as_slice() {
        [_, middle, _] => middle.trim().is_empty() || number(middle) == Some(true),
        _ => false,
    }
}

fn texts(words: &[Written]) -> Option<Vec<String>> {
    words.iter().map(Written::literal).collect()
}

fn program(words: &[String]) -> Option<bool> {
    let (name, args) = words.split_first()?;
    match name.rsplit('/').next()? {
        "true" | ":" | "echo" | "printf" | "sleep" => Some(true),
        "false" => Some(false),
        "test" => test(args),
        "[" => test(args.strip_suffix(&["]".to_owned()])?),
        "let" => number(args.last()?),
        _ => None,
    }
}

fn test(words: &[String]) -> Option<bool> {
    match words {
        [] => Some(false),
        [one] => Some(!one.is_empty()),
        [one, sign, other] => match sign.as_str() {
            "=" | "==" | "-eq" if one == other => Some(true),
            "=" | "-eq" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

fn number(text: &str) -> Option<bool> {
    text.trim().parse::<i64>().ok().map(|number| number != 0)
}
