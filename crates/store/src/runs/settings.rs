//! Where runs are kept, and how.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::clock;

/// How long a holder may give no sign of life, unless it is said otherwise.
const LEASE: Duration = Duration::from_secs(30);

/// Tells the time in milliseconds since 1970.
type WallClock = Arc<dyn Fn() -> u64 + Send + Sync>;

/// Where runs are kept, and how.
#[derive(Clone)]
#[non_exhaustive]
pub struct RunSettings {
    /// The file.
    pub file: PathBuf,
    /// Which configs the runs are of, such as the path of a project: a worker does those of its own scope only, and calls
    /// what another config of the same scope has queued superseded.
    pub scope: String,
    /// How long a holder may give no sign of life. It matters only where the lock of a holder cannot be seen.
    pub lease: Duration,
    /// How long runs that have ended are kept; `None` is for ever.
    pub keep: Option<Duration>,
    clock: WallClock,
}

impl RunSettings {
    /// Keeps them in this file.
    #[must_use]
    pub fn new(file: impl Into<PathBuf>) -> Self {
        Self {
            file: file.into(),
            scope: String::new(),
            lease: LEASE,
            keep: None,
            clock: Arc::new(clock::unix_ms),
        }
    }

    /// Keeps them beside a journal: `journal.db` has its runs in `journal-runs.db`.
    ///
    /// ```
    /// use std::path::Path;
    /// use hookgate_store::RunSettings;
    ///
    /// let settings = RunSettings::beside(Path::new("/var/lib/agent/journal.db"));
    /// assert_eq!(settings.file, Path::new("/var/lib/agent/journal-runs.db"));
    /// ```
    #[must_use]
    pub fn beside(journal: &Path) -> Self {
        let mut name = journal.file_stem().unwrap_or_default().to_owned();
        name.push("-runs.db");
        Self::new(journal.with_file_name(name))
    }

    /// Sets which configs they are of.
    #[must_use]
    pub fn scope(self, scope: impl Into<String>) -> Self {
        Self { scope: scope.into(), ..self }
    }

    /// Sets how long a holder may give no sign of life.
    #[must_use]
    pub fn lease(self, lease: Duration) -> Self {
        Self { lease, ..self }
    }

    /// Sets how long runs that have ended are kept.
    #[must_use]
    pub fn keep(self, keep: Option<Duration>) -> Self {
        Self { keep, ..self }
    }

    /// Sets what tells the time of day, in milliseconds since 1970. It may jump.
    #[must_use]
    pub fn clock(self, clock: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        Self { clock: Arc::new(clock), ..self }
    }

    /// Returns every file and folder that is written.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        let beside = ["-wal", "-shm"].map(|end| {
            let mut name = self.file.clone().into_os_string();
            name.push(end);
            PathBuf::from(name)
        });
        let first = [self.file.clone(), self.key_file(), self.holders()];
        first.into_iter().chain(beside).collect()
    }

    /// Tells the time.
    pub(super) fn now(&self) -> u64 {
        (self.clock)()
    }

    pub(super) fn key_file(&self) -> PathBuf {
        self.file.with_extension("key")
    }

    pub(super) fn holders(&self) -> PathBuf {
        self.file.with_extension("holders")
    }
}

impl fmt::Debug for RunSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunSettings")
            .field("file", &self.file)
            .field("scope", &self.scope)
            .field("lease", &self.lease)
            .field("keep", &self.keep)
            .finish_non_exhaustive()
    }
}
