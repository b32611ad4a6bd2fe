//! Whether Codex trusts a hook: only then does it run.

use std::fs;
use std::path::Path;

use hmac_sha256::Hash;
use serde_json::{Value, json};
use toml::Table;

use super::hooks::FoundHook;

/// What Codex knows of its user's decisions: its config.toml.
#[derive(Debug, Default)]
pub(super) struct Trust {
    config: Table,
}

impl Trust {
    /// Reads the config in a folder; without one nothing is trusted.
    pub(super) fn read(folder: &Path) -> Self {
        let text = fs::read_to_string(folder.join("config.toml")).unwrap_or_default();
        Self { config: text.parse().unwrap_or_default() }
    }

    /// Tells whether hooks are switched off.
    pub(super) fn is_off(&self) -> bool {
        let feature = |name| self.config.get("features").and_then(|features| features.get(name));
        ["hooks", "codex_hooks"]
            .into_iter()
            .any(|name| feature(name).and_then(toml::Value::as_bool) == Some(false))
    }

    /// Tells whether a project, or a folder around it, is trusted.
    pub(super) fn has_project(&self, project: &Path) -> bool {
        let level = |folder: &Path| {
            let projects = self.config.get("projects")?;
            projects.get(folder.to_str()?)?.get("trust_level")?.as_str()
        };
        project.ancestors().any(|folder| level(folder) == Some("trusted"))
    }

    /// Tells whether a hook of a file was reviewed as it is, and is on.
    pub(super) fn has_hook(&self, file: &Path, hook: &FoundHook) -> bool {
        let event = snake_case(&hook.event);
        let (group, index) = hook.at;
        let key = format!("{}:{event}:{group}:{index}", file.display());
        let state = self.config.get("hooks").and_then(|hooks| hooks.get("state")?.get(&key));
        let Some(state) = state else { return false };
        let is_on = state.get("enabled").and_then(toml::Value::as_bool) != Some(false);
        let trusted = state.get("trusted_hash").and_then(toml::Value::as_str);
        is_on && trusted == Some(&hash(&event, hook))
    }
}

/// Returns the check sum that Codex keeps of a hook that was reviewed.
fn hash(event: &str, hook: &FoundHook) -> String {
    let key = |name: &str| hook.keys.get(name).cloned();
    // The keys of an object are sorted.
    let mut reviewed = json!({
        "event_name": event,
        "hooks": [{
            "async": key("async").unwrap_or(Value::Bool(false)),
            "command": key("command"),
            "timeout": key("timeout").unwrap_or_else(|| json!(600)),
            "type": "command",
        }],
    });
    if let (Some(reviewed), Some(matcher)) = (reviewed.as_object_mut(), &hook.matcher) {
        reviewed.insert("matcher".to_owned(), matcher.clone());
    }
    let sum = Hash::hash(reviewed.to_string().as_bytes());
    let hex: String = sum.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

fn snake_case(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check sums are those that Codex 0.169.0 reports for these hooks.
    #[test]
    fn a_hook_has_the_check_sum_that_codex_gives_it() {
        let hook = |timeout: u32| FoundHook {
            event: String::new(),
            matcher: None,
            keys: json!({"type": "command", "command": "true", "timeout": timeout})
                .as_object()
                .unwrap()
                .clone(),
            line: None,
            at: (0, 0),
        };
        for (event, timeout, sum) in [
            (
                "PreToolUse",
                12,
                "sha256:09b6b4d5a9cff53295cd70e5300a91b46de0a21c45137932dfaf9b8925b63fb1",
            ),
            (
                "SessionEnd",
                3,
                "sha256:0408973db4c606ef0b942b13de03431201c09e7746a6fbf2d078370f1af83d68",
            ),
        ] {
            assert_eq!(hash(&snake_case(event), &hook(timeout)), sum);
        }
    }
}
