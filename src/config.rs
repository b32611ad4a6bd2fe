//! hooks.toml: from a file to a table, with the position of every mistake.
//!
//! A file is read in one pass that goes on after mistakes: syntax, unknown keys, wrong types,
//! handlers that cannot be built, patterns, order and requirements are all reported together, each
//! with file, line and column and with what was probably meant. A file with any mistake gives no
//! table at all. The table in force stays, so a bad edit never weakens what is guarded. Where there is
//! no table yet, [`Loader::quarantine`] sets the hooks with mistakes aside, and denies what they are about.
//!
//! Which handlers a file may use is decided by the [`Registry`], not by the file and not by Cargo
//! features: a hooks.toml can start programs only if the host has added the kind that does.

mod build_table;
mod canary;
mod conditions;
mod contributions;
mod disable;
mod document;
mod error;
mod events;
mod execution;
mod foreign;
mod handler;
mod hook;
mod include;
mod include_problem;
#[cfg(feature = "overrides")]
mod json_text;
mod keys;
mod layers;
mod limits;
mod loaded_file;
mod locate;
mod lost_history;
mod misuse;
#[cfg_attr(not(feature = "toml"), path = "config/no_toml.rs")]
mod node;
#[cfg(feature = "overrides")]
mod overrides;
mod pack;
mod pack_problem;
mod pack_reference;
mod parsed;
mod problem;
mod problem_code;
mod quarantine;
mod reader;
mod require;
mod shared_handler;
mod shared_handlers;
mod source;
mod spans;
mod text;
mod text_files;
mod translation;
mod trial;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookgate_contract::settings::Node;

use crate::registry::Registry;
use crate::table::{HandlerTable, Layer};
pub use error::{ConfigError, ConfigErrors};
use include::Trail;
pub use include_problem::IncludeProblem;
pub use layers::join;
pub use loaded_file::{IncludedFile, LoadedFile};
#[cfg(feature = "toml")]
pub use node::parse as parse_toml;
#[cfg(feature = "overrides")]
pub use overrides::Overrides;
pub use pack::{Pack, Packs};
pub use pack_problem::PackProblem;
pub use pack_reference::PackReference;
use parsed::Parsed;
pub use problem::ConfigProblem;
use source::Source;
pub use text::{base_of, read};
pub use translation::{Remark, Translation};

/// Loads hooks.toml.
///
/// Loading reads files (the config, scripts, rules) and hashes them, so in an async host it belongs
/// on a blocking thread: `tokio::task::spawn_blocking`.
///
/// ```
/// use std::path::Path;
/// use hookgate::{Registry, config::Loader};
///
/// let text = r#"
/// [[hook]]
/// id = "no-force-push"
/// event = "pre_tool_use"
/// tool = "Bash"
/// input = { "/command" = { regex = "push.*--force" } }
/// builtin = { name = "deny", reason = "force push is not allowed here" }
/// "#;
/// # #[cfg(feature = "builtin")] {
/// let registry = Registry::new();
/// registry.add(hookgate::builtin::kind());
/// let loaded = Loader::new(&registry).parse("hooks.toml", text, Path::new("."))?;
/// assert_eq!(loaded.table.len(), 1);
///
/// let wrong = Loader::new(&registry).parse("hooks.toml", &text.replace("tool", "tol"), Path::new("."));
/// assert!(wrong.unwrap_err().to_string().contains("hooks.toml:5:1: unknown key `tol`"));
///
/// // A registry without the kind refuses the file, whatever this crate was compiled with.
/// let refused = Loader::new(&Registry::new()).parse("hooks.toml", text, Path::new("."));
/// assert!(refused.unwrap_err().to_string().contains("no handler of kind `builtin` is registered"));
/// # }
/// # Ok::<(), hookgate::config::ConfigErrors>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Loader<'r> {
    registry: &'r Registry,
    allow_unverified: bool,
    layer: Layer,
    quarantine: bool,
    keeping: Option<&'r HandlerTable>,
    packs: Option<&'r dyn Packs>,
    syntax: Option<Syntax>,
    values: Option<(&'r Path, &'r Node)>,
}

