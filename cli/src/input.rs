//! The steps that come in.

pub(crate) mod envelope;
pub(crate) mod files;
pub(crate) mod lines;
pub(crate) mod now;
pub(crate) mod remarks;
