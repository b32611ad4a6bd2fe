//! What is said of reloads: the table that is in force now, or mistakes, at once and again until they are
//! mended.

use std::sync::Arc;

use hookgate::Engine;
use hookgate::config::ConfigErrors;
use hookgate::reload::{ReloadError, Reloaded};
use hookgate::watch::WatchEvent;
use hookgate_store::Journal;
use miette::Severity;
use tokio::task::spawn_blocking;

use super::layers::Layers;
use crate::config::Named;
use crate::journal::{note_table, texts};
use crate::terminal::phrase::count;
use crate::terminal::progress::Progress;
use crate::terminal::{diagnostics, stderr};

/// What people are told of the reloads of an engine.
pub(super) struct Reports {
    engine: Arc<Engine>,
    layers: Layers,
    progress: Progress,
    /// Where it is noted what comes into force.
    journal: Option<Journal>,
    /// The failure that lasts.
    failing: Option<Failing>,
}

/// A failure that was reported.
struct Failing {
    /// The configs.
    name: Named,
    error: ReloadError,
}

impl Reports {
    pub(super) const fn new(
        engine: Arc<Engine>,
        layers: Layers,
        progress: Progress,
        journal: Option<Journal>,
    ) -> Self {
        Self { engine, layers, progress, journal, failing: None }
    }

    /// Reports what has happened.
    pub(super) async fn tell(&mut self, event: WatchEvent) {
        let name = self.layers.name();
        match event {
            WatchEvent::Reloaded(reloaded) => {
                self.failing = None;
                if reloaded.swapped {
                    self.note().await;
                }
                self.tell_reloaded(&name, &reloaded);
            }
            WatchEvent::Failed(error) => {
                self.tell_refused(&name, &error);
                self.failing = Some(Failing { name, error });
            }
            WatchEvent::StillBroken(_) => {
                if let Some(failing) = &self.failing {
                    self.warn(&failing.text(&self.engine));
                }
            }
            WatchEvent::Slow => self.warn(&format!(
                "{name} {} not been read yet: the file system does not answer",
                name.verb("has", "have")
            )),
            other => self.warn(&other.to_string()),
        }
    }

    /// Notes in the journal what has come into force, with the texts of its files.
    async fn note(&self) {
        let Some(journal) = self.journal.clone() else { return };
        let (engine, layers) = (Arc::clone(&self.engine), self.layers.clone());
        let note = move || {
            let files = layers.written();
            note_table(&engine, &journal, texts(files.iter().map(|path| path.as_path())));
        };
        // It is not to hold up the run.
        let _ = spawn_blocking(note).await;
    }

    fn warn(&self, text: &str) {
        self.progress.suspend(|| stderr::warning(text));
    }

    fn tell_reloaded(&self, name: &Named, reloaded: &Reloaded) {
        self.progress.suspend(|| {
            if reloaded.swapped {
                diagnostics::print(&reloaded.warnings, Severity::Warning);
            }
            stderr::note(&format!("reloaded {name}: {reloaded}"));
            // What was required before stays required, even if the file no longer says so.
            for (event, why) in self.engine.table().unguarded() {
                stderr::warning(&format!("every `{event}` is denied: {why}"));
            }
        });
    }

    fn tell_refused(&self, name: &Named, error: &ReloadError) {
        let generation = self.engine.table().generation();
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

    /// Warns that the files on disk are not in force, if that is so.
    pub(super) fn warn_at_end(&self) {
        if let Some(failing) = &self.failing {
            let text = failing.text(&self.engine);
            self.warn(&format!("the config in force is not the one on disk: {text}"));
        }
    }
}

impl Failing {
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
