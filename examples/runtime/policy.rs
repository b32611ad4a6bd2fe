//! The policy: hooks of a file beside hooks of the host.

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;

use hookgate::config::Loader;
use hookgate::table::TableBuilder;
use hookgate::{Engine, HandlerTable, Hook, Registry};

/// What the operator wrote.
pub(crate) const POLICY: &str = r#"
[[hook]]
id = "no-force-push"
event = "pre_tool_use"
tool = "shell"
input = { "/command" = { regex = "push.*--force" } }
builtin = { name = "deny", reason = "force push is not allowed here" }

[[hook]]
id = "publishing-asks"
event = "pre_tool_use"
tool = "shell"
input = { "/command" = { regex = "publish" } }
builtin = { name = "ask", reason = "publish this?" }

[[hook]]
id = "no-secrets-out"
event = ["post_tool_use", "post_tool_use_failure", "post_llm_response"]
builtin = "redact_secrets"
"#;

/// Where the table of the engine comes from.
pub(crate) struct Policy {
    folder: PathBuf,
    registry: Registry,
    host: Vec<Hook>,
}

impl Policy {
    /// A policy of the `hooks.toml` in a folder, and of the hooks that the host insists on. The file may
    /// use builtins only: a kind that was not added to the registry cannot be used by a config.
    pub(crate) fn new(folder: PathBuf, host: Vec<Hook>) -> Self {
        Self { folder, registry: Registry::from_iter([hookgate::builtin::kind()]), host }
    }

    /// Reads the file and adds the hooks of the host, which no file can take away. Handlers of the table
    /// in force are kept with their state if nothing about them has changed.
    pub(crate) fn load(&self, in_force: &HandlerTable) -> Result<HandlerTable, Box<dyn Error>> {
        let text = std::fs::read_to_string(self.folder.join("hooks.toml"))?;
        let loader = Loader::new(&self.registry).keeping(in_force);
        let loaded = loader.parse("hooks.toml", &text, &self.folder)?.table;
        let mut builder = TableBuilder::from_table(&Arc::new(loaded));
        for hook in &self.host {
            builder.insert(hook.clone());
        }
        Ok(builder.build()?)
    }

    /// Loads the file again and puts the table in force. If that fails, nothing has changed.
    pub(crate) fn reload(&self, engine: &Engine) -> Result<String, Box<dyn Error>> {
        let table = self.load(&engine.table())?;
        let hooks = table.len();
        Ok(format!("generation {}, {hooks} hooks", engine.swap(table)))
    }
}
