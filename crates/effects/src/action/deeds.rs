//! The deeds of a step, each with its weight.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use hookgate_contract::system;

use super::{Deed, ScriptRun, Weight, hash, is_below, place};
use crate::effects::{Effects, PathEffect};
use crate::options::Given;
use crate::paths::absolute;
use crate::patterns::Deed as PatternDeed;
use crate::programs::{Trial, is_listed, read, trial};
use crate::pushes::{PushEffect, PushedRefs, RefUpdate};
use crate::run::{CodeFrom, Output, Place, RedirectKind, Run};
use crate::shell::database_call;
use crate::sql::PROGRAM;
use crate::word::Word;

/// Programs that do nothing by themselves, or only tell something.
const HARMLESS: &str = "cd pushd popd echo printf true false : pwd ls test [ [[ export unset set declare \
    local read shift return exit break continue date whoami id hostname uname sleep wait type command which whereis \
    env printenv basename dirname seq cat head tail grep rg wc sort uniq cut tr diff find file stat du df tree ps jq";

/// Sub-commands of git that only tell something.
const GIT_TELLS: &str =
    "status log diff show rev-parse ls-files ls-tree blame describe rev-list cat-file";

/// Statements of SQL that only tell something. Their words do not say what.
const SQL_TELLS: &str = "select explain show describe pragma";

/// Options that change nothing about what is done.
const INSISTING: &str =
    "f force y yes assume-yes auto-approve no-input q quiet silent v verbose i interactive";

/// Folders for temporary files.
const TEMPORARY: [&str; 4] = ["/tmp", "/var/tmp", "/dev", "/private/tmp"];

/// A deed with its weight and the group of programs that it is of.
pub(super) type Weighed = (Weight, Option<usize>, Deed);

/// Returns all deeds of a step, and the scripts that it runs.
pub(super) fn deeds(effects: &Effects, cwd: Option<&str>) -> (Vec<Weighed>, Vec<ScriptRun>) {
    let runs = Runs::of(effects);
    let (mut all, mut scripts) = (Vec::new(), Vec::new());
    for effect in &effects.deletes {
        let path = place(effect, PatternDeed::Delete);
        let weight = if is_temporary(&path, cwd) { Weight::Trifle } else { Weight::Delete };
        all.push((weight, runs.group(effect.run), Deed::Delete(path)));
    }
    for effect in &effects.writes {
        let path = place(effect, PatternDeed::Write);
        let is_trifle = is_temporary(&path, cwd) || runs.is_mere_output(effect);
        let weight = if is_trifle { Weight::Trifle } else { Weight::Change };
        all.push((weight, runs.group(effect.run), Deed::Write(path)));
    }
    for effect in &effects.access {
        let path = place(effect, PatternDeed::Write);
        all.push((Weight::Change, runs.group(effect.run), Deed::Access(path)));
    }
    for effect in &effects.reads {
        let path = place(effect, PatternDeed::Read);
        let (weight, deed) = match effect.shown {
            true => (Weight::Look, Deed::Read(path)),
            false => (Weight::Trifle, Deed::Look(path)),
        };
        all.push((weight, runs.group(effect.run), deed));
    }
    for effect in &effects.connects {
        let host = effect.host.written();
        all.push((Weight::Reach, runs.group(effect.run), Deed::Connect(host)));
    }
    for push in &effects.pushes {
        let updates = push.updates.iter().map(|update| push_of(push, update));
        all.extend(updates.map(|deed| (Weight::Reach, runs.group(Some(push.run)), deed)));
    }
    for shown in &effects.shows_env {
        all.push((Weight::Look, runs.group(shown.run), Deed::Show(shown.name.clone())));
    }
    for (index, run) in effects.runs.iter().enumerate() {
        let group = runs.group(Some(index));
        if let Some(statement) = statement_of(run) {
            all.push((statement.0, group, statement.1));
        }
        if runs.reads_any_statement(index, run, effects) {
            all.push((Weight::Told, group, Deed::Run(PROGRAM.to_owned(), Vec::new())));
        }
        if let Some(script) = runs.script(index, run) {
            let weight = if script.is_seen { Weight::Told } else { Weight::Change };
            all.push((weight, group, Deed::Script(script.file.written(), script.words.clone())));
            scripts.push(script);
            continue;
        }
        if run.code_from == Some(CodeFrom::Stdin) && run.place == Place::Local {
            // The files whose content is the code.
            let scripts: Vec<Weighed> = effects
                .reads
                .iter()
                .filter(|read| read.shown && runs.group(read.run) == group)
                .map(|read| Deed::Script(place(read, PatternDeed::Read), Vec::new()))
                .map(|deed| (Weight::Change, group, deed))
                .collect();
            all.extend(scripts);
        }
        if !runs.is_wrapper(run) && !run.is_cmdlet && trial(&read(run), run) == Trial::No {
            all.push((runs.weight(index, run), group, run_of(run)));
        }
    }
    (all, scripts)
}

