//! The payload fields that a verdict sets.

use std::borrow::Cow;
use std::ops::Index;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// The payload fields that a verdict sets, by their names, in the order of these.
///
/// It has the methods of a map. But as most patches set one field, whose name is a
/// [constant](crate::patch_field), it is a sorted list and does not copy such a name: a map of strings
/// would allocate more for the patch than the value takes.
///
/// ```
/// use hookgate_contract::{Patch, Verdict};
///
/// let patch: Patch = Verdict::none().patch("prompt", "hello").into_parts().unwrap().patch;
/// assert_eq!((patch.len(), patch["prompt"].as_str()), (1, Some("hello")));
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Patch {
    /// Sorted by name; each name is there once.
    fields: Vec<(Cow<'static, str>, Value)>,
}

impl Patch {
    /// Makes a patch that sets nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self { fields: Vec::new() }
    }

    /// Sets a field, and returns the value that the patch had for it.
    pub fn insert(&mut self, name: impl Into<Cow<'static, str>>, value: Value) -> Option<Value> {
        let name = name.into();
        match self.find(&name) {
            Ok(index) => {
                let (_, present) = self.fields.get_mut(index)?;
                Some(std::mem::replace(present, value))
            }
            // Mostly there is no second one.
            Err(_) if self.fields.is_empty() => {
                self.fields = vec![(name, value)];
                None
            }
            Err(index) => {
                self.fields.insert(index, (name, value));
                None
            }
        }
    }

    /// Takes a field out.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        let index = self.find(name).ok()?;
        Some(self.fields.remove(index).1)
    }

    /// Returns the value of a field.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        let index = self.find(name).ok()?;
        self.fields.get(index).map(|(_, value)| value)
    }

    /// Returns the value of a field, to be changed.
    #[must_use]
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        let index = self.find(name).ok()?;
        self.fields.get_mut(index).map(|(_, value)| value)
    }

    /// Returns the names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.fields.iter().map(|(name, value)| (&**name, value))
    }

    /// Returns the names.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|(name, _)| &**name)
    }

    /// Returns the values.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        self.fields.iter().map(|(_, value)| value)
    }

    /// Returns how many fields are set.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.fields.len()
    }

    /// Tells whether nothing is set.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Takes all fields out.
    pub fn clear(&mut self) {
        self.fields.clear();
    }

    /// Returns the index of a field, or the one that it would have.
    fn find(&self, name: &str) -> Result<usize, usize> {
        self.fields.binary_search_by(|(present, _)| (**present).cmp(name))
    }
}

impl Index<&str> for Patch {
    type Output = Value;

    /// Returns the value of a field; null if it is not set.
    fn index(&self, name: &str) -> &Value {
        self.get(name).unwrap_or(&Value::Null)
    }
}

impl IntoIterator for Patch {
    type Item = (Cow<'static, str>, Value);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.fields.into_iter()
    }
}

impl From<Map<String, Value>> for Patch {
    fn from(fields: Map<String, Value>) -> Self {
        let mut patch = Self { fields: Vec::with_capacity(fields.len()) };
        for (name, value) in fields {
            patch.insert(name, value);
        }
        patch
    }
}

impl From<Patch> for Map<String, Value> {
    fn from(patch: Patch) -> Self {
        patch.into_iter().map(|(name, value)| (name.into_owned(), value)).collect()
    }
}

impl Serialize for Patch {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}
