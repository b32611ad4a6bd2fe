//! What a host hands to the builtins that need more than the step.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use crate::call_class::CallClasses;
use crate::deeds::Deeds;
use crate::denied_actions::DeniedActions;
use crate::open_path::OpenPath;
use hookgate_contract::{Envelope, Factory, Layer, StateHome, Truth};

/// The marks of sessions, for `require`: "the tests ran".
///
/// The state lives with whoever sets the marks; a builtin only asks.
pub trait Marks: Send + Sync {
    /// Tells whether the session of the step has a mark, and, if `after` is given, whether the mark
    /// was set later than that one. A mark that was never set is earlier than all.
    ///
    /// `layer` is that of the hook which asks. A mark that a layer below it has set must not count: a
    /// project could otherwise set the mark that its user requires.
    fn is_marked(
        &self,
        step: &Envelope<'_>,
        layer: Layer,
        mark: &str,
        after: Option<&str>,
    ) -> Truth;

    /// Is told of a mark that a hook of a layer requires, when that hook is read.
    fn note_required(&self, layer: Layer, mark: &str) {
        let _ = (layer, mark);
    }

    /// Says why a hook of a layer never finds a mark, if that is known: no hook sets it. It is asked when all
    /// hooks have been read.
    fn doubt(&self, layer: Layer, mark: &str) -> Option<String> {
        let _ = (layer, mark);
        None
    }
}

/// What a call would change, for `protect_config`.
///
/// The crate of effects knows this; it is asked through a trait, so that this crate needs no parser.
pub trait Changes: Send + Sync {
    /// Returns what the step would write or delete.
    fn changes(&self, step: &Envelope<'_>) -> ChangedPaths;

    /// Says what is doubtful about the words with which a command begins, such as a program in other letters than it
    /// is known by: for `rewrite`.
    fn doubt_of_words(&self, words: &str) -> Option<String> {
        let _ = words;
        None
    }
}

/// The files that a call would write or delete, as absolute, normalised paths.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ChangedPaths {
    /// What it would write.
    pub written: Vec<PathBuf>,
    /// What it would delete or move away, with all that is in it.
    pub deleted: Vec<PathBuf>,
    /// What it would give another mode, owner or place in the tree of mounts: what is in it may be out of reach
    /// then, or something else.
    pub access: Vec<PathBuf>,
    /// Folders in which it would write anything, and nobody knows which files: it unpacks or copies there.
    pub filled: Vec<PathBuf>,
    /// What it names, so that nobody can tell what would become of it.
    pub touched: Vec<PathBuf>,
    /// What it would write, delete or put out of reach, and is not wholly known: `*.log`.
    pub open: Vec<OpenPath>,
    /// Why the call would put other hooks in force, or fewer, though it may write none of their files: it runs
    /// a program that does so.
    pub loosens: Option<String>,
    /// Why there may be others, if that is so.
    pub unclear: Option<String>,
}

impl ChangedPaths {
    /// Says that exactly these are changed.
    #[must_use]
    pub const fn new(written: Vec<PathBuf>, deleted: Vec<PathBuf>) -> Self {
        Self {
            written,
            deleted,
            access: Vec::new(),
            filled: Vec::new(),
            touched: Vec::new(),
            open: Vec::new(),
            loosens: None,
            unclear: None,
        }
    }

    /// Says that these get another mode, owner or place in the tree of mounts.
    #[must_use]
    pub fn access(mut self, access: Vec<PathBuf>) -> Self {
        self.access = access;
        self
    }

    /// Says that any file may be written in these folders.
    #[must_use]
    pub fn filled(mut self, filled: Vec<PathBuf>) -> Self {
        self.filled = filled;
        self
    }

    /// Says that nobody can tell what becomes of these.
    #[must_use]
    pub fn touched(mut self, touched: Vec<PathBuf>) -> Self {
        self.touched = touched;
        self
    }

    /// Says that paths are changed of which only a pattern is known.
    #[must_use]
    pub fn open(mut self, open: Vec<OpenPath>) -> Self {
        self.open = open;
        self
    }

    /// Says that the call would put other hooks in force, or fewer, and how.
    #[must_use]
    pub fn loosens(mut self, how: impl Into<String>) -> Self {
        self.loosens = Some(how.into());
        self
    }

    /// Says that there may be others, and why.
    #[must_use]
    pub fn unclear(mut self, why: impl Into<String>) -> Self {
        self.unclear = Some(why.into());
        self
    }
}

/// The files of the config in force, for `protect_config`.
pub trait ConfigFiles: Send + Sync {
    /// Returns the files and folders that decide which hooks are in force: the config, the scripts and prompts
    /// that it names, the journal, the list of trusted projects; as absolute paths.
    fn files(&self) -> Vec<PathBuf>;

    /// Returns the relative paths that decide which hooks are in force whatever folder they are in, such as
    /// `.claude/settings.json`: those of a project.
    fn names(&self) -> Vec<PathBuf> {
        Vec::new()
    }
}

