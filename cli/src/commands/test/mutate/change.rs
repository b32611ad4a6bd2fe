//! One change of a policy.

use std::ops::Range;

use hookgate::contract::settings::{Node, NodeValue, SettingEntry};

/// What sort of thing is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// A whole hook, tool or other table of the file.
    Table,
    /// A condition, or a key of one.
    Condition,
    /// An entry of a list: a pattern, a name, an event.
    Entry,
    /// One of several alternatives in a text.
    Alternative,
    /// What a failure counts as, or another option of a hook.
    Option,
    /// A number that is a bound.
    Bound,
    /// A flag.
    Flag,
}

impl Sort {
    /// Returns the name in records.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Condition => "condition",
            Self::Entry => "entry",
            Self::Alternative => "alternative",
            Self::Option => "option",
            Self::Bound => "bound",
            Self::Flag => "flag",
        }
    }
}

/// A way from the root of a file to a value: the places in tables and lists.
pub(super) type Way = Vec<usize>;

/// What becomes of the value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Edit {
    /// It goes, with its key.
    Remove,
    /// It becomes another one.
    Replace(NodeValue),
}

/// One change.
#[derive(Debug, Clone)]
pub(super) struct Change {
    pub(super) sort: Sort,
    pub(super) way: Way,
    pub(super) edit: Edit,
    /// Where the value is, in bytes of the file.
    pub(super) span: Range<usize>,
    /// The hook, or what else it is a part of.
    pub(super) of: String,
    /// The change in words: "`reads` without `**/.env`".
    pub(super) words: String,
}

impl Change {
    /// Returns the values with the change, of which only the hook is left that it is made in, and what hooks need:
    /// the sections of the file. `None` if it is not made within a hook.
    pub(super) fn apply_to_hook(&self, root: &Node, sections: &[String]) -> Option<Node> {
        let [at, index, _, ..] = self.way.as_slice() else { return None };
        let mut changed = self.apply(root);
        let NodeValue::Table(entries) = &mut changed.value else { return None };
        let hooks = entries.get_mut(*at).filter(|entry| entry.key == "hook")?;
        let NodeValue::List(hooks) = &mut hooks.node.value else { return None };
        let hook = hooks.get(*index)?.clone();
        *hooks = vec![hook];
        let stays = |key: &str| ["version", "limits", "hook"].contains(&key);
        entries.retain(|entry| stays(&entry.key) || sections.contains(&entry.key));
        Some(changed)
    }

    /// Returns the values of the file with the change. Places in them stay as they are in the text.
    pub(super) fn apply(&self, root: &Node) -> Node {
        let mut changed = root.clone();
        if let Some((last, above)) = self.way.split_last() {
            let mut at = &mut changed;
            for step in above {
                let Some(below) = child(at, *step) else { return changed };
                at = below;
            }
            match &self.edit {
                Edit::Remove => {
                    remove(at, *last);
                    let is_last = matches!(&at.value, NodeValue::List(items) if items.is_empty());
                    if self.sort == Sort::Table && is_last {
                        allow_empty(&mut changed);
                    }
                }
                Edit::Replace(value) => {
                    if let Some(node) = child(at, *last) {
                        node.value.clone_from(value);
                    }
                }
            }
        }
        changed
    }
}

/// Says that a file without hooks is meant: the policy without its only hook is to be tried.
fn allow_empty(root: &mut Node) {
    let NodeValue::Table(entries) = &mut root.value else { return };
    let key = "allow_empty";
    if entries.iter().all(|entry| entry.key != key) {
        let node = Node { span: 0..0, value: NodeValue::Flag(true) };
        entries.push(SettingEntry { key: key.to_owned(), key_span: 0..0, node });
    }
}

fn child(node: &mut Node, at: usize) -> Option<&mut Node> {
    match &mut node.value {
        NodeValue::List(items) => items.get_mut(at),
        NodeValue::Table(entries) => entries.get_mut(at).map(|entry| &mut entry.node),
        _ => None,
    }
}

fn remove(node: &mut Node, at: usize) {
    match &mut node.value {
        NodeValue::List(items) if at < items.len() => drop(items.remove(at)),
        NodeValue::Table(entries) if at < entries.len() => drop(entries.remove(at)),
        _ => {}
    }
}
