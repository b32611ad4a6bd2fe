//! Whether the tools of a session are known: which of them no manifest covers, and what to write.

use std::path::Path;

use hookgate::contract::suggest::Suggestion;
use hookgate::effects::Manifests;
use serde_json::{Value, json};

use super::entry::{Entry, Level};
use super::tool_list::{self, NamedTool};
use crate::abort::Abort;
use crate::input::envelope::Unreadable;
use crate::input::lines;
use crate::terminal::phrase::count;
use crate::terminal::sanitize::line;
use crate::terminal::stderr;
use crate::terminal::style::{GOOD, HELP};

/// How many keys of an input are named in a proposal.
const KEYS: usize = 8;

/// The tools of a file, and what is known of them.
#[derive(Debug)]
pub(super) struct Tools {
    file: String,
    tools: Vec<Tool>,
}

#[derive(Debug)]
struct Tool {
    named: NamedTool,
    covered: bool,
    near: Option<String>,
    agents: Vec<String>,
}

impl Tools {
    /// Reads a file. `server` is the MCP server that its tools belong to.
    pub(super) fn read(
        file: &Path,
        server: Option<&str>,
        manifests: &Manifests,
    ) -> Result<Self, Abort> {
        let (name, bytes) = lines::read_whole(Some(file))?;
        let read = if bytes.len() as u64 > lines::LINE_LIMIT {
            Err(Unreadable::at_start("it is larger than 16 MiB"))
        } else {
            tool_list::read(&bytes)
        };
        let named = read.map_err(|wrong| {
            let position = format!("{name}:{}:{}", wrong.line, wrong.column);
            stderr::error_at(&position, &format!("the tools could not be read: {}", wrong.message));
            Abort::failure(format!("`{name}` is no list of tools")).help(
                "it has steps as JSON lines, names of tools one a line or in a JSON array, or the \
                 answer of an MCP server to `tools/list`",
            )
        })?;
        let tools = named.into_iter().map(|mut named| {
            if let Some(server) = server {
                named.name = format!("mcp__{server}__{}", named.name);
            }
            let agents = manifests.agents_with(&named.name).into_iter().map(str::to_owned);
            let covered = manifests.covers(&named.name);
            let near = if covered { None } else { near(&named.name, manifests) };
            Tool { agents: agents.collect(), covered, near, named }
        });
        Ok(Self { file: name, tools: tools.collect() })
    }

    fn uncovered(&self) -> impl Iterator<Item = &Tool> {
        self.tools.iter().filter(|tool| !tool.covered)
    }

    /// Returns the name of each tool, with the file and the line that name it.
    pub(super) fn named(&self) -> impl Iterator<Item = (&str, &str, usize)> {
        self.tools
            .iter()
            .map(|tool| (tool.named.name.as_str(), self.file.as_str(), tool.named.line))
    }

    /// Returns each tool that no manifest covers as a mistake.
    pub(super) fn entries(&self) -> Vec<Entry> {
        let entry = |Tool { named, near, .. }: &Tool| {
            let near = near.as_ref().map(|near| format!("; did you mean `{near}`?"));
            let near = near.unwrap_or_default();
            Entry {
                code: "unknown_tool",
                level: Level::Error,
                file: self.file.clone(),
                at: Some((named.line, 1)),
                message: format!("no manifest covers the tool `{}`{near}", named.name),
                help: Some("say in the config what it does, with `[[tool]]`".to_owned()),
            }
        };
        self.uncovered().map(entry).collect()
    }

    /// Prints each tool that no manifest covers, and what to write for all of them.
    pub(super) fn report(&self) {
        for entry in self.entries() {
            let (line, column) = entry.position();
            stderr::error_at(&format!("{}:{line}:{column}", entry.file), &entry.message);
        }
        let texts: Vec<String> = self.uncovered().map(|tool| declaration(&tool.named)).collect();
        if !texts.is_empty() {
            let what = "say in the config what they do; until then a condition on effects cannot be \
                        told for them";
            stderr::print(&format!(" {HELP}help:{HELP:#} {what}:\n\n{}\n", texts.join("\n")));
        }
    }

    /// Returns the line of the summary if all tools are covered.
    pub(super) fn summary(&self) -> Option<String> {
        let tools = count(self.tools.len(), "tool");
        let all = self.uncovered().next().is_none();
        let file = line(&self.file);
        all.then(|| format!("{GOOD}ok{GOOD:#} {file}: {tools}, all covered by manifests\n"))
    }

    /// Returns the tools as JSON.
    pub(super) fn to_json(&self) -> Value {
        let tools = self.tools.iter().map(|tool| {
            let mut found = json!({
                "name": tool.named.name,
                "line": tool.named.line,
                "covered": tool.covered,
                "agents": tool.agents,
            });
            if let (false, Some(found)) = (tool.covered, found.as_object_mut()) {
                found.insert("near".to_owned(), json!(tool.near));
                found.insert("declare".to_owned(), declaration(&tool.named).into());
            }
            found
        });
        tools.collect()
    }

    /// Returns the error of a config that does not know all of these tools.
    pub(super) fn error(&self) -> Option<Abort> {
        let number = self.uncovered().count();
        let tools = count(number, "tool");
        (number > 0).then(|| {
            Abort::invalid_config(format!("`{}` names {tools} that no manifest covers", self.file))
        })
    }
}

/// Returns the known tool that was most likely meant.
fn near(name: &str, manifests: &Manifests) -> Option<String> {
    Suggestion::nearest(name, &manifests.names()).as_deref().map(str::to_owned)
}

/// Returns the `[[tool]]` for a tool. What it does is not guessed: a wrong guess would let calls pass
/// that nobody looked at.
fn declaration(tool: &NamedTool) -> String {
    let name = Value::from(line(&tool.name));
    let keys: Vec<&str> = tool.keys.iter().take(KEYS).map(String::as_str).collect();
    let mut text = format!(
        "[[tool]]\nname = {name}\neffects = \"unclear\"\n\
         # Or \"none\", or instead what it does with its input: reads, writes, deletes, connects, shell:\n"
    );
    let example = keys.first().map_or_else(|| "/path".to_owned(), |key| pointer(key));
    text.push_str(&format!("# reads = {}\n", Value::from(line(&example))));
    if keys.len() > 1 {
        let all: Vec<String> = keys.into_iter().map(pointer).collect();
        text.push_str(&format!("# Its input has {}.\n", line(&all.join(", "))));
    }
    text
}

fn pointer(key: &str) -> String {
    format!("/{}", key.replace('~', "~0").replace('/', "~1"))
}
