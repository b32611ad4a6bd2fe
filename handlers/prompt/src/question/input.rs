//! A step as a judge gets it.

use hookgate_contract::{Claim, Contract, Failure, Invocation, Resource};

use super::excerpt::{excerpt_of, too_long};
use super::unseen;
use crate::client::ledger::Account;
use crate::digest::{self, Digest};
use crate::settings::show::Show;

/// A hash that identifies an input: the event and all that is shown, before any of it is cut. It is a
/// hash because the judged agent writes a part of it.
pub(crate) type InputKey = Digest;

/// The part of a step that a judge decides on.
pub(crate) struct Excerpt {
    /// JSON without white space.
    pub(crate) json: Vec<u8>,
    pub(crate) key: InputKey,
    /// How many bytes of pictures and the like were left out.
    pub(crate) unseen: usize,
}

impl Excerpt {
    /// Takes from a step what a judge is shown.
    ///
    /// # Errors
    /// A failure of class `oversize` if the judge would not see all that it decides on: the step is
    /// longer than `show_limit`, or has not what `show` names. One of class `unsure` if a part of it is nothing
    /// that a model can read.
    pub(crate) fn take(invocation: &Invocation<'_>, show: &Show) -> Result<Self, Failure> {
        let mut json = excerpt_of(invocation, show.pointers.as_deref())?;
        let unseen = unseen::take_out(&mut json, show.images)?;
        if show.cuts(json.len()) && !show.judge_cut {
            return Err(too_long(json.len(), show.limit));
        }
        let key = digest::of_parts([invocation.payload().event_name().as_bytes(), &json]);
        Ok(Self { key, json, unseen })
    }
}

/// What is judged, by whom it is paid, and where it happened.
pub(crate) struct Input {
    pub(crate) contract: &'static Contract,
    pub(crate) event: String,
    /// The excerpt, whole: it is cut when the prompt is made.
    pub(crate) json: Vec<u8>,
    /// How many bytes of pictures and the like were left out of it.
    pub(crate) unseen: usize,
    pub(crate) account: Account,
    /// What takes a place for each request, in the name of the session that asked first.
    pub(crate) claim: Claim,
    /// The id of the step, for judges without a cache.
    pub(crate) step: String,
}

impl Input {
    /// Makes the input of an invocation.
    pub(crate) fn new(invocation: &Invocation<'_>, excerpt: Excerpt) -> Self {
        let session = invocation.context().session_id.to_owned();
        Self {
            contract: invocation.contract(),
            event: invocation.payload().event_name().to_owned(),
            json: excerpt.json,
            unseen: excerpt.unseen,
            claim: invocation.claim(Resource::Request),
            account: Account { hook: invocation.hook.to_owned(), session },
            step: invocation.envelope.step_id().to_owned(),
        }
    }
}
