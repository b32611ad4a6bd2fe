//! Programs that run a script, and the options of each.
//!
//! The tables are data, one [`Syntax`] for each interpreter, taken from its manual. An interpreter
//! that is missing here is an unknown program: its arguments are still resolved where they name a file
//! beside the config, but options that load code are not recognised.

mod filters;
mod javascript;
mod languages;
mod shells;

use super::syntax::Syntax;

/// The interpreters that hookgate knows, by family.
pub(super) const FAMILIES: &[&[Syntax]] =
    &[languages::ALL, shells::ALL, javascript::ALL, filters::ALL];
