//! The commands of a step that a condition means, for conditions on a place beside it.

use std::path::Path;

use hookgate_contract::{Command, MeantFile, Truth};

use super::question::Question;
use super::sentence;
use crate::checkout::GitPlace;
use crate::effects::{Effects, PathEffect, Surroundings, UnclearWhat};
use crate::heads::{heads, heads_of, is_there};
use crate::patterns::{Cause, Deed, Folders, Found, Truth as Answer};
use crate::programs::status_counts;
use crate::run::{Place, Run};

/// The folders that a question is asked with, and those of the session.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    pub(super) folders: &'a Folders,
    pub(super) around: &'a Surroundings,
    /// All programs of the step.
    pub(super) runs: &'a [Run],
}

/// Returns the commands, or the deeds of a tool, because of which an answer is true or unknown.
pub(super) fn commands(
    question: &Question,
    found: Found,
    effects: &Effects,
    at: At<'_>,
) -> Vec<Command> {
    if found.truth == Answer::False {
        return Vec::new();
    }
    let mut all: Vec<Command> = match question {
        Question::Runs(runs) => effects
            .runs
            .iter()
            .filter_map(|run| of_run(run, runs.patterns.matches(run), at))
            .collect(),
        Question::Pushes(pushes) => {
            let meant = effects.pushes.iter().filter_map(|push| {
                let run = effects.runs.get(push.run)?;
                of_run(run, pushes.patterns.matches(push), at)
            });
            meant.collect()
        }
        Question::Hosts(hosts) => {
            let meant =
                effects.connects.iter().map(|host| (hosts.patterns.matches(host), host.run));
            meant.filter_map(|(answer, run)| of_part(effects, run, answer, at)).collect()
        }
        Question::Variables(variables) => {
            let meant = effects.shows_env.iter().filter(|effect| variables.patterns.takes(effect));
            meant.filter_map(|effect| of_part(effects, effect.run, Answer::True, at)).collect()
        }
        Question::Paths { paths, deeds } => of_paths(effects, deeds, at, |effect, deed| {
            paths.patterns.matches(effect, deed, at.folders)
        }),
    };
    let file = if question.is_about_paths() { MeantFile::Unknown } else { MeantFile::None };
    for unclear in effects.unclear.iter().filter(|unclear| adds(question, unclear.what)) {
        let command = of_part(effects, unclear.run, Answer::Unknown, at);
        all.extend(command.map(|command| Command { file: file.clone(), ..command }));
    }
    // What makes the answer without being a command or a deed: a path that is only named.
    if !all.iter().any(|command| Some(command.meant) >= truth(found.truth)) {
        let run = match found.cause {
            Some(Cause::Run(run)) => Some(run),
            Some(Cause::Push(at)) => effects.pushes.get(at).map(|push| push.run),
            Some(Cause::Mention(at)) => effects.mentions.get(at).and_then(|effect| effect.run),
            _ => None,
        };
        let file = match found.cause {
            Some(Cause::Mention(at)) => effects.mentions.get(at).map_or(file, meant_file),
            _ => file,
        };
        let command = of_part(effects, run, found.truth, at);
        all.extend(command.map(|command| Command { file, ..command }));
    }
    all
}

fn meant_file(effect: &PathEffect) -> MeantFile {
    effect.path.known().map_or(MeantFile::Unknown, |path| MeantFile::Known(path.into_owned()))
}

/// Whether something unclear may add to what is asked for.
fn adds(question: &Question, what: UnclearWhat) -> bool {
    match what {
        UnclearWhat::Anything | UnclearWhat::Program => true,
        UnclearWhat::Words => false,
        UnclearWhat::Connects => matches!(question, Question::Hosts(_)),
        UnclearWhat::Reads => asks(question, Deed::Read),
        UnclearWhat::Writes => asks(question, Deed::Write),
        UnclearWhat::Deletes => asks(question, Deed::Delete),
    }
}

fn asks(question: &Question, deed: Deed) -> bool {
    matches!(question, Question::Paths { deeds, .. } if deeds.contains(&deed))
}

fn of_run(run: &Run, answer: Answer, at: At<'_>) -> Option<Command> {
    let meant = truth(answer)?;
    let place = GitPlace::of(run);
    let heads = heads_of(run, at.around.home.as_deref());
    Some(Command {
        meant,
        shown: Some(sentence::run(run)),
        heads,
        folder: place.folder.filter(|_| is_there(run)),
        status_counts: status_counts(run),
        status_is_own: status_is_own(run, at.runs),
        file: MeantFile::None,
    })
}

/// Something that a run does, or the tool itself.
fn of_part(effects: &Effects, run: Option<usize>, answer: Answer, at: At<'_>) -> Option<Command> {
    if let Some(run) = run.and_then(|run| effects.runs.get(run)) {
        return of_run(run, answer, at).map(|command| Command { status_counts: true, ..command });
    }
    let place = GitPlace::of_folder(at.around.cwd.as_deref());
    Some(Command {
        meant: truth(answer)?,
        shown: None,
        heads: heads(&place, &[], at.around.home.as_deref()),
        folder: place.folder,
        status_counts: true,
        status_is_own: false,
        file: MeantFile::None,
    })
}

/// Files are judged by the repository that they are in, if they are in one.
fn of_paths(
    effects: &Effects,
    deeds: &[Deed],
    at: At<'_>,
    matches: impl Fn(&PathEffect, Deed) -> Answer,
) -> Vec<Command> {
    let mut all = Vec::new();
    for deed in deeds {
        let list = match deed {
            Deed::Read => &effects.reads,
            Deed::Write => &effects.writes,
            Deed::Delete => &effects.deletes,
        };
        for effect in list {
            let Some(command) = of_part(effects, effect.run, matches(effect, *deed), at) else {
                continue;
            };
            let run = effect.run.and_then(|run| effects.runs.get(run));
            let is_remote = run.is_some_and(|run| run.place == Place::Remote);
            let known = effect.path.known().filter(|_| !is_remote);
            let folder = known.as_deref().and_then(|path| Path::new(path).parent()?.to_str());
            let place = GitPlace::of_folder(folder);
            let own = match folder {
                Some(_) if crate::heads::repository(&place).is_ok_and(|found| found.is_some()) => {
                    let checkouts = run.map_or(&[][..], |run| &run.checkouts);
                    heads(&place, checkouts, at.around.home.as_deref())
                }
                _ => command.heads,
            };
            all.push(Command { heads: own, file: meant_file(effect), ..command });
        }
    }
    all
}

/// Programs that say nothing by their status, as long as they are used for what they are for.
const QUIET: &str = "cd pushd popd set export echo printf true :";

/// Returns whether the exit status of the line is that of a run: no other run has one that counts, but for those
/// that start it and pass its status on.
fn status_is_own(run: &Run, runs: &[Run]) -> bool {
    let says_nothing = |other: &Run| {
        let name = other.name().unwrap_or_default();
        std::ptr::eq(other, run)
            || run.via.iter().any(|via| *via == name)
            || QUIET.split_ascii_whitespace().any(|quiet| quiet == name)
    };
    !run.status_lost && runs.iter().all(says_nothing)
}

const fn truth(answer: Answer) -> Option<Truth> {
    match answer {
        Answer::True => Some(Truth::True),
        Answer::Unknown => Some(Truth::Unknown),
        Answer::False => None,
    }
}
