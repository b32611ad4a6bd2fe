//! hookgate measured beside other hook engines, in one run.
//!
//! Each system has an adapter ([`systems`]) that translates the same hooks and calls. It is proven first
//! ([`proof`]): the same verdicts, and all hooks ran. Then each case ([`cases`]) is run by all of them:
//! instructions under callgrind ([`counts`]), allocations in a program of their own (`allocations`), times in turns
//! in one process ([`turns`], [`cold`]). Where a peer is ahead or a bar is missed ([`standing`]) the instructions are
//! told apart by area ([`profile`]). [`report`] keeps it all, [`page`] writes it down.

#![expect(clippy::panic, reason = "a case that does not do what it says must not be measured")]

pub mod built;
pub mod call;
pub mod case;
pub mod cases;
pub mod cold;
pub mod counts;
pub mod error;
pub mod hooks;
pub mod machine;
pub mod memory;
pub mod page;
pub mod plots;
pub mod policies;
pub mod profile;
pub mod proof;
pub mod report;
pub mod rounds;
pub mod scale;
pub mod standing;
pub mod system;
pub mod systems;
pub mod threads;
pub mod turns;
pub mod work;
