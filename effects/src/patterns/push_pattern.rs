//! Patterns of pushes: the branches and remotes that are meant, and how they are changed.

use std::sync::LazyLock;

use super::error::{PatternError, check_text};
use super::found::{Cause, Found};
use super::run_pattern::RunPatterns;
use super::text_glob::TextGlob;
use super::truth::Truth;
use crate::effects::{Effects, UnclearWhat};
use crate::pushes::{PushEffect, PushedRefs, RefUpdate};
use crate::word::Word;

/// What a push must be. All that it names must hold of the same ref of the same push.
#[derive(Debug, Clone, Default)]
pub struct PushPatterns {
    to: Names,
    remote: Names,
    /// Whether it must take commits away, or must not.
    pub force: Option<bool>,
    /// Whether it must delete, or must not.
    pub delete: Option<bool>,
}

/// Globs of which one is enough; `!x` takes out again, alone it is all but `x`.
#[derive(Debug, Clone, Default)]
struct Names(Vec<(TextGlob, bool)>);

/// What pushes, for programs of which it is not sure that they run it.
static PUSHES: LazyLock<RunPatterns> =
    LazyLock::new(|| RunPatterns::parse(&["git push", "git send-pack"]).unwrap_or_default());

impl PushPatterns {
    /// Reads names or globs of branches, or of whole refs: `main`, `release/*`, `refs/tags/*`.
    ///
    /// # Errors
    /// One of them cannot be read.
    pub fn set_to(&mut self, names: &[impl AsRef<str>]) -> Result<(), PatternError> {
        self.to = Names::parse(names)?;
        Ok(())
    }

    /// Reads names or addresses of remotes, or globs of these.
    ///
    /// # Errors
    /// One of them cannot be read.
    pub fn set_remote(&mut self, names: &[impl AsRef<str>]) -> Result<(), PatternError> {
        self.remote = Names::parse(names)?;
        Ok(())
    }

    /// Returns whether a push is meant.
    #[must_use]
    pub fn matches(&self, push: &PushEffect) -> Truth {
        let remote = self.remote.any(&push.remotes);
        let updates = push.updates.iter().map(|update| self.update(update));
        remote.and(updates.max().unwrap_or(Truth::False))
    }

    /// Returns whether one of the pushes of a step is meant.
    #[must_use]
    pub fn find(&self, effects: &Effects) -> Found {
        let mut found = Found::NOTHING;
        for (at, push) in effects.pushes.iter().enumerate() {
            found.add(self.matches(push), Cause::Push(at));
        }
        if found.truth > Truth::False {
            return found;
        }
        for (at, run) in effects.runs.iter().enumerate() {
            let is_read = effects.pushes.iter().any(|push| push.run == at);
            if !is_read && PUSHES.matches(run) == Truth::Unknown {
                found.add(Truth::Unknown, Cause::Run(at));
            }
        }
        let adds = |what| matches!(what, UnclearWhat::Anything | UnclearWhat::Program);
        if let Some(at) = effects.unclear.iter().position(|unclear| adds(unclear.what)) {
            found.add(Truth::Unknown, Cause::Unclear(at));
        }
        found
    }

    fn update(&self, update: &RefUpdate) -> Truth {
        let asked = |asked: Option<bool>, is: bool| match (asked, &update.to) {
            (None, _) => Truth::True,
            (Some(_), PushedRefs::Unknown(_)) => Truth::Unknown,
            (Some(asked), _) => Truth::from(asked == is),
        };
        let to = match &update.to {
            _ if self.to.0.is_empty() => Truth::True,
            PushedRefs::Branch(name) => self.to.branch(name),
            PushedRefs::Ref(name) => self.to.one(name),
            PushedRefs::All => Truth::True,
            PushedRefs::Unknown(_) => Truth::Unknown,
        };
        let sure = if update.sure { Truth::True } else { Truth::Unknown };
        to.and(asked(self.force, update.force)).and(asked(self.delete, update.delete)).and(sure)
    }
}

impl Names {
    fn parse(names: &[impl AsRef<str>]) -> Result<Self, PatternError> {
        let mut all = Vec::new();
        for (index, text) in names.iter().enumerate() {
            let text = text.as_ref();
            let (rest, takes_out) =
                text.strip_prefix('!').map_or((text, false), |rest| (rest, true));
            let glob = check_text(rest).and_then(|()| TextGlob::parse(rest));
            let glob = glob.map_err(|error| error.in_pattern(index, usize::from(takes_out)))?;
            all.push((glob, takes_out));
        }
        Ok(Self(all))
    }

    /// A branch may be named with `refs/heads/` or without.
    fn branch(&self, name: &Word) -> Truth {
        let mut whole = Word::text("refs/heads/");
        name.parts.iter().for_each(|part| whole.push(part.clone()));
        self.of(&|glob| glob.matches(name).or(glob.matches(&whole)))
    }

    fn one(&self, name: &Word) -> Truth {
        self.of(&|glob| glob.matches(name))
    }

    fn any(&self, names: &[Word]) -> Truth {
        if self.0.is_empty() {
            return Truth::True;
        }
        let each = |glob: &TextGlob| names.iter().map(|name| glob.matches(name)).max();
        self.of(&|glob| each(glob).unwrap_or(Truth::Unknown))
    }

    fn of(&self, matches: &dyn Fn(&TextGlob) -> Truth) -> Truth {
        let only_out = self.0.iter().all(|(_, takes_out)| *takes_out);
        let mut answer = Truth::from(only_out);
        for (glob, takes_out) in &self.0 {
            let meant = matches(glob);
            answer = if *takes_out { answer.and(meant.not()) } else { answer.or(meant) };
        }
        answer
    }
}
