//! The interception points of an agent, by name.

use std::fmt;
use std::str::FromStr;

use crate::input::name_enum::UnknownName;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

macro_rules! define_event {
    ($(
        $event:ident($payload:ident) $name:literal $kind:ident [$($rule:ident)*] {
            about: $about:literal
            $(, on_deny: $on_deny:literal)?
            $(, patch: $patch:tt)?
            $(, contributions: $contributions:tt)?
        }
    )*) => {
        /// An interception point: a moment in the work of an agent at which hooks are invoked.
        ///
        /// The name on the wire is snake_case (`pre_tool_use`); [`Display`](fmt::Display),
        /// [`FromStr`] and serde use it. All events that an embedder defines itself (`x.<name>`)
        /// share [`Event::Custom`]; their contract says which one is meant.
        ///
        /// ```
        /// use hookgate_contract::Event;
        ///
        /// let event: Event = "pre_tool_use".parse()?;
        /// assert_eq!(event, Event::PreToolUse);
        /// assert_eq!("x.deploy".parse(), Ok(Event::Custom));
        /// let unknown = "pre_tol_use".parse::<Event>().unwrap_err();
        /// assert!(unknown.to_string().ends_with("did you mean `pre_tool_use`?"));
        /// # Ok::<(), hookgate_contract::UnknownName>(())
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Event {
            $(
                #[doc = concat!("`", $name, "`: ", $about, ".")]
                #[doc = ""]
                #[doc = concat!("Payload: [`", stringify!($payload), "`](crate::payload::", stringify!($payload), ").")]
                $(#[doc = concat!(" After a deny: ", $on_deny, ".")])?
                $event,
            )*
            /// `x.<name>`: an event of the embedder; see [`Contract::custom`](crate::Contract::custom).
            Custom,
        }

        impl Event {
            /// The events that have a name of their own, in the order of a session.
            pub const NAMED: [Self; Self::COUNT - 1] = [$(Self::$event),*];

            /// Returns the name on the wire; `x.*` for [`Event::Custom`].
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$event => $name,)*
                    Self::Custom => "x.*",
                }
            }
        }
    };
}

crate::with_events!(define_event);

impl Event {
    /// How many events there are, [`Event::Custom`] included.
    pub const COUNT: usize = {
        let count = Self::Custom as usize + 1;
        assert!(count <= 64, "a set of events is 64 bits");
        count
    };

    /// Returns the index of this event in arrays that are indexed by event.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the bit of this event in a set of events.
    #[must_use]
    pub const fn bit(self) -> u64 {
        1 << self as u32
    }

    /// Returns the event of a name of its own, or `None` for any other name.
    ///
    /// A name `x.<name>` is [`Event::Custom`] to [`FromStr`] only. Aliases are not known here.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMED.into_iter().find(|event| event.name() == name)
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Event {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        if name == Self::Custom.name() || is_custom_name(name) {
            return Ok(Self::Custom);
        }
        let unknown = || UnknownName::new(name, Self::NAMED.into_iter().map(Self::name));
        Self::from_name(name).ok_or_else(unknown)
    }
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = std::borrow::Cow::<str>::deserialize(deserializer)?;
        name.parse().map_err(de::Error::custom)
    }
}

/// Tells whether a name is that of an event which an embedder defines: `x.` and at least one
/// character out of `a-z 0-9 _ . -`.
#[must_use]
pub fn is_custom_name(name: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_.-".contains(&b);
    name.strip_prefix("x.").is_some_and(|rest| !rest.is_empty() && rest.bytes().all(allowed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn custom_names() {
        assert!(is_custom_name("x.deploy") && is_custom_name("x.my-app.deploy_2"));
        for bad in ["x.", "deploy", "x.Deploy", "x.a b", "y.deploy", "x.*"] {
            assert!(!is_custom_name(bad), "{bad}");
        }
    }

    #[test]
    fn every_event_comes_back_from_its_name() {
        for event in Event::NAMED.into_iter().chain([Event::Custom]) {
            assert_eq!(event.to_string().parse(), Ok(event));
            let wire = serde_json::to_string(&event).unwrap();
            assert_eq!(wire, format!("\"{event}\""));
            assert_eq!(serde_json::from_str::<Event>(&wire).unwrap(), event);
        }
        assert!(serde_json::from_str::<Event>("\"PreToolUse\"").is_err());
    }
}
