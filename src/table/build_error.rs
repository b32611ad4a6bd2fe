//! What can be wrong with a table.
//!
//! A table is checked as a whole: the builder goes on after the first mistake and reports all of
//! them, each with the hook, its origin, and the key of hooks.toml to change.

use hookgate_contract::FailureClass;
use hookgate_contract::suggest::Suggestion;

use super::origin::Origin;
use super::retry::Retry;
use super::spec::HookSpec;
use crate::matcher::MatchError;

/// What is wrong with a hook, or with the limits or requirements of a table.
///
/// The message says what to change, without naming the hook: [`BuildError`] does.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildProblem {
    /// Two hooks have the same id.
    #[error("the id is used twice; every hook needs one of its own")]
    DuplicateId,
    /// The id is empty, or has characters that are not allowed in an id.
    #[error("the id must be made of letters, digits and `-_.:/`")]
    BadId,
    /// The hook names no event.
    #[error("the hook names no event")]
    NoEvent,
    /// The hook names the same event twice.
    #[error("the event `{0}` is named twice")]
    DuplicateEvent(String),
    /// A pattern or condition cannot be used.
    #[error(transparent)]
    Match(MatchError),
    /// A condition on tools at an event without a tool.
    #[error("`{event}` is not about a tool: a condition on the tool can never hold there")]
    NoTool {
        /// The event.
        event: String,
    },
    /// The role does not exist at the event.
    #[error("a hook cannot {role} at `{event}`")]
    Role {
        /// The event.
        event: String,
        /// The role.
        role: &'static str,
    },
    /// The handler does not support the event.
    #[error("this handler makes no sense at `{event}`: {why}")]
    Unfit {
        /// The event.
        event: String,
        /// Why.
        why: &'static str,
    },
    /// The hook cannot run in the background.
    #[error(
        "only observers run in the background, and rewriters of results; not this hook at `{event}`"
    )]
    Background {
        /// The event.
        event: String,
    },
    /// The posture does not exist at the event.
    #[error("a failure cannot count as {posture} for a hook that can {role} at `{event}`")]
    Posture {
        /// The event.
        event: String,
        /// The posture.
        posture: &'static str,
        /// The role.
        role: &'static str,
    },
    /// A hook that is to run before or after this one does not exist.
    #[error("there is no hook `{id}`{near}")]
    MissingDependency {
        /// The id.
        id: String,
        /// A hook with a similar id.
        near: Suggestion,
    },
    /// A hook that is to run before or after this one is off.
    #[error("the hook `{0}` is off, nothing can run before or after it")]
    DisabledDependency(String),
    /// A hook that is to run before or after this one shares no event with it.
    #[error("the hook `{0}` shares no event with this one, so there is no order between them")]
    UnrelatedDependency(String),
    /// A hook that a condition of this one watches does not exist.
    #[error("there is no hook `{id}` to watch{near}")]
    MissingWatched {
        /// The id.
        id: String,
        /// A hook with a similar id.
        near: Suggestion,
    },
    /// A hook that a condition of this one watches is off.
    #[error("the hook `{0}` is off, so there is nothing to watch")]
    DisabledWatched(String),
    /// A hook whose files are counted is about none.
    #[error(
        "no condition of the hook `{0}` says which files are counted: add `writes`, `reads`, `deletes` or `touches`, \
         such as `writes = \"**\"`"
    )]
    NoFiles(String),
    /// A registered condition does not support the event.
    #[error("`{key}` makes no sense at `{event}`: {why}")]
    UnfitCondition {
        /// The key of the condition.
        key: &'static str,
        /// The event.
        event: String,
        /// Why.
        why: &'static str,
    },
    /// An event of the embedder whose contract is not known.
    #[error("the contract of `{event}` is not known: give it with `TableBuilder::contract`{near}")]
    UnknownContract {
        /// The event.
        event: String,
        /// A similar event whose contract is known.
        near: Suggestion,
    },
    /// A name of an event of the embedder that is none: it does not begin with `x.`.
    #[error(
        "there is no event `{event}`, and the name of an event of one's own begins with `x.`{near}"
    )]
    UnknownEvent {
        /// The name.
        event: String,
        /// A similar event that there is.
        near: Suggestion,
    },
    /// The builder was given two contracts for one event.
    #[error(
        "there are two contracts of `{0}` with different rules: give the one that the payload returns, once"
    )]
    TwoContracts(&'static str),
    /// An id under which the engine itself denies: where a required guard is missing, and what is illegal.
    #[error("the id `{0}` belongs to the engine; give the hook another one")]
    ReservedId(&'static str),
    /// No event of this name can be required.
    #[error("there is no event `{0}`, so no guard can be required there")]
    UnknownRequiredEvent(String),
    /// Nothing can be denied at the event, so nothing can be guarded.
    #[error("nothing can be denied at `{0}`, so no guard can be required there")]
    NothingToRequire(String),
    /// A required hook does not exist.
    #[error("the hook `{id}` is required, but there is no hook of that id{near}")]
    MissingRequired {
        /// The id.
        id: String,
        /// A hook with a similar id.
        near: Suggestion,
    },
    /// The hook that this one is to come after only observes.
    #[error(
        "the hook `{0}` observes, after the decision, so no hook that decides can come after it"
    )]
    AfterObserver(String),
    /// The hook that this one is to come after runs in the background.
    #[error("the hook `{0}` runs in the background, so nothing can wait until it has ended")]
    AfterBackground(String),
    /// A duration of more than a year.
    #[error("`{0}` is more than a year; give a shorter time")]
    TooLong(&'static str),
    /// A timeout of a handler that cannot be stopped.
    #[error(
        "a handler that answers at once cannot be stopped, so it has no timeout: make it async, or declare it heavy \
         (`BuiltHandler::heavy`) if its work grows with the step"
    )]
    NoTimeout,
    /// A bound that bounds nothing.
    #[error("`{key}` is larger than {most}; give a smaller bound")]
    TooMany {
        /// The key.
        key: &'static str,
        /// The largest value that is accepted.
        most: u64,
    },
    /// The manifest of the handler does not name the event.
    #[error("the handler does not declare `{event}` among its events, only {declared}")]
    UndeclaredEvent {
        /// The event.
        event: String,
        /// The events that it declares.
        declared: String,
    },
    /// A hook that cannot be required.
    #[error("a hook cannot be required at `{event}`: {instead}")]
    NotRequired {
        /// The event.
        event: String,
        /// What to do instead.
        instead: &'static str,
    },
    /// A contribution that the event does not take stands in for those of a failed hook.
    #[error("no contribution of kind `{kind}` is taken at `{event}`, so none can stand in there")]
    FallbackKind {
        /// The kind.
        kind: &'static str,
        /// The event.
        event: String,
    },
    /// A contribution stands in that the manifest of the handler does not name.
    #[error(
        "the handler does not declare that it contributes `{0}`, so no such contribution can stand in"
    )]
    UndeclaredFallback(&'static str),
    /// A contribution that would never stand in.
    #[error(
        "a fallback stands in where a failure counts as allow and the hook is not `required`, which is never so at `{event}`"
    )]
    UnusedFallback {
        /// The event.
        event: String,
    },
    /// Every attempt would end in the same way.
    #[error(
        "this handler answers at once, within this process, and would answer the same again: only what waits for \
         something else can be retried, such as `command`, `http` and `mcp`"
    )]
    NothingToRetry,
    /// The handler retries by itself.
    #[error(
        "a judge retries by itself (`retries` and `backoff` of `prompt`, which follow what the service asks for): \
         leave `retry` out, or set `retries = 0` there"
    )]
    RetriesItself,
    /// Too many attempts, or none.
    #[error("`times` is how often it is tried again: 1 to {0}")]
    RetryTimes(u32),
    /// No failure is retried.
    #[error("`on` names no failure, so nothing would be tried again")]
    RetryOnNothing,
    /// A failure that does not pass.
    #[error(
        "a failure of class `{0}` would be the same again; what can be tried again is: {all}",
        all = Retry::CLASSES.map(|class| class.name()).join(", ")
    )]
    FinalFailure(FailureClass),
    /// The deadline comes before the second attempt.
    #[error(
        "the hook has {timeout} for all its attempts, which is over before the second one: raise `timeout`, or lower \
         `backoff` or `attempt`"
    )]
    NoTimeToRetry {
        /// The deadline of the hook.
        timeout: String,
    },
    /// The sizes of the windows of a text that still comes.
    #[error("`stream` of this hook: {0}")]
    WindowSize(String),
    /// No text comes in parts at the events of the hook.
    #[error(
        "a text comes in parts at `post_llm_response` and `post_tool_use`, and the hook is at neither of them: leave \
         `stream` out"
    )]
    NoTextToStream,
    /// A hook that cannot judge a text by windows.
    #[error(
        "a text that still comes is judged by windows only if {0}: leave `stream` out, and the hook waits for the whole"
    )]
    Windowless(&'static str),
    /// A hook that this one needs comes later in every turn.
    #[error(
        "the hook `{0}` is called later in a turn than this one, so it has never answered by then"
    )]
    LaterDependency(String),
    /// Hooks wait for each other, in a circle.
    #[error("the order goes round in a circle: {}", .0.join(" → "))]
    Cycle(Vec<String>),
}

