//! The keys of a hook that say how its calls are made, and what is left of one that fails.

#![expect(dead_code, reason = "these types are only looked at by the generator of the schema")]

use hookgate_contract::contribution::Contribution;
use schemars::JsonSchema;

use super::lists::OneOrMore;
use super::texts::DurationText;

/// Whether anybody waits for a hook.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum BackgroundToml {
    Waits(bool),
    Recorded(RecordToml),
    RecordedFor(RecordedForToml),
}

/// That they are recorded, and whom what becomes of them is of interest to.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct RecordedForToml {
    record: WhomToml,
}

/// The user of the agent, or who runs it.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum WhomToml {
    User,
    Operator,
}

/// That the calls of a hook are recorded.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub(super) enum RecordToml {
    Record,
}

/// One contribution, or several.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum FallbackToml {
    One(Box<Contribution>),
    More(#[schemars(length(min = 1))] Vec<Contribution>),
}

/// How often a call that has failed is tried again.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct RetryToml {
    /// How many attempts may follow the first one.
    #[schemars(range(min = 1, max = 10))]
    times: u32,
    /// The wait before the second attempt; it doubles with each further one, up to a minute.
    #[schemars(extend("default" = "200ms"))]
    backoff: Option<DurationText>,
    /// How long one attempt may take; without it the attempts share `timeout`, if a timeout is retried.
    attempt: Option<DurationText>,
    /// The classes of failure after which it is tried again; without it timeout, unreachable and overloaded.
    on: Option<OneOrMore<RetriedClass>>,
}

/// The pieces by which a guard judges a text that still comes.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct StreamToml {
    /// How many bytes that it has not seen a window has at most; it ends with a sentence.
    #[schemars(range(min = 16, max = 1_048_576), extend("default" = 800))]
    window: Option<u32>,
    /// How many bytes before these it sees again; without it a quarter of the window.
    overlap: Option<u32>,
}

/// A class of failure that may pass by itself.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum RetriedClass {
    Timeout,
    Spawn,
    Exit,
    Signal,
    Malformed,
    Unreachable,
    HttpStatus,
    Overloaded,
}
