//! How much a hook may do, and whether what it says counts.

use serde::{Deserialize, Serialize};

/// The power of a hook. A verdict that exceeds it is illegal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Watches, after the decision, and says nothing.
    Observe,
    /// Gives a decision, context and contributions; no patch and no answer.
    Guard,
    /// Gives all that the contract allows.
    Rewrite,
}

impl Role {
    /// The name in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Observe => "observe",
            Self::Guard => "guard",
            Self::Rewrite => "rewrite",
        }
    }

    /// The role of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Observe, Self::Guard, Self::Rewrite].into_iter().find(|role| role.name() == name)
    }
}

/// Whether what a hook says counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// It counts.
    #[default]
    Enforce,
    /// It does not count; it is recorded and the user is told.
    Warn,
    /// It does not count; it is recorded.
    Shadow,
    /// The hook is not asked.
    Off,
}

impl Mode {
    /// The name in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Enforce => "enforce",
            Self::Warn => "warn",
            Self::Shadow => "shadow",
            Self::Off => "off",
        }
    }

    /// The mode of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Enforce, Self::Warn, Self::Shadow, Self::Off]
            .into_iter()
            .find(|mode| mode.name() == name)
    }
}