/// A mistake in a table: which hook, under which key, and where that hook comes from.
///
/// ```
/// use hookgate::{Event, HandlerTable, Hook, Verdict};
///
/// let hook = Hook::sync("no bash", |_| Ok(Verdict::none())).event(Event::PreToolUse).tool("[a-");
/// let errors = HandlerTable::builder().insert(hook).build().unwrap_err();
/// let keys: Vec<_> = errors.errors().iter().map(|error| error.key).collect();
/// assert_eq!(keys, ["tool", "id"]);
/// let origin = errors.errors()[0].origin.as_ref().unwrap();
/// assert!(origin.line().is_some(), "the line of `Hook::sync`");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {problem}", if *key == LIMITS || *key == CONTRACTS { (*key).to_owned() } else { format!("hook `{hook}`") })]
#[non_exhaustive]
pub struct BuildError {
    /// The id of the hook; empty if the mistake is in the limits.
    pub hook: String,
    /// The key of hooks.toml whose value is wrong.
    pub key: &'static str,
    /// Where the hook comes from; `None` if the mistake is in the limits or in what is required.
    pub origin: Option<Origin>,
    /// The event at which it matters, if it is a mistake at one event only.
    pub event: Option<String>,
    /// What is wrong.
    pub problem: BuildProblem,
}

