//! What has changed since a project was trusted.

use std::collections::BTreeMap;

use serde::Serialize;

use super::content::{Content, FileRole};
use super::describe::Described;
use super::store::Record;

/// One thing that has changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Difference {
    /// What it is: `hook`, `config` or `file`.
    pub(crate) what: &'static str,
    /// Its id, or its path.
    pub(crate) name: String,
    /// What it was; `None` if it is new.
    pub(crate) before: Option<String>,
    /// What it is now; `None` if it is gone.
    pub(crate) after: Option<String>,
}

/// Returns what has changed: configs and files by name and check sum, hooks by what they do.
pub(crate) fn differences(record: &Record, content: &Content) -> Vec<Difference> {
    let files = |files: &[super::content::TrustedFile]| -> BTreeMap<(&str, String), String> {
        let entries = files.iter().map(|file| {
            let what = if file.role == FileRole::Named { "file" } else { "config" };
            ((what, file.path.clone()), file.sum.clone())
        });
        entries.collect()
    };
    let hooks = |hooks: &[Described]| -> BTreeMap<(&str, String), String> {
        let entries = hooks.iter().map(|hook| {
            let text = format!("{} at {}: {}", hook.kind, hook.events.join(", "), hook.does);
            (("hook", hook.id.clone()), text)
        });
        entries.collect()
    };
    let mut all = compare(hooks(&record.hooks), hooks(&content.hooks));
    all.extend(compare(files(&record.files), files(&content.files)));
    all
}

fn compare(
    before: BTreeMap<(&'static str, String), String>,
    mut after: BTreeMap<(&'static str, String), String>,
) -> Vec<Difference> {
    let mut all = Vec::new();
    for ((what, name), before) in before {
        let now = after.remove(&(what, name.clone()));
        if now.as_ref() != Some(&before) {
            all.push(Difference { what, name, before: Some(before), after: now });
        }
    }
    let new = after.into_iter();
    all.extend(new.map(|((what, name), now)| Difference {
        what,
        name,
        before: None,
        after: Some(now),
    }));
    all
}