/// What is to be known of the programs of a step together.
struct Runs<'e> {
    all: &'e [Run],
    /// For each the first one of those that hand their output on to each other, or run each other.
    groups: Vec<usize>,
    /// The names of those that run others.
    wrappers: HashSet<&'e str>,
    /// Those whose other deeds tell what they do.
    told: HashSet<usize>,
}

impl<'e> Runs<'e> {
    fn of(effects: &'e Effects) -> Self {
        let all = effects.runs.as_slice();
        let shown = effects.reads.iter().filter(|read| read.shown);
        let paths = shown.chain(&effects.writes).chain(&effects.deletes).chain(&effects.access);
        let by_paths = paths.filter_map(|effect| {
            let run = effect.run?;
            let is_output = all.get(run).is_some_and(|found| redirects_to(found, effect));
            (!is_output).then_some(run)
        });
        let connects = effects.connects.iter().filter_map(|effect| effect.run);
        let shows = effects.shows_env.iter().filter_map(|effect| effect.run);
        let pushes = effects.pushes.iter().map(|push| push.run);
        Self {
            all,
            groups: groups(all),
            wrappers: all.iter().flat_map(|run| &run.via).map(String::as_str).collect(),
            told: by_paths.chain(connects).chain(shows).chain(pushes).collect(),
        }
    }

    fn group(&self, run: Option<usize>) -> Option<usize> {
        self.groups.get(run?).copied()
    }

    fn is_wrapper(&self, run: &Run) -> bool {
        run.name().is_some_and(|name| self.wrappers.contains(&*name))
    }

    /// Tells whether a run starts the one that follows it.
    fn starts_next(&self, index: usize, run: &Run) -> bool {
        let next = self.all.get(index + 1);
        run.name()
            .is_some_and(|name| next.is_some_and(|next| next.via.iter().any(|via| *via == name)))
    }

    /// Tells whether a database may get any statement from a run: it reads them from elsewhere. Its own file is none,
    /// and who says statements or commands with the call (`sqlite3 a.db .schema`) reads no others.
    fn reads_any_statement(&self, index: usize, run: &Run, effects: &Effects) -> bool {
        let Some(call) = database_call(run).filter(|_| !self.starts_next(index, run)) else {
            return false;
        };
        let before = index.checked_sub(1).and_then(|at| self.all.get(at));
        let is_fed = before.is_some_and(|before| before.output == Output::Pipe);
        let database = call.database.map(|file| absolute(&file, run.cwd.as_deref()));
        let mut reads = effects.reads.iter().filter(|read| read.run == Some(index));
        (is_fed && !call.has_text) || reads.any(|read| Some(&read.path) != database.as_ref())
    }

    /// Returns the file that a run takes its code from. If what the code does is known, that tells it.
    fn script(&self, index: usize, run: &Run) -> Option<ScriptRun> {
        if run.place != Place::Local {
            return None;
        }
        let (file, args) = match &run.script {
            Some(file) => {
                let at = run.args.iter().position(|word| word == file);
                (file, at.and_then(|at| run.args.get(at + 1..)).unwrap_or_default())
            }
            None => (&run.program, run.args.as_slice()),
        };
        let is_open = run.program.has_unknown();
        let is_path = !is_open && run.program.written().contains('/');
        let is_known = || run.name().is_some_and(|name| is_listed(&name)) || is_harmless(run);
        if run.script.is_none() && (!is_path || is_known()) {
            return None;
        }
        let itself = Run { program: file.clone(), args: args.to_vec(), ..Run::default() };
        if [run, &itself].into_iter().any(|run| trial(&read(run), run) != Trial::No) {
            return None;
        }
        let Deed::Run(_, words) = run_of(&itself) else { return None };
        let inside = |other: &&Run| {
            let before = other.via.get(..run.via.len());
            let by = other.via.get(run.via.len());
            before == Some(&*run.via)
                && by.is_some_and(|by| run.name().is_some_and(|name| *by == name))
        };
        let after = self.all.get(index + 1..).unwrap_or_default();
        let end = index + 1 + after.iter().take_while(inside).count();
        Some(ScriptRun {
            file: absolute(file, run.cwd.as_deref()),
            words,
            is_seen: run.code_from.is_some() || self.starts_next(index, run),
            group: self.group(Some(index)),
            inside: index..end,
        })
    }

