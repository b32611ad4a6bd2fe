//! Patterns of pushes: the branches and remotes that are meant, and how they are changed.

use std::sync::LazyLock;

use super::error::{PatternError, check_characters, check_text};
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

/// What stands before a branch where it is written with its remote, or with a part of its whole name only.
const BEFORE_BRANCH: [&str; 4] = ["origin/", "remotes/", "refs/remotes/", "heads/"];

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

    /// Returns what is doubtful about the names of branches, each with the name.
    #[must_use]
    pub fn doubts(&self) -> Vec<(String, String)> {
        let wanted = self.to.0.iter().filter(|(_, takes_out)| !takes_out);
        let names = wanted.filter_map(|(glob, _)| glob.sample());
        let branches = names.filter_map(|name| Some((name.clone(), doubt(&name)?)));
        let remotes = self.remote.0.iter().filter_map(|(glob, takes_out)| {
            let name = glob.literal().filter(|name| !takes_out && is_host(name))?;
            let why = format!("a remote has a name or a whole address; write `*{name}*`");
            Some((name.to_owned(), why))
        });
        branches.chain(remotes).chain(self.swallowed()).collect()
    }

    /// Returns the branches and remotes that a name with `!` takes out again.
    fn swallowed(&self) -> impl Iterator<Item = (String, String)> {
        let names = [&self.to, &self.remote].into_iter().flat_map(|names| {
            let wanted = names.0.iter().filter(|(_, takes_out)| !takes_out);
            let samples = wanted.filter_map(|(glob, _)| glob.sample());
            samples.filter(|name| names.of(&|glob| glob.takes(name).into()) != Truth::True)
        });
        names.map(|name| (name, "a name with `!` takes it out again".to_owned()))
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

/// Returns whether a text is a host alone: `github.com`.
fn is_host(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || ".-".contains(c);
    text.contains('.') && text.chars().all(plain) && !text.ends_with(".git")
}

/// Returns what is doubtful about the name of a branch.
fn doubt(name: &str) -> Option<String> {
    let bare = BEFORE_BRANCH.iter().find_map(|before| name.strip_prefix(before))?;
    if name.starts_with("heads/") {
        return Some(format!("a whole name begins with `refs/`; write `{bare}` or `refs/{name}`"));
    }
    let (remote, branch) = match name.split_once("remotes/") {
        Some((_, rest)) => rest.split_once('/').unwrap_or(("origin", rest)),
        None => ("origin", bare),
    };
    Some(format!(
        "the name of a branch has no remote in it; write `{branch}`, or \
         `{{ to = \"{branch}\", remote = \"{remote}\" }}`"
    ))
}

impl Names {
    fn parse(names: &[impl AsRef<str>]) -> Result<Self, PatternError> {
        let mut all = Vec::new();
        for (index, text) in names.iter().enumerate() {
            let text = text.as_ref();
            let (rest, takes_out) =
                text.strip_prefix('!').map_or((text, false), |rest| (rest, true));
            let checked = check_text(rest).and_then(|()| check_characters(rest));
            let glob = checked.and_then(|()| TextGlob::parse(rest));
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
