//! Three-valued logic (Kleene's): see [`Truth`].

pub(crate) use hookgate_contract::Truth;

/// Returns the conjunction of the parts, and stops at the first that is false.
pub(super) fn conjunction(parts: impl Iterator<Item = Truth>) -> Truth {
    Truth::conjunction(parts)
}

/// Returns the disjunction of the parts, and stops at the first that is true.
pub(super) fn disjunction(parts: impl Iterator<Item = Truth>) -> Truth {
    Truth::disjunction(parts)
}
