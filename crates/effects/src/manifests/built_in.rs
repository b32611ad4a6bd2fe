//! The manifests of well-known tools: one data file for each agent.

use std::sync::{LazyLock, OnceLock};

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

/// All manifests that are built in. The table of a tool is read when a tool is looked up that it may be about.
pub(super) static BUILT_IN: LazyLock<BuiltIn> = LazyLock::new(BuiltIn::split);

/// The tables of all files.
#[derive(Debug)]
pub(super) struct BuiltIn(Vec<ToolTable>);

/// The table of one tool.
#[derive(Debug)]
struct ToolTable {
    /// The agent or the server that has the tool.
    of: &'static str,
    is_of_server: bool,
    /// The alternatives of its `name`.
    names: &'static str,
    text: &'static str,
    manifest: OnceLock<Option<Manifest>>,
}

impl BuiltIn {
    /// Splits the files into the tables of their tools: each begins with its header on a line of its own.
    fn split() -> Self {
        let table = |of, is_of_server, text| ToolTable {
            of,
            is_of_server,
            names: name_in(text),
            text,
            manifest: OnceLock::new(),
        };
        let mut tables = Vec::with_capacity(256);
        for (agent, text) in FILES {
            tables.extend(text.split("[[tool]]\n").skip(1).map(|text| table(agent, false, text)));
        }
        for server in SERVERS.split("[[server]]\n").skip(1) {
            let name = name_in(server);
            let tools = server.split("[[server.tool]]\n").skip(1);
            tables.extend(tools.map(|text| table(name, true, text)));
        }
        Self(tables)
    }

    /// Returns the manifests of a tool. Several agents may have a tool of that name.
    pub(super) fn of_tool(&self, name: &str) -> Vec<&Manifest> {
        let manifests = self.0.iter().filter(|table| table.may_know(name));
        let manifests: Vec<_> = manifests.filter_map(ToolTable::manifest).collect();
        let is_named = |manifest: &&&Manifest| manifest.names.names().any(|known| known == name);
        let is_matched =
            |manifest: &&&Manifest| manifest.names.globs().any(|glob| glob_matches(glob, name));
        let exact = manifests.iter().filter(is_named);
        exact.chain(manifests.iter().filter(is_matched)).copied().collect()
    }

    /// Returns the names of the tools, without patterns.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let manifests = self.0.iter().filter_map(ToolTable::manifest);
        manifests.flat_map(|manifest| manifest.names.names())
    }
}

impl ToolTable {
    /// Whether it may be about a tool, as far as that is told without reading it.
    fn may_know(&self, name: &str) -> bool {
        let mut names = self.names.split('|');
        match self.is_of_server {
            // All spellings end with the name that the server has for its tool.
            true => names.any(|tool| name.ends_with(tool)),
            false => names.any(|pattern| glob_matches(pattern, name)),
        }
    }

    fn manifest(&self) -> Option<&Manifest> {
        self.manifest.get_or_init(|| self.read().0).as_ref()
    }

    /// Reads the table. The second part is what is wrong with it; a test shows that it is nothing.
    fn read(&self) -> (Option<Manifest>, Vec<String>) {
        let value = match toml::from_str::<Value>(self.text) {
            Ok(value) => value,
            Err(error) => return (None, vec![format!("{}: {error}", self.of)]),
        };
        let mut table = Node::from_json(&value);
        if self.is_of_server {
            spell(&mut table, self.of);
        }
        let (manifest, errors) = read_manifest(&table);
        let wrong = errors.iter().map(|error| format!("{}: {error}", self.of)).collect();
        let manifest =
            manifest.map(|manifest| Manifest { of: Some(self.of.to_owned()), ..manifest });
        (manifest, wrong)
    }
}

/// Returns the `name` of a table that was not read: it has a line of its own.
fn name_in(text: &str) -> &str {
    let name = text.lines().find_map(|line| line.strip_prefix("name = "));
    name.unwrap_or_default().trim().trim_matches('"')
}

/// Gives the table of a server's tool all spellings of its name.
fn spell(table: &mut Node, server: &str) {
    let NodeValue::Table(entries) = &mut table.value else { return };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_wrong_with_the_files() {
        for table in &BUILT_IN.0 {
            assert_eq!(table.read().1, Vec::<String>::new());
        }
    }

    /// No table is lost where the files are split: each has as many as a reader of TOML sees.
    #[test]
    fn every_table_is_split_off() {
        let tables = |text: &str| toml::from_str::<Value>(text).unwrap();
        let of_agents: usize =
            FILES.iter().map(|(_, text)| tables(text)["tool"].as_array().unwrap().len()).sum();
        let servers = tables(SERVERS);
        let of_servers: usize = servers["server"]
            .as_array()
            .unwrap()
            .iter()
            .map(|server| server["tool"].as_array().unwrap().len())
            .sum();
        assert_eq!(BUILT_IN.0.len(), of_agents + of_servers);
        let named: Vec<&str> = servers["server"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|server| server["name"].as_str())
            .collect();
        let mut split: Vec<&str> =
            BUILT_IN.0.iter().filter(|table| table.is_of_server).map(|table| table.of).collect();
        split.dedup();
        assert_eq!(split, named);
    }

    /// Whether a table may be about a tool is told without reading it; whoever knows it is asked.
    #[test]
    fn every_manifest_is_found_by_its_names() {
        let mut found = 0;
        for manifest in BUILT_IN.0.iter().filter_map(ToolTable::manifest) {
            let globs = manifest.names.globs().map(|glob| glob.replace(['*', '?'], "x"));
            for name in manifest.names.names().map(str::to_owned).chain(globs) {
                let known = BUILT_IN.of_tool(&name);
                assert!(known.contains(&manifest), "{name} of {:?}", manifest.of);
                found += 1;
            }
        }
        assert!(found > 200, "{found}");
    }
}