/// The values of a text, and what is wrong with its syntax, each with its span in bytes.
pub type ParsedText = (Node, Vec<(Range<usize>, String)>);

/// Reads a text that is not TOML, as the name of its file says. `None` for a file that is TOML.
pub type Syntax = fn(&Path, &str) -> Option<ParsedText>;

/// A config that was loaded.
#[derive(Debug)]
#[non_exhaustive]
pub struct Loaded {
    /// The table. What the file requires (`[require]`) is a part of it: an engine in which it is
    /// put in force keeps that requirement.
    pub table: HandlerTable,
    /// What is not a mistake, but may not be intended.
    pub warnings: Vec<ConfigError>,
    /// The mistakes of hooks that were set aside: see [`Loader::quarantine`].
    pub set_aside: Vec<ConfigError>,
    /// The files that the config includes.
    pub included: Vec<PathBuf>,
    /// The folders in which patterns of `include` have looked: a file that appears there may belong to
    /// the config.
    pub searched: Vec<PathBuf>,
}

impl<'r> Loader<'r> {
    /// Creates a loader for configs that may use the handlers of a registry.
    #[must_use]
    pub const fn new(registry: &'r Registry) -> Self {
        Self {
            registry,
            allow_unverified: false,
            layer: Layer::Project,
            quarantine: false,
            keeping: None,
            packs: None,
            syntax: None,
            values: None,
        }
    }

    /// Accepts kinds of handlers and events `x.*` that are not registered, as those of an embedder
    /// whose program is not here: they become warnings. A hook of such a kind fails when it is
    /// called. This is for tools that check a config, not for hosts that enforce one.
    #[must_use]
    pub const fn allow_unverified(mut self) -> Self {
        self.allow_unverified = true;
        self
    }

    /// Sets the layer that the config belongs to; [`Layer::Project`] by default. It becomes a part
    /// of the [`Origin`](crate::table::Origin) of each hook.
    ///
    /// ```
    /// # #[cfg(feature = "builtin")] {
    /// use hookgate::{Registry, config::Loader, table::Layer};
    ///
    /// let registry = Registry::from_iter([hookgate::builtin::kind()]);
    /// let text = "[[hook]]\nid = 'log'\nevent = 'stop'\nbuiltin = 'audit'\n";
    /// let loader = Loader::new(&registry).layer(Layer::User);
    /// let table = loader.parse("hooks.toml", text, ".".as_ref())?.table;
    /// let origin = table.specs().next().unwrap().origin();
    /// assert_eq!((origin.layer(), origin.to_string()), (Layer::User, "hooks.toml:1".to_owned()));
    /// # }
    /// # Ok::<(), hookgate::config::ConfigErrors>(())
    /// ```
    #[must_use]
    pub const fn layer(mut self, layer: Layer) -> Self {
        self.layer = layer;
        self
    }

    /// Sets hooks with a mistake aside, in place of refusing their file: the other hooks are in force, and
    /// what a guard that was set aside is about gets its posture, which is deny unless the hook says
    /// otherwise. [`Loaded::set_aside`] has the mistakes; show them to whoever can mend them.
    ///
    /// A file is refused as a whole if a mistake is outside of its hooks, or may hide where one begins.
    ///
    /// Use it where there is no table yet. To load again, leave it out: the table in force has the hook as it
    /// was before the mistake.
    ///
    /// ```
    /// # #[cfg(feature = "builtin")] {
    /// use hookgate::{Engine, Gate, HookEngine, Registry, StepContext, ToolUse, config::Loader};
    ///
    /// let text = r#"
    /// [[hook]]
    /// id = "no-bash"
    /// event = "pre_tool_use"
    /// tool = "Bash"
    /// builtin = { name = "dney", reason = "no" }
    ///
    /// [[hook]]
    /// id = "log"
    /// event = "stop"
    /// builtin = "audit"
    /// "#;
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
    /// let registry = Registry::from_iter([hookgate::builtin::kind()]);
    /// let loaded = Loader::new(&registry).quarantine().parse("hooks.toml", text, ".".as_ref())?;
    /// assert_eq!((loaded.table.len(), loaded.set_aside.len()), (2, 1));
    ///
    /// let bash = ToolUse::propose("Bash", r#"{"command":"ls"}"#).unwrap();
    /// let gate = Engine::new(loaded.table).dispatch(bash, &StepContext::new("s")).await;
    /// let Gate::Denied(denied) = gate else { panic!() };
    /// assert!(denied.feedback().contains("hooks.toml:6:20: unknown builtin `dney`"), "{}", denied.feedback());
    /// # Ok::<_, hookgate::config::ConfigErrors>(()) }).unwrap();
    /// # }
    /// ```
    #[must_use]
    pub const fn quarantine(mut self) -> Self {
        self.quarantine = true;
        self
    }

