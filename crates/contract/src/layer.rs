//! The layers of configuration: who has written a hook, and whom it binds.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// A layer of configuration, from the one that binds most to the one that is nearest to a run.
///
/// ```
/// use hookgate_contract::Layer;
///
/// assert_eq!("command_line".parse(), Ok(Layer::CommandLine));
/// assert_eq!(Layer::Managed.to_string(), "managed");
/// assert!("global".parse::<Layer>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Layer {
    /// Managed by the administrator of the machine.
    Managed,
    /// The configuration of a user, for all projects.
    User,
    /// The configuration of a project, shared by all who work on it. The default of what reads a
    /// config.
    Project,
    /// One person's configuration of a project, not shared.
    Local,
    /// Options of one run.
    CommandLine,
    /// The code of the host.
    Code,
}

impl Layer {
    /// All layers, the one that binds most first.
    pub const ALL: [Self; 6] =
        [Self::Managed, Self::User, Self::Project, Self::Local, Self::CommandLine, Self::Code];

    /// Returns the name that is used in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Managed => "managed",
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
            Self::CommandLine => "command_line",
            Self::Code => "code",
        }
    }

    /// Returns this layer and those above it, the nearest first: those whose word counts for its hooks.
    ///
    /// ```
    /// use hookgate_contract::Layer;
    ///
    /// let known: Vec<_> = Layer::User.and_above().collect();
    /// assert_eq!(known, [Layer::User, Layer::Managed]);
    /// ```
    pub fn and_above(self) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().rev().filter(move |layer| *layer <= self)
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is not the name of a layer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a layer")]
pub struct UnknownLayer(String);

impl FromStr for Layer {
    type Err = UnknownLayer;

    fn from_str(name: &str) -> Result<Self, UnknownLayer> {
        let found = Self::ALL.into_iter().find(|layer| layer.name() == name);
        found.ok_or_else(|| UnknownLayer(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_is_known_by_its_name_alone() {
        for layer in Layer::ALL {
            assert_eq!(layer.name().parse(), Ok(layer));
        }
        assert_eq!("everybody".parse::<Layer>(), Err(UnknownLayer("everybody".to_owned())));
        assert_eq!(Layer::Managed.and_above().collect::<Vec<_>>(), [Layer::Managed]);
    }
}
