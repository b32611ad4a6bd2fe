//! A step as a judge gets it.

use hookgate_contract::{Contract, Failure, Invocation};

use super::excerpt::{excerpt_of, too_long};
use crate::client::ledger::Account;
use crate::settings::show::Show;

/// A hash that identifies an input: the event and all that is shown, before any of it is cut. It is a
/// hash because the judged agent writes a part of it.
pub(crate) type InputKey = [u8; 32];

/// The part of a step that a judge decides on.
pub(crate) struct Excerpt {
    /// JSON without white space.
    pub(crate) json: Vec<u8>,
    pub(crate) key: InputKey,
}

impl Excerpt {
    /// Takes from a step what a judge is shown.
    ///
    /// # Errors
    /// A failure of class `oversize` if the judge would not see all that it decides on: the step is
    /// longer than `show_limit`, or has not what `show` names.
    pub(crate) fn take(invocation: &Invocation<'_>, show: &Show) -> Result<Self, Failure> {
        let json = excerpt_of(invocation, show.pointers.as_deref())?;
        if show.cuts(json.len()) && !show.judge_cut {
            return Err(too_long(json.len(), show.limit));
        }
        let mut hasher = blake3::Hasher::new();
        hasher.update(invocation.payload().event_name().as_bytes()).update(&[0]).update(&json);
        Ok(Self { key: *hasher.finalize().as_bytes(), json })
    }
}

/// What is judged, by whom it is paid, and where it happened.
pub(crate) struct Input {
    pub(crate) contract: &'static Contract,
    pub(crate) event: String,
    /// The excerpt, whole: it is cut when the prompt is made.
    pub(crate) json: Vec<u8>,
    pub(crate) account: Account,
    /// The id of the step, for judges without a cache.
    pub(crate) step: String,
}

impl Input {
    /// Makes the input of an invocation.
    pub(crate) fn new(invocation: &Invocation<'_>, json: Vec<u8>) -> Self {
        let session = invocation.context().session_id.to_owned();
        Self {
            contract: invocation.contract(),
            event: invocation.payload().event_name().to_owned(),
            json,
            account: Account { hook: invocation.hook.to_owned(), session },
            step: invocation.envelope.step_id().to_owned(),
        }
    }
}
