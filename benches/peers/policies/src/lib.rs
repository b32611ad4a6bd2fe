//! Ten rules for tool calls in the languages of several engines, the steps that they evaluate, and how long that
//! takes for each step, from its line to its record.

#[cfg(feature = "cedar")]
pub mod cedar;
#[cfg(feature = "hookgate")]
pub mod hooks;
#[cfg(feature = "rego")]
pub mod rego;
pub mod steps;
pub mod timing;

/// Evaluates steps.
pub trait Judge {
    /// Returns the name of the engine.
    fn name(&self) -> &'static str;

    /// Returns whether the tool call of a line is denied.
    fn denies(&mut self, line: &str) -> bool;
}
