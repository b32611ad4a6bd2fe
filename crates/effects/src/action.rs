//! What a step does, to be compared with what an earlier step was denied.
//!
//! A denied action is kept as the deeds that a later step must do again to count as the same one, in whatever
//! words. Nobody says which deed of a step was objected to, so these are the gravest ones of it:
//!
//! 1. what it deletes;
//! 2. else where it pushes and connects to;
//! 3. else what it writes, and the programs about which nothing else is known (`npm publish`);
//! 4. else what it reads and which variables it shows;
//! 5. else what is harmless (`ls`, `echo`, a file in a folder for temporary files), all of it;
//! 6. and if nothing of it is known, this very call.
//!
//! Beside a deed of 2 and 3 stand the files whose content goes into it (`curl -d @FILE`, `cat FILE | nc`): what
//! sends the same file to the same host is the same action, and what fetches something else there is not.
//!
//! A step repeats the action if it does all of these deeds, whatever else it does:
//!
//! * A path is the same in any spelling, from any folder, and where a glob names it. Who deletes a folder above
//!   deletes it, too. Who searches a folder above does not read it: every `grep -r x .` would read everything.
//! * A host is the same on any port. After a push that may take commits away, one that may not is another; the other
//!   way round it is the same and worse. A ref or remote that is not known may be any.
//! * A script that is run is the same in whatever way it is run: `bash x.sh`, `./x.sh`, `cat x.sh | sh`, and where a
//!   glob names it. Who reads it does not run it. Where its content was seen, the deeds of that count; run again so
//!   that nobody sees them (`chmod +x x.sh && ./x.sh` outside of the project), the script itself does.
//! * Another statement for the same database is another action; one that is not known may be any. A command of the
//!   client that has no statement in it (`.schema`) is none.
//! * A program does the same again if all words that it had are there, in any order. Options that only insist
//!   (`--force`, `--yes`) or tell more do not count; a trial (`--dry-run`, `--help`) does nothing.

use std::collections::BTreeSet;
use std::ops::Range;

use hmac_sha256::Hash;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::effects::{Effects, PathEffect, Surroundings};
use crate::manifests::Manifests;
use crate::patterns::{Deed as PatternDeed, Folders, PathPatterns, Truth};
use crate::sql::PROGRAM;
use crate::word::{Word, WordPart};

mod deeds;
#[cfg(test)]
mod tests;

/// How many deeds of an action are kept.
const MAX_DEEDS: usize = 32;

/// What a step does.
///
/// ```
/// use hookgate_effects::{Action, Manifests, Surroundings};
/// use serde_json::json;
///
/// let around = Surroundings { cwd: Some("/home/u/project".into()), home: Some("/home/u".into()) };
/// let action = |command: &str| {
///     Action::of_call("Bash", &json!({ "command": command }), &around, &Manifests::default())
/// };
/// let denied = action("rm -rf build").denied();
/// assert!(action("cd .. && sudo find project/build -delete").repeats(&denied));
/// assert!(!action("rm -rf node_modules").repeats(&denied));
/// ```
#[derive(Debug)]
pub struct Action {
    effects: Effects,
    /// Each deed with its weight and the place of its group of programs.
    deeds: Vec<(Weight, Option<usize>, Deed)>,
    scripts: Vec<ScriptRun>,
    call: String,
}

/// A file whose code a step runs.
#[derive(Debug)]
struct ScriptRun {
    /// The file: absolute, as far as it is known.
    file: Word,
    /// Hashes of the words that it gets.
    words: Vec<String>,
    /// Whether what its code does is known.
    is_seen: bool,
    /// The group of the run.
    group: Option<usize>,
    /// The run, and those that the code starts.
    inside: Range<usize>,
}

impl ScriptRun {
    /// Whether it is the run of a file with these words.
    fn is_of(&self, path: &str, words: &[String]) -> bool {
        (self.file.written() == path || names_by_glob(&self.file, path))
            && has_all(&self.words, words)
    }

    /// Whether all of these groups are of it.
    fn has(&self, groups: &BTreeSet<Option<usize>>) -> bool {
        let is_inside = |group: &Option<usize>| {
            *group == self.group || group.is_some_and(|group| self.inside.contains(&group))
        };
        groups.iter().all(is_inside)
    }
}

/// The deeds that a step must do again to be the action that was denied. It can be written as JSON and read again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeniedAction(Vec<Deed>);

/// How grave a deed is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    /// Other deeds tell it already.
    Told,
    Trifle,
    Look,
    Change,
    Reach,
    Delete,
}

