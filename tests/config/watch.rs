//! Files that are followed: each file here has one promise. They stand in real folders, and real notices come.

mod backlog;
mod belonging;
mod end;
mod failures;
mod host;
mod writes;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use std::{fs, io};

use hookgate::reload::Reloaded;
use hookgate::table::Layer;
use hookgate::watch::{Builder, Events, WatchEvent, Watching};
use hookgate::{Engine, Event, Hook, Verdict};
use tempfile::TempDir;
use tokio::time::timeout;

use crate::support::{self, bash, context};

/// Long enough for a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A folder with files.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    /// One with a hooks.toml.
    pub(crate) fn with(text: &str) -> Self {
        let folder = Self::new();
        folder.write("hooks.toml", text);
        folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.path(name), text).unwrap();
    }

    /// Writes a new file and renames it, as most editors do.
    pub(crate) fn replace(&self, name: &str, text: &str) {
        self.write("new", text);
        fs::rename(self.path("new"), self.path(name)).unwrap();
    }

    pub(crate) fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.path(name))
    }

    /// What follows its hooks.toml.
    pub(crate) fn builder(&self) -> Builder {
        Builder::new(support::registry()).file(Layer::Project, self.path("hooks.toml"))
    }

    pub(crate) async fn follow(&self) -> (Watching, Events) {
        started(self.builder()).await
    }
}

pub(crate) async fn started(builder: Builder) -> (Watching, Events) {
    let watching = builder.start().await.unwrap();
    let events = watching.events();
    (watching, events)
}

/// A hook that denies every call, and says which version it is.
pub(crate) fn guard(id: &str, version: &str) -> String {
    format!(
        "[[hook]]\nid = \"{id}\"\nevent = \"pre_tool_use\"\n\
         builtin = {{ name = \"deny\", reason = \"{version}\" }}\n"
    )
}

pub(crate) fn freeze(id: &str) -> Hook {
    Hook::sync(id, |_| Ok(Verdict::deny("frozen"))).event(Event::PreToolUse)
}

/// Waits for the next event.
pub(crate) async fn next(events: &mut Events) -> WatchEvent {
    loop {
        let event = timeout(PATIENCE, events.next()).await.expect("something is told");
        match event.expect("it goes on") {
            // On a machine that is short of watches, or of time.
            WatchEvent::Polling(_) | WatchEvent::Slow => {}
            event => return event,
        }
    }
}

/// Waits for the next event, which tells of a reload.
pub(crate) async fn reloaded(events: &mut Events) -> Reloaded {
    match next(events).await {
        WatchEvent::Reloaded(reloaded) => reloaded,
        other => panic!("{other}"),
    }
}

/// Waits for the next event, which tells of a failure.
pub(crate) async fn failed(events: &mut Events) -> String {
    match next(events).await {
        WatchEvent::Failed(error) => error.to_string(),
        other => panic!("{other}"),
    }
}

/// Why a call is denied.
pub(crate) async fn reason(engine: &Arc<Engine>) -> Option<String> {
    engine.dispatch_reported(bash("ls"), &context()).await.1.reason
}

/// The ids of all hooks, in order.
pub(crate) fn ids(engine: &Arc<Engine>) -> Vec<String> {
    engine.table().specs().map(|spec| spec.id().to_string()).collect()
}
