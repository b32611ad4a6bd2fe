//! The condition `if` of a hook: one permission rule, such as `Bash(git push *)` or `Edit(src/**)`.
//!
//! It is a filter, not a guard: where it cannot be told whether the rule holds, the hook runs.

mod bash;
mod blocks;
mod path;
mod shell;

use std::path::Path;

use hookgate_contract::glob::Wildcard;
use serde_json::{Map, Value};

use crate::foreign::{ForeignHook, Host};

/// The events at which a condition is looked at. At all others a hook that has one never runs.
const EVENTS: [&str; 5] =
    ["PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionDenied"];

/// The tools to which rules for `Edit` apply.
const EDITING: [&str; 4] = ["Edit", "Write", "MultiEdit", "NotebookEdit"];

/// The tools to which rules for `Read` apply.
const READING: [&str; 5] = ["Read", "Grep", "Glob", "LS", "NotebookRead"];

/// Tells whether conditions are looked at for an event.
pub(super) fn is_read_at(event: &str) -> bool {
    EVENTS.contains(&event)
}

/// A permission rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rule<'a> {
    tool: &'a str,
    /// What stands in the brackets.
    content: Option<&'a str>,
}

impl<'a> Rule<'a> {
    /// Reads a rule; `None` if the text is not exactly one.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let text = text.trim();
        let (tool, content) = match text.split_once('(') {
            Some((tool, rest)) => (tool, Some(rest.strip_suffix(')')?)),
            None => (text, None),
        };
        let is_name = |sign: char| sign.is_alphanumeric() || matches!(sign, '_' | '-' | '*');
        let is_one = !tool.is_empty()
            && tool.chars().all(is_name)
            && content.is_none_or(has_matching_brackets);
        is_one.then_some(Self { tool, content })
    }

    /// Tells whether a call of a tool is one that the rule is about.
    pub(super) fn holds(
        &self,
        hook: &ForeignHook,
        input: &Map<String, Value>,
        host: &Host,
    ) -> bool {
        let text = |value: Option<&'_ Value>| value.and_then(Value::as_str).map(str::to_owned);
        let name = text(input.get("tool_name")).unwrap_or_default();
        if !self.is_about(&name) {
            return false;
        }
        let Some(content) = self.content.filter(|content| !matches!(*content, "" | "*" | "**"))
        else {
            return true;
        };
        let call = input.get("tool_input");
        let field = |field: &str| text(call.and_then(|call| call.get(field)));
        match self.tool {
            "Bash" | "PowerShell" | "Monitor" => {
                field("command").is_none_or(|command| bash::holds(content, &command))
            }
            "Edit" | "Write" | "Read" | "MultiEdit" | "NotebookEdit" | "NotebookRead" | "Grep"
            | "Glob" | "LS" => {
                let path = ["file_path", "notebook_path", "path"].into_iter().find_map(field);
                let cwd = text(input.get("cwd")).unwrap_or_default();
                let cwd = if cwd.is_empty() { host.cwd.as_path() } else { Path::new(&cwd) };
                path::holds(content, &path.unwrap_or_default(), (hook, host, cwd))
            }
            "WebFetch" => match content.strip_prefix("domain:") {
                Some(domain) => field("url")
                    .is_none_or(|url| Wildcard::of_stars(domain).matches(domain_of(&url))),
                None => true,
            },
            "Task" | "Agent" => {
                field("subagent_type").is_none_or(|kind| Wildcard::of_stars(content).matches(&kind))
            }
            "Skill" => field("skill").is_none_or(|skill| bash::holds(content, &skill)),
            _ => true,
        }
    }

    /// Tells whether the rule is about a tool.
    fn is_about(&self, name: &str) -> bool {
        match self.tool {
            "Edit" => EDITING.contains(&name),
            "Read" => READING.contains(&name),
            tool if tool.starts_with("mcp__") => {
                let in_server = name.strip_prefix(tool);
                Wildcard::of_stars(tool).matches(name)
                    || in_server.is_some_and(|rest| rest.starts_with("__"))
            }
            tool => Wildcard::of_stars(tool).matches(name),
        }
    }
}

/// Tells whether no bracket closes that was not opened: behind it another rule would begin.
fn has_matching_brackets(content: &str) -> bool {
    let mut depth = 0_i32;
    content.chars().all(|sign| {
        depth += match sign {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        depth >= 0
    })
}

/// Returns the host of an address.
fn domain_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default();
    host.split(':').next().unwrap_or_default()
}
