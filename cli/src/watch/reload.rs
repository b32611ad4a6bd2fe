//! What comes of loading a config again: the new table in force, or mistakes that are reported until
//! they are mended.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hookgate::config::{ConfigError, ConfigErrors, ConfigProblem, Loaded};
use hookgate::contract::settings::SettingProblem;
use hookgate::{ConfigHash, Engine, HandlerTable};
use miette::Severity;
use tokio::time::Instant;

use crate::config::Named;
use crate::terminal::phrase::count;
use crate::terminal::progress::Progress;
use crate::terminal::{diagnostics, stderr};

/// How often a warning says that the files on disk are not in force.
pub(super) const REMIND_EVERY: Duration = Duration::from_secs(10);

/// How many hooks the report of a reload names of each sort.
const NAMED: usize = 8;

/// The state of the config on disk. Clones share it.
#[derive(Clone, Default)]
pub(super) struct Loading {
    mistakes: Arc<Mutex<Option<Mistakes>>>,
}

/// Why the files on disk are not in force.
struct Mistakes {
    /// The configs.
    name: Named,
    errors: ConfigErrors,
    /// When they were last reported.
    reported: Instant,
}

impl Loading {
    fn lock(&self) -> MutexGuard<'_, Option<Mistakes>> {
        self.mistakes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a table in force that was loaded and has changed, or reports mistakes that are new.
    pub(super) fn finish(
        &self,
        name: &Named,
        loaded: Result<Loaded, ConfigErrors>,
        engine: &Engine,
        progress: &Progress,
    ) {
        let mut mistakes = self.lock();
        match loaded {
            // Something else has changed in the folder.
            Ok(loaded) if mistakes.is_none() && loaded.table.is_same_as(&engine.table()) => {}
            Ok(loaded) => {
                *mistakes = None;
                put_in_force(name, loaded, engine, progress);
            }
            Err(errors) if mistakes.as_ref().is_some_and(|known| known.errors == errors) => {}
            Err(errors) => {
                let new = Mistakes { name: name.clone(), errors, reported: Instant::now() };
                new.report(engine, progress);
                *mistakes = Some(new);
            }
        }
    }

    /// Whether the mistakes may be mended without a change to the files that are watched: by a
    /// script that was missing, for example.
    pub(super) fn rests_on_other_files(&self) -> bool {
        let is_outside = |error: &ConfigError| {
            matches!(
                error.problem(),
                ConfigProblem::Setting(SettingProblem::Invalid { .. })
                    | ConfigProblem::Unbuilt
                    | ConfigProblem::Include(_)
            )
        };
        self.lock().as_ref().is_some_and(|mistakes| mistakes.errors.errors().iter().any(is_outside))
    }

    /// Reports mistakes again that were not reported for a while.
    pub(super) fn remind(&self, engine: &Engine, progress: &Progress) {
        let mut mistakes = self.lock();
        let due = |mistakes: &&mut Mistakes| mistakes.reported.elapsed() >= REMIND_EVERY;
        if let Some(mistakes) = mistakes.as_mut().filter(due) {
            mistakes.reported = Instant::now();
            mistakes.warn(engine, progress);
        }
    }

    /// Reports that the files on disk are not in force, if that is so.
    pub(super) fn warn_if_broken(&self, engine: &Engine, progress: &Progress) {
        if let Some(mistakes) = &*self.lock() {
            mistakes.warn(engine, progress);
        }
    }

    /// Returns the files in which the mistakes are.
    pub(super) fn broken_files(&self) -> Vec<PathBuf> {
        let mistakes = self.lock();
        let errors = mistakes.iter().flat_map(|mistakes| mistakes.errors.errors());
        errors.map(|error| PathBuf::from(error.file())).collect()
    }
}

impl Mistakes {
    fn report(&self, engine: &Engine, progress: &Progress) {
        let generation = engine.table().generation();
        progress.suspend(|| {
            diagnostics::print(self.errors.errors(), Severity::Error);
            stderr::warning(&format!(
                "{} {}: generation {generation} stays in force",
                self.name.of("was not reloaded, it has", "were not reloaded, they have"),
                count(self.errors.errors().len(), "error")
            ));
        });
    }

    /// Warns that the files on disk are not in force, with the first reason.
    fn warn(&self, engine: &Engine, progress: &Progress) {
        let generation = engine.table().generation();
        let first = self.errors.errors().first().map(|error| {
            format!(": {}:{}:{}: {error}", error.file(), error.line(), error.column())
        });
        progress.suspend(|| {
            stderr::warning(&format!(
                "{}, generation {generation} stays in force{}",
                self.name.of("is still not reloaded", "are still not reloaded"),
                first.unwrap_or_default()
            ));
        });
    }
}

/// Puts a table in force, and says so.
fn put_in_force(name: &Named, loaded: Loaded, engine: &Engine, progress: &Progress) {
    let (hooks, before) = (loaded.table.len(), engine.table().len());
    let fewer = if hooks < before { format!(", {} fewer", before - hooks) } else { String::new() };
    let changes = changes(&engine.table(), &loaded.table);
    let generation = engine.swap(loaded.table);
    progress.suspend(|| {
        diagnostics::print(&loaded.warnings, Severity::Warning);
        stderr::note(&format!(
            "reloaded {name}: generation {generation}, {}{fewer}{changes}",
            count(hooks, "hook")
        ));
        // What was required before stays required, even if the file no longer says so.
        for (event, why) in engine.table().unguarded() {
            stderr::warning(&format!("every `{event}` is denied: {why}"));
        }
    });
}

/// Says which hooks are new, gone or others: ` (added a, b; removed c)`.
fn changes(before: &HandlerTable, after: &HandlerTable) -> String {
    let hashes = |table: &HandlerTable| -> BTreeMap<String, ConfigHash> {
        table.specs().map(|spec| (spec.id().to_string(), spec.config_hash())).collect()
    };
    let (before, after) = (hashes(before), hashes(after));
    let added = after.keys().filter(|id| !before.contains_key(*id));
    let removed = before.keys().filter(|id| !after.contains_key(*id));
    let changed = after.iter().filter(|(id, hash)| before.get(*id).is_some_and(|was| was != *hash));
    let groups = [
        ("added", added.collect::<Vec<_>>()),
        ("removed", removed.collect()),
        ("changed", changed.map(|(id, _)| id).collect()),
    ];
    let phrases: Vec<String> = groups
        .into_iter()
        .filter(|(_, ids)| !ids.is_empty())
        .map(|(what, ids)| format!("{what} {}", listed(&ids)))
        .collect();
    if phrases.is_empty() { String::new() } else { format!(" ({})", phrases.join("; ")) }
}

/// Names the first few of some hooks.
fn listed(ids: &[&String]) -> String {
    let named: Vec<&str> = ids.iter().take(NAMED).map(|id| id.as_str()).collect();
    match ids.len().saturating_sub(NAMED) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}