    /// Keeps the handlers of an earlier table whose hooks have not changed, with their processes,
    /// counters and caches. A hook has changed if its text, the files that belong to it, or its
    /// registered kind is another.
    ///
    /// ```
    /// # #[cfg(feature = "builtin")] {
    /// use hookgate::{Engine, Registry, config::Loader};
    ///
    /// let registry = Registry::from_iter([hookgate::builtin::kind()]);
    /// let text = "[[hook]]\nid = 'limit'\nevent = 'pre_tool_use'\nbuiltin = { name = 'max_iterations', limit = 9 }\n";
    /// let load = |loader: Loader<'_>| loader.parse("hooks.toml", text, ".".as_ref());
    /// let engine = Engine::new(load(Loader::new(&registry))?.table);
    ///
    /// // Loaded again: the calls that were counted so far still count.
    /// let earlier = engine.table();
    /// engine.swap(load(Loader::new(&registry).keeping(&earlier))?.table);
    /// # }
    /// # Ok::<(), hookgate::config::ConfigErrors>(())
    /// ```
    #[must_use]
    pub const fn keeping(mut self, earlier: &'r HandlerTable) -> Self {
        self.keeping = Some(earlier);
        self
    }

    /// Sets what opens the packs that configs extend (`extends = "guards.pack@sha256:…"`). Without it a config
    /// that extends one is refused.
    #[must_use]
    pub const fn packs(mut self, packs: &'r dyn Packs) -> Self {
        self.packs = Some(packs);
        self
    }

    /// Reads files of other syntaxes as well, such as JSON and YAML, as if they were the TOML of the same
    /// values. A mistake in one of them refuses the file, with [`Loader::quarantine`], too.
    #[must_use]
    pub const fn syntax(mut self, syntax: Syntax) -> Self {
        self.syntax = Some(syntax);
        self
    }

    /// Takes these values for those of one file, be it loaded itself or included: what a tool has changed in
    /// the parsed text, whose places they keep.
    ///
    /// ```
    /// # #[cfg(feature = "builtin")] {
    /// use hookgate::contract::settings::NodeValue;
    /// use hookgate::{Registry, config::{Loader, parse_toml}};
    ///
    /// let registry = Registry::from_iter([hookgate::builtin::kind()]);
    /// let text = "[[hook]]\nid = 'log'\nevent = 'stop'\nbuiltin = 'audit'\n";
    /// let (mut root, _) = parse_toml(text);
    /// if let NodeValue::Table(entries) = &mut root.value {
    ///     entries.clear();
    /// }
    /// let loader = Loader::new(&registry).with_values("hooks.toml".as_ref(), &root);
    /// let errors = loader.read_text("hooks.toml".as_ref(), text).unwrap_err();
    /// assert!(errors.to_string().contains("no hook"), "{errors}");
    /// # }
    /// ```
    #[must_use]
    pub const fn with_values(mut self, path: &'r Path, values: &'r Node) -> Self {
        self.values = Some((path, values));
        self
    }