    fn weight(&self, index: usize, run: &Run) -> Weight {
        if self.is_told(index, run) {
            Weight::Told
        } else if is_harmless(run) {
            Weight::Trifle
        } else {
            Weight::Change
        }
    }

    /// Tells whether the other deeds of a run are all that it does, as far as anybody knows. A shell or an interpreter
    /// that reads its code from elsewhere adds nothing to what gives the code.
    fn is_told(&self, index: usize, run: &Run) -> bool {
        let is_known = run.code.is_some() || run.name().is_some_and(|name| is_listed(&name));
        run.code_from.is_some() || (is_known && self.told.contains(&index))
    }

    /// Tells whether a file only gets the output of a program whose deed is another.
    fn is_mere_output(&self, effect: &PathEffect) -> bool {
        let Some((index, run)) = effect.run.and_then(|run| Some((run, self.all.get(run)?))) else {
            return false;
        };
        self.weight(index, run) == Weight::Change && redirects_to(run, effect)
    }
}

/// Returns for each run the first one of those that hand their output on to each other, or run each other.
fn groups(runs: &[Run]) -> Vec<usize> {
    let mut groups: Vec<usize> = Vec::new();
    let mut previous: Option<&Run> = None;
    for (index, run) in runs.iter().enumerate() {
        let joins = previous.is_some_and(|previous| {
            let runs_this = || {
                previous.name().is_some_and(|name| run.via.last().is_some_and(|via| *via == name))
            };
            previous.output == Output::Pipe || runs_this()
        });
        let last = groups.last().copied().filter(|_| joins);
        groups.push(last.unwrap_or(index));
        previous = Some(run);
    }
    groups
}

fn is_harmless(run: &Run) -> bool {
    let Some(name) = run.name() else { return false };
    let has = |list: &str, word: &str| list.split_ascii_whitespace().any(|one| one == word);
    if name != "git" {
        return has(HARMLESS, &name);
    }
    let first = read(run).operands().next().and_then(Word::known);
    first.is_some_and(|word| has(GIT_TELLS, &word))
}

/// Returns what a statement does that a client gives to a database.
fn statement_of(run: &Run) -> Option<(Weight, Deed)> {
    if run.via.is_empty() || !run.is_cmdlet || run.program.known().as_deref() != Some(PROGRAM) {
        return None;
    }
    if run.args.iter().any(|word| word.known().is_none()) {
        return Some((Weight::Told, Deed::Run(PROGRAM.to_owned(), Vec::new())));
    }
    let verb = run.args.first().and_then(Word::known)?;
    let is_query = SQL_TELLS.split_ascii_whitespace().any(|one| one == verb);
    let weight = if is_query { Weight::Told } else { Weight::Change };
    Some((weight, run_of(run)))
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
    let program = run.name().map_or_else(|| run.program.written(), |name| name.into_owned());
    let skips_hooks = program == "git"
        && reading
            .given
            .iter()
            .any(|given| matches!(given, Given::Option { name, .. } if &**name == "no-verify"));
    let mut words = BTreeSet::new();
    for (at, given) in reading.given.iter().enumerate() {
        match given {
            Given::Option { name, value, .. } if program == "kill" && is_kill(name, value) => {
                words.insert(hash(&["-", "KILL"]));
            }
            // A commit without its hooks is one with any message.
            Given::Option { name, .. } if skips_hooks && matches!(&**name, "m" | "message") => {}
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
                let is_install = matches!(&*program, "npm" | "pnpm" | "bun")
                    && matches!(word.known().as_deref(), Some("i" | "add"));
                words.insert(if is_install { hash(&["", "install"]) } else { word_hash(word) });
            }
        }
    }
    Deed::Run(program, words.into_iter().collect())
}

/// Tells whether an option of `kill` is the signal that cannot be caught.
fn is_kill(name: &str, value: &Option<Word>) -> bool {
    let is_it = |signal: &str| matches!(signal, "9" | "KILL" | "SIGKILL");
    match value {
        Some(value) => {
            matches!(name, "s" | "signal") && value.known().is_some_and(|value| is_it(&value))
        }
        None => is_it(name),
    }
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

/// Tells whether a path is in a folder for temporary files, and not in the folder of the session.
fn is_temporary(path: &str, cwd: Option<&str>) -> bool {
    let own = system::temporary_folder();
    let own = own.as_deref().and_then(Path::to_str);
    let mut folders = TEMPORARY.into_iter().chain(own);
    !cwd.is_some_and(|cwd| path == cwd || is_below(path, cwd))
        && folders.any(|folder| is_below(path, folder))
}
