//! Conditions on where a command works: they are asked about the commands that the conditions beside them
//! mean.
//!
//! `runs = "git commit"` with `git_branch = "main"` is about a commit *on main*: the same command must be
//! meant by the one and lie where the other says. A line has many commands, each in a folder of its own
//! (`cd ../other && git commit`), so the conditions on a place are evaluated for each command that is meant,
//! and one of them is enough. Tables in `any` and `not` are asked about the same command, unless they mean
//! commands themselves.

use hookgate_contract::{BuiltCondition, Command, Envelope};

use super::super::applies::{Evaluated, Favour};
use super::super::path_glob::PathGlobs;
use super::super::spec::MatchSpec;
use super::super::truth::Truth;
use super::nested::Nested;
use super::{Conditions, Further};

impl Further {
    /// Returns whether one of the conditions, or a table of `any`, means commands.
    pub(super) fn means_commands(&self) -> bool {
        self.registered.iter().any(means_commands) || self.nested.means_commands()
    }

    fn depends_on_place(&self) -> bool {
        self.registered.iter().any(depends_on_place) || self.nested.depends_on_place()
    }

    /// Returns whether conditions on a place are evaluated for each command that is meant.
    pub(super) fn is_by_command(&self, cwd: &PathGlobs) -> bool {
        self.means_commands() && (!cwd.is_empty() || self.depends_on_place())
    }

    /// Returns the commands that the conditions mean; those of `any` if none of the others means some.
    pub(super) fn commands(&self, step: &Envelope<'_>) -> Vec<Command> {
        let own = self.registered.iter().filter(|built| means_commands(built));
        let own: Vec<_> = own.map(|built| built.condition().commands(step)).collect();
        if own.is_empty() {
            self.nested.commands(step)
        } else {
            own.into_iter().flatten().collect()
        }
    }

    /// Returns the commands that say which files the conditions mean; those of `any`, too, as far as its tables
    /// hold.
    pub(super) fn meant_files(&self, step: &Envelope<'_>) -> Vec<Command> {
        let own = self.registered.iter().filter(|built| built.condition().means_files());
        let own = own.flat_map(|built| built.condition().commands(step));
        own.chain(self.nested.meant_files(step)).collect()
    }
}

impl Conditions {
    /// Returns whether an answer depends on where a command works that a table around this one means.
    pub(super) fn depends_on_outer_place(&self) -> bool {
        let further = self.further.as_ref();
        let means = further.is_some_and(|further| further.means_commands());
        !means
            && (!self.cwd.is_empty() || further.is_some_and(|further| further.depends_on_place()))
    }

    /// Evaluates the conditions on a place for each command that is meant: one is enough.
    pub(super) fn by_command(&self, step: &Envelope<'_>, favour: Favour) -> Evaluated {
        let mut best = Evaluated::registered(Truth::False);
        for (_, one) in self.each_command(step, favour) {
            best = best.or(one);
            if best.known == Truth::True {
                break;
            }
        }
        best
    }

    /// Evaluates the conditions on a place for one command.
    pub(super) fn at(&self, command: &Command, step: &Envelope<'_>, favour: Favour) -> Evaluated {
        let mut all = Evaluated::registered(self.cwd.hold(command.folder.as_deref()));
        let Some(further) = &self.further else { return all };
        for built in further.registered.iter().filter(|built| depends_on_place(built)) {
            if all.known == Truth::False {
                return all;
            }
            all = all.and(Evaluated::registered(built.condition().hold_for(step, command)));
        }
        match all.known {
            Truth::False => all,
            _ => all.and(further.nested.evaluate_at(step, favour, Some(command))),
        }
    }

    fn each_command(
        &self,
        step: &Envelope<'_>,
        favour: Favour,
    ) -> impl Iterator<Item = (Command, Evaluated)> {
        let commands = self.further.as_ref().map(|further| further.commands(step));
        commands.unwrap_or_default().into_iter().map(move |command| {
            let one = Evaluated::registered(command.meant).and(self.at(&command, step, favour));
            (command, one)
        })
    }

    /// Returns the commands because of which the conditions hold or are unknown.
    pub(crate) fn meant_commands(&self, step: &Envelope<'_>) -> Option<Vec<Command>> {
        let further = self.further.as_ref().filter(|further| further.means_commands())?;
        if !further.is_by_command {
            return Some(further.commands(step));
        }
        let all = self
            .each_command(step, Favour::True)
            .map(|(command, one)| Command { meant: one.known, ..command });
        Some(all.filter(|command| command.meant != Truth::False).collect())
    }

    /// Returns the command that decides, if places are evaluated for each command: the one for which most
    /// holds.
    pub(crate) fn deciding_command(&self, step: &Envelope<'_>) -> Option<Command> {
        self.further.as_ref().filter(|further| further.is_by_command)?;
        let mut best: Option<(Command, Evaluated)> = None;
        for (command, one) in self.each_command(step, Favour::True) {
            if best.as_ref().is_none_or(|(_, best)| one.known > best.known) {
                best = Some((command, one));
            }
        }
        best.map(|(command, _)| command)
    }
}

impl Nested {
    fn means_commands(&self) -> bool {
        let mut tables = self.any().iter().flatten();
        tables.any(|table| {
            let further = table.conditions().further.as_ref();
            further.is_some_and(|further| further.means_commands())
        })
    }

    fn depends_on_place(&self) -> bool {
        let mut tables = self.any().iter().flatten().chain(self.not());
        tables.any(|table| table.conditions().depends_on_outer_place())
    }

    fn commands(&self, step: &Envelope<'_>) -> Vec<Command> {
        let tables = self.any().iter().flatten();
        let further = tables.filter_map(|table| table.conditions().further.as_ref());
        further.flat_map(|further| further.commands(step)).collect()
    }
}

impl MatchSpec {
    /// Returns whether one of the conditions, or a table of `any`, means files.
    pub(crate) fn means_files(&self) -> bool {
        self.registered.iter().any(|built| built.condition().means_files())
            || self.any.iter().flatten().any(Self::means_files)
    }
}

fn means_commands(built: &BuiltCondition) -> bool {
    built.condition().means_commands()
}

pub(super) fn depends_on_place(built: &BuiltCondition) -> bool {
    built.condition().depends_on_place()
}