    /// Loads a file. Relative paths in it begin at its folder.
    ///
    /// ```
    /// use hookgate::{Registry, config::Loader};
    ///
    /// let errors = Loader::new(&Registry::new()).load("no/such/hooks.toml".as_ref()).unwrap_err();
    /// assert!(errors.to_string().contains("cannot be read"));
    /// ```
    ///
    /// # Errors
    /// Everything that is wrong with the file; or that it cannot be read, is too large, or is not
    /// UTF-8.
    pub fn load(&self, path: &Path) -> Result<Loaded, ConfigErrors> {
        join(vec![self.read_file(path)?])
    }

    /// Loads a file that is to be joined with others: see [`join`].
    ///
    /// # Errors
    /// As [`Loader::load`].
    pub fn read_file(&self, path: &Path) -> Result<LoadedFile, ConfigErrors> {
        self.read_path(path, &mut Trail::of(path))
    }

    /// Loads the text of a file that is to be joined with others, for a host that has read it already: what
    /// it looked at is what is loaded.
    ///
    /// # Errors
    /// Everything that is wrong with the text.
    pub fn read_text(&self, path: &Path, text: &str) -> Result<LoadedFile, ConfigErrors> {
        self.read_text_of(path, text, &mut Trail::of(path))
    }

    fn read_path(&self, path: &Path, trail: &mut Trail) -> Result<LoadedFile, ConfigErrors> {
        self.read_text_of(path, &read(path)?, trail)
    }

    fn read_text_of(
        &self,
        path: &Path,
        text: &str,
        trail: &mut Trail,
    ) -> Result<LoadedFile, ConfigErrors> {
        let source = Source::new(&path.display().to_string(), text);
        let folder = path.parent().unwrap_or(Path::new(""));
        if let Some((_, root)) = self.values.filter(|(of, _)| *of == path) {
            let parsed = Parsed { root, syntax: Vec::new(), text: None };
            return self.read_parsed(source, parsed, &base_of(path), folder, trail);
        }
        self.read_source(source, text, &base_of(path), folder, trail)
    }

    /// Loads a text. Relative paths in it begin at `base`; `name` is the file in messages.
    ///
    /// # Errors
    /// Everything that is wrong with the text.
    pub fn parse(&self, name: &str, text: &str, base: &Path) -> Result<Loaded, ConfigErrors> {
        let source = Source::new(name, text);
        join(vec![self.read_source(source, text, base, base, &mut Trail::default())?])
    }

    /// Loads a config of another system that was translated. Relative paths in it begin at `base`. The
    /// warnings begin with its remarks.
    ///
    /// # Errors
    /// Everything that is wrong with the translation.
    pub fn parse_translation(
        &self,
        translation: &Translation,
        base: &Path,
    ) -> Result<Loaded, ConfigErrors> {
        join(vec![self.read_translation(translation, base)?])
    }

    /// Loads a translation that is to be joined with others: see [`join`].
    ///
    /// # Errors
    /// As [`Loader::parse_translation`].
    pub fn read_translation(
        &self,
        translation: &Translation,
        base: &Path,
    ) -> Result<LoadedFile, ConfigErrors> {
        let (source, trail) = (translation.source(), &mut Trail::default());
        let mut file = self.read_source(source, translation.toml(), base, base, trail)?;
        file.warnings.splice(0..0, translation.warnings());
        Ok(file)
    }

    /// Reads a text and the files that it includes, which are looked for in `folder`.
    fn read_source(
        &self,
        source: Arc<Source>,
        text: &str,
        base: &Path,
        folder: &Path,
        trail: &mut Trail,
    ) -> Result<LoadedFile, ConfigErrors> {
        let is_own = !source.is_translated();
        let other = self.syntax.filter(|_| is_own);
        let other = other.and_then(|read| read(Path::new(&**source.name()), text));
        // The mistakes of a translation are not at the places of what was translated.
        let text_of_toml = Some(text).filter(|_| is_own && other.is_none());
        let (root, syntax) = other.unwrap_or_else(|| node::parse(text));
        let text = text_of_toml;
        self.read_parsed(source, Parsed { root: &root, syntax, text }, base, folder, trail)
    }
}
