//! The layer that puts hooks around tools.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hookgate::approval::Parked;
use hookgate_session::Session;
use http::request::Parts;

/// Keeps questions of hooks until a person has answered them.
pub trait Questions: Send + Sync {
    /// Keeps a question.
    ///
    /// # Errors
    /// If it cannot be kept: the call is refused.
    fn keep(&self, question: Parked) -> Result<(), Box<dyn std::error::Error + Send + Sync>>;

    /// Gives out, once, the question of this number, if it was approved.
    fn take_approved(&self, number: &str) -> Option<Parked>;
}

type SessionOf = Arc<dyn Fn(&Parts) -> Option<Session> + Send + Sync>;

/// Puts hooks around services that are tools: see the [crate](crate).
#[derive(Clone)]
pub struct ToolLayer {
    pub(crate) session: SessionOf,
    pub(crate) questions: Option<(Arc<dyn Questions>, Duration)>,
    pub(crate) most: usize,
}

impl fmt::Debug for ToolLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolLayer").field("most", &self.most).finish_non_exhaustive()
    }
}

impl ToolLayer {
    /// The header with the number of an approved question, in a call that is made again.
    pub const APPROVAL: &'static str = "x-hookgate-approval";

    /// Has the calls judged in the session that a closure names, as an engine with an id or as a scope. A call of none is
    /// refused.
    pub fn new<S: Into<Session>>(
        session: impl Fn(&Parts) -> Option<S> + Send + Sync + 'static,
    ) -> Self {
        let session = Arc::new(move |head: &Parts| session(head).map(Into::into));
        Self { session, questions: None, most: 1 << 20 }
    }

    /// Keeps what hooks ask, to be answered within some time: the call is answered with 202, and made again with the
    /// header [`APPROVAL`](Self::APPROVAL) when it was approved.
    #[must_use]
    pub fn questions(mut self, questions: Arc<dyn Questions>, good_for: Duration) -> Self {
        self.questions = Some((questions, good_for));
        self
    }

    /// Sets how many bytes a body may have, of a call and of a result: a megabyte if nothing is said.
    #[must_use]
    pub fn at_most(mut self, bytes: usize) -> Self {
        self.most = bytes;
        self
    }
}
