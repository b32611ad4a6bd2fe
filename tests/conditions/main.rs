//! Promise: a condition of an embedder is a condition like any other: it is read with its place in the
//! file, combined, explained and hashed, and where it cannot tell, no fixed answer is given for it.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]
#![cfg(feature = "builtin")]

use hookgate_test_support as support;

mod explained;
mod laws;
mod reading;
mod says;
mod shared;
mod told;
mod unclear;
