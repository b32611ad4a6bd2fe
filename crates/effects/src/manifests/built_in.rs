//! The manifests of well-known tools: one data file for each agent.

use std::collections::HashMap;
use std::sync::OnceLock;

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

/// All manifests that are built in. A file is read when a tool is looked up that it may know.
pub(super) static BUILT_IN: BuiltIn =
    BuiltIn { files: [const { OnceLock::new() }; FILES.len() + 1] };

/// The files, each as soon as it was read; that of the servers is the last one.
#[derive(Debug)]
pub(super) struct BuiltIn {
    files: [OnceLock<ManifestFile>; FILES.len() + 1],
}

impl BuiltIn {
    /// Returns the manifests of a tool. Several agents may have a tool of that name.
    pub(super) fn of_tool(&self, name: &str) -> Vec<&Manifest> {
        let may_know = |index: &usize| match FILES.get(*index) {
            Some((_, text)) => names_in(text).any(|pattern| glob_matches(pattern, name)),
            // All spellings end with the name that the server has for its tool.
            None => names_in(SERVERS).any(|tool| name.ends_with(tool)),
        };
        let files: Vec<_> =
            (0..self.files.len()).filter(may_know).filter_map(|index| self.file(index)).collect();
        let exact = files.iter().flat_map(|file| file.named(name));
        exact.chain(files.iter().flat_map(|file| file.matched(name))).collect()
    }

    /// Returns the names of the tools, without patterns.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let files = (0..self.files.len()).filter_map(|index| self.file(index));
        files.flat_map(|file| file.names.keys().map(String::as_str))
    }

    fn file(&self, index: usize) -> Option<&ManifestFile> {
        Some(self.files.get(index)?.get_or_init(|| ManifestFile::read(index).0))
    }
}

/// Returns the names and patterns of tools in a file that was not read: it has each `name` on a line of its
/// own.
fn names_in(text: &str) -> impl Iterator<Item = &str> {
    let values = text.lines().filter_map(|line| line.trim_start().strip_prefix("name = "));
    values.flat_map(|value| value.trim().trim_matches('"').split('|'))
}

/// The manifests of a file, and where to find those of a name.
#[derive(Debug, Default)]
struct ManifestFile {
    manifests: Vec<Manifest>,
    names: HashMap<String, Vec<usize>>,
    globs: Vec<(String, usize)>,
}

impl ManifestFile {
    /// Reads a file. The second part is what is wrong with it; a test shows that it is nothing.
    fn read(index: usize) -> (Self, Vec<String>) {
        let (mut file, mut wrong) = (Self::default(), Vec::new());
        if let Some((agent, text)) = FILES.get(index) {
            let tables = parse(agent, text, &mut wrong);
            for table in list(&tables, "tool") {
                file.add(agent, table, &mut wrong);
            }
            return (file, wrong);
        }
        let servers = parse("MCP", SERVERS, &mut wrong);
        for server in list(&servers, "server") {
            let name = text(server, "name").unwrap_or_default();
            for table in list(server, "tool") {
                file.add(name, &spelled(table, name), &mut wrong);
            }
        }
        (file, wrong)
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

    fn named(&self, name: &str) -> impl Iterator<Item = &Manifest> {
        let found = self.names.get(name).map(Vec::as_slice).unwrap_or_default();
        found.iter().filter_map(|at| self.manifests.get(*at))
    }

    fn matched(&self, name: &str) -> impl Iterator<Item = &Manifest> {
        let globs = self.globs.iter().filter(move |(glob, _)| glob_matches(glob, name));
        globs.filter_map(|(_, at)| self.manifests.get(*at))
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
        for index in 0..=FILES.len() {
            assert_eq!(ManifestFile::read(index).1, Vec::<String>::new());
        }
    }

    /// Whether a file may know a tool is told without reading it; whoever knows it is asked.
    #[test]
    fn every_manifest_is_found_by_its_names() {
        let mut found = 0;
        for index in 0..=FILES.len() {
            let (file, _) = ManifestFile::read(index);
            for manifest in &file.manifests {
                let globs = manifest.names.globs().map(|glob| glob.replace(['*', '?'], "x"));
                for name in manifest.names.names().map(str::to_owned).chain(globs) {
                    let known = BUILT_IN.of_tool(&name);
                    assert!(known.contains(&manifest), "{name} of {:?}", manifest.of);
                    found += 1;
                }
            }
        }
        assert!(found > 200, "{found}");
    }
}
