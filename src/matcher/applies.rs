//! Whether a hook is called, as its conditions say.
//!
//! What is unknown has one of two sources. What the *engine* does not know (the safety of a tool, the
//! type of an agent, a field that is not what was expected) speaks for calling the hook: to leave a
//! guard out would be the greater mistake. What a *registered* condition cannot tell (a command whose
//! words are made when it runs) may be so for most steps, and a hook that denies all of them would be
//! taken out; so such a hook is unclear, and its handler decides how to go on.
//!
//! Therefore a condition is evaluated to two truths: what is known, and what would be known if all that
//! the engine does not know spoke for the hook. They differ only where the engine does not know.

use hookgate_contract::Truth;

/// Whether a hook is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holding {
    /// Its conditions do not hold: it is not called.
    No,
    /// They hold, as far as the engine knows.
    Yes,
    /// A registered condition cannot be told, and the hook is called or not with that one.
    Unclear,
}

/// Which truth of a condition speaks for calling the hook: true, and below a `not` false.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Favour {
    True,
    False,
}

impl Favour {
    /// Returns what speaks for the hook below a negation.
    pub(super) const fn flipped(self) -> Self {
        match self {
            Self::True => Self::False,
            Self::False => Self::True,
        }
    }
}

/// What is known of a condition, and what would be if all that the engine does not know spoke for
/// calling the hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Evaluated {
    pub(super) known: Truth,
    pub(super) favoured: Truth,
}

impl Evaluated {
    /// The truth of a condition that the engine evaluates.
    pub(super) const fn own(known: Truth, favour: Favour) -> Self {
        let favoured = match (known, favour) {
            (Truth::Unknown, Favour::True) => Truth::True,
            (Truth::Unknown, Favour::False) => Truth::False,
            (known, _) => known,
        };
        Self { known, favoured }
    }

    /// The truth of a registered condition.
    pub(super) const fn registered(known: Truth) -> Self {
        Self { known, favoured: known }
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self { known: self.known.min(other.known), favoured: self.favoured.min(other.favoured) }
    }

    pub(super) fn or(self, other: Self) -> Self {
        Self { known: self.known.max(other.known), favoured: self.favoured.max(other.favoured) }
    }

    pub(super) fn not(self) -> Self {
        Self { known: !self.known, favoured: !self.favoured }
    }

    /// Returns whether the hook is called that these conditions are all of.
    pub(super) const fn holding(self) -> Holding {
        match (self.known, self.favoured) {
            (Truth::False, _) => Holding::No,
            (_, Truth::True) => Holding::Yes,
            _ => Holding::Unclear,
        }
    }
}
