//! A process that stays, and judges the steps of the next calls: it keeps tables, programs of hooks and the
//! opinions of judges. Calls ask it only if they are told to, and judge by themselves whenever anything about
//! it is not as expected.
//!
//! A daemon has the environment and the folder of the call that started it, and serves only calls with the
//! same: [`crate::daemon`] says how they find each other. So a step is judged as the call itself would judge it.

pub(super) mod client;
pub(super) mod server;
