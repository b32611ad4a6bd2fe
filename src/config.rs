//! hooks.toml: from a file to a table, with the position of every mistake.
//!
//! A file is read in one pass that goes on after mistakes: syntax, unknown keys, wrong types,
//! handlers that cannot be built, patterns, order and requirements are all reported together, each
//! with file, line and column and with what was probably meant. A file with any mistake gives no
//! table at all. The table in force stays, so a bad edit never weakens what is guarded.
//!
//! Which handlers a file may use is decided by the [`Registry`], not by the file and not by Cargo
//! features: a hooks.toml can start programs only if the host has added the kind that does.

mod conditions;
mod disable;
mod document;
mod error;
mod events;
mod foreign;
mod handler;
mod hook;
mod keys;
mod layers;
mod limits;
mod locate;
mod misuse;
mod node;
mod problem;
mod problem_code;
mod reader;
mod require;
mod source;
mod spans;
mod text;
mod translation;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use hookgate_contract::settings::Node;

use crate::matcher::MatchError;
use crate::registry::Registry;
use crate::require::REQUIRE;
use crate::table::{BuildProblem, HandlerTable, HookSpec, Layer};
use conditions::is_nesting;
use document::{Document, read_document};
pub use error::{ConfigError, ConfigErrors};
pub use layers::{LoadedFile, join};
use locate::{hook_around, hook_at, span_below, span_of_problem};
pub use node::parse as parse_toml;
pub use problem::ConfigProblem;
use reader::Reader;
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
    keeping: Option<&'r HandlerTable>,
}

/// A config that was loaded.
#[derive(Debug)]
#[non_exhaustive]
pub struct Loaded {
    /// The table. What the file requires (`[require]`) is a part of it: an engine in which it is
    /// put in force keeps that requirement.
    pub table: HandlerTable,
    /// What is not a mistake, but may not be intended.
    pub warnings: Vec<ConfigError>,
}

impl<'r> Loader<'r> {
    /// Creates a loader for configs that may use the handlers of a registry.
    #[must_use]
    pub const fn new(registry: &'r Registry) -> Self {
        Self { registry, allow_unverified: false, layer: Layer::Project, keeping: None }
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
        let text = read(path)?;
        let source = Source::new(&path.display().to_string(), &text);
        self.read_source(source, &text, &base_of(path))
    }

    /// Loads a text. Relative paths in it begin at `base`; `name` is the file in messages.
    ///
    /// # Errors
    /// Everything that is wrong with the text.
    pub fn parse(&self, name: &str, text: &str, base: &Path) -> Result<Loaded, ConfigErrors> {
        join(vec![self.read_source(Source::new(name, text), text, base)?])
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
        let mut file = self.read_source(translation.source(), translation.toml(), base)?;
        file.warnings.splice(0..0, translation.warnings());
        Ok(file)
    }

    fn read_source(
        &self,
        source: Arc<Source>,
        text: &str,
        base: &Path,
    ) -> Result<LoadedFile, ConfigErrors> {
        let (root, syntax) = node::parse(text);
        let mut reader = Reader {
            registry: self.registry,
            allow_unverified: self.allow_unverified,
            layer: self.layer,
            source,
            errors: Vec::new(),
            warnings: Vec::new(),
            conditions: Vec::new(),
        };
        let broken: Vec<_> =
            syntax.iter().filter_map(|(span, _)| hook_around(&root, span)).collect();
        for (span, message) in syntax {
            reader.error(span, ConfigProblem::Syntax(message));
        }
        let mut document = read_document(&mut reader, &root, base);
        let disables = std::mem::take(&mut document.disables);
        let built = self.build(&mut reader, &root, document);
        reader.warn_of_conditions();
        let Reader { mut errors, warnings, source, layer, .. } = reader;
        // What is wrong with a hook that could not be read is mostly caused by that.
        errors.retain(|error| {
            matches!(error.problem(), ConfigProblem::Syntax(_))
                || !broken.iter().any(|hook| hook.contains(&error.offset()))
        });
        match built {
            Some(table) if errors.is_empty() => {
                Ok(LoadedFile { layer, source, table, warnings, disables })
            }
            _ => {
                errors.sort_by_key(ConfigError::offset);
                errors.dedup();
                Err(ConfigErrors::new(errors))
            }
        }
    }

    /// Builds the table, and reports what is wrong with it at the positions of the hooks.
    fn build(
        &self,
        reader: &mut Reader<'_>,
        root: &Node,
        document: Document,
    ) -> Option<HandlerTable> {
        let mut builder = HandlerTable::builder();
        builder.limits(document.limits).require(document.require);
        for (name, written) in document.sections {
            builder.section(name, written);
        }
        if self.allow_unverified {
            builder.allow_unknown_contracts();
        }
        for contract in self.registry.contracts() {
            builder.contract(contract);
        }
        let earlier = self.keeping.into_iter().flat_map(HandlerTable::specs);
        let earlier: HashMap<&str, &HookSpec> =
            earlier.map(|old| (old.id().as_str(), old)).collect();
        for hook in document.hooks {
            let kept = earlier.get(hook.id().as_str()).copied();
            builder.insert(match kept {
                Some(earlier) => hook.keep_handler_of(earlier),
                None => hook,
            });
        }
        match builder.build() {
            Ok(table) => {
                for (event, why) in table.unguarded() {
                    let problem = ConfigProblem::Unguarded { event: event.to_owned(), why };
                    reader.warn(document.require_span.clone(), problem);
                }
                warn_of_shadowed(reader, root, &table);
                Some(table)
            }
            Err(errors) => {
                for error in errors {
                    // An event that is not registered was reported where the hook names it.
                    if matches!(error.problem, BuildProblem::UnknownContract(_)) {
                        continue;
                    }
                    // So was what is wrong inside of `any` and `not`, except for what depends on the
                    // event.
                    let of_event =
                        matches!(error.problem, BuildProblem::Match(MatchError::Field { .. }));
                    let is_match = matches!(error.problem, BuildProblem::Match(_));
                    if is_nesting(error.key) && is_match && !of_event {
                        continue;
                    }
                    let of_hook = error.origin.and_then(|origin| {
                        let hook = origin.read_span()?;
                        let node = hook_at(root, &hook);
                        node.and_then(|node| span_of_problem(node, error.key, &error.problem))
                            .or(Some(hook))
                    });
                    let of_require = (error.hook == REQUIRE).then(|| document.require_span.clone());
                    let span = of_hook.or(of_require).unwrap_or_default();
                    let problem = ConfigProblem::Build { hook: error.hook, problem: error.problem };
                    reader.error(span, problem);
                }
                None
            }
        }
    }
}

/// Warns of hooks that are never called, because an earlier one denies all steps that they are for.
fn warn_of_shadowed(reader: &mut Reader<'_>, root: &Node, table: &HandlerTable) {
    for (hook, event, by) in table.shadowed() {
        let node = hook.origin().read_span().and_then(|span| hook_at(root, &span));
        let span = node.and_then(|node| span_below(node, "id", hook.id().as_str()));
        let (event, by) = (event.to_owned(), by.id().to_string());
        let problem = ConfigProblem::Shadowed { hook: hook.id().to_string(), event, by };
        reader.warn(span.unwrap_or_default(), problem);
    }
}
