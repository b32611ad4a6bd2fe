//! Hook configs of other agents, written as hooks.toml.
//!
//! ```
//! use std::path::Path;
//! use hookgate_dialects::import::{self, Options};
//!
//! let settings = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash",
//!     "hooks": [{"type": "command", "command": "./guard.sh", "timeout": 10}]}]}}"#;
//! let import = import::import(Path::new(".claude/settings.json"), settings, &Options::default()).unwrap();
//! assert!(import.toml.contains("tool = \"Bash\""));
//! assert!(import.toml.contains("dialect = \"claude\""));
//! // Claude Code runs the tool if the program is missing or crashes, and the import says so.
//! assert_eq!(import.warnings[0].code, "fails_open");
//! ```
//!
//! What the source means is kept: a hook that lets a step pass when it fails does so here, too, until
//! [`Options::strict`] says otherwise. Where the source stops less than it seems, there is a warning; where
//! a hook never runs because of a mistake, it is imported as it was meant, which is never weaker.

mod agent;
mod checks;
mod cursor;
mod document;
mod events;
mod file;
mod handler;
mod hook;
mod identifier;
mod matcher;
#[cfg(test)]
mod matcher_laws;
mod names;
mod node;
mod pattern;
mod permission;
mod read;
mod recognise;
mod report;
mod script;
mod source;
mod unsupported;
mod values;
mod variables;
mod write;

use std::path::{Path, PathBuf};

pub use agent::Agent;

use document::Document;
use hook::Translator;
pub use recognise::is_foreign;
pub use report::ImportWarning;
use report::{Finding, Findings};
pub use values::values;
pub use variables::fill_variables;

/// How a config is imported.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Whose config it is; without it the path and the content tell.
    pub agent: Option<Agent>,
    /// Whether a failure of a hook is a deny here although the source lets the step pass.
    pub strict: bool,
    /// Whether a matcher also means the tools of other agents that do the same: steps of any agent may
    /// come then.
    pub every_agent: bool,
    /// Handlers of the host that are builtins of the same name here. Hooks of Meerkat that name another one, `in_process`,
    /// stand in the file as comments: they are code that no file can bring along.
    pub builtins: Vec<String>,
    /// Where the programs of hooks are looked for, to see what they do. Beside these, the folders around
    /// the file are tried.
    pub folders: Vec<PathBuf>,
}

/// The code of the warning, with [`Options::strict`], that a hook could not be imported which can refuse a
/// step in its agent.
pub const LEFT_OUT_GUARD: &str = hook::LEFT_OUT_GUARD;

/// What came of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Import {
    /// Whose config it is.
    pub agent: Agent,
    /// The hooks.toml.
    pub toml: String,
    /// How many hooks it has that run, and how many stand in it as comments only.
    pub hooks: usize,
    /// See `hooks`.
    pub left_out: usize,
    /// Where the source stops less than it seems, in the order of the file.
    pub warnings: Vec<ImportWarning>,
    /// From which byte of the hooks.toml on which byte of the source is meant, in the order of the
    /// hooks.toml.
    pub places: Vec<(usize, usize)>,
}

/// A config that cannot be imported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The text is not in its format.
    #[error("{line}:{column}: {message}")]
    Syntax {
        /// Where, in bytes.
        at: usize,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// The config of an agent whose configs cannot be read.
    #[error(
        "this is a config of {agent}, whose hooks cannot be imported; if it has the form of another agent's, \
         say whose with `hookgate import --agent NAME`"
    )]
    Unsupported {
        /// The agent.
        agent: &'static str,
    },
    /// Nobody's config.
    #[error(
        "this is no hook config that is known: neither its folder (`.claude`, `.codex`, `.cursor` and the \
         like) nor its content (`hooks` with events of an agent) tells whose it is"
    )]
    Unknown,
}

impl From<document::Unreadable> for ImportError {
    fn from(error: document::Unreadable) -> Self {
        Self::Syntax {
            at: error.at,
            line: error.line,
            column: error.column,
            message: error.message,
        }
    }
}

