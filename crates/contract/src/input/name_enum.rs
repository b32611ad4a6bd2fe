//! Enums whose values have a name in files and on the wire.
//!
//! [`name_enum!`](crate::name_enum!) makes the name, the list of all values, [`Display`], [`FromStr`]
//! and serde out of one list, so that they cannot disagree.
//!
//! [`Display`]: std::fmt::Display
//! [`FromStr`]: std::str::FromStr

use crate::quote::Quoted;
use crate::suggest::Suggestion;

/// The error of [`FromStr`](std::str::FromStr): no value of the enum has this name.
///
/// ```
/// use hookgate_contract::json::Integers;
///
/// let unknown = "exat".parse::<Integers>().unwrap_err();
/// assert_eq!(unknown.to_string(), "`exat` is not one of interoperable, exact; did you mean `exact`?");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not one of {}{}", Quoted(.name), .names.join(", "), self.hint())]
#[non_exhaustive]
pub struct UnknownName {
    /// The name that was given.
    pub name: String,
    /// The names that exist.
    pub names: Vec<&'static str>,
}

impl UnknownName {
    /// Reports a name that is not one of these.
    #[must_use]
    pub fn new(name: &str, names: impl IntoIterator<Item = &'static str>) -> Self {
        Self { name: name.to_owned(), names: names.into_iter().collect() }
    }

    fn hint(&self) -> Suggestion {
        Suggestion::nearest(&self.name, &self.names)
    }
}

/// Defines an enum from the names of its values, with `ALL`, `name`, `from_name`, `Display`,
/// `FromStr`, `Serialize` and `Deserialize`.
///
/// The crate that uses it needs serde.
///
/// ```
/// hookgate_contract::name_enum! {
///     /// A traffic light.
///     pub enum Light {
///         /// Cars wait.
///         Red = "red",
///         /// Cars go.
///         Green = "green",
///     }
/// }
///
/// assert_eq!("green".parse(), Ok(Light::Green));
/// assert_eq!(serde_json::to_string(&Light::ALL).unwrap(), r#"["red","green"]"#);
/// ```
#[macro_export]
macro_rules! name_enum {
    (
        $(#[$meta:meta])*
        $vis:vis enum $enum:ident {
            $($(#[$value_meta:meta])* $value:ident = $name:literal),+ $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        $vis enum $enum {
            $($(#[$value_meta])* #[serde(rename = $name)] $value,)+
        }

        impl $enum {
            /// All values, in the order of their declaration.
            $vis const ALL: [Self; [$($name),+].len()] = [$(Self::$value),+];

            /// Returns the name in files and on the wire.
            #[must_use]
            $vis const fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $name,)+
                }
            }

            /// Returns the value of a name, or `None` if there is none.
            #[must_use]
            $vis fn from_name(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|value| value.name() == name)
            }
        }

        impl std::fmt::Display for $enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $enum {
            type Err = $crate::UnknownName;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                let unknown = || $crate::UnknownName::new(name, [$($name),+]);
                Self::from_name(name).ok_or_else(unknown)
            }
        }
    };
}
