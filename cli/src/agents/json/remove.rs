//! Removes hooks from a file that was edited since they were added.

use std::ops::Range;

use jsonc_parser::ast::{Array, Object, Value as Node};
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
    let mut body = body.to_owned();
    let before = value(&body, syntax)?;
    let mut found = false;
    while let Some(shorter) = step(&body, syntax, ours)? {
        // Each step makes it shorter, so this ends.
        if shorter.len() >= body.len() {
            return Err(Refusal::Entangled);
        }
        body = shorter;
        found = true;
    }
    if !found {
        return Ok(None);
    }
    if value(&body, syntax)? != expected::without(before, ours) {
        return Err(Refusal::Entangled);
    }
    Ok(Some(format!("{mark}{body}")))
}

/// Cuts out one thing.
fn step(
    text: &str,
    syntax: Syntax,
    ours: &dyn Fn(&str) -> bool,
) -> Result<Option<String>, Refusal> {
    let Some(root) = parse(text, syntax)? else { return Ok(None) };
    let Some(root) = root.as_object() else { return Ok(None) };
    let Some(hooks) = member(root, "hooks")?.and_then(Node::as_object) else { return Ok(None) };
    for (index, event) in hooks.properties.iter().enumerate() {
        let Some(list) = event.value.as_array() else { continue };
        let Some(at) = list.elements.iter().position(|item| has_ours(item, ours)) else { continue };
        let cut = if let Some((inner, at)) = handler_among_others(&list.elements, at, ours) {
            cut_element(text, inner, at)
        } else if list.elements.len() > 1 {
            cut_element(text, list, at)
        } else if hooks.properties.len() > 1 {
            cut_member(text, hooks, index)
        } else {
            root.properties
                .iter()
                .position(|member| member.name.as_str() == "hooks")
                .and_then(|at| cut_member(text, root, at))
        };
        return cut.map(Some).ok_or(Refusal::Entangled);
    }
    Ok(None)
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

    pub(super) fn without(mut root: Value, ours: &dyn Fn(&str) -> bool) -> Value {
        let Some(hooks) = root.get_mut("hooks").and_then(Value::as_object_mut) else { return root };
        let mut changed = false;
        hooks.retain(|_, list| {
            let Some(list) = list.as_array_mut() else { return true };
            let length = list.len();
            let mut touched = false;
            list.retain_mut(|item| {
                let keep = keep(item, ours, &mut touched);
                touched |= !keep;
                keep
            });
            changed |= touched;
            !(touched && list.is_empty() && length > 0)
        });
        if changed && hooks.is_empty() {
            root.as_object_mut().map(|root| root.remove("hooks"));
        }
        root
    }

    fn keep(item: &mut Value, ours: &dyn Fn(&str) -> bool, touched: &mut bool) -> bool {
        if is_ours(item, ours) {
            return false;
        }
        let Some(handlers) = item.get_mut("hooks").and_then(Value::as_array_mut) else {
            return true;
        };
        let length = handlers.len();
        handlers.retain(|handler| !is_ours(handler, ours));
        *touched |= handlers.len() < length;
        !(handlers.is_empty() && length > 0)
    }

    fn is_ours(handler: &Value, ours: &dyn Fn(&str) -> bool) -> bool {
        ["command", "bash"]
            .iter()
            .any(|key| handler.get(key).and_then(Value::as_str).is_some_and(ours))
    }
}
