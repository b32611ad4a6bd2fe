//! What is followed, and the engine that it is followed for.

use std::fmt;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use tokio::task::spawn_blocking;

use super::Watching;
use super::files::{Files, Named};
use super::follower::Belonging;
use super::watching::needs_runtime;
use crate::config::Packs;
use crate::engine::Engine;
use crate::recorder::Recorder;
use crate::registry::Registry;
use crate::reload::{ReloadError, Reloader};
use crate::table::{Hook, Layer};

/// Says which files are followed, and how the engine is made of them. The [module](super) has an example.
pub struct Builder {
    files: Files,
    hooks_of_host: Vec<Hook>,
    engine: Box<dyn FnOnce(Engine) -> Engine + Send>,
}

impl Builder {
    /// Begins with no file. Configs may use the handlers of a registry.
    #[must_use]
    pub fn new(registry: impl Into<Arc<Registry>>) -> Self {
        let files = Files {
            registry: registry.into(),
            named: Vec::new(),
            finds: Vec::new(),
            packs: None,
            known: Mutex::default(),
        };
        Self { files, hooks_of_host: Vec::new(), engine: Box::new(|engine| engine) }
    }

    /// Adds a file of a layer. While it is not there, nothing is loaded.
    #[must_use]
    pub fn file(self, layer: Layer, path: impl Into<PathBuf>) -> Self {
        self.named(layer, path.into(), false)
    }

    /// Adds a file of a layer that need not be there, such as that of the user: it counts as soon as it appears. From
    /// then on it may not go: its guards do not vanish with it.
    #[must_use]
    pub fn optional_file(self, layer: Layer, path: impl Into<PathBuf>) -> Self {
        self.named(layer, path.into(), true)
    }

    fn named(mut self, layer: Layer, path: PathBuf, is_optional: bool) -> Self {
        self.files.named.push(Named { layer, path, is_optional });
        self
    }

    /// Adds files that are found anew at each look, twice a second and oftener: those of a folder of drop-ins, for
    /// example. What is not found any more is gone with its guards, which [`WatchEvent::Reloaded`](super::WatchEvent)
    /// tells.
    #[must_use]
    pub fn layers(
        mut self,
        find: impl Fn() -> Vec<(Layer, PathBuf)> + Send + Sync + 'static,
    ) -> Self {
        self.files.finds.push(Box::new(find));
        self
    }

    /// Sets what opens the packs that the files extend, as [`Loader::packs`](crate::config::Loader::packs) does.
    #[must_use]
    pub fn packs(mut self, packs: impl Packs + Send + 'static) -> Self {
        self.files.packs = Some(Box::new(packs));
        self
    }

    /// Adds hooks on which the host insists. They are in the first table as well, and stay beside what the files say
    /// until the host itself changes them with [`Engine::edit`]. A file that uses the id of one of them is refused.
    #[must_use]
    pub fn hooks_of_host(mut self, hooks: impl IntoIterator<Item = Hook>) -> Self {
        self.hooks_of_host.extend(hooks);
        self
    }

    /// Sets who gets the record of every dispatch and every reload: see [`Engine::with_recorder`].
    #[must_use]
    pub fn recorder(self, recorder: impl Recorder + 'static) -> Self {
        self.engine(move |engine| engine.with_recorder(recorder))
    }

    /// Changes the engine before anybody has it: gives it a queue of jobs, for example
    /// ([`Engine::with_jobs`]).
    #[must_use]
    pub fn engine(mut self, change: impl FnOnce(Engine) -> Engine + Send + 'static) -> Self {
        let before = self.engine;
        self.engine = Box::new(move |engine| change(before(engine)));
        self
    }

    /// Loads the files, makes the engine of them, and follows them.
    ///
    /// # Errors
    /// What is wrong with the files, or with the hooks of the host beside them. There is no table yet that could
    /// stay, so there is no engine either. A host that is to run without it says so: it makes an engine of its own, and
    /// [follows](super::follow) a [`Source`](super::Source). Or [`ReloadError::NoRuntime`].
    ///
    /// # Cancel safety
    /// If the future is dropped, nothing is followed.
    pub async fn start(self) -> Result<Watching, ReloadError> {
        needs_runtime()?;
        let Self { files, hooks_of_host, engine } = self;
        let (source, belonging) = (Arc::new(files), Belonging::default());
        let load = belonging.noted(&source);
        let first =
            move || Reloader::first(load, hooks_of_host, |table| engine(Engine::new(table)));
        let reloader = match spawn_blocking(first).await {
            Ok(reloader) => reloader?,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                Err(_) => return Err(ReloadError::Ended),
            },
        };
        Watching::begin(source, belonging, reloader)
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files: Vec<_> = self.files.named.iter().map(|named| &named.path).collect();
        f.debug_struct("Builder").field("files", &files).finish_non_exhaustive()
    }
}
