//! The file that comes out.

use std::path::Path;
use std::time::Duration;

use super::agent::Agent;
use super::document::Document;
use super::handler::Written;
use super::hook::{Hook, duration};
use super::report::Finding;
use super::write::{comment, list, literal};

/// How long a dispatch may take if the file does not say.
const DEADLINE: Duration = Duration::from_secs(60);

/// The keys that come of a matcher.
const OF_MATCHER: &[&str] = &["tool", "tool_regex", "regex_search", "agent", "payload"];

/// Tells whether a hook stands in the file as a comment only.
pub(super) const fn is_left_out(hook: &Hook) -> bool {
    hook.events.is_empty() || matches!(hook.handler, Written::Nothing(_))
}

/// Writes the file, and tells from which byte of it on which byte of the source is meant.
pub(super) fn write(
    path: &Path,
    agent: Agent,
    document: &Document,
    hooks: &[Hook],
    general: &[Finding],
    is_strict: bool,
) -> (String, Vec<(usize, usize)>) {
    let name = path.to_string_lossy();
    let mut out = String::new();
    head(&name, agent, hooks, is_strict, &mut out);
    for finding in general {
        warn(finding, document, &mut out);
    }
    out.push_str("version = 1\n");
    if hooks.iter().all(is_left_out) {
        out.push_str("allow_empty = true\n");
    }
    let longest = hooks.iter().filter(|hook| !is_left_out(hook)).map(|hook| hook.timeout).max();
    if let Some(longest) = longest.filter(|longest| *longest >= DEADLINE) {
        out.push_str("\n[limits]\n# As long as the slowest hook may take.\n");
        let limit = longest
            .saturating_add(Duration::from_secs(10))
            .min(Duration::from_secs(365 * 24 * 3600));
        out.push_str(&format!("dispatch_deadline = {}\n", literal(&duration(limit))));
    }
    let required = hooks.iter().filter(|hook| hook.mandatory && !is_left_out(hook));
    let required: Vec<&str> = required.map(|hook| hook.id.as_str()).collect();
    if !required.is_empty() {
        out.push_str("\n[require]\n");
        comment(
            "",
            &format!("{agent} lets no step pass that these could not be asked about."),
            &mut out,
        );
        out.push_str(&format!("hooks = {}\n", list(&required)));
    }
    let mut places = Vec::new();
    for hook in hooks {
        places.push((out.len(), hook.at));
        one(hook, &name, document, &mut out, &mut places);
    }
    (out, places)
}

fn head(name: &str, agent: Agent, hooks: &[Hook], is_strict: bool, out: &mut String) {
    let left_out = hooks.iter().filter(|hook| is_left_out(hook)).count();
    comment("", &format!("Imported from {name}, the hooks of {agent}."), out);
    out.push_str("#\n");
    comment(
        "",
        "The programs are as they were: `dialect` gives them the envelope that they expect, and reads the \
         answer that they give. They get PATH, HOME and the like, and the variables that `env` names. Tools \
         have the names that the agent has for them; add those of another agent to use the file there.",
        out,
    );
    out.push_str("#\n");
    if is_strict {
        comment("", "A hook that fails refuses the step (--strict).", out);
    } else {
        comment(
            "",
            "A hook that fails counts as it does in the agent. `on_failure = \"deny\"` makes it refuse the step.",
            out,
        );
    }
    if left_out > 0 {
        comment(
            "",
            &format!("{left_out} of the hooks could not be imported and stand here as comments."),
            out,
        );
    }
    out.push_str("#\n");
}

fn warn(finding: &Finding, document: &Document, out: &mut String) {
    let (line, column) = document.position(finding.at);
    comment("", &format!("WARNING {line}:{column} {}: {}.", finding.code, finding.meaning), out);
    comment("  ", &format!("To do: {}.", finding.advice), out);
}

fn one(
    hook: &Hook,
    name: &str,
    document: &Document,
    out: &mut String,
    places: &mut Vec<(usize, usize)>,
) {
    let (line, column) = document.position(hook.at);
    out.push('\n');
    comment("", &format!("{name}:{line}:{column} {}", hook.title), out);
    for note in &hook.notes {
        comment("", &format!("{note}."), out);
    }
    for finding in &hook.findings {
        warn(finding, document, out);
    }
    if is_left_out(hook) {
        let what = match &hook.handler {
            Written::Nothing(what) => what.as_str(),
            _ => "",
        };
        comment("", &format!("Not imported: {what}"), out);
        return;
    }
    out.push_str("[[hook]]\n");
    out.push_str(&format!("id = {}\n", literal(&hook.id)));
    let event = match hook.events.as_slice() {
        [one] => literal(one),
        many => list(many),
    };
    out.push_str(&format!("event = {event}\n"));
    for (key, value, remark) in &hook.keys {
        let is_matcher = OF_MATCHER.contains(&&**key);
        places.push((out.len(), if is_matcher { hook.matcher_at } else { hook.at }));
        let remark = remark.as_ref().map_or_else(String::new, |remark| format!("  # {remark}"));
        out.push_str(&format!("{key} = {value}{remark}\n"));
    }
    places.push((out.len(), hook.at));
    out.push_str(&hook.handler.to_toml());
}
