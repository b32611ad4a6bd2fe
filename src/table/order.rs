//! The order of the hooks of one event.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// What the order of a hook depends on.
pub(super) struct Orderable<'a> {
    pub(super) id: &'a str,
    pub(super) priority: i64,
    pub(super) after: &'a [String],
    pub(super) before: &'a [String],
}

/// Orders hooks by priority, then by declaration, so that each comes after those that it depends
/// on. Ids that are not among the hooks are no dependencies here.
///
/// # Errors
/// The ids of a circle, the first one repeated at the end.
pub(super) fn resolve(hooks: &[Orderable<'_>]) -> Result<Vec<usize>, Vec<String>> {
    let places: HashMap<&str, usize> =
        hooks.iter().enumerate().map(|(place, hook)| (hook.id, place)).collect();
    let mut later: Vec<Vec<usize>> = vec![Vec::new(); hooks.len()];
    let mut waits: Vec<usize> = vec![0; hooks.len()];
    let mut link = |first: usize, second: usize| {
        if let (Some(followers), Some(count)) = (later.get_mut(first), waits.get_mut(second)) {
            followers.push(second);
            *count += 1;
        }
    };
    for (place, hook) in hooks.iter().enumerate() {
        for id in hook.after {
            if let Some(&first) = places.get(id.as_str()) {
                link(first, place);
            }
        }
        for id in hook.before {
            if let Some(&second) = places.get(id.as_str()) {
                link(place, second);
            }
        }
    }
    let key = |place: usize| Reverse((hooks.get(place).map_or(0, |hook| hook.priority), place));
    let mut ready: BinaryHeap<_> = waits
        .iter()
        .enumerate()
        .filter(|(_, count)| **count == 0)
        .map(|(place, _)| key(place))
        .collect();
    let mut order = Vec::with_capacity(hooks.len());
    while let Some(Reverse((_, place))) = ready.pop() {
        order.push(place);
        for &next in later.get(place).into_iter().flatten() {
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

/// Some circle among the hooks that still wait. Each of them is followed by, or leads to, one.
fn circle(hooks: &[Orderable<'_>], later: &[Vec<usize>], waits: &[usize]) -> Vec<String> {
    let stuck = |place: usize| waits.get(place).is_some_and(|count| *count > 0);
    // For each hook the first one that it waits for and that waits itself.
    let mut before: HashMap<usize, usize> = HashMap::new();
    for (first, followers) in later.iter().enumerate().filter(|(first, _)| stuck(*first)) {
        for &place in followers {
            before.entry(place).or_insert(first);
        }
    }
    let mut path: Vec<usize> = Vec::new();
    let mut seen: HashMap<usize, usize> = HashMap::new();
    let mut at = (0..hooks.len()).find(|&place| stuck(place));
    while let Some(place) = at {
        if let Some(&start) = seen.get(&place) {
            path.drain(..start);
            path.push(place);
            break;
        }
        seen.insert(place, path.len());
        path.push(place);
        at = before.get(&place).copied();
    }
    path.reverse();
    path.into_iter().filter_map(|place| hooks.get(place)).map(|hook| hook.id.to_owned()).collect()
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
            })
            .collect();
        let places = resolve(&orderable)?;
        Ok(places.into_iter().map(|place| owned[place].0.clone()).collect())
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
    }
}
