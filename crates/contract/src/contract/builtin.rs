//! The contracts of the built-in events, made from the list in `events.rs`.

use super::{Contract, EventKind, PatchField};
use crate::json::JsonType;

use crate::contribution::ContributionKind;
use crate::event::Event;
use crate::patch_field;

macro_rules! define_contracts {
    ($(
        $event:ident($payload:ident) $name:literal $kind:ident [$($rule:ident)*] {
            about: $about:literal
            $(, on_deny: $on_deny:literal)?
            $(, patch: [$($field:ident: $type:ident $($nullable:ident)?),*])?
            $(, contributions: [$($contribution:ident)*])?
        }
    )*) => {
        /// The contracts of the built-in events, at the index of their event.
        pub static CONTRACTS: [Contract; Event::COUNT - 1] = [
            $(
                Contract::new(Event::$event, $name, EventKind::$kind)
                    .about($about)
                    $(.on_deny($on_deny))?
                    $(.$rule())*
                    $(.takes_patch(&[
                        $(PatchField::new(patch_field::$field, JsonType::$type)$(.$nullable())?),*
                    ]))?
                    $(.takes_contributions(&[
                        $(ContributionKind::$contribution,)*
                        ContributionKind::Audit,
                        ContributionKind::Diagnostic,
                        ContributionKind::BackgroundJob,
                    ]))?,
            )*
        ];
    };
}

crate::with_events!(define_contracts);

/// The contract of an `x.*` event that is not registered, as the command line meets it: a gate that
/// may also ask, halt and take context.
pub static CUSTOM: Contract =
    Contract::custom("x.*", EventKind::Gate).may_ask().may_halt().takes_context();

impl Event {
    /// Returns the contract of the event: what a verdict may say at it.
    ///
    /// For [`Event::Custom`] it is [`CUSTOM`]; the contract of a particular `x.*` event is that of
    /// its payload.
    #[must_use]
    #[expect(clippy::indexing_slicing, reason = "the index is checked just before")]
    pub const fn contract(self) -> &'static Contract {
        if self.index() < CONTRACTS.len() { &CONTRACTS[self.index()] } else { &CUSTOM }
    }
}
