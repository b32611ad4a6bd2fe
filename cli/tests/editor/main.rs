//! What editors, shells and their users get: the formatter, the language server, completions, manual pages.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

mod client;
mod fmt;
mod lsp;
mod lsp_messages;
mod lsp_mistakes;
mod manual;
mod neovim;
#[path = "../behaviour/support.rs"]
#[allow(dead_code, reason = "it has more than these tests need")]
mod support;
