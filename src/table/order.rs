//! The order of the hooks of one event: by priority, and among equals by declaration, except that
//! each hook comes after those that its `after` or `needs` (or their `before`) names.
//!
//! Hooks that name no others are sorted by their priority, and their order among equals stays. For those
//! that do it is a topological sort with a heap: of the hooks that wait for no other one, the first by priority
//! is next. `n` hooks with `m` relations cost `O((n + m) log n)`. Hooks that wait for each other in
//! a circle have no order; the circle is reported, with the hooks in it and nothing else.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// A hook, reduced to what its order depends on.
pub(super) struct Orderable<'a> {
    pub(super) id: &'a str,
    pub(super) priority: i64,
    pub(super) after: &'a [String],
    pub(super) before: &'a [String],
    pub(super) needs: &'a [String],
}

/// Returns the indices of the hooks in their order. Ids that are not among the hooks are ignored:
/// that they exist is checked elsewhere.
///
/// # Errors
/// The ids of a circle, the first one repeated at the end.
pub(super) fn in_order(hooks: &[Orderable<'_>]) -> Result<Vec<usize>, Vec<String>> {
    let is_free = |hook: &Orderable<'_>| {
        hook.after.is_empty() && hook.before.is_empty() && hook.needs.is_empty()
    };
    if hooks.iter().all(is_free) {
        let mut order: Vec<usize> = (0..hooks.len()).collect();
        order.sort_by_key(|&index| hooks.get(index).map(|hook| hook.priority));
        return Ok(order);
    }
    let indices: HashMap<&str, usize> =
        hooks.iter().enumerate().map(|(index, hook)| (hook.id, index)).collect();
    let mut later: Vec<Vec<usize>> = vec![Vec::new(); hooks.len()];
    let mut waits: Vec<usize> = vec![0; hooks.len()];
    let mut link = |first: usize, second: usize| {
        if let (Some(followers), Some(count)) = (later.get_mut(first), waits.get_mut(second)) {
            followers.push(second);
            *count += 1;
        }
    };
    for (index, hook) in hooks.iter().enumerate() {
        let firsts = hook.after.iter().chain(hook.needs);
        for &first in firsts.filter_map(|id| indices.get(id.as_str())) {
            link(first, index);
        }
        for &second in hook.before.iter().filter_map(|id| indices.get(id.as_str())) {
            link(index, second);
        }
    }
    let key = |index: usize| Reverse((hooks.get(index).map_or(0, |hook| hook.priority), index));
    let free = waits.iter().enumerate().filter(|(_, count)| **count == 0);
    let mut ready: BinaryHeap<_> = free.map(|(index, _)| key(index)).collect();
    let mut order = Vec::with_capacity(hooks.len());
    while let Some(Reverse((_, index))) = ready.pop() {
        order.push(index);
        for &next in later.get(index).into_iter().flatten() {
            if let Some(count) = waits.get_mut(next) {
                *count -= 1;
                if *count == 0 {
                    ready.push(key(next));
                }
            }
        }
    }
    if order.len() == hooks.len() {
        return Ok(order);
    }
    Err(circle(hooks, &later, &waits))
}

/// Finds a circle among the hooks that still wait. Each of them is in one, or waits for one that
/// is.
fn circle(hooks: &[Orderable<'_>], later: &[Vec<usize>], waits: &[usize]) -> Vec<String> {
    let stuck = |index: usize| waits.get(index).is_some_and(|count| *count > 0);
    // For each hook the first one that it waits for and that waits itself.
    let mut before: HashMap<usize, usize> = HashMap::new();
    for (first, followers) in later.iter().enumerate().filter(|(first, _)| stuck(*first)) {
        for &index in followers {
            before.entry(index).or_insert(first);
        }
    }
    let mut path: Vec<usize> = Vec::new();
    let mut seen: HashMap<usize, usize> = HashMap::new();
    let mut next = (0..hooks.len()).find(|&index| stuck(index));
    while let Some(index) = next {
        if let Some(&start) = seen.get(&index) {
            path.drain(..start);
            path.push(index);
            break;
        }
        seen.insert(index, path.len());
        path.push(index);
        next = before.get(&index).copied();
    }
    path.reverse();
    path.into_iter().filter_map(|index| hooks.get(index)).map(|hook| hook.id.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(hooks: &[(&str, i64, &[&str], &[&str])]) -> Result<Vec<String>, Vec<String>> {
        let owned: Vec<_> = hooks
            .iter()
            .map(|(id, priority, after, before)| {
                let strings = |all: &[&str]| all.iter().map(|&s| s.to_owned()).collect::<Vec<_>>();
                ((*id).to_owned(), *priority, strings(after), strings(before))
            })
            .collect();
        let orderable: Vec<_> = owned
            .iter()
            .map(|(id, priority, after, before)| Orderable {
                id,
                priority: *priority,
                after,
                before,
                needs: &[],
            })
            .collect();
        let order = in_order(&orderable)?;
        Ok(order.into_iter().map(|index| owned[index].0.clone()).collect())
    }

    #[test]
    fn priority_then_declaration() {
        let sorted = order(&[("a", 100, &[], &[]), ("b", 5, &[], &[]), ("c", 100, &[], &[])]);
        assert_eq!(sorted.unwrap(), ["b", "a", "c"]);
    }

    #[test]
    fn dependencies_hold_whatever_the_priority() {
        let sorted = order(&[("a", 1, &["c"], &[]), ("b", 2, &[], &[]), ("c", 3, &[], &[])]);
        assert_eq!(sorted.unwrap(), ["b", "c", "a"]);
        let sorted = order(&[("a", 1, &[], &[]), ("b", 2, &[], &["a"])]);
        assert_eq!(sorted.unwrap(), ["b", "a"]);
    }

    #[test]
    fn a_circle_is_shown() {
        let circle = order(&[("a", 1, &["b"], &[]), ("b", 1, &["c"], &[]), ("c", 1, &["b"], &[])]);
        let circle = circle.unwrap_err();
        assert_eq!(circle.first(), circle.last());
        assert_eq!(circle.len(), 3, "{circle:?}");
        assert!(!circle.contains(&"a".to_owned()), "{circle:?}");
        // Nor is a hook in it that the others only wait for.
        let after_free =
            order(&[("free", 1, &[], &[]), ("b", 1, &["free", "c"], &[]), ("c", 1, &["b"], &[])]);
        assert_eq!(after_free.unwrap_err(), ["b", "c", "b"]);
    }
}
