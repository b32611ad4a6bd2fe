//! What a host hands to the builtins that need more than the step.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use hookgate_contract::{Envelope, Truth};

/// The marks of sessions, for `require`: "the tests ran".
///
/// The state lives with whoever sets the marks; a builtin only asks.
pub trait Marks: Send + Sync {
    /// Tells whether the session of the step has a mark now.
    fn is_marked(&self, step: &Envelope<'_>, mark: &str) -> Truth;
}

/// What a call would change, for `protect_config`.
///
/// The crate of effects knows this; it is asked through a trait, so that this crate needs no parser.
pub trait Changes: Send + Sync {
    /// Returns what the step would write or delete.
    fn changes(&self, step: &Envelope<'_>) -> ChangedPaths;
}

/// The files that a call would write or delete.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ChangedPaths {
    /// The files and folders, as absolute, normalised paths.
    pub paths: Vec<PathBuf>,
    /// Why there may be others, if that is so.
    pub unclear: Option<String>,
}

impl ChangedPaths {
    /// Says that exactly these are changed.
    #[must_use]
    pub const fn new(paths: Vec<PathBuf>) -> Self {
        Self { paths, unclear: None }
    }

    /// Says that there may be others, and why.
    #[must_use]
    pub fn unclear(mut self, why: impl Into<String>) -> Self {
        self.unclear = Some(why.into());
        self
    }
}

/// What a host hands to the builtins that need more than the step. Without a part, the builtins that
/// need it are errors of the config that name the part.
///
/// ```
/// use std::sync::Arc;
///
/// use hookgate_builtin::{Host, Marks};
/// use hookgate_contract::{Envelope, Truth};
///
/// struct AllTested;
/// impl Marks for AllTested {
///     fn is_marked(&self, _: &Envelope<'_>, mark: &str) -> Truth {
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
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host")
            .field("marks", &self.marks.is_some())
            .field("changes", &self.changes.is_some())
            .finish()
    }
}
