//! What follows `&&`: whether it surely runs, so that what it assigns counts afterwards.

use super::syntax::tree::{Assigned, Assignment, Item, Kind, Piece, Simple, Word as Written};
use super::walk::Walker;

/// Whether a part of a list succeeds, so that the part behind `&&` runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Succeeds {
    Surely,
    /// It nearly always does, as `cd` and `echo` do. That is assumed for the folder alone, since the rest of most lines would
    /// be meaningless otherwise, and a run keeps the folders that must be there.
    Mostly,
    Perhaps,
}

/// Variables of bash that nobody can assign.
const READONLY: [&str; 6] = ["BASHOPTS", "BASH_VERSINFO", "EUID", "PPID", "SHELLOPTS", "UID"];

impl Walker<'_> {
    pub(super) fn succeeds(&self, item: &Item) -> Succeeds {
        let [command] = item.pipeline.commands.as_slice() else { return Succeeds::Perhaps };
        let Kind::Simple(simple) = &command.kind else { return Succeeds::Perhaps };
        if item.pipeline.negated || item.background || !command.redirects.is_empty() {
            return Succeeds::Perhaps;
        }
        let Some(first) = simple.words.first() else {
            return surely(simple.assignments.iter().all(|one| self.can_assign(one)));
        };
        let Some(name) = first.bare() else { return Succeeds::Perhaps };
        let state = &self.state;
        if state.functions.contains_key(name) || state.renamed.contains(name) {
            return Succeeds::Perhaps;
        }
        match name {
            // Standard output may be closed.
            "cd" | "pushd" | "popd" | "echo" | "pwd" => Succeeds::Mostly,
            "mkdir" if simple.words.iter().any(is_parents) => Succeeds::Mostly,
            "true" | ":" => surely(!simple.words.iter().any(computes)),
            "export" => surely(self.exports(simple)),
            "set" => surely(simple.words.iter().skip(1).all(is_option_of_set)),
            _ => Succeeds::Perhaps,
        }
    }

    /// Whether an assignment succeeds: its variable can be changed, and no program decides about it.
    fn can_assign(&self, assignment: &Assignment) -> bool {
        let can_fail = |word: &Written| {
            computes(word) || word.pieces.iter().any(|piece| matches!(piece, Piece::Command(_)))
        };
        let value_is_sure = match &assignment.value {
            Assigned::Word(word) => !can_fail(word),
            Assigned::Array(words) => !words.iter().any(can_fail),
        };
        value_is_sure && assignment.subscript.is_none() && self.can_change(&assignment.name)
    }

    fn can_change(&self, name: &str) -> bool {
        let makes_readonly =
            |name: &str| matches!(name, "readonly" | "declare" | "typeset" | "local");
        !READONLY.contains(&name)
            && !self.runs.iter().any(|run| run.name().is_some_and(|name| makes_readonly(&name)))
    }

    /// Whether all words of `export` are assignments that succeed. The status of a program in them does not count.
    fn exports(&self, simple: &Simple) -> bool {
        simple.words.len() == simple.declared.len() + 1
            && !simple.words.iter().any(computes)
            && simple.declared.iter().all(|one| self.can_change(&one.name))
    }
}

fn surely(it_is: bool) -> Succeeds {
    if it_is { Succeeds::Surely } else { Succeeds::Perhaps }
}

/// Whether something in a word is computed, which can fail: `$((1/0))`, `${x?}`.
fn computes(word: &Written) -> bool {
    word.pieces.iter().any(|piece| match piece {
        Piece::Arithmetic(_) => true,
        Piece::Parameter(parameter) => parameter.changed || parameter.subscript.is_some(),
        _ => false,
    })
}

fn is_parents(word: &Written) -> bool {
    matches!(word.bare(), Some("-p" | "--parents"))
}

/// `-eu`, `+x`, `-o pipefail`
fn is_option_of_set(word: &Written) -> bool {
    word.bare().is_some_and(|word| match word.strip_prefix(['-', '+']) {
        Some(letters) => !letters.is_empty() && letters.chars().all(|c| "abefhkmuvxo".contains(c)),
        None => matches!(word, "pipefail" | "errexit" | "nounset" | "xtrace"),
    })
}
