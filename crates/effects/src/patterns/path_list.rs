//! A list of path patterns, as it stands in a condition.

use super::deed::Deed;
use super::error::PatternError;
use super::found::{Cause, Found};
use super::path_pattern::{Folders, PathPattern};
use super::truth::Truth;
use crate::effects::{Effects, PathEffect, UnclearWhat};
use crate::run::Place;
use crate::word::Word;

/// Paths in places of any kind.
const ELSEWHERE: [&str; 6] = ["/w", "/home/w/x/w", "/home/w/w", "/tmp/w", "/var/tmp/w", "/etc/w"];

/// A list of path patterns.
#[derive(Debug, Clone)]
pub struct PathPatterns {
    rules: Vec<Rule>,
    mode: Mode,
    /// Of files that are read: whether what stands in them must be shown, or must not be.
    shown: Option<bool>,
}

#[derive(Debug, Clone)]
struct Rule {
    pattern: PathPattern,
    takes_out: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Any,
    Within,
    Outside,
}

impl PathPatterns {
    /// Reads a list of patterns. `!pattern` takes out what a pattern before it put in.
    ///
    /// # Errors
    /// A pattern cannot be read.
    pub fn parse(patterns: &[impl AsRef<str>]) -> Result<Self, PatternError> {
        Self::read(patterns, Mode::Any)
    }

    /// Reads a list of folders: what is done to one of them or in one of them is meant.
    ///
    /// # Errors
    /// A pattern cannot be read.
    pub fn within(folders: &[impl AsRef<str>]) -> Result<Self, PatternError> {
        Self::read(folders, Mode::Within)
    }

    /// Reads a list of folders: what is done anywhere else is meant.
    ///
    /// # Errors
    /// A pattern cannot be read.
    pub fn outside(folders: &[impl AsRef<str>]) -> Result<Self, PatternError> {
        Self::read(folders, Mode::Outside)
    }

    fn read(patterns: &[impl AsRef<str>], mode: Mode) -> Result<Self, PatternError> {
        let mut rules: Vec<Rule> = Vec::new();
        for (index, written) in patterns.iter().enumerate() {
            let written = written.as_ref();
            let (text, takes_out) =
                written.strip_prefix('!').map_or((written, false), |rest| (rest, true));
            let pattern = PathPattern::parse(text, mode != Mode::Any)
                .map_err(|error| error.in_pattern(index, usize::from(takes_out)))?;
            if takes_out && rules.is_empty() {
                let fault = super::error::PatternFault::OnlyNegative;
                return Err(PatternError { index, offset: 0, fault });
            }
            rules.push(Rule { pattern, takes_out });
        }
        Ok(Self { rules, mode, shown: None })
    }

    /// Limits the list, for files that are read, to those whose content is shown, or only used.
    #[must_use]
    pub fn shown(self, shown: Option<bool>) -> Self {
        Self { shown, ..self }
    }

    /// Returns which patterns fit no path, each with its place in the list and the reason.
    #[must_use]
    pub fn doubts(&self) -> Vec<(usize, String)> {
        let folders = Folders::made_up();
        let meant = |path: &str| {
            let effect = PathEffect {
                path: Word::text(path),
                below: false,
                shown: self.shown.unwrap_or(true),
                follows: true,
                climbs: None,
                by: String::new(),
                run: None,
            };
            self.matches(&effect, Deed::Read, &folders) == Truth::True
        };
        if self.mode == Mode::Outside {
            let some = ELSEWHERE.into_iter().any(meant);
            let why = "nothing is outside of these folders".to_owned();
            return if some { Vec::new() } else { vec![(0, why)] };
        }
        let rules = self.rules.iter().enumerate().filter(|(_, rule)| !rule.takes_out);
        let dead = rules
            .filter(|(_, rule)| !rule.pattern.samples(&folders).iter().any(|path| meant(path)));
        dead.map(|(at, _)| {
            (at, "no path was found that it means and the patterns with `!` leave in".to_owned())
        })
        .collect()
    }

    /// Returns whether it is a list of folders.
    #[must_use]
    pub fn is_of_folders(&self) -> bool {
        self.mode != Mode::Any
    }

