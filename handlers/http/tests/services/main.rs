//! Services as hooks, with real connections.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests may fail loudly"
)]
#![allow(unreachable_pub, reason = "the kit is shared with other tests")]

mod addresses;
mod answers;
mod building;
mod connections;
mod dialects;
mod kit;
mod requests;
mod secrets;
mod trust;
