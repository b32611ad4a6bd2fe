//! Three-valued logic (Kleene's): a condition is true, false, or unknown.

/// Whether a condition holds.
///
/// The values are ordered so that a conjunction is the least of its parts and a disjunction the
/// greatest. A negation keeps unknown.
///
/// ```
/// use hookgate_contract::Truth;
///
/// assert_eq!(Truth::conjunction([Truth::True, Truth::Unknown]), Truth::Unknown);
/// assert_eq!(Truth::conjunction([Truth::Unknown, Truth::False]), Truth::False);
/// assert_eq!(Truth::disjunction([Truth::Unknown, Truth::True]), Truth::True);
/// assert_eq!(!Truth::Unknown, Truth::Unknown);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Truth {
    /// It does not hold.
    False,
    /// It cannot be told.
    Unknown,
    /// It holds.
    True,
}

impl Truth {
    /// Returns the name: `true`, `false` or `unknown`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::False => "false",
            Self::Unknown => "unknown",
            Self::True => "true",
        }
    }

    /// Returns the conjunction of the parts, and stops at the first that is false. Without parts it is
    /// true.
    pub fn conjunction(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut least = Self::True;
        for part in parts {
            least = least.min(part);
            if least == Self::False {
                break;
            }
        }
        least
    }

    /// Returns the disjunction of the parts, and stops at the first that is true. Without parts it is
    /// false.
    pub fn disjunction(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut most = Self::False;
        for part in parts {
            most = most.max(part);
            if most == Self::True {
                break;
            }
        }
        most
    }
}

impl std::ops::Not for Truth {
    type Output = Self;

    /// Returns the negation.
    fn not(self) -> Self {
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

impl std::fmt::Display for Truth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl serde::Serialize for Truth {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
