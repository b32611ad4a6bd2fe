//! How much one server takes on.

use std::time::Duration;

/// How much one server takes on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Connections at the same time.
    pub(crate) callers: usize,
    /// Sessions at the same time, of all callers.
    pub(crate) sessions: usize,
    /// Requests of one caller that are at work. When there are as many, no more of it is read.
    pub(crate) in_flight: usize,
    /// How long one judgement may take.
    pub(crate) judgement: Duration,
    /// How long the end waits for what has begun.
    pub(crate) close: Duration,
}

/// How many steps one batch may have.
pub(super) const BATCH: usize = 64;

/// How many hooks one session may add.
pub(super) const ADDED: usize = 64;

/// How many bytes the name of a session may have.
pub(super) const SESSION_NAME: usize = 256;

/// How many bytes the `id` of a request may have.
pub(super) const ID: usize = 128;

/// How many decisions a subscriber may be behind before it loses some.
pub(super) const BEHIND: usize = 1024;

/// How long a question can be answered.
pub(super) const QUESTION: Duration = Duration::from_secs(24 * 60 * 60);