    /// Returns paths that the list may mean, made up for its patterns and for places of any kind.
    #[must_use]
    pub fn examples(&self) -> Vec<String> {
        let folders = Folders::made_up();
        let wanted = self.rules.iter().filter(|rule| !rule.takes_out && self.mode != Mode::Outside);
        let samples = wanted.flat_map(|rule| rule.pattern.samples(&folders));
        samples.chain(ELSEWHERE.map(str::to_owned)).collect()
    }

    /// Returns whether an effect touches what the list means.
    #[must_use]
    pub fn matches(&self, effect: &PathEffect, deed: Deed, folders: &Folders) -> Truth {
        if deed == Deed::Read && self.shown.is_some_and(|shown| shown != effect.shown) {
            return Truth::False;
        }
        self.meets(effect, deed, folders)
    }

    fn meets(&self, effect: &PathEffect, deed: Deed, folders: &Folders) -> Truth {
        let mut answer = Truth::False;
        for rule in &self.rules {
            if rule.takes_out {
                // What is taken out is the path itself: its neighbours below an effect stay in.
                if answer > Truth::False {
                    answer = answer.and(rule.pattern.matches(&effect.path, folders).not());
                }
            } else if answer < Truth::True {
                answer = answer.or(match self.mode {
                    Mode::Outside => rule.pattern.matches(&effect.path, folders),
                    Mode::Any | Mode::Within => rule.pattern.reaches(effect, deed, folders),
                });
            }
        }
        if self.mode == Mode::Outside { answer.not() } else { answer }
    }

    /// Returns whether one of the effects of a kind touches what the list means.
    #[must_use]
    pub fn find(&self, effects: &Effects, deed: Deed, folders: &Folders) -> Found {
        let mut found = Found::NOTHING;
        let list = match deed {
            Deed::Read => &effects.reads,
            Deed::Write => &effects.writes,
            Deed::Delete => &effects.deletes,
        };
        for (at, effect) in list.iter().enumerate() {
            let cause = match deed {
                Deed::Read => Cause::Read(at),
                Deed::Write => Cause::Write(at),
                Deed::Delete => Cause::Delete(at),
            };
            let mut truth = self.matches(effect, deed, folders);
            // A whole project or home that is sent to another machine takes its secrets along: of what is below
            // as much is said as if it were removed.
            let asks = self.shown != Some(false);
            if deed == Deed::Read && truth == Truth::False && asks && is_sent(effect, effects) {
                truth = self.meets(effect, Deed::Delete, folders);
            }
            found.add(truth, cause);
            if found.truth == Truth::True {
                return found;
            }
        }
        // That a program is given a path outside of a folder, or one that others remove, says too little.
        let counts = self.mode != Mode::Outside && deed != Deed::Delete;
        if found.truth == Truth::False && counts {
            for (at, effect) in effects.mentions.iter().enumerate() {
                let truth = self.matches(effect, deed, folders).and(Truth::Unknown);
                found.add(truth, Cause::Mention(at));
            }
        }
        if found.truth == Truth::False {
            let unclear = effects.unclear.iter().position(|unclear| {
                let is_remote = unclear.run.and_then(|run| effects.runs.get(run));
                let is_remote = is_remote.is_some_and(|run| run.place == Place::Remote);
                !is_remote && adds_to(unclear.what, deed)
            });
            if let Some(at) = unclear {
                found.add(Truth::Unknown, Cause::Unclear(at));
            }
        }
        found
    }
}

/// Returns whether a folder is read by a program that connects to a host: `scp -r . host:`.
fn is_sent(effect: &PathEffect, effects: &Effects) -> bool {
    let connects = |run| effects.connects.iter().any(|host| host.run == Some(run));
    effect.below && effect.shown && effect.run.is_some_and(connects)
}

fn adds_to(what: UnclearWhat, deed: Deed) -> bool {
    match what {
        UnclearWhat::Anything | UnclearWhat::Program => true,
        UnclearWhat::Reads => deed == Deed::Read,
        UnclearWhat::Writes => deed == Deed::Write,
        UnclearWhat::Deletes => deed == Deed::Delete,
        UnclearWhat::Words | UnclearWhat::Connects => false,
    }
}
