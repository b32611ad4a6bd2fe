//! What all requests of a server share.

use std::sync::Arc;

use tokio::sync::Semaphore;

use super::super::service::Service;
use super::callers::Callers;
use super::opa::Opa;

/// What all requests of a server share.
pub(super) struct Shared {
    pub(super) service: Arc<Service>,
    pub(super) callers: Callers,
    /// One for each request that may be at work and names no caller.
    pub(super) unnamed: Semaphore,
    /// Who asks as OPA is asked, if anybody does.
    pub(super) opa: Option<Opa>,
}