/// The detail of a failure where neither the system nor the host has a clock.
pub(crate) const NO_CLOCK: &str = "there is no clock: the host gives one";

/// Tells what time it is.
pub type Clock = Arc<dyn Fn() -> SystemTime + Send + Sync>;

/// What a host hands to the builtins that need more than the step. Without a part, the builtins that
/// need it are errors of the config that name the part.
///
/// ```
/// use std::sync::Arc;
///
/// use hookgate_builtin::{Host, Marks};
/// use hookgate_contract::{Envelope, Layer, Truth};
///
/// struct AllTested;
/// impl Marks for AllTested {
///     fn is_marked(&self, _: &Envelope<'_>, _: Layer, mark: &str, _: Option<&str>) -> Truth {
///         (mark == "tested").into()
///     }
/// }
///
/// let kind = hookgate_builtin::kind_with(Host::new().marks(Arc::new(AllTested)));
/// assert_eq!(kind.name(), "builtin");
/// ```
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct Host {
    /// The marks of sessions.
    pub marks: Option<Arc<dyn Marks>>,
    /// What calls would change.
    pub changes: Option<Arc<dyn Changes>>,
    /// The files of the config in force.
    pub config_files: Option<Arc<dyn ConfigFiles>>,
    /// Where what is counted and remembered outlives the process.
    pub state: Option<Arc<dyn StateHome>>,
    /// What calls do.
    pub deeds: Option<Arc<dyn Deeds>>,
    /// What class calls are of.
    pub call_classes: Option<Arc<dyn CallClasses>>,
    /// What builds handlers of the kind `http`.
    pub http: Option<Factory>,
    /// What time it is; that of the machine if it is not given.
    pub clock: Option<Clock>,
    /// Whether nothing is written to a disk: steps of another time are judged.
    pub dry_run: bool,
    /// What sessions were denied, which the hooks share; made when the first of them is.
    denied_actions: Arc<OnceLock<Arc<DeniedActions>>>,
}

impl Host {
    /// Makes a host that knows nothing beside the step.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Hands over the marks of sessions, for `require`.
    #[must_use]
    pub fn marks(mut self, marks: Arc<dyn Marks>) -> Self {
        self.marks = Some(marks);
        self
    }

    /// Hands over what calls would change, for `protect_config`.
    #[must_use]
    pub fn changes(mut self, changes: Arc<dyn Changes>) -> Self {
        self.changes = Some(changes);
        self
    }

    /// Hands over the files of the config in force, for `protect_config`. Without it only the
    /// well-known places and those of its settings are protected.
    #[must_use]
    pub fn config_files(mut self, files: Arc<dyn ConfigFiles>) -> Self {
        self.config_files = Some(files);
        self
    }

    /// Hands over what calls do, for `repeated_denials` and `note_denials`.
    #[must_use]
    pub fn deeds(mut self, deeds: Arc<dyn Deeds>) -> Self {
        self.deeds = Some(deeds);
        self
    }

    /// Hands over what class calls are of, for `safer_shell`.
    #[must_use]
    pub fn call_classes(mut self, classes: Arc<dyn CallClasses>) -> Self {
        self.call_classes = Some(classes);
        self
    }

    /// Hands over what builds handlers of the kind `http`, for `http_post`: `hookgate_http::build`.
    #[must_use]
    pub fn http(mut self, build: Factory) -> Self {
        self.http = Some(build);
        self
    }

    /// Sets what time it is for `add_date` and `limit`, for steps of another time.
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = Some(clock);
        self
    }

    /// Has `snapshot` and `limit_large_tool_results` write nothing, for steps that are judged again.
    #[must_use]
    pub fn dry_run(mut self) -> Self {
        self.dry_run = true;
        self
    }

    /// Returns where denied actions are kept; `None` if it is not known what calls do.
    pub(crate) fn denied_actions(&self) -> Option<Arc<DeniedActions>> {
        let deeds = self.deeds.as_ref()?;
        let make = || Arc::new(DeniedActions::new(Arc::clone(deeds), self.state.clone()));
        Some(Arc::clone(self.denied_actions.get_or_init(make)))
    }

    /// Hands over where `limit`, `max_iterations`, `repeated_denials` and `elide_repeated_tool_results` keep what
    /// they count and remember. Without it they keep it in memory, and a host that starts a process for each step limits
    /// nothing.
    #[must_use]
    pub fn state(mut self, home: Arc<dyn StateHome>) -> Self {
        self.state = Some(home);
        self
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host")
            .field("marks", &self.marks.is_some())
            .field("changes", &self.changes.is_some())
            .field("config_files", &self.config_files.is_some())
            .field("state", &self.state.is_some())
            .field("deeds", &self.deeds.is_some())
            .field("call_classes", &self.call_classes.is_some())
            .field("http", &self.http.is_some())
            .field("clock", &self.clock.is_some())
            .field("dry_run", &self.dry_run)
            .finish_non_exhaustive()
    }
}
