//! A list of which a changed copy shares all but the part that was changed.
//!
//! Tables are made from one another, and mostly one hook of many differs. Such a table copies one part and
//! the index of the parts, and not a thousand hooks.

use std::sync::Arc;

/// How many items a part holds.
const PART: usize = 64;

/// A list in parts that are shared between its copies.
#[derive(Debug, Clone)]
pub(crate) struct SharedList<T> {
    /// All parts but the last one are full.
    parts: Vec<Arc<Vec<T>>>,
}

impl<T> Default for SharedList<T> {
    fn default() -> Self {
        Self { parts: Vec::new() }
    }
}

impl<T> SharedList<T> {
    /// Returns the number of items.
    pub(super) fn len(&self) -> usize {
        self.parts.split_last().map_or(0, |(last, full)| full.len() * PART + last.len())
    }

    /// Returns whether there are no items.
    pub(super) const fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Returns an item.
    pub(super) fn get(&self, index: usize) -> Option<&T> {
        self.parts.get(index / PART)?.get(index % PART)
    }

    /// Returns the items in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> + Clone {
        self.parts.iter().flat_map(|part| part.iter())
    }
}

impl<T: Clone> SharedList<T> {
    /// Replaces the item at an index, if there is one.
    pub(super) fn set(&mut self, index: usize, item: T) {
        let part = self.parts.get_mut(index / PART).map(Arc::make_mut);
        if let Some(slot) = part.and_then(|part| part.get_mut(index % PART)) {
            *slot = item;
        }
    }

    /// Adds an item at the end.
    pub(super) fn push(&mut self, item: T) {
        match self.parts.last_mut().filter(|part| part.len() < PART) {
            Some(part) => match Arc::get_mut(part) {
                Some(own) => own.push(item),
                // Mostly one item is added to a list that is there: its copy has no more room than that.
                None => {
                    let mut copy = Vec::with_capacity(part.len() + 1);
                    copy.extend(part.iter().cloned());
                    copy.push(item);
                    *part = Arc::new(copy);
                }
            },
            None => self.parts.push(Arc::new(vec![item])),
        }
    }
}

impl<T> FromIterator<T> for SharedList<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut items = items.into_iter().peekable();
        let mut parts = Vec::new();
        while items.peek().is_some() {
            parts.push(Arc::new(items.by_ref().take(PART).collect()));
        }
        Self { parts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_copy_shares_the_other_parts() {
        let before: SharedList<usize> = (0..200).collect();
        let mut after = before.clone();
        after.set(70, 7);
        after.set(1000, 7);
        after.push(200);
        let changed: Vec<_> = (0..201).map(|i| if i == 70 { 7 } else { i }).collect();
        assert_eq!(after.iter().copied().collect::<Vec<_>>(), changed);
        assert_eq!(before.iter().copied().collect::<Vec<_>>(), (0..200).collect::<Vec<_>>());
        assert_eq!((before.len(), after.len(), after.get(70)), (200, 201, Some(&7)));
        let shared = before.parts.iter().zip(&after.parts).filter(|(a, b)| Arc::ptr_eq(a, b));
        assert_eq!(shared.count(), 2, "of four parts two have changed");
        let mut pushed = SharedList::default();
        (0..200).for_each(|i| pushed.push(i));
        assert_eq!(pushed.parts, before.parts);
    }
}
