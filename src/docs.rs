//! Guides. Every example in them is a test.
//!
//! | guide | for |
//! |---|---|
//! | [`embedding`] | a runtime with hooks in ten minutes |
//! | [`handlers`] | a handler of your own: a closure, a type, a kind for hooks.toml |
//! | [`sessions`] | hooks of one session, a user who presses Esc, the end of session and program |
//! | [`hot_swap`] | patterns for changing hooks while sessions run |
//! | [`failure`] | what a failed hook counts as, and how you find out |
//! | [`permits`] | a tool that runs in another process |
//! | [`performance`] | what costs what, and how to keep it that way |
//! | [`limitations`] | what hookgate does not do |

#[doc = include_str!("docs/embedding.md")]
pub mod embedding {}

#[doc = include_str!("docs/handlers.md")]
pub mod handlers {}

#[doc = include_str!("docs/sessions.md")]
pub mod sessions {}

#[doc = include_str!("docs/hot_swap.md")]
pub mod hot_swap {}

#[doc = include_str!("docs/failure.md")]
pub mod failure {}

#[doc = include_str!("docs/permits.md")]
pub mod permits {}

#[doc = include_str!("docs/performance.md")]
pub mod performance {}

#[doc = include_str!("docs/limitations.md")]
pub mod limitations {}
