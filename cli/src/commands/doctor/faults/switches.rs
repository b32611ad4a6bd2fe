//! Switches that turn off the hooks of their own file; those that turn off all are settings.

use super::Subject;
use crate::agents::{Form, ListedKeys};
use crate::commands::doctor::report::Finding;

pub(super) fn check(subject: Subject<'_>) -> Vec<Finding> {
    let root = &subject.content.root;
    let title = subject.dialect.title();
    let mut findings = Vec::new();
    if let Form::Listed { keys, .. } = subject.profile.form {
        let version = root.get("version");
        let is_known = version.is_none_or(|version| version.as_u64() == Some(1));
        if !is_known && !subject.content.hooks.is_empty() {
            let silently = if keys == ListedKeys::Copilot { ", without a word" } else { "" };
            let version = version.map(ToString::to_string).unwrap_or_default();
            findings.push(Finding::open(
                format!("`version` is {version}: {title} runs no hook of this file{silently}"),
                "write `\"version\": 1`",
            ));
        }
    }
    findings
}
