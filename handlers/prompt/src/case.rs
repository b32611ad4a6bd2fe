//! A step as a judge gets it, and the rule that it is judged by.

use std::sync::Arc;

use hookgate_contract::{Contract, Failure, Invocation};

use crate::budget::Payer;
use crate::cache::Key;
use crate::heard::Heard;
use crate::judge::Core;
use crate::outcome::Took;

/// What is judged.
pub(crate) struct Case {
    pub(crate) contract: &'static Contract,
    pub(crate) event: String,
    /// The data that the judge is shown, all of it.
    pub(crate) body: Vec<u8>,
    pub(crate) payer: Payer,
    /// The step, for judges that answer each step anew.
    pub(crate) step: String,
}

impl Case {
    pub(crate) fn new(invocation: &Invocation<'_>, body: Vec<u8>) -> Self {
        let session = invocation.context().session_id.to_owned();
        Self {
            contract: invocation.contract(),
            event: invocation.payload().event_name().to_owned(),
            body,
            payer: Payer { hook: invocation.hook.to_owned(), session },
            step: invocation.envelope.step_id().to_owned(),
        }
    }
}

/// What stands for a case: all that is shown, before any of it is cut.
pub(crate) fn key(event: &str, body: &[u8]) -> Key {
    let mut hasher = blake3::Hasher::new();
    hasher.update(event.as_bytes()).update(&[0]).update(body);
    *hasher.finalize().as_bytes()
}

/// A case and the judge of it.
#[derive(Clone)]
pub(crate) struct Rule {
    pub(crate) core: Arc<Core>,
    pub(crate) case: Arc<Case>,
    /// What has come of the answer.
    pub(crate) heard: Heard,
}

impl Rule {
    pub(crate) fn pay_for_call(&self) -> Result<(), Failure> {
        self.core.shared.book.call(&self.case.payer, &self.core.recipe.limits)
    }

    pub(crate) fn pay(&self, took: Took) {
        let limits = &self.core.recipe.limits;
        self.core.shared.book.charge(&self.case.payer, limits, took.tokens(), took.cost);
    }
}
