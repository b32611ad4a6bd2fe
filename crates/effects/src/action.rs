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
//! * A host is the same on any port. A push that may take commits away is another one than a push that may not; a
//!   ref or remote that is not known may be any.
//! * A program does the same again if all words that it had are there, in any order. Options that only insist
//!   (`--force`, `--yes`) or tell more do not count; a trial (`--dry-run`, `--help`) does nothing.

use std::collections::BTreeSet;

use hmac_sha256::Hash;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::effects::{Effects, PathEffect, Surroundings};
use crate::manifests::Manifests;
use crate::options::Given;
use crate::paths::absolute;
use crate::patterns::{Deed as PatternDeed, Folders, PathPatterns, Truth};
use crate::programs::{Trial, is_listed, read, trial};
use crate::pushes::{PushEffect, PushedRefs, RefUpdate};
use crate::run::{Output, RedirectKind, Run};

use crate::word::{Word, WordPart};

/// How many deeds of an action are kept.
const MAX_DEEDS: usize = 32;

/// Programs that do nothing by themselves, or only tell something.
const HARMLESS: &str = "cd pushd popd echo printf true false : pwd ls test [ [[ export unset set declare \
    local read shift return exit break continue date whoami id hostname uname sleep wait type command which whereis \
    env printenv basename dirname seq cat head tail grep rg wc sort uniq cut tr diff find file stat du df tree ps jq";

/// Sub-commands of git that only tell something.
const GIT_TELLS: &str =
    "status log diff show rev-parse ls-files ls-tree blame describe rev-list cat-file";

/// Options that change nothing about what is done.
const INSISTING: &str =
    "f force y yes assume-yes auto-approve no-input q quiet silent v verbose i interactive";

/// Folders for temporary files.
const TEMPORARY: [&str; 4] = ["/tmp", "/var/tmp", "/dev", "/private/tmp"];

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
    call: String,
}

/// The deeds that a step must do again to be the action that was denied. It can be written as JSON and read again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeniedAction(Vec<Deed>);

/// How grave a deed is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
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
        let deeds = deeds(&effects, around.cwd.as_deref());
        Self { effects, deeds, call: hash(&[tool, &input.to_string()]) }
    }

    /// Returns what must be done again to be the same action, after this one was denied.
    #[must_use]
    pub fn denied(&self) -> DeniedAction {
        let Some(gravest) = self.deeds.iter().map(|(weight, ..)| *weight).max() else {
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
            let changes = |path: &str| {
                self.deeds.iter().any(|(.., deed)| matches!(deed, Deed::Write(one) if one == path))
            };
            kept.extend(self.deeds.iter().filter_map(|(_, group, deed)| match deed {
                Deed::Read(path) if groups.contains(group) && !changes(path) => Some(deed.clone()),
                _ => None,
            }));
        }
        DeniedAction(kept.into_iter().take(MAX_DEEDS).collect())
    }

    /// Tells whether this does again what was denied.
    #[must_use]
    pub fn repeats(&self, denied: &DeniedAction) -> bool {
        !denied.0.is_empty() && denied.0.iter().all(|deed| self.does(deed))
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
                    takes == takes_now
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
                    now == program && words.iter().all(|word| words_now.contains(word))
                }
                _ => false,
            }),
            Deed::Connect(_) => self.deeds.iter().any(|(.., deed)| deed == denied),
            Deed::Call(call) => *call == self.call,
        }
    }
}

/// Returns all deeds of a step.
fn deeds(effects: &Effects, cwd: Option<&str>) -> Vec<(Weight, Option<usize>, Deed)> {
    let groups = groups(&effects.runs);
    let group = |run: Option<usize>| run.and_then(|run| groups.get(run).copied());
    let mut all = Vec::new();
    for effect in &effects.deletes {
        let path = place(effect, PatternDeed::Delete);
        let weight = if is_temporary(&path, cwd) { Weight::Trifle } else { Weight::Delete };
        all.push((weight, group(effect.run), Deed::Delete(path)));
    }
    for effect in &effects.writes {
        let path = place(effect, PatternDeed::Write);
        let run = effect.run.and_then(|run| effects.runs.get(run));
        let is_output = run.is_some_and(|run| !is_harmless(run) && redirects_to(run, effect));
        let is_trifle =
            is_temporary(&path, cwd) || (is_output && !is_explained(effects, effect.run));
        let weight = if is_trifle { Weight::Trifle } else { Weight::Change };
        all.push((weight, group(effect.run), Deed::Write(path)));
    }
    for effect in &effects.access {
        let path = place(effect, PatternDeed::Write);
        all.push((Weight::Change, group(effect.run), Deed::Access(path)));
    }
    for effect in &effects.reads {
        let path = place(effect, PatternDeed::Read);
        let (weight, deed) = match effect.shown {
            true => (Weight::Look, Deed::Read(path)),
            false => (Weight::Trifle, Deed::Look(path)),
        };
        all.push((weight, group(effect.run), deed));
    }
    for effect in &effects.connects {
        let host = effect.host.written();
        all.push((Weight::Reach, group(effect.run), Deed::Connect(host)));
    }
    for push in &effects.pushes {
        let updates = push.updates.iter().map(|update| push_of(push, update));
        all.extend(updates.map(|deed| (Weight::Reach, group(Some(push.run)), deed)));
    }
    for shown in &effects.shows_env {
        all.push((Weight::Look, group(shown.run), Deed::Show(shown.name.clone())));
    }
    for (index, run) in effects.runs.iter().enumerate() {
        if is_wrapper(effects, run) || run.is_cmdlet || trial(&read(run), run) != Trial::No {
            continue;
        }
        let is_trifle = is_harmless(run) || is_explained(effects, Some(index));
        let weight = if is_trifle { Weight::Trifle } else { Weight::Change };
        all.push((weight, group(Some(index)), run_of(run)));
    }
    all
}

