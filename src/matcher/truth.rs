//! Three-valued logic (Kleene's): a condition is true, false, or unknown.
//!
//! The values are ordered so that a conjunction is the minimum of its parts and a disjunction the
//! maximum. A negation keeps unknown, so that a guard with `not` is called as well.

/// Whether a condition holds. The order is that of a conjunction: false beats cannot-tell beats
/// true.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Truth {
    /// It does not hold.
    False,
    /// It is unknown: the hook is called all the same.
    Unknown,
    /// It holds.
    True,
}

impl Truth {
    /// Returns the negation.
    pub(super) const fn not(self) -> Self {
        match self {
            Self::False => Self::True,
            Self::Unknown => Self::Unknown,
            Self::True => Self::False,
        }
    }
}

impl From<bool> for Truth {
    fn from(holds: bool) -> Self {
        if holds { Self::True } else { Self::False }
    }
}

/// Returns the conjunction of the parts, and stops at the first that is false.
pub(super) fn conjunction(parts: impl Iterator<Item = Truth>) -> Truth {
    let mut least = Truth::True;
    for part in parts {
        least = least.min(part);
        if least == Truth::False {
            break;
        }
    }
    least
}

/// Returns the disjunction of the parts, and stops at the first that is true.
pub(super) fn disjunction(parts: impl Iterator<Item = Truth>) -> Truth {
    let mut most = Truth::False;
    for part in parts {
        most = most.max(part);
        if most == Truth::True {
            break;
        }
    }
    most
}
