//! Why a request did not lead to a reply, and what to do next.

use std::time::Duration;

use hookgate_contract::{Failure, FailureClass, VerdictDecision};

use crate::answer::completion::CompletionError;
use crate::parameter::Parameters;
use crate::settings::endpoint::MissingKey;

/// A request that failed. It holds nothing of what the server wrote but a short parameter name.
///
/// | class | when | retried | next model |
/// |---|---|---|---|
/// | `unreachable` | no connection, or it broke off | yes | yes |
/// | `overloaded` | status 429, or too many requests wait here | yes | yes |
/// | `http_status` | any other error status | from 500 on | yes |
/// | `auth` | status 401 or 403, no key, a bad key | no | no |
/// | `malformed` | the body is not a whole chat completion | no | no |
/// | `oversize` | the body is larger than the limit of the hook | no | no |
/// | `untrusted` | plain http to an address that is not allowed | no | no |
/// | `budget` | the budget does not allow another attempt | no | no |
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CallError {
    pub(crate) class: FailureClass,
    pub(crate) detail: String,
    pub(crate) status: Option<u16>,
    /// The parameters that it is about, as far as they are ours.
    pub(crate) about: Parameters,
    /// Whether it is about something else than the form of the answer.
    pub(crate) about_other: bool,
    /// How long the server asks to wait.
    pub(crate) retry_after: Option<Duration>,
    /// The ask or deny that is written in what arrived.
    pub(crate) salvaged: Option<VerdictDecision>,
}

impl CallError {
    /// Makes an error without a status.
    pub(crate) fn new(class: FailureClass, detail: impl Into<String>) -> Self {
        Self {
            class,
            detail: detail.into(),
            status: None,
            about: Parameters::default(),
            about_other: false,
            retry_after: None,
            salvaged: None,
        }
    }

    /// Keeps the stricter of the decision and an earlier one.
    pub(crate) fn with_salvaged(mut self, decision: Option<VerdictDecision>) -> Self {
        self.salvaged = self.salvaged.max(decision);
        self
    }

    /// Tells whether the same request may succeed a little later.
    pub(crate) fn may_pass(&self) -> bool {
        match self.class {
            FailureClass::Unreachable | FailureClass::Overloaded => true,
            FailureClass::HttpStatus => self.status.is_some_and(|status| status >= 500),
            _ => false,
        }
    }

    /// Tells whether a fallback may be asked instead. A wrong key leads to no fallback: it has to be
    /// seen.
    pub(crate) const fn allows_fallback(&self) -> bool {
        matches!(
            self.class,
            FailureClass::Unreachable | FailureClass::Overloaded | FailureClass::HttpStatus
        )
    }

    /// Tells whether the server may have refused the response format.
    pub(crate) const fn refuses_format(&self) -> bool {
        self.is_refusal() && !self.about_other
    }

    /// Tells whether the server has refused the request as it was.
    pub(crate) const fn is_refusal(&self) -> bool {
        matches!(self.status, Some(400 | 415 | 422 | 501))
    }
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        Self::new(error.class, error.detail).with_salvaged(error.salvaged)
    }
}

impl From<CompletionError> for CallError {
    fn from(error: CompletionError) -> Self {
        Self::new(FailureClass::Malformed, error.0)
    }
}

impl From<MissingKey> for CallError {
    fn from(error: MissingKey) -> Self {
        Self::new(FailureClass::Auth, error.to_string())
    }
}
