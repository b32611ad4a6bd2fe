//! Whose config a file is.

use std::path::Path;

use hookgate_contract::suggest::nearest;

use super::agent::Agent;
use super::document::{Document, Format};
use super::events;
use super::node::Node;
use super::unsupported;

/// Tells whether a file is to be read as the config of another agent, and not as one of our own. A file that has
/// a list `hook` at its top is our own, whatever its syntax. Else one in JSON or YAML is another agent's, unless
/// it has nothing but keys that only we have; so is a TOML file if its folder or its content says so.
///
/// ```
/// use hookgate_dialects::import::is_foreign;
///
/// assert!(is_foreign(".cursor/hooks.json".as_ref(), "{}"));
/// assert!(!is_foreign("guards.yaml".as_ref(), "hook:\n  - id: a\n"));
/// assert!(is_foreign("config.toml".as_ref(), "[[hooks.PreToolUse]]\nhooks = []"));
/// assert!(!is_foreign("hooks.toml".as_ref(), "[[hook]]\nid = 'a'"));
/// ```
#[must_use]
pub fn is_foreign(path: &Path, text: &str) -> bool {
    let format = Format::of(path, text);
    if format == Format::Json {
        return !is_own(path, text, format);
    }
    if format == Format::Yaml {
        let is_named = path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml");
        return is_named && !is_own(path, text, format);
    }
    let is_own = |line: &str| {
        let line = line.trim_start();
        line.starts_with("[[hook]]") || line.starts_with("[hook]")
    };
    if text.lines().any(is_own) {
        return false;
    }
    if by_folder(path, format).is_some() {
        return true;
    }
    // Foreign tables in a hooks.toml are slips, and nothing but a mistake.
    let has_our_name = path.file_name().is_some_and(|name| name == "hooks.toml");
    !has_our_name
        && Document::read(path, text).is_ok_and(|document| of_toml(&document.root).is_some())
}

/// The keys at the top of a config of our own that no other agent has there.
const OWN_KEYS: [&str; 5] = ["include", "extends", "disable", "require", "allow_empty"];

/// Tells whether a text in JSON or YAML is a config of our own.
fn is_own(path: &Path, text: &str, format: Format) -> bool {
    let Ok(document) = Document::read(path, text) else {
        // Whose mistake it is can only be guessed; that it is one is told anyway.
        let begins = |line: &str| {
            let line = line.trim_start_matches(|c: char| c.is_whitespace() || c == '{');
            line.starts_with("hook:") || line.starts_with("\"hook\"")
        };
        return text.lines().any(begins);
    };
    let has = |key: &&str| document.root.get(key).is_some();
    let has_hooks = document.root.get("hook").is_some_and(Node::is_list);
    let has_own = OWN_KEYS.iter().any(has) && !has(&"hooks");
    let elsewhere = by_folder(path, format).is_some() || unsupported::is_by_place(path);
    has_hooks || (has_own && !elsewhere && !has(&"agents"))
}

/// Tells whose config a file is: by its folder, and else by what it says.
pub(super) fn recognise(path: &Path, document: &Document) -> Option<Agent> {
    let by_content = match document.format {
        Format::Json => of_json(&document.root),
        Format::Toml => of_toml(&document.root),
        Format::Yaml => of_yaml(&document.root),
    };
    by_folder(path, document.format).or(by_content)
}

/// The folders that only one agent has.
fn by_folder(path: &Path, format: Format) -> Option<Agent> {
    let parts: Vec<&str> = path.iter().filter_map(|part| part.to_str()).collect();
    let has = |name: &str| parts.contains(&name);
    let in_github = parts.windows(2).any(|pair| {
        matches!(pair, [".github", "hooks" | "copilot"] | ["github-copilot", "policy.d"])
    });
    let found = match format {
        Format::Json if has(".claude") || has(".claude-plugin") => Agent::Claude,
        Format::Json | Format::Toml if has(".codex") || has(".codex-plugin") => Agent::Codex,
        Format::Json if has(".gemini") => Agent::Gemini,
        Format::Json if has(".qwen") => Agent::Qwen,
        Format::Json if has(".cursor") => Agent::Cursor,
        Format::Json if in_github || has(".copilot") => Agent::Copilot,
        Format::Toml if has(".kimi") || has(".kimi-code") => Agent::Kimi,
        Format::Toml if has(".rkat") => Agent::Meerkat,
        Format::Toml if has(".defect") => Agent::Defect,
        Format::Yaml if has("cagent") || has("docker-agent") => Agent::DockerAgent,
        _ => return None,
    };
    Some(found)
}

