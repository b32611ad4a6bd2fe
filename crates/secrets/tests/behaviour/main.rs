//! What is taken for a secret, what is not, and what holds for any text.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod patterns;
mod properties;
mod shapes;
