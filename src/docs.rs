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
//! | [`observability`] | spans, metrics, and what to be told of |
//! | [`performance`] | what costs what, and how to keep it that way |
//! | [`limitations`] | what hookgate does not do |
//!
//! By task:
//!
//! | task | where |
//! |---|---|
//! | which event is dispatched when, and what each state obliges to | `docs/events.md` of the repository; [`embedding`] |
//! | ask the user; approve, edit, refuse, keep for later | [`approval`](crate::approval) |
//! | Esc, the end of a session, shutdown | [`sessions`] |
//! | reload while sessions run | [`hot_swap`] |
//! | text that is shown while it comes | [`stream`](crate::stream) |
//! | retry, a fallback, a result from a cache | [`ToolUse::run_attempts`](crate::ToolUse::run_attempts), [`ToolUse::supply`](crate::ToolUse::supply) |
//! | a tool that runs elsewhere | [`permits`] |
//! | metrics and traces | [`observability`] |
//! | tests of a runtime | [`embedding`], section 9 |

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

#[doc = include_str!("docs/observability.md")]
pub mod observability {}

#[doc = include_str!("docs/performance.md")]
pub mod performance {}

#[doc = include_str!("docs/limitations.md")]
pub mod limitations {}