fn of_json(root: &Node) -> Option<Agent> {
    let hooks = root.get("hooks")?;
    if hooks.get("entries").is_some_and(Node::is_list) {
        return Some(Agent::Meerkat);
    }
    let events = hooks.entries();
    let handlers = || events.iter().flat_map(|event| event.node.items());
    let any_event = |names: &[&str]| events.iter().any(|event| names.contains(&&*event.key));
    let any_key =
        |keys: &[&str]| handlers().any(|item| keys.iter().any(|key| item.get(key).is_some()));
    let grouped = handlers().any(|item| item.get("hooks").is_some());
    if any_event(&[
        "BeforeTool",
        "AfterTool",
        "BeforeAgent",
        "AfterAgent",
        "BeforeModel",
        "AfterModel",
    ]) || root.get("hooksConfig").is_some()
    {
        return Some(Agent::Gemini);
    }
    let of_cursor = events.iter().any(|event| {
        let key = event.key.as_str();
        key.starts_with("before")
            || key.starts_with("after")
            || key == "stop"
            || key == "workspaceOpen"
    });
    if !grouped && (of_cursor || any_key(&["failClosed", "loop_limit"])) {
        return Some(Agent::Cursor);
    }
    let of_copilot =
        any_event(&["agentStop", "userPromptSubmitted", "errorOccurred", "sessionEnd"]);
    if !grouped && (any_key(&["bash", "powershell", "timeoutSec", "exec"]) || of_copilot) {
        return Some(Agent::Copilot);
    }
    let is_camel = |key: &str| key.starts_with(|c: char| c.is_ascii_lowercase());
    if !grouped && root.get("version").is_some() {
        // Both have the same events here; what Cursor does with them is weaker.
        return Some(if events.iter().any(|event| is_camel(&event.key)) {
            Agent::Cursor
        } else {
            Agent::Copilot
        });
    }
    // What has no event of Claude Code, not even a misspelt one, is another program's.
    let is_claudes = |name: &str| {
        let names = events::names(Agent::Claude);
        events::meant(Agent::Claude, name).is_some() || nearest(name, &names).is_some()
    };
    let known =
        hooks.is_list() || events.is_empty() || events.iter().any(|event| is_claudes(&event.key));
    known.then_some(Agent::Claude)
}

fn of_toml(root: &Node) -> Option<Agent> {
    let hooks = root.get("hooks")?;
    if hooks.is_list() {
        // A hooks.toml with a slip, `[[hooks]]`, has ids.
        let is_of_kimi =
            |item: &Node| item.text_of("command").is_some() && item.get("id").is_none();
        return hooks.items().iter().all(is_of_kimi).then_some(Agent::Kimi);
    }
    if hooks.get("entries").is_some() || hooks.get("default_timeout_ms").is_some() {
        return Some(Agent::Meerkat);
    }
    let is_pascal = |key: &str| key.starts_with(|c: char| c.is_ascii_uppercase());
    let is_codex =
        hooks.entries().iter().any(|event| is_pascal(&event.key) || event.key == "state");
    let is_defect = hooks
        .entries()
        .iter()
        .any(|event| event.key.starts_with("before_") || event.key.starts_with("after_"));
    if is_codex { Some(Agent::Codex) } else { is_defect.then_some(Agent::Defect) }
}

fn of_yaml(root: &Node) -> Option<Agent> {
    let is_known =
        ["agents", "settings", "hooks", "pre_tool_use", "post_tool_use", "session_start"]
            .iter()
            .any(|key| root.get(key).is_some());
    is_known.then_some(Agent::DockerAgent)
}
