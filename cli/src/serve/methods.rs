//! What each method takes, does and returns: a file each.

pub(super) mod ask;
pub(super) mod batch;
pub(super) mod events;
pub(super) mod health;
pub(super) mod hello;
pub(super) mod judge;
pub(super) mod metrics;
pub(super) mod observe;
pub(super) mod overrides;
pub(super) mod replace;
pub(super) mod session;
pub(super) mod status;
pub(super) mod step;
