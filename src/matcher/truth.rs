//! Three-valued logic.

/// Whether a condition holds. The order is that of a conjunction: false beats cannot-tell beats
/// true.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Truth {
    /// It does not hold.
    False,
    /// It cannot be told: the hook is asked all the same.
    Unknown,
    /// It holds.
    True,
}

impl Truth {
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

/// A conjunction that ends at the first false.
pub(super) fn all(parts: impl Iterator<Item = Truth>) -> Truth {
    let mut least = Truth::True;
    for part in parts {
        least = least.min(part);
        if least == Truth::False {
            break;
        }
    }
    least
}

/// A disjunction that ends at the first true.
pub(super) fn any(parts: impl Iterator<Item = Truth>) -> Truth {
    let mut most = Truth::False;
    for part in parts {
        most = most.max(part);
        if most == Truth::True {
            break;
        }
    }
    most
}
