//! How a question is put to a model.
//!
//! A question is made in three steps. [`input`] takes from the envelope what the judge may see.
//! `unseen` finds what no model can see of it. [`excerpt`] writes it as JSON on one line in which no character can pass for a marker. [`prompt`]
//! puts it between markers that carry the nonce, under a system message that is the same for every
//! step of an event, so that servers can cache it.

pub(crate) mod excerpt;
pub(crate) mod input;
pub(crate) mod nonce;
pub(crate) mod prompt;
mod unseen;

use std::sync::Arc;

use crate::answer::spec::AnswerSpec;
use crate::client::ledger::{Payer, SpendLedger};
use crate::client::partial_reply::PartialReplies;
use crate::settings::JudgeSettings;
use input::Input;

/// One judge's question about one input. Questions that differ only in their rules may share a
/// request.
#[derive(Clone)]
pub(crate) struct Question {
    pub(crate) settings: Arc<JudgeSettings>,
    pub(crate) input: Arc<Input>,
    /// What has arrived of the replies, for a wait that is abandoned.
    pub(crate) partial: PartialReplies,
}

impl Question {
    /// Returns the form that the answer must have.
    pub(crate) fn spec(&self) -> AnswerSpec<'_> {
        AnswerSpec { kind: &self.settings.respond.kind, contract: self.input.contract }
    }

    /// Tells whether the answer is a decision.
    pub(crate) fn decides(&self) -> bool {
        self.settings.respond.kind.decides()
    }

    /// Returns what the question is paid from.
    pub(crate) fn payer<'a>(&'a self, ledger: &'a SpendLedger) -> Payer<'a> {
        Payer { ledger, account: &self.input.account, limits: &self.settings.spending }
    }
}
