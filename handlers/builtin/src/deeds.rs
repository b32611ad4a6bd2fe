//! What calls do, as a host tells it.

use hookgate_contract::Envelope;
use serde_json::Value;

/// What calls do, to know a denied one again, for `repeated_denials` and `note_denials`.
///
/// The crate of effects knows this; it is asked through a trait, so that this crate needs no parser.
pub trait Deeds: Send + Sync {
    /// Returns what a step must do again to be the same action as this one, which was denied. It is kept, and handed
    /// to [`Deeds::repeats`]. `None` if the step does nothing that can be known again.
    fn denied(&self, step: &Envelope<'_>) -> Option<Value>;

    /// Tells whether a step does again what was denied.
    fn repeats(&self, step: &Envelope<'_>, denied: &Value) -> bool;
}
