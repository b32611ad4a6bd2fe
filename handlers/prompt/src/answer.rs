//! What a model may answer, and how its reply becomes a finding.
//!
//! A reply passes through three layers, each stricter than a lenient client would be:
//!
//! 1. [`Completion`](completion::Completion) reads the envelope of the server: one choice, a known
//!    end, a text.
//! 2. [`parser`] reads that text: one JSON object with the nonce of the question, and for each rule
//!    exactly the keys that were requested.
//! 3. [`AnswerSpec`](spec::AnswerSpec) turns the keys of one rule into a
//!    [`Finding`](finding::Finding).
//!
//! Whatever fails in a layer is a failure of class `malformed` (or `unsure`, if the model says so),
//! and the strictest decision that is written anywhere in the refused text is kept with the failure.
//! Damage therefore never turns a deny into an allow.
//!
//! Nothing in this folder sends or waits; it depends on the contract and on nothing else of this
//! crate.

pub(crate) mod completion;
pub(crate) mod finding;
pub(crate) mod format;
pub(crate) mod opinion;
pub(crate) mod parser;
pub(crate) mod presentable;
pub(crate) mod quorum;
pub(crate) mod response_format;
pub(crate) mod schema;
pub(crate) mod spec;