/// One thing that a step does.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Deed {
    /// In place of all others: a script that has done them, with hashes of the words that it gets. It counts where
    /// nobody sees what it does now.
    Again(String, Vec<String>),
    Delete(String),
    Write(String),
    /// The mode, owner or place in the tree of mounts of a path.
    Access(String),
    Read(String),
    /// A path that is read, but whose content stays where it is: it is listed.
    Look(String),
    Connect(String),
    Push {
        /// The ref; `None` if it may be any.
        to: Option<String>,
        /// Names and addresses of the remote; none if it may be any.
        remotes: Vec<String>,
        /// Whether it may take commits or refs away.
        takes: bool,
    },
    /// A variable; `None` for all of them.
    Show(Option<String>),
    /// A program with hashes of its words: a word may be a secret.
    Run(String, Vec<String>),
    /// A file whose code is run, in whatever way, with hashes of the words that it gets.
    Script(String, Vec<String>),
    /// The hash of a call about which nothing is known.
    Call(String),
}

impl Action {
    /// Returns what a call of a tool does.
    #[must_use]
    pub fn of_call(
        tool: &str,
        input: &Value,
        around: &Surroundings,
        manifests: &Manifests,
    ) -> Self {
        let effects = Effects::of_call(tool, input, around, manifests);
        let (deeds, scripts) = deeds::deeds(&effects, around.cwd.as_deref());
        Self { effects, deeds, scripts, call: hash(&[tool, &input.to_string()]) }
    }

    /// Returns what must be done again to be the same action, after this one was denied.
    #[must_use]
    pub fn denied(&self) -> DeniedAction {
        let gravest = self.deeds.iter().map(|(weight, ..)| *weight).max();
        let Some(gravest) = gravest.filter(|gravest| *gravest > Weight::Told) else {
            return DeniedAction(vec![Deed::Call(self.call.clone())]);
        };
        let mut kept: BTreeSet<Deed> = BTreeSet::new();
        let mut groups = BTreeSet::new();
        for (_, group, deed) in self.deeds.iter().filter(|(weight, ..)| *weight == gravest) {
            kept.insert(deed.clone());
            groups.insert(*group);
        }
        if matches!(gravest, Weight::Change | Weight::Reach) {
            // A file that is changed in place is no other file whose content goes there.
            // Nor is a script that is run.
            let own: BTreeSet<&str> = self
                .deeds
                .iter()
                .filter_map(|(weight, _, deed)| match deed {
                    Deed::Write(path) => Some(path.as_str()),
                    Deed::Script(path, _) if *weight == gravest => Some(path.as_str()),
                    _ => None,
                })
                .collect();
            kept.extend(self.deeds.iter().filter_map(|(_, group, deed)| match deed {
                Deed::Read(path) if groups.contains(group) && !own.contains(path.as_str()) => {
                    Some(deed.clone())
                }
                _ => None,
            }));
        }
        let whole = self.scripts.iter().filter(|script| script.is_seen && script.has(&groups));
        kept.extend(whole.map(|run| Deed::Again(run.file.written(), run.words.clone())));
        DeniedAction(kept.into_iter().take(MAX_DEEDS).collect())
    }

    /// Tells whether all of it is looking: no program of it may change anything, as far as its words say.
    #[must_use]
    pub fn only_looks(&self) -> bool {
        self.deeds.iter().all(|(weight, ..)| *weight < Weight::Change)
    }

    /// Tells whether this does again what was denied.
    #[must_use]
    pub fn repeats(&self, denied: &DeniedAction) -> bool {
        let (again, deeds): (Vec<&Deed>, Vec<&Deed>) =
            denied.0.iter().partition(|deed| matches!(deed, Deed::Again(..)));
        (!deeds.is_empty() && deeds.iter().all(|deed| self.does(deed)))
            || again.iter().any(|deed| self.does(deed))
    }

