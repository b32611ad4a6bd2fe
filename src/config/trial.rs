//! `enforce_after = "2026-12-01"`: a hook that is on trial until a day, and in force from then on.
//!
//! It is read as two hooks: the hook itself, which is called from the beginning of that day on, and its copy
//! `ID-trial` in the mode `shadow`, which is called before. Both ask the clock of the condition `when` at each step,
//! so a process that runs over that day changes without a reload.

use std::borrow::Cow;

use hookgate_contract::settings::{Node, NodeValue, SettingEntry, SettingProblem};

use super::problem::ConfigProblem;
use super::reader::Reader;

/// The key of a hook.
const ENFORCE_AFTER: &str = "enforce_after";

const WHEN: &str = "when";

/// Returns the hooks that a hook is read as: itself, or itself and its trial.
pub(super) fn split<'n>(reader: &mut Reader<'_>, hook: &'n Node) -> Vec<Cow<'n, Node>> {
    match parts(hook) {
        Ok(None) => vec![Cow::Borrowed(hook)],
        Ok(Some(parts)) => parts.map(Cow::Owned).into(),
        Err((at, problem)) => {
            let problem = SettingProblem::Invalid { key: ENFORCE_AFTER.to_owned(), problem };
            reader.error(at, ConfigProblem::Setting(problem));
            vec![Cow::Owned(without(hook, ENFORCE_AFTER))]
        }
    }
}

type Mistake = (std::ops::Range<usize>, String);

fn parts(hook: &Node) -> Result<Option<[Node; 2]>, Mistake> {
    let Some(entry) = entry(hook, ENFORCE_AFTER) else { return Ok(None) };
    let span = entry.node.span.clone();
    let NodeValue::Text(day) = &entry.node.value else {
        return Err((
            span,
            format!("must be a day such as \"2026-12-01\", not {}", entry.node.kind()),
        ));
    };
    if let Some(mode) = self::entry(hook, "mode") {
        let problem = "it says when the mode changes: leave `mode` out".to_owned();
        return Err((mode.key_span.clone(), problem));
    }
    if day.len() != "2026-12-01".len() || !day.is_ascii() {
        return Err((span, format!("`{day}` is no day such as \"2026-12-01\"")));
    }
    let begins = format!("{day}T00:00:00");
    let plain = without(hook, ENFORCE_AFTER);
    let enforced = limited(&plain, "from", &begins, &span)?;
    let mut trial = limited(&plain, "until", &begins, &span)?;
    if let NodeValue::Table(entries) = &mut trial.value {
        for entry in entries.iter_mut().filter(|entry| entry.key == "id") {
            if let NodeValue::Text(id) = &mut entry.node.value {
                id.push_str("-trial");
            }
        }
        entries.push(setting("mode", NodeValue::Text("shadow".to_owned()), &span));
    }
    Ok(Some([enforced, trial]))
}

/// Returns a hook that is called from or until a time.
fn limited(
    hook: &Node,
    key: &str,
    time: &str,
    span: &std::ops::Range<usize>,
) -> Result<Node, Mistake> {
    let bound = setting(key, NodeValue::Text(time.to_owned()), span);
    let mut hook = hook.clone();
    let NodeValue::Table(entries) = &mut hook.value else { return Ok(hook) };
    match entries.iter_mut().find(|entry| entry.key == WHEN) {
        None => entries.push(setting(WHEN, NodeValue::Table(vec![bound]), span)),
        Some(SettingEntry { node: Node { value: NodeValue::Table(bounds), .. }, .. }) => {
            if let Some(known) =
                bounds.iter().find(|bound| ["from", "until"].contains(&bound.key.as_str()))
            {
                let problem = format!("`when` has `{}` already: write two hooks", known.key);
                return Err((span.clone(), problem));
            }
            bounds.push(bound);
        }
        // What is wrong with it is told when it is read.
        Some(_) => {}
    }
    Ok(hook)
}

fn setting(key: &str, value: NodeValue, span: &std::ops::Range<usize>) -> SettingEntry {
    let node = Node { span: span.clone(), value };
    SettingEntry { key: key.to_owned(), key_span: span.clone(), node }
}

fn entry<'n>(hook: &'n Node, key: &str) -> Option<&'n SettingEntry> {
    match &hook.value {
        NodeValue::Table(entries) => entries.iter().find(|entry| entry.key == key),
        _ => None,
    }
}

fn without(hook: &Node, key: &str) -> Node {
    let mut hook = hook.clone();
    if let NodeValue::Table(entries) = &mut hook.value {
        entries.retain(|entry| entry.key != key);
    }
    hook
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(hook: serde_json::Value) -> Result<Option<Vec<serde_json::Value>>, String> {
        let parts = parts(&Node::from_json(&hook)).map_err(|(_, problem)| problem)?;
        Ok(parts.map(|parts| parts.iter().map(Node::to_json).collect()))
    }

    #[test]
    fn a_hook_is_on_trial_before_and_in_force_after() {
        let parts =
            read(json!({"id": "a", "enforce_after": "2026-12-01", "when": {"zone": "UTC"}}));
        let begins = "2026-12-01T00:00:00";
        let expected = [
            json!({"id": "a", "when": {"zone": "UTC", "from": begins}}),
            json!({"id": "a-trial", "when": {"zone": "UTC", "until": begins}, "mode": "shadow"}),
        ];
        assert_eq!(parts.unwrap().unwrap(), expected);
        assert_eq!(read(json!({"id": "a"})), Ok(None));
    }

    #[test]
    fn what_contradicts_it_is_refused() {
        for (hook, said) in [
            (json!({"enforce_after": 1}), "must be a day"),
            (json!({"enforce_after": "soon"}), "no day"),
            (json!({"enforce_after": "2026-12-01", "mode": "warn"}), "leave `mode` out"),
            (json!({"enforce_after": "2026-12-01", "when": {"until": "x"}}), "two hooks"),
        ] {
            let problem = read(hook).unwrap_err();
            assert!(problem.contains(said), "{problem}");
        }
    }
}
