//! What is said of reloads: the table that is in force now, or mistakes, at once and again until they are
//! mended.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hookgate::config::{ConfigError, ConfigErrors, ConfigProblem};
use hookgate::contract::settings::SettingProblem;
use hookgate::reload::{ReloadError, Reloaded};
use hookgate::{Engine, Reloader};
use hookgate_store::Journal;
use miette::Severity;
use tokio::time::Instant;

use crate::config::Named;
use crate::journal::{note_table, texts};
use crate::terminal::phrase::count;
use crate::terminal::progress::Progress;
use crate::terminal::{diagnostics, stderr};

/// How often a warning says that the files on disk are not in force.
pub(super) const REMIND_EVERY: Duration = Duration::from_secs(10);

/// What people are told of the reloads of an engine. Clones share it.
#[derive(Clone)]
pub(super) struct Reports {
    reloader: Reloader,
    progress: Progress,
    /// Where it is noted what comes into force.
    journal: Option<Journal>,
    /// The failure that lasts.
    reported: Arc<Mutex<Option<Reported>>>,
}

/// A failure that was reported.
struct Reported {
    /// The configs.
    name: Named,
    error: ReloadError,
    /// When it was last reported.
    last: Instant,
}

impl Reports {
    pub(super) fn new(reloader: Reloader, progress: Progress, journal: Option<Journal>) -> Self {
        Self { reloader, progress, journal, reported: Arc::default() }
    }

    /// Notes in the journal what has come into force, with the texts of its files.
    pub(super) fn note(&self, reloaded: &Reloaded, files: &[PathBuf]) {
        if let Some(journal) = self.journal.as_ref().filter(|_| reloaded.swapped) {
            note_table(self.engine(), journal, texts(files.iter().map(PathBuf::as_path)));
        }
    }

    pub(super) const fn reloader(&self) -> &Reloader {
        &self.reloader
    }

    pub(super) fn engine(&self) -> &Engine {
        self.reloader.engine()
    }

    pub(super) const fn progress(&self) -> &Progress {
        &self.progress
    }

    fn lock(&self) -> MutexGuard<'_, Option<Reported>> {
        self.reported.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reports what is new: another table, or a failure that is not that of before. What somebody has asked
    /// for is always answered.
    pub(super) fn tell(&self, name: &Named, ended: Result<Reloaded, ReloadError>, was_asked: bool) {
        let mut reported = self.lock();
        match ended {
            Ok(reloaded) => {
                *reported = None;
                // Else something in the folder has changed that is none of its business.
                if reloaded.swapped || reloaded.recovered || was_asked {
                    self.tell_reloaded(name, &reloaded);
                }
            }
            Err(error) => {
                let known = reported.as_ref();
                if !was_asked && known.is_some_and(|known| known.error == error) {
                    return;
                }
                self.tell_refused(name, &error);
                let last = Instant::now();
                *reported = Some(Reported { name: name.clone(), error, last });
            }
        }
    }

    fn tell_reloaded(&self, name: &Named, reloaded: &Reloaded) {
        self.progress.suspend(|| {
            if reloaded.swapped {
                diagnostics::print(&reloaded.warnings, Severity::Warning);
            }
            stderr::note(&format!("reloaded {name}: {reloaded}"));
            // What was required before stays required, even if the file no longer says so.
            for (event, why) in self.engine().table().unguarded() {
                stderr::warning(&format!("every `{event}` is denied: {why}"));
            }
        });
    }

    fn tell_refused(&self, name: &Named, error: &ReloadError) {
        let generation = self.engine().table().generation();
        self.progress.suspend(|| {
            let errors = mistakes(error).map_or(1, |mistakes| {
                diagnostics::print(mistakes.errors(), Severity::Error);
                mistakes.errors().len()
            });
            if mistakes(error).is_none() {
                stderr::error(&error.to_string(), None);
            }
            stderr::warning(&format!(
                "{} {}: generation {generation} stays in force",
                name.of("was not reloaded, it has", "were not reloaded, they have"),
                count(errors, "error")
            ));
        });
    }

    /// Warns again of a failure that was not reported for a while.
    pub(super) fn remind(&self) {
        let mut reported = self.lock();
        if let Some(failure) = reported.as_mut().filter(|failure| failure.is_due()) {
            failure.last = Instant::now();
            self.progress.suspend(|| stderr::warning(&failure.text(self.engine())));
        }
    }

    /// Warns that the files on disk are not in force, if that is so.
    pub(super) fn warn_at_end(&self) {
        if let Some(failure) = &*self.lock() {
            let text = failure.text(self.engine());
            self.progress.suspend(|| {
                stderr::warning(&format!("the config in force is not the one on disk: {text}"));
            });
        }
    }

    /// Whether what failed may be mended without a change to the files that are watched: by a script that
    /// was missing, for example.
    pub(super) fn rests_on_other_files(&self) -> bool {
        let is_outside = |error: &ConfigError| {
            matches!(
                error.problem(),
                ConfigProblem::Setting(SettingProblem::Invalid { .. })
                    | ConfigProblem::Unbuilt
                    | ConfigProblem::Include(_)
                    | ConfigProblem::Pack(_)
            )
        };
        self.lock().as_ref().is_some_and(|failure| {
            mistakes(&failure.error).is_none_or(|all| all.errors().iter().any(is_outside))
        })
    }

    /// Returns the files in which the mistakes are.
    pub(super) fn broken_files(&self) -> Vec<PathBuf> {
        let reported = self.lock();
        let errors = reported.iter().filter_map(|failure| mistakes(&failure.error));
        let errors = errors.flat_map(ConfigErrors::errors);
        errors.map(|error| PathBuf::from(error.file())).collect()
    }
}

impl Reported {
    fn is_due(&self) -> bool {
        self.last.elapsed() >= REMIND_EVERY
    }

    /// Says that the files on disk are not in force, with the first reason.
    fn text(&self, engine: &Engine) -> String {
        let generation = engine.table().generation();
        let first = match mistakes(&self.error).and_then(|mistakes| mistakes.errors().first()) {
            Some(error) => {
                format!("{}:{}:{}: {error}", error.file(), error.line(), error.column())
            }
            None => self.error.to_string(),
        };
        format!(
            "{}, generation {generation} stays in force: {first}",
            self.name.of("is still not reloaded", "are still not reloaded"),
        )
    }
}

/// Returns the mistakes in files for which a reload was refused.
const fn mistakes(error: &ReloadError) -> Option<&ConfigErrors> {
    match error {
        ReloadError::Config(mistakes) => Some(mistakes),
        _ => None,
    }
}