/// Imports a config. The path says whose it is, and need not exist; `text` is what it says.
///
/// # Errors
/// If the text is not in its format, or is no config.
pub fn import(path: &Path, text: &str, options: &Options) -> Result<Import, ImportError> {
    let document = Document::read(path, text)?;
    let agent = match options.agent {
        Some(agent) => agent,
        None => match unsupported::recognise(path, &document) {
            Some(agent) => return Err(ImportError::Unsupported { agent }),
            None => recognise::recognise(path, &document).ok_or(ImportError::Unknown)?,
        },
    };
    let source = read::read(agent, &document, &options.builtins);
    let mut folders = options.folders.clone();
    folders.extend(folders_around(path));
    let translator = Translator {
        agent,
        is_strict: options.strict,
        every_agent: options.every_agent,
        folders: &folders,
        plugin: plugin_of(path).map(|folder| folder.to_string_lossy().into_owned()),
    };
    let mut taken = Vec::new();
    let hooks: Vec<_> =
        source.hooks.into_iter().map(|hook| translator.translate(hook, &mut taken)).collect();
    let Findings(mut general) = source.findings;
    let is_told = general.iter().any(|finding| finding.code == "dropped");
    if hooks.is_empty() && !is_told {
        general.push(Finding {
            code: "no_hooks",
            at: 0,
            meaning: "the file has no hook".to_owned(),
            advice: "nothing guards anything here".to_owned(),
        });
    }
    let (toml, places) = file::write(path, agent, &document, &hooks, &general, options.strict);
    let left_out = hooks.iter().filter(|hook| file::is_left_out(hook)).count();
    let all =
        general.into_iter().chain(hooks.iter().flat_map(|hook| hook.findings.iter().cloned()));
    let mut all: Vec<Finding> = all.collect();
    all.sort_by_key(|finding| finding.at);
    // Agents of one file may share a list of hooks, with all that is to be said about it.
    let mut seen = Vec::new();
    all.retain(|finding| {
        let is_new = !seen.contains(finding);
        seen.push(finding.clone());
        is_new
    });
    let warnings = all.into_iter().map(|finding| warning(finding, &document)).collect();
    Ok(Import { agent, toml, hooks: hooks.len() - left_out, left_out, warnings, places })
}

fn warning(finding: Finding, document: &Document) -> ImportWarning {
    let (line, column) = document.position(finding.at);
    ImportWarning {
        code: finding.code,
        at: finding.at,
        line,
        column,
        meaning: finding.meaning,
        advice: finding.advice,
    }
}

/// Returns the folder in which an agent runs the programs of a config: that of the project, if the file is
/// in a folder of the agent. Relative paths of programs begin there.
#[must_use]
pub fn root_of(path: &Path) -> PathBuf {
    let folder = path.parent().unwrap_or(Path::new(""));
    let is_of_agent = |folder: &&Path| {
        let name = folder.file_name().and_then(std::ffi::OsStr::to_str).unwrap_or_default();
        agent::FOLDERS.contains(&name)
    };
    let of_agent = folder.ancestors().find(is_of_agent);
    let root = of_agent.and_then(Path::parent).or_else(|| plugin_folder(path)).unwrap_or(folder);
    root.to_path_buf()
}

/// The folders in which a program of a config may be: that of the file, and those above it.
fn folders_around(path: &Path) -> Vec<PathBuf> {
    path.ancestors().skip(1).take(4).map(Path::to_owned).collect()
}

/// The folder of a plugin: the one with `hooks/hooks.json`.
fn plugin_of(path: &Path) -> Option<PathBuf> {
    std::path::absolute(plugin_folder(path)?).ok()
}

fn plugin_folder(path: &Path) -> Option<&Path> {
    let folder = path.parent()?;
    folder.parent().filter(|_| folder.file_name().is_some_and(|name| name == "hooks"))
}
