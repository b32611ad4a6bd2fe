//! What must be there before the first cell: handlers in process, programs, services.

use std::path::PathBuf;

use hookgate::config::Loader;
use hookgate::{Engine, Registry};
use tempfile::TempDir;

use crate::builtin;
use crate::cell::Cell;
use crate::fault::{Fault, Needs};
#[cfg(feature = "http")]
use crate::http::Services;
#[cfg(feature = "prompt")]
use crate::prompt::Models;
#[cfg(feature = "command")]
use crate::{command, worker};

pub(crate) struct Fixture {
    registry: Registry,
    folder: Folder,
    #[cfg(feature = "http")]
    pub(crate) services: Services,
    #[cfg(feature = "prompt")]
    pub(crate) models: Models,
}

impl Fixture {
    /// Sets up what these faults need.
    #[cfg_attr(
        not(any(feature = "http", feature = "prompt")),
        allow(clippy::unused_async, reason = "services wait")
    )]
    pub(crate) async fn set_up(faults: &[Fault]) -> Self {
        // All programs are written before the first is started: one that another thread is about to
        // start would inherit the open file, and it could not be executed.
        let folder = Folder(tempfile::tempdir().unwrap());
        #[cfg(feature = "command")]
        for (name, text) in
            [(command::PROGRAM, command::script()), (worker::PROGRAM, worker::script())]
        {
            folder.program(name, &text);
        }
        #[cfg(feature = "http")]
        let services = Services::start(faults).await;
        #[cfg(feature = "prompt")]
        let models = Models::start(faults).await;
        let _ = faults;
        Self {
            registry: builtin::registry(),
            folder,
            #[cfg(feature = "http")]
            services,
            #[cfg(feature = "prompt")]
            models,
        }
    }

    /// The engine of a cell.
    pub(crate) fn engine(&self, cell: &Cell) -> Engine {
        let program = cell.program();
        let changes = matches!(cell.fault.needs, Needs::Deletion | Needs::Replacement);
        let changed = changes.then(|| self.folder.link(&program));
        let config = cell.config(&cell.fault.kind.handler(cell.fault, &program, self));
        let loaded = Loader::new(&self.registry).parse("hooks.toml", &config, self.folder.0.path());
        let engine = Engine::new(loaded.unwrap_or_else(|e| panic!("{e}\n{config}")).table);
        if let Some(path) = changed {
            std::fs::remove_file(&path).unwrap();
            if cell.fault.needs == Needs::Replacement {
                std::os::unix::fs::symlink("/bin/true", path).unwrap();
            }
        }
        engine
    }
}

/// A folder with programs, taken away at the end.
struct Folder(TempDir);

impl Folder {
    /// Writes a program for all cells.
    #[cfg(feature = "command")]
    fn program(&self, name: &str, text: &str) {
        use std::os::unix::fs::PermissionsExt as _;
        let path = self.0.path().join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Gives the program of a cell, `name-number`, a file name of its own. Nothing is written.
    fn link(&self, own: &str) -> PathBuf {
        let (name, _) = own.split_once('-').expect("the cell has a program of its own");
        let path = self.0.path().join(own);
        std::fs::hard_link(self.0.path().join(name), &path).unwrap();
        path
    }
}
