//! The number of a published table.

use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The number under which an engine has put a table in force.
///
/// The first table of an engine has generation 1, and each table after it the next number; 0 is the
/// number of a table that was never put in force. Numbers of two engines have nothing to do with
/// each other, so a generation is never compared across engines or processes: what a table is made
/// of is compared by its [`ConfigHash`](crate::ConfigHash).
///
/// On the wire it is a plain JSON number.
///
/// ```
/// use hookgate::{Engine, Generation, HandlerTable, HookEngine};
///
/// let engine = Engine::without_hooks();
/// assert_eq!(engine.generation(), 1);
///
/// let second: Generation = engine.swap(HandlerTable::empty());
/// assert_eq!((second.get(), second.to_string()), (2, "2".to_owned()));
/// assert!(second > Generation::new(1));
/// ```
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Generation(u64);

impl Generation {
    /// The generation of a table that no engine has put in force yet.
    pub const UNPUBLISHED: Self = Self(0);

    /// Returns the generation of a number, such as one that was read from a record.
    #[must_use]
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// Returns the number.
    #[must_use]
    #[inline]
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl FromStr for Generation {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Self, ParseIntError> {
        text.parse().map(Self)
    }
}

impl From<Generation> for u64 {
    fn from(generation: Generation) -> Self {
        generation.0
    }
}

impl PartialEq<u64> for Generation {
    fn eq(&self, number: &u64) -> bool {
        self.0 == *number
    }
}