/// Returns for each run the first one of those that hand their output on to each other, or run each other.
fn groups(runs: &[Run]) -> Vec<usize> {
    let mut groups: Vec<usize> = Vec::new();
    let mut previous: Option<&Run> = None;
    for (index, run) in runs.iter().enumerate() {
        let joins = previous.is_some_and(|previous| {
            previous.output == Output::Pipe
                || previous
                    .name()
                    .is_some_and(|name| run.via.last().is_some_and(|via| *via == name))
        });
        let last = groups.last().copied().filter(|_| joins);
        groups.push(last.unwrap_or(index));
        previous = Some(run);
    }
    groups
}

fn is_wrapper(effects: &Effects, run: &Run) -> bool {
    run.name().is_some_and(|name| {
        effects.runs.iter().any(|other| other.via.iter().any(|via| *via == name))
    })
}

fn is_harmless(run: &Run) -> bool {
    let Some(name) = run.name() else { return false };
    let has = |list: &str, word: &str| list.split_ascii_whitespace().any(|one| one == word);
    let first =
        || read(run).operands().next().and_then(|word| word.known().map(|word| word.into_owned()));
    has(HARMLESS, &name) || (name == "git" && first().is_some_and(|word| has(GIT_TELLS, &word)))
}

/// Tells whether the other deeds of a run are all that it does, as far as anybody knows.
fn is_explained(effects: &Effects, run: Option<usize>) -> bool {
    let Some(found) = run.and_then(|run| effects.runs.get(run)) else { return true };
    let is_known = found.code.is_some() || found.name().is_some_and(|name| is_listed(&name));
    let output = |effect: &&PathEffect| effect.run == run && !redirects_to(found, effect);
    let all = effects.reads.iter().filter(|read| read.shown).chain(&effects.writes);
    let mut all = all.chain(&effects.deletes).chain(&effects.access);
    // A shell or an interpreter that reads its code from elsewhere adds nothing that a program of its own would.
    is_known && (all.any(|effect| output(&effect)) || reaches_out(effects, run))
        || found.code_from.is_some()
}

fn reaches_out(effects: &Effects, run: Option<usize>) -> bool {
    effects.connects.iter().any(|effect| effect.run == run)
        || effects.shows_env.iter().any(|effect| effect.run == run)
        || effects.pushes.iter().any(|push| Some(push.run) == run)
}

/// Tells whether a path is written because the output of a run goes there.
fn redirects_to(run: &Run, effect: &PathEffect) -> bool {
    run.redirects.iter().any(|redirect| {
        redirect.kind != RedirectKind::Read
            && absolute(&redirect.target, run.cwd.as_deref()) == effect.path
    })
}

fn run_of(run: &Run) -> Deed {
    let reading = read(run);
    let mut words = BTreeSet::new();
    for (at, given) in reading.given.iter().enumerate() {
        match given {
            Given::Option { name, value, .. } => {
                let listed = reading.program_at(at).and_then(|program| program.option(name));
                let name =
                    listed.and_then(|option| option.names.first()).map_or(&**name, |name| name);
                if !INSISTING.split_ascii_whitespace().any(|one| one == name) {
                    words.insert(hash(&["-", name]));
                }
                words.extend(value.iter().map(word_hash));
            }
            Given::Operand { word, .. } | Given::Unknown { word, .. } => {
                words.insert(word_hash(word));
            }
        }
    }
    let program = run.name().map_or_else(|| run.program.written(), |name| name.into_owned());
    Deed::Run(program, words.into_iter().collect())
}

fn word_hash(word: &Word) -> String {
    let written = word.written();
    let plain = written.strip_prefix("./").unwrap_or(&written).trim_end_matches('/');
    hash(&["", plain])
}

fn push_of(push: &PushEffect, update: &RefUpdate) -> Deed {
    let known = |word: &Word| word.known().map(|word| word.into_owned());
    let to = match &update.to {
        PushedRefs::Branch(name) => known(name).map(|name| format!("refs/heads/{name}")),
        PushedRefs::Ref(name) => known(name),
        PushedRefs::All | PushedRefs::Unknown(_) => None,
    };
    let remotes = push.remotes.iter().filter_map(known).collect();
    Deed::Push { to, remotes, takes: update.force || update.delete }
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
    let is_glob = |part: &WordPart| matches!(part, WordPart::Text(_) | WordPart::Glob(_));
    if !effect.path.has_glob() || !effect.path.parts.iter().all(is_glob) {
        return false;
    }
    let special = |c: char| "*?[]{}!\\~$".contains(c);
    let escaped: String =
        path.chars().flat_map(|c| special(c).then_some('\\').into_iter().chain([c])).collect();
    let itself = PathEffect { below: false, ..effect.clone() };
    PathPatterns::parse(&[escaped]).is_ok_and(|pattern| {
        path.starts_with('/')
            && pattern.matches(&itself, PatternDeed::Write, &Folders::default()) != Truth::False
    })
}

fn is_below(path: &str, folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// Tells whether a path is in a folder for temporary files, and not in the folder of the session.
fn is_temporary(path: &str, cwd: Option<&str>) -> bool {
    let own = std::env::temp_dir();
    let mut folders = TEMPORARY.into_iter().chain(own.to_str());
    !cwd.is_some_and(|cwd| path == cwd || is_below(path, cwd))
        && folders.any(|folder| is_below(path, folder))
}

fn hash(texts: &[&str]) -> String {
    let mut hash = Hash::new();
    for text in texts {
        hash.update(text.len().to_le_bytes());
        hash.update(text);
    }
    hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
