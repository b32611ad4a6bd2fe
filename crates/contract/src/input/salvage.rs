//! The search for a decision in bytes that are not a verdict.
//!
//! A hook that meant to deny and wrote a damaged verdict must not let the step pass because the
//! damage made it unreadable. So the failure of such a hook keeps the strictest decision that can be
//! made out, and the engine takes the stricter of that and the posture of the hook. What a decision
//! is, the caller says: the type implements [`Salvage`].

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// A decision that can be salvaged. The greater one is the stricter one.
pub(crate) trait Salvage: Ord + Copy {
    /// Returns the decision that a name was meant as, or `None`. The name is in lower case and has
    /// no blanks around it.
    fn from_written(name: &str) -> Option<Self>;
}

fn meant<T: Salvage>(name: &str) -> Option<T> {
    T::from_written(&name.trim().to_ascii_lowercase())
}

/// Finds the strictest decision in bytes that are not a verdict: at the top level of every object that
/// can be read, and in the whole text if reading fails. Takes time in proportion to the text.
#[must_use]
pub(crate) fn top_level<T: Salvage>(bytes: &[u8]) -> Option<T> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    let mut found = None;
    for value in serde_json::Deserializer::from_str(text).into_iter::<Found<T>>() {
        match value {
            Ok(Found(decision)) => found = found.max(decision),
            Err(_) => {
                found = found.max(written(text));
                break;
            }
        }
    }
    found
}

/// Finds the strictest decision that is written in bytes, at any depth. Takes time in proportion to
/// them.
#[must_use]
pub(crate) fn anywhere<T: Salvage>(bytes: &[u8]) -> Option<T> {
    written(&String::from_utf8_lossy(bytes))
}

/// Finds the strictest decision that is written anywhere in a text: as JSON with a quote or a newline
/// that was not escaped, as JSON in a string, as the dictionary of another language, in UTF-16. Each
/// letter is looked at a bounded number of times.
fn written<T: Salvage>(text: &str) -> Option<T> {
    const KEY: &str = "decision";
    let text = text.replace('\0', "").to_ascii_lowercase();
    let around = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '\\' | '*');
    let decision = |(at, key): (usize, &str)| {
        let (before, after) = text.split_at_checked(at)?;
        let before = before.strip_suffix("permission").unwrap_or(before);
        if before.ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            return None;
        }
        let value = after.strip_prefix(key)?.trim_start_matches(around);
        let value = value.strip_prefix([':', '='])?.trim_start_matches(around);
        let letters = value.bytes().take(16).take_while(u8::is_ascii_alphabetic).count();
        meant(value.get(..letters)?)
    };
    text.match_indices(KEY).filter_map(decision).max()
}

/// The strictest decision at the top level of the objects in one JSON value.
struct Found<T>(Option<T>);

impl<'de, T: Salvage> Deserialize<'de> for Found<T> {
    fn deserialize<D: Deserializer<'de>>(parser: D) -> Result<Self, D::Error> {
        parser.deserialize_any(FindDecision(PhantomData)).map(Self)
    }
}

struct FindDecision<T>(PhantomData<T>);

impl<'de, T: Salvage> Visitor<'de> for FindDecision<T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        // A verdict that was encoded twice is a string.
        Ok(written(text))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(Found(decision)) = items.next_element()? {
            found = found.max(decision);
        }
        Ok(found)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(key) = entries.next_key::<Cow<'_, str>>()? {
            let key = key.trim().to_ascii_lowercase();
            if matches!(&*key, "decision" | "permissiondecision" | "permission") {
                if let Value::String(name) = entries.next_value()? {
                    found = found.max(meant(&name));
                }
            } else if matches!(&*key, "hookspecificoutput" | "hook_specific_output") {
                found = found.max(entries.next_value::<Found<T>>()?.0);
            } else {
                entries.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}
