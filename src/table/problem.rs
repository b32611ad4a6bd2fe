//! What can be wrong with a table.

use crate::matcher::MatchError;

/// What is wrong with a hook.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildProblem {
    /// Two hooks have the same id.
    #[error("the id is used twice; every hook needs one of its own")]
    DuplicateId,
    /// The id is empty or has characters that no id should have.
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
    /// The handler could do nothing at the event.
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
    #[error("there is no hook `{id}`{}", .near.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    MissingDependency {
        /// The id.
        id: String,
        /// A hook with a similar id.
        near: Option<String>,
    },
    /// A hook that is to run before or after this one is off.
    #[error("the hook `{0}` is off, nothing can run before or after it")]
    DisabledDependency(String),
    /// A hook that is to run before or after this one is at no event of this one.
    #[error("the hook `{0}` shares no event with this one, so there is no order between them")]
    UnrelatedDependency(String),
    /// An event of the embedder of which nobody knows what may be said there.
    #[error(
        "nobody has said what may be said at `{0}`: name its contract with \
         `TableBuilder::contract`, or take it as it comes with `allow_unknown_contracts`"
    )]
    UnknownContract(String),
    /// The engine denies under this id.
    #[error("the id `{0}` is the engine's own; hooks need another one")]
    ReservedId(&'static str),
    /// No event of this name can be required.
    #[error("no event is called `{0}`, so no guard can be required there")]
    UnknownRequiredEvent(String),
    /// Nothing can be denied there, so nothing can be guarded.
    #[error("nothing can be denied at `{0}`, so no guard can be required there")]
    NothingToRequire(String),
    /// A hook that is required is not there.
    #[error("the hook `{id}` is required, but no hook is called so{}", .near.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    MissingRequired {
        /// The id.
        id: String,
        /// A hook with a similar id.
        near: Option<String>,
    },
    /// The hook that this one is to come after is only told what was decided.
    #[error("the hook `{0}` is told after the decision, so none that decides can come after it")]
    AfterObserver(String),
    /// The hook that this one is to come after runs in the background.
    #[error("the hook `{0}` runs in the background, so nothing can wait until it has ended")]
    AfterBackground(String),
    /// A time that nobody would wait for.
    #[error("`{0}` is more than a year: give what somebody would wait for")]
    TooLong(&'static str),
    /// A bound that bounds nothing.
    #[error("`{key}` is larger than {most}: give a bound that is one")]
    TooMany {
        /// The key.
        key: &'static str,
        /// The largest value that is taken.
        most: u64,
    },
    /// Hooks wait for each other.
    #[error("the order goes round in a circle: {}", .0.join(" → "))]
    Cycle(Vec<String>),
}

/// What is wrong, with which hook, under which key of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {problem}", if *key == LIMITS { "limits".to_owned() } else { format!("hook `{hook}`") })]
pub struct BuildError {
    /// The id of the hook; empty where it is about the limits.
    pub hook: String,
    /// Which of several hooks of that id, from 0.
    pub occurrence: usize,
    /// The key of hooks.toml under which the mistake stands.
    pub key: &'static str,
    /// The event at which it matters, where there is one.
    pub event: Option<String>,
    /// What is wrong.
    pub problem: BuildProblem,
}

/// The key of what is wrong with no hook but with the limits.
const LIMITS: &str = "limits";

impl BuildError {
    pub(super) fn of_limits(problem: BuildProblem) -> Self {
        Self::new("", LIMITS, problem)
    }

    pub(super) fn new(hook: &str, key: &'static str, problem: BuildProblem) -> Self {
        Self { hook: hook.to_owned(), occurrence: 0, key, event: None, problem }
    }

    pub(super) fn at(mut self, event: &str) -> Self {
        self.event = Some(event.to_owned());
        self
    }

    pub(super) const fn occurrence(mut self, occurrence: usize) -> Self {
        self.occurrence = occurrence;
        self
    }
}

/// Everything that is wrong with a table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct BuildErrors(pub Vec<BuildError>);
