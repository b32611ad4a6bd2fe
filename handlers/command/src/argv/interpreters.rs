//! Programs that run a script.

mod filters;
mod javascript;
mod languages;
mod shells;

use super::syntax::Syntax;

/// The interpreters that hookgate knows, by family.
pub(super) const FAMILIES: &[&[Syntax]] =
    &[languages::ALL, shells::ALL, javascript::ALL, filters::ALL];
