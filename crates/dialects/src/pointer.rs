//! Values inside of objects, by JSON pointer.
//!
//! The pointers are those of our own tables: they have no escapes, and `/` before the first key may be left
//! out.

use serde_json::{Map, Value};

/// Returns the value at a pointer.
pub(crate) fn get<'a>(object: &'a Map<String, Value>, pointer: &str) -> Option<&'a Value> {
    let (first, rest) = split(pointer);
    let value = object.get(first)?;
    if rest.is_empty() { Some(value) } else { value.pointer(rest) }
}

/// Takes the value at a pointer out; what it was in stays, even if that is empty then. Only a key of an
/// object is taken out.
pub(crate) fn take(object: &mut Map<String, Value>, pointer: &str) -> Option<Value> {
    let pointer = pointer.strip_prefix('/').unwrap_or(pointer);
    let Some((parent, last)) = pointer.rsplit_once('/') else { return object.remove(pointer) };
    let (first, rest) = split(parent);
    object.get_mut(first)?.pointer_mut(rest)?.as_object_mut()?.remove(last)
}

/// What a value at a pointer would replace.
#[derive(Debug)]
pub(crate) enum Obstacle<'a> {
    /// A value on the way there, which holds no other values.
    OnTheWay,
    /// Another value.
    There(&'a Value),
}

/// Returns what a value at a pointer would replace, if anything.
pub(crate) fn obstacle<'a>(object: &'a Map<String, Value>, pointer: &str) -> Option<Obstacle<'a>> {
    let (first, rest) = split(pointer);
    let mut at = object.get(first)?;
    let mut rest = rest;
    while !rest.is_empty() {
        let (key, after) = split(rest);
        at = match at {
            Value::Object(inner) => inner.get(key)?,
            Value::Array(items) => match key.parse().ok().and_then(|index: usize| items.get(index))
            {
                Some(item) => item,
                None => return Some(Obstacle::OnTheWay),
            },
            _ => return Some(Obstacle::OnTheWay),
        };
        rest = after;
    }
    Some(Obstacle::There(at))
}

/// Puts a value at a pointer, and makes the objects on the way there; a value that is in the way is
/// replaced.
pub(crate) fn put(object: &mut Map<String, Value>, pointer: &str, value: Value) {
    let (first, rest) = split(pointer);
    if rest.is_empty() {
        object.insert(first.to_owned(), value);
        return;
    }
    let inner = object.entry(first.to_owned()).or_insert(Value::Null);
    put_inside(inner, rest, value);
}

fn put_inside(at: &mut Value, pointer: &str, value: Value) {
    let (first, rest) = split(pointer);
    if let Value::Array(items) = at
        && let Some(item) = first.parse().ok().and_then(|index: usize| items.get_mut(index))
    {
        if rest.is_empty() {
            *item = value;
        } else {
            put_inside(item, rest, value);
        }
        return;
    }
    if !at.is_object() {
        *at = Value::Object(Map::new());
    }
    if let Value::Object(object) = at {
        put(object, pointer, value);
    }
}

/// Splits the first token off: `/a/b` is `a` and `/b`.
fn split(pointer: &str) -> (&str, &str) {
    let pointer = pointer.strip_prefix('/').unwrap_or(pointer);
    pointer.find('/').map_or((pointer, ""), |at| pointer.split_at(at))
}
