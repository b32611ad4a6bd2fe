//! Removes hooks from a file that was edited since they were added.

use std::ops::Range;

use jsonc_parser::ast::{Array, Object, ObjectProp, Value as Node};
use jsonc_parser::common::Ranged as _;

use super::read::{member, parse, split_mark, value};
use crate::agents::refusal::Refusal;
use crate::agents::splice::cut;
use crate::agents::syntax::Syntax;

/// Removes the hooks whose command line is `ours`, and the lists that are empty then. `None` if there are
/// none.
pub(crate) fn remove(
    text: &str,
    syntax: Syntax,
    ours: &dyn Fn(&str) -> bool,
) -> Result<Option<String>, Refusal> {
    let (mark, body) = split_mark(text, syntax)?;
    let before = value(body, syntax)?;
    let mut touched = Vec::new();
    let mut body = body.to_owned();
    while let Some((shorter, event)) = cut_hook(&body, syntax, ours)? {
        body = shortened(&body, shorter)?;
        touched.push(event);
    }
    if touched.is_empty() {
        return Ok(None);
    }
    while let Some(shorter) = cut_empty(&body, syntax, &touched)? {
        body = shortened(&body, shorter)?;
    }
    if expected::plain(value(&body, syntax)?) != expected::plain(expected::without(before, ours)) {
        return Err(Refusal::Entangled);
    }
    Ok(Some(format!("{mark}{body}")))
}

/// Makes sure that a step has made the text shorter: so the steps come to an end.
fn shortened(text: &str, shorter: Option<String>) -> Result<String, Refusal> {
    shorter.filter(|shorter| shorter.len() < text.len()).ok_or(Refusal::Entangled)
}

/// Cuts out one hook, with its group if there is no other in it. Returns the text and the event.
fn cut_hook(
    text: &str,
    syntax: Syntax,
    ours: &dyn Fn(&str) -> bool,
) -> Result<Option<(Option<String>, String)>, Refusal> {
    let root = parse(text, syntax)?;
    let Some(hooks) = hooks_of(root.as_ref())? else { return Ok(None) };
    for event in &hooks.properties {
        let Some(list) = event.value.as_array() else { continue };
        let Some(at) = list.elements.iter().position(|item| has_ours(item, ours)) else { continue };
        let shorter = match handler_among_others(&list.elements, at, ours) {
            Some((inner, at)) => cut_element(text, inner, at),
            None => cut_element(text, list, at),
        };
        return Ok(Some((shorter, event.name.as_str().to_owned())));
    }
    Ok(None)
}

/// Cuts out one list without anything in it, not even a comment; at last `hooks` itself.
fn cut_empty(
    text: &str,
    syntax: Syntax,
    events: &[String],
) -> Result<Option<Option<String>>, Refusal> {
    let root = parse(text, syntax)?;
    let Some(hooks) = hooks_of(root.as_ref())? else { return Ok(None) };
    let is_blank = |range: Range<usize>| {
        text.get(range.start + 1..range.end.saturating_sub(1))
            .is_some_and(|text| text.trim().is_empty())
    };
    let is_empty = |member: &ObjectProp<'_>| {
        events.iter().any(|event| event == member.name.as_str())
            && is_blank(member.value.start()..member.value.end())
    };
    if let Some(at) = hooks.properties.iter().position(is_empty) {
        return Ok(Some(cut_member(text, hooks, at)));
    }
    if !is_blank(hooks.start()..hooks.end()) {
        return Ok(None);
    }
    let Some(root) = root.as_ref().and_then(Node::as_object) else { return Ok(None) };
    let at = root.properties.iter().position(|member| member.name.as_str() == "hooks");
    Ok(at.map(|at| cut_member(text, root, at)))
}

fn hooks_of<'n, 't>(root: Option<&'n Node<'t>>) -> Result<Option<&'n Object<'t>>, Refusal> {
    let Some(root) = root.and_then(Node::as_object) else { return Ok(None) };
    Ok(member(root, "hooks")?.and_then(Node::as_object))
}

/// Returns the handlers of a group and which one is ours, if there are others.
fn handler_among_others<'n, 't>(
    items: &'n [Node<'t>],
    at: usize,
    ours: &dyn Fn(&str) -> bool,
) -> Option<(&'n Array<'t>, usize)> {
    let handlers = handlers(items.get(at)?)?;
    let at = handlers.elements.iter().position(|handler| is_ours(handler, ours))?;
    (handlers.elements.len() > 1).then_some((handlers, at))
}

fn handlers<'n, 't>(item: &'n Node<'t>) -> Option<&'n Array<'t>> {
    item.as_object()?
        .properties
        .iter()
        .find(|member| member.name.as_str() == "hooks")?
        .value
        .as_array()
}

fn has_ours(item: &Node<'_>, ours: &dyn Fn(&str) -> bool) -> bool {
    is_ours(item, ours)
        || handlers(item).is_some_and(|list| list.elements.iter().any(|item| is_ours(item, ours)))
}

fn is_ours(handler: &Node<'_>, ours: &dyn Fn(&str) -> bool) -> bool {
    handler.as_object().is_some_and(|handler| {
        handler.properties.iter().any(|member| {
            ["command", "bash"].contains(&member.name.as_str())
                && member.value.as_string_lit().is_some_and(|line| ours(&line.value))
        })
    })
}

fn cut_element(text: &str, list: &Array<'_>, index: usize) -> Option<String> {
    let items: Vec<Range<usize>> =
        list.elements.iter().map(|item| item.start()..item.end()).collect();
    cut(text, list.start()..list.end(), &items, index)
}

fn cut_member(text: &str, object: &Object<'_>, index: usize) -> Option<String> {
    let items: Vec<Range<usize>> =
        object.properties.iter().map(|member| member.start()..member.end()).collect();
    cut(text, object.start()..object.end(), &items, index)
}

/// What must come of it, found without looking at the text.
mod expected {
    use serde_json::Value;

    /// Takes our hooks out.
    pub(super) fn without(mut root: Value, ours: &dyn Fn(&str) -> bool) -> Value {
        let hooks = root.get_mut("hooks").and_then(Value::as_object_mut);
        for list in hooks.into_iter().flatten().filter_map(|(_, list)| list.as_array_mut()) {
            list.retain_mut(|item| {
                let Some(handlers) = item.get_mut("hooks").and_then(Value::as_array_mut) else {
                    return !is_ours(item, ours);
                };
                let length = handlers.len();
                handlers.retain(|handler| !is_ours(handler, ours));
                !(handlers.is_empty() && length > 0)
            });
        }
        root
    }

    /// Takes empty lists out, which mean nothing.
    pub(super) fn plain(mut root: Value) -> Value {
        let Some(hooks) = root.get_mut("hooks").and_then(Value::as_object_mut) else { return root };
        hooks.retain(|_, list| list.as_array().is_none_or(|list| !list.is_empty()));
        if hooks.is_empty() {
            root.as_object_mut().map(|root| root.remove("hooks"));
        }
        root
    }

    fn is_ours(handler: &Value, ours: &dyn Fn(&str) -> bool) -> bool {
        ["command", "bash"]
            .iter()
            .any(|key| handler.get(key).and_then(Value::as_str).is_some_and(ours))
    }
}
