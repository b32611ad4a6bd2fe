//! The table form of a run pattern.

use crate::programs::ModeBit;
use crate::run::{CodeFrom, Place};

/// A run pattern as a table. All that it names must hold of the same run; a list means any of its entries.
#[derive(Debug, Clone, Default)]
pub struct RunTable {
    /// The programs; none means any.
    pub program: Vec<String>,
    /// The words, in order, as in a text pattern: `push`, `origin main`.
    pub words: Vec<String>,
    /// Options of which one must be there. `-r -f` asks for both; `--force|-f` for one of them.
    pub flags: Vec<String>,
    /// Options of which none may be there.
    pub no_flags: Vec<String>,
    /// Globs of which one must take an operand after the sub-commands.
    pub operand: Vec<String>,
    /// Globs of which one must take the last operand: where `cp`, `scp` and `rsync` write to.
    pub last: Vec<String>,
    /// Globs of which one must take the verb: one of the first words, behind the things that it is about, of a
    /// program of a service or of one that is not known.
    pub verb: Vec<String>,
    /// Variables of which one must be set for the run: `NAME` or `NAME=glob`.
    pub env: Vec<String>,
    /// Programs of which one must run it: `sudo`.
    pub via: Vec<String>,
    /// Parts of a mode of which it must give one to a file.
    pub mode: Vec<ModeBit>,
    /// Where it must run.
    pub place: Option<Place>,
    /// Whether its exit status must count for the call as a whole, or must be thrown away.
    pub status_counts: Option<bool>,
    /// Whether the file that it runs by path must have been written in this session.
    pub written_in_session: Option<bool>,
    /// Where its code must come from.
    pub code_from: Vec<CodeFrom>,
    /// Whether it must be a trial run (`--dry-run`, `--help`), or must not be one.
    pub trial: Option<bool>,
    /// Whether it must throw away work that is not committed.
    pub discards: bool,
}

impl RunTable {
    /// Returns whether it asks for nothing at all.
    pub(super) fn asks_nothing(&self) -> bool {
        let lists = [
            &self.program,
            &self.words,
            &self.flags,
            &self.no_flags,
            &self.operand,
            &self.last,
            &self.verb,
            &self.env,
            &self.via,
        ];
        lists.iter().all(|list| list.is_empty())
            && self.mode.is_empty()
            && self.place.is_none()
            && self.status_counts.is_none()
            && self.written_in_session.is_none()
            && self.code_from.is_empty()
            && self.trial.is_none()
            && !self.discards
    }
}
