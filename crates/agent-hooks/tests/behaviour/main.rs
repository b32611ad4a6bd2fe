//! Promise: a host and an interceptor of AGENT-HOOKS lose nothing of the standard and nothing of hookgate.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

mod approvals;
mod contexts;
mod dialect;
mod hosts;
mod support;
