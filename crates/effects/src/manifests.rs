//! Which arguments of a tool are paths, hosts and shell text: built in for well-known tools, declared
//! with `[[tool]]` for others.

mod built_in;
mod manifest;
mod name_pattern;
mod pointer;
mod read;
mod run_words;

use std::sync::Arc;

use hookgate_contract::settings::{Node, SettingError};
use hookgate_contract::suggest::nearest;

use built_in::BUILT_IN;
use manifest::Manifest;
pub(crate) use manifest::{Argument, ArgumentKind, Does, ValueFrom};
pub(crate) use pointer::{Found, Pointer};
use read::read_manifest;
pub(crate) use run_words::run_of;

/// What is known of tools. Declared manifests come before those that are built in.
///
/// ```
/// use hookgate_effects::Manifests;
///
/// let manifests = Manifests::default();
/// assert!(manifests.covers("Bash") && manifests.covers("mcp__filesystem__read_file"));
/// assert!(!manifests.covers("mcp__weather__today"));
/// assert_eq!(manifests.nearest("Reed"), Some("Read"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Manifests {
    declared: Arc<Vec<Manifest>>,
}

impl Manifests {
    /// Reads declared manifests: the tables of `[[tool]]`. Returns what is wrong with them as well;
    /// a table with a mistake is left out.
    ///
    /// ```
    /// use hookgate_contract::settings::Node;
    /// use hookgate_effects::Manifests;
    /// use serde_json::json;
    ///
    /// let table = Node::from_json(&json!({"name": "mcp__clock__*", "effects": "none"}));
    /// let (manifests, errors) = Manifests::read(&[table]);
    /// assert!(errors.is_empty() && manifests.covers("mcp__clock__now"));
    /// ```
    #[must_use]
    pub fn read(tables: &[Node]) -> (Self, Vec<SettingError>) {
        let (mut declared, mut errors) = (Vec::new(), Vec::new());
        for table in tables {
            let (manifest, wrong) = read_manifest(table);
            declared.extend(manifest);
            errors.extend(wrong);
        }
        (Self { declared: Arc::new(declared) }, errors)
    }

    /// Returns these manifests, and after them those of others.
    #[must_use]
    pub fn with(&self, others: &Self) -> Self {
        Self {
            declared: Arc::new(self.declared.iter().chain(&*others.declared).cloned().collect()),
        }
    }

    /// Returns whether these are the same declarations.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.declared, &other.declared) || self.declared == other.declared
    }

    /// Returns whether a manifest is there for a tool.
    #[must_use]
    pub fn covers(&self, tool_name: &str) -> bool {
        !self.of_tool(tool_name).is_empty()
    }

    /// Returns the manifests of a tool: the first that is declared, else all that are built in.
    pub(crate) fn of_tool(&self, tool_name: &str) -> Vec<&Manifest> {
        match self.declared.iter().find(|manifest| manifest.names.matches(tool_name)) {
            Some(declared) => vec![declared],
            None => BUILT_IN.of_tool(tool_name),
        }
    }

    /// Returns the names of the tools that are known, sorted; patterns are left out.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        let declared = self.declared.iter().flat_map(|manifest| manifest.names.names());
        let mut names: Vec<&str> = declared.chain(BUILT_IN.names()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Returns the known name that is nearest to one that no manifest knows.
    #[must_use]
    pub fn nearest(&self, tool_name: &str) -> Option<&str> {
        nearest(tool_name, &self.names())
    }

    /// Returns the agents and servers that have a tool of this name, for those that are built in.
    ///
    /// ```
    /// use hookgate_effects::Manifests;
    ///
    /// assert_eq!(Manifests::default().agents_with("bash"), ["Copilot", "opencode"]);
    /// ```
    #[must_use]
    pub fn agents_with(&self, tool_name: &str) -> Vec<&str> {
        let mut agents: Vec<&str> =
            self.of_tool(tool_name).into_iter().filter_map(|found| found.of.as_deref()).collect();
        agents.dedup();
        agents
    }

    /// Returns the other known names that differ from this one in case only: `Bash` for `bash`.
    #[must_use]
    pub fn other_cases(&self, tool_name: &str) -> Vec<&str> {
        let mut names = self.names();
        names.retain(|name| *name != tool_name && name.eq_ignore_ascii_case(tool_name));
        names
    }
}