/// The key of a mistake that is not in a hook but in the limits.
const LIMITS: &str = "limits";

/// The key of a mistake that is not in a hook but in the contracts of the embedder's events.
pub(super) const CONTRACTS: &str = "contracts";

impl BuildError {
    pub(super) fn of_limits(problem: BuildProblem) -> Self {
        Self::new("", LIMITS, None, problem)
    }

    pub(super) fn of_hook(hook: &HookSpec, key: &'static str, problem: BuildProblem) -> Self {
        Self::new(hook.id(), key, Some(hook.origin().clone()), problem)
    }

    pub(super) fn new(
        hook: &str,
        key: &'static str,
        origin: Option<Origin>,
        problem: BuildProblem,
    ) -> Self {
        Self { hook: hook.to_owned(), key, origin, event: None, problem }
    }

    pub(super) fn at(mut self, event: &str) -> Self {
        self.event = Some(event.to_owned());
        self
    }
}

/// Everything that is wrong with a table.
///
/// `Display` writes one mistake per line. To handle them one by one, iterate:
///
/// ```
/// use hookgate::{Event, HandlerTable, Hook, Verdict};
/// use hookgate::table::BuildProblem;
///
/// let hook = || Hook::sync("twice", |_| Ok(Verdict::none())).event(Event::Stop);
/// let errors = HandlerTable::builder().insert(hook()).insert(hook()).build().unwrap_err();
/// assert!(errors.to_string().starts_with("hook `twice`: the id is used twice"));
/// for error in errors {
///     assert_eq!(error.problem, BuildProblem::DuplicateId);
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct BuildErrors(Vec<BuildError>);

impl BuildErrors {
    pub(super) const fn new(errors: Vec<BuildError>) -> Self {
        Self(errors)
    }

    /// Returns the mistakes; there is at least one.
    #[must_use]
    pub fn errors(&self) -> &[BuildError] {
        &self.0
    }
}

impl IntoIterator for BuildErrors {
    type Item = BuildError;
    type IntoIter = std::vec::IntoIter<BuildError>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
