//! Files that a session has written and that a later command runs by path.
//!
//! What is noted is a name for each file: `=/path` for the file, `//path` for a folder that is written as a whole,
//! and `?start` for a path of which only the start is known before the step runs.

use hookgate_contract::{Envelope, SessionFiles, StateError, WasNoted};

use super::step_effects::StepEffects;
use crate::effects::{Effects, PathEffect};
use crate::paths::{absolute, real};
use crate::run::{Place, Run};
use crate::word::Word;

/// Notes what a step writes. That a mode changes is no writing.
pub(super) fn note(step_effects: &StepEffects, files: &dyn SessionFiles, step: &Envelope<'_>) {
    let mut names: Vec<String> = [Some(&step_effects.effects), step_effects.real()]
        .into_iter()
        .flatten()
        .flat_map(names_of)
        .collect();
    names.sort();
    names.dedup();
    if !names.is_empty() {
        // A host asks its history whether all could be kept; what could not is not known later.
        let _ = files.note(step, &names);
    }
}

fn names_of(effects: &Effects) -> impl Iterator<Item = String> {
    let only_mode = |write: &&PathEffect| {
        !effects.access.iter().any(|access| access.run == write.run && access.path == write.path)
    };
    let is_here = |write: &&PathEffect| {
        let run = write.run.and_then(|run| effects.runs.get(run));
        run.is_none_or(|run| run.place == Place::Local)
    };
    effects.writes.iter().filter(only_mode).filter(is_here).map(|write| match write.path.known() {
        Some(path) if write.below => format!("/{}", path.trim_end_matches('/')),
        Some(path) => format!("={path}"),
        None => format!("?{}", write.path.known_prefix()),
    })
}

/// Returns the effects, whose runs say whether the session has written what they run.
pub(super) fn marked(effects: &Effects, files: &dyn SessionFiles, step: &Envelope<'_>) -> Effects {
    let mut effects = effects.clone();
    for run in &mut effects.runs {
        run.written_in_session = is_written(run, files, step).unwrap_or(None);
    }
    effects
}

fn is_written(
    run: &Run,
    files: &dyn SessionFiles,
    step: &Envelope<'_>,
) -> Result<Option<bool>, StateError> {
    if run.place == Place::Remote {
        return Ok(Some(false));
    }
    let mut answer = Some(false);
    let program =
        Some(&run.program).filter(|program| program.known().is_none_or(|it| it.contains('/')));
    for word in run.script.iter().chain(program) {
        let file = absolute(word, run.cwd.as_deref());
        let behind = real(&file, true);
        for path in [Some(file), behind].into_iter().flatten() {
            match was_written(&path, files, step)? {
                Some(true) => return Ok(Some(true)),
                None => answer = None,
                Some(false) => {}
            }
        }
    }
    Ok(answer)
}

fn was_written(
    path: &Word,
    files: &dyn SessionFiles,
    step: &Envelope<'_>,
) -> Result<Option<bool>, StateError> {
    let Some(path) = path.known() else { return Ok(None) };
    let mut names = vec![format!("={path}")];
    names.extend(
        path.match_indices('/')
            .filter(|(at, _)| *at > 0)
            .map(|(at, _)| format!("/{}", path.get(..at).unwrap_or_default())),
    );
    names.push(format!("/{path}"));
    let surely = names.len();
    let starts = path.char_indices().map(|(at, _)| at).chain([path.len()]);
    names.extend(starts.map(|at| format!("?{}", path.get(..at).unwrap_or_default())));
    Ok(match files.was_noted(step, &names)? {
        WasNoted::Yes(at) if at < surely => Some(true),
        WasNoted::Yes(_) | WasNoted::TooMany => None,
        WasNoted::No => Some(false),
    })
}
