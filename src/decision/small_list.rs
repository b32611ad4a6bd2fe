//! A list of mostly one element.
//!
//! A decision names the hooks that decided and the fields that were changed. Mostly that is one, and a vector
//! would be allocated and freed for it at each call in which a hook speaks. The list of the crate `smallvec`
//! cannot be compared with an array, and would be one more package that every embedder compiles.

use std::fmt;
use std::ops::Deref;
use std::slice;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A list that keeps its only element in place. It is read as a slice.
///
/// ```
/// use hookgate::decision::SmallList;
///
/// let mut fields = SmallList::from("tool_input");
/// fields.push("cwd");
/// assert_eq!(fields, ["tool_input", "cwd"]);
/// assert_eq!((fields[0], fields.len()), ("tool_input", 2));
/// assert_eq!(fields.join(", "), "tool_input, cwd");
/// ```
#[derive(Clone)]
pub struct SmallList<T>(Repr<T>);

#[derive(Clone)]
enum Repr<T> {
    None,
    One(T),
    /// Two or more.
    Many(Vec<T>),
}

impl<T> SmallList<T> {
    /// Returns an empty list.
    #[must_use]
    pub const fn new() -> Self {
        Self(Repr::None)
    }

    /// Adds an element at the end.
    pub fn push(&mut self, element: T) {
        self.0 = match std::mem::replace(&mut self.0, Repr::None) {
            Repr::None => Repr::One(element),
            Repr::One(first) => Repr::Many(vec![first, element]),
            Repr::Many(mut elements) => {
                elements.push(element);
                Repr::Many(elements)
            }
        };
    }

    /// Returns the elements as a vector.
    #[must_use]
    pub fn into_vec(self) -> Vec<T> {
        match self.0 {
            Repr::None => Vec::new(),
            Repr::One(element) => vec![element],
            Repr::Many(elements) => elements,
        }
    }
}

impl<T> Deref for SmallList<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.0 {
            Repr::None => &[],
            Repr::One(element) => slice::from_ref(element),
            Repr::Many(elements) => elements,
        }
    }
}

impl<T> Default for SmallList<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for SmallList<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&**self).finish()
    }
}

impl<T> From<T> for SmallList<T> {
    fn from(element: T) -> Self {
        Self(Repr::One(element))
    }
}

impl<T> FromIterator<T> for SmallList<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        let mut list = Self::new();
        elements.into_iter().for_each(|element| list.push(element));
        list
    }
}

impl<'l, T> IntoIterator for &'l SmallList<T> {
    type Item = &'l T;
    type IntoIter = slice::Iter<'l, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T> IntoIterator for SmallList<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.into_vec().into_iter()
    }
}

impl<T: PartialEq> PartialEq for SmallList<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: PartialEq<U>, U, const N: usize> PartialEq<[U; N]> for SmallList<T> {
    fn eq(&self, other: &[U; N]) -> bool {
        **self == *other
    }
}

impl<T: PartialEq<U>, U> PartialEq<Vec<U>> for SmallList<T> {
    fn eq(&self, other: &Vec<U>) -> bool {
        **self == **other
    }
}

impl<T: Serialize> Serialize for SmallList<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&**self)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for SmallList<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Vec::into_iter).map(Iterator::collect)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_holds_what_a_vector_holds(elements in proptest::collection::vec(any::<u8>(), 0..4)) {
            let list: SmallList<u8> = elements.iter().copied().collect();
            prop_assert_eq!(&list, &elements);
            prop_assert_eq!(list.len(), elements.len());
            prop_assert_eq!(format!("{list:?}"), format!("{elements:?}"));
            let json = serde_json::to_string(&list).unwrap();
            prop_assert_eq!(&json, &serde_json::to_string(&elements).unwrap());
            prop_assert_eq!(&serde_json::from_str::<SmallList<u8>>(&json).unwrap(), &list);
            prop_assert_eq!(list.clone().into_iter().collect::<Vec<_>>(), elements.clone());
            prop_assert_eq!(list.into_vec(), elements);
        }
    }
}
