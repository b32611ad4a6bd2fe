//! The manifests of well-known tools: one data file for each agent.

use std::collections::HashMap;
use std::sync::LazyLock;

use hookgate_contract::settings::{Node, NodeValue, SettingEntry};
use serde_json::Value;

use super::manifest::Manifest;
use super::name_pattern::glob_matches;
use super::read::read_manifest;

/// The agents, each with its file.
const FILES: [(&str, &str); 9] = [
    ("Claude Code", include_str!("claude.toml")),
    ("Codex", include_str!("codex.toml")),
    ("Gemini CLI", include_str!("gemini.toml")),
    ("Cursor", include_str!("cursor.toml")),
    ("Copilot", include_str!("copilot.toml")),
    ("opencode", include_str!("opencode.toml")),
    ("Qwen Code", include_str!("qwen.toml")),
    ("Kimi Code", include_str!("kimi.toml")),
    ("Cline", include_str!("cline.toml")),
];

/// The MCP reference servers. Each agent spells the names of their tools in its own way.
const SERVERS: &str = include_str!("mcp.toml");

/// All manifests that are built in. They are read when a tool is looked up for the first time.
pub(super) static BUILT_IN: LazyLock<BuiltIn> = LazyLock::new(|| BuiltIn::read().0);

/// The manifests, and where to find those of a name.
#[derive(Debug, Default)]
pub(super) struct BuiltIn {
    pub(super) manifests: Vec<Manifest>,
    names: HashMap<String, Vec<usize>>,
    globs: Vec<(String, usize)>,
}

impl BuiltIn {
    /// Reads the files. The second part is what is wrong with them; a test shows that it is nothing.
    pub(super) fn read() -> (Self, Vec<String>) {
        let (mut built_in, mut wrong) = (Self::default(), Vec::new());
        for (agent, text) in FILES {
            let tables = parse(agent, text, &mut wrong);
            for table in list(&tables, "tool") {
                built_in.add(agent, table, &mut wrong);
            }
        }
        let servers = parse("MCP", SERVERS, &mut wrong);
        for server in list(&servers, "server") {
            let name = text(server, "name").unwrap_or_default();
            for table in list(server, "tool") {
                built_in.add(name, &spelled(table, name), &mut wrong);
            }
        }
        (built_in, wrong)
    }

    fn add(&mut self, of: &str, table: &Node, wrong: &mut Vec<String>) {
        let (manifest, errors) = read_manifest(table);
        wrong.extend(errors.iter().map(|error| format!("{of}: {error}")));
        let Some(mut manifest) = manifest else { return };
        manifest.of = Some(of.to_owned());
        let at = self.manifests.len();
        for name in manifest.names.names() {
            self.names.entry(name.to_owned()).or_default().push(at);
        }
        self.globs.extend(manifest.names.globs().map(|glob| (glob.to_owned(), at)));
        self.manifests.push(manifest);
    }

    /// Returns the manifests of a tool. Several agents may have a tool of that name.
    pub(super) fn of_tool(&self, name: &str) -> Vec<&Manifest> {
        let exact = self.names.get(name).map(Vec::as_slice).unwrap_or_default();
        let globs =
            self.globs.iter().filter(|(glob, _)| glob_matches(glob, name)).map(|(_, at)| at);
        exact.iter().chain(globs).filter_map(|at| self.manifests.get(*at)).collect()
    }

    /// Returns the names of the tools, without patterns.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }
}

fn parse(of: &str, text: &str, wrong: &mut Vec<String>) -> Node {
    let value = toml::from_str(text).unwrap_or_else(|error| {
        wrong.push(format!("{of}: {error}"));
        Value::Null
    });
    Node::from_json(&value)
}

fn entry<'a>(node: &'a Node, key: &str) -> Option<&'a Node> {
    let NodeValue::Table(entries) = &node.value else { return None };
    entries.iter().find(|entry| entry.key == key).map(|entry| &entry.node)
}

fn list<'a>(node: &'a Node, key: &str) -> &'a [Node] {
    match entry(node, key).map(|node| &node.value) {
        Some(NodeValue::List(items)) => items,
        _ => &[],
    }
}

fn text<'a>(node: &'a Node, key: &str) -> Option<&'a str> {
    match &entry(node, key)?.value {
        NodeValue::Text(text) => Some(text),
        _ => None,
    }
}

/// Returns the table of a server's tool with all spellings of its name.
fn spelled(table: &Node, server: &str) -> Node {
    let mut table = table.clone();
    if let NodeValue::Table(entries) = &mut table.value {
        for SettingEntry { key, node, .. } in entries {
            if let (NodeValue::Text(tool), "name") = (&node.value, key.as_str()) {
                let names = tool.split('|').flat_map(|tool| {
                    [
                        format!("mcp__{server}__{tool}"),
                        format!("mcp__plugin_*_{server}__{tool}"),
                        format!("mcp_{server}_{tool}"),
                        format!("{server}_{tool}"),
                        format!("{server}-{tool}"),
                    ]
                });
                node.value = NodeValue::Text(names.collect::<Vec<_>>().join("|"));
            }
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_wrong_with_the_files() {
        assert_eq!(BuiltIn::read().1, Vec::<String>::new());
    }
}