    fn does(&self, denied: &Deed) -> bool {
        let effects = &self.effects;
        let any = |all: &[PathEffect], path: &str, deed| {
            all.iter().any(|effect| reaches(effect, path, deed))
        };
        match denied {
            Deed::Delete(path) => any(&effects.deletes, path, PatternDeed::Delete),
            Deed::Write(path) => any(&effects.writes, path, PatternDeed::Write),
            Deed::Access(path) => any(&effects.access, path, PatternDeed::Write),
            Deed::Read(path) => {
                let shown = effects.reads.iter().filter(|read| read.shown);
                let mut all = shown.chain(&effects.mentions);
                all.any(|effect| reaches(effect, path, PatternDeed::Read))
            }
            Deed::Look(path) => any(&effects.reads, path, PatternDeed::Read),
            Deed::Push { to, remotes, takes } => self.deeds.iter().any(|(.., deed)| match deed {
                Deed::Push { to: to_now, remotes: remotes_now, takes: takes_now } => {
                    let same = |one: &Option<String>, other: &Option<String>| {
                        one.is_none() || other.is_none() || one == other
                    };
                    (*takes_now || !*takes)
                        && same(to, to_now)
                        && (remotes.is_empty()
                            || remotes_now.is_empty()
                            || remotes.iter().any(|remote| remotes_now.contains(remote)))
                }
                _ => false,
            }),
            Deed::Show(name) => self.deeds.iter().any(|(.., deed)| match deed {
                Deed::Show(now) => now.is_none() || now == name,
                _ => false,
            }),
            Deed::Run(program, words) => self.deeds.iter().any(|(.., deed)| match deed {
                Deed::Run(now, words_now) => {
                    now == program && (has_all(words_now, words) || is_any_statement(deed))
                }
                Deed::Script(path, words_now) => base(path) == program && has_all(words_now, words),
                _ => false,
            }),
            Deed::Script(path, words) => {
                let mut runs = self.scripts.iter();
                runs.any(|run| run.is_of(path, words))
                    || self.deeds.iter().any(|(.., deed)| match deed {
                        Deed::Script(now, words_now) => now == path && has_all(words_now, words),
                        Deed::Run(now, words_now) => now == base(path) && has_all(words_now, words),
                        _ => false,
                    })
            }
            Deed::Again(path, words) => {
                let mut unseen = self.scripts.iter().filter(|run| !run.is_seen);
                unseen.any(|run| run.is_of(path, words))
            }
            Deed::Connect(_) => self.deeds.iter().any(|(.., deed)| deed == denied),
            Deed::Call(call) => *call == self.call,
        }
    }
}

fn has_all(now: &[String], denied: &[String]) -> bool {
    denied.iter().all(|word| now.contains(word))
}

/// Tells whether a deed is a statement for a database that is not known.
fn is_any_statement(deed: &Deed) -> bool {
    matches!(deed, Deed::Run(name, words) if name == PROGRAM && words.is_empty())
}

fn base(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, base)| base)
}

/// Returns a path in its one spelling. What a star of a removal means is its folder.
fn place(effect: &PathEffect, deed: PatternDeed) -> String {
    let written = effect.path.written();
    let mut path = written.as_str();
    let is_open = effect.path.has_glob() || effect.path.has_unknown();
    if is_open && deed == PatternDeed::Delete {
        while let Some(folder) = ["/*", "/**", "/.*"].iter().find_map(|end| path.strip_suffix(end))
        {
            path = folder;
        }
    }
    match path.trim_end_matches('/') {
        "" => "/".to_owned(),
        path => path.to_owned(),
    }
}

/// Tells whether an effect is one on a path.
fn reaches(effect: &PathEffect, path: &str, deed: PatternDeed) -> bool {
    let own = place(effect, deed);
    if own == path {
        return true;
    }
    if effect.below && deed != PatternDeed::Read && is_below(path, &own) {
        return true;
    }
    names_by_glob(&effect.path, path)
}

/// Tells whether a word with stars names a path, as a shell expands it.
fn names_by_glob(word: &Word, path: &str) -> bool {
    let is_glob = |part: &WordPart| matches!(part, WordPart::Text(_) | WordPart::Glob(_));
    if !word.has_glob() || !word.parts.iter().all(is_glob) {
        return false;
    }
    let special = |c: char| "*?[]{}!\\~$".contains(c);
    let escaped: String =
        path.chars().flat_map(|c| special(c).then_some('\\').into_iter().chain([c])).collect();
    let itself = PathEffect {
        path: word.clone(),
        below: false,
        shown: false,
        follows: false,
        climbs: None,
        by: String::new(),
        run: None,
    };
    PathPatterns::parse(&[escaped]).is_ok_and(|pattern| {
        path.starts_with('/')
            && pattern.matches(&itself, PatternDeed::Write, &Folders::default()) != Truth::False
    })
}

fn is_below(path: &str, folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

fn hash(texts: &[&str]) -> String {
    let mut hash = Hash::new();
    for text in texts {
        hash.update(text.len().to_le_bytes());
        hash.update(text);
    }
    hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}
