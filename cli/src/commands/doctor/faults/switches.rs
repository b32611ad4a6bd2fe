//! Switches that turn hooks off.

use serde_json::Value;

use super::Subject;
use crate::agents::{Form, ListedKeys};
use crate::commands::doctor::report::Finding;

pub(super) fn check(subject: Subject<'_>) -> Vec<Finding> {
    let root = &subject.content.root;
    let title = subject.dialect.title();
    let is =
        |pointer: &str, value: bool| root.pointer(pointer).and_then(Value::as_bool) == Some(value);
    let mut findings = Vec::new();
    let off = |switch: &str| {
        Finding::open(
            format!("hooks are switched off by `{switch}`: {title} runs none, without a word"),
            format!("remove `{switch}`"),
        )
    };
    match subject.profile.name {
        "claude" | "qwen" | "copilot" if is("/disableAllHooks", true) => {
            findings.push(off("disableAllHooks"));
        }
        "gemini" => {
            if is("/hooksConfig/enabled", false) {
                findings.push(off("hooksConfig.enabled"));
            }
            let disabled = root.pointer("/hooksConfig/disabled").and_then(Value::as_array);
            for name in disabled.into_iter().flatten().filter_map(Value::as_str) {
                let is_ours = |hook: &&super::super::hooks::FoundHook| {
                    hook.calls_hookgate()
                        && (hook.keys.get("name").and_then(Value::as_str) == Some(name)
                            || hook.command() == Some(name))
                };
                if let Some(hook) = subject.content.hooks.iter().find(is_ours) {
                    findings.push(Finding::open(
                        format!(
                            "the hook of hookgate at {} is switched off by `hooksConfig.disabled`",
                            hook.event
                        ),
                        format!("take `{name}` out of it"),
                    ));
                }
            }
        }
        _ => {}
    }
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
