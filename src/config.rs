//! hooks.toml: from a file to a table, with the place of every mistake.

mod conditions;
mod error;
mod events;
mod foreign;
mod hook;
mod node;
mod require;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookgate_contract::BuildContext;
use hookgate_contract::file;
use hookgate_contract::json::Integers;
use hookgate_contract::settings::{Node, NodeValue, Settings};

use crate::registry::Registry;
use crate::require::Require;
use crate::table::{BuildError, BuildErrors, BuildProblem, HandlerTable, HookSpec, Limits};
use error::Source;
pub use error::{ConfigError, ConfigErrors, ConfigProblem};

/// Loads hooks.toml.
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
/// let registry = Registry::with_defaults();
/// let loaded = Loader::new(&registry).parse("hooks.toml", text, Path::new("."))?;
/// assert_eq!(loaded.table.len(), 1);
///
/// let wrong = Loader::new(&registry).parse("hooks.toml", &text.replace("tool", "tol"), Path::new("."));
/// assert!(wrong.unwrap_err().to_string().contains("hooks.toml:5:1: unknown key `tol`"));
/// # }
/// # Ok::<(), hookgate::config::ConfigErrors>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Loader<'r> {
    registry: &'r Registry,
    allow_unverified: bool,
    keeping: Option<&'r HandlerTable>,
}

/// A table that was loaded.
#[derive(Debug)]
#[non_exhaustive]
pub struct Loaded {
    /// The table. What the file requires (`[require]`) is a part of it: an engine that it is put in
    /// force in holds on to that.
    pub table: HandlerTable,
    /// What is worth knowing although it is no mistake.
    pub warnings: Vec<ConfigError>,
}

impl<'r> Loader<'r> {
    /// Loads configs that name the handlers of a registry.
    #[must_use]
    pub const fn new(registry: &'r Registry) -> Self {
        Self { registry, allow_unverified: false, keeping: None }
    }

    /// Takes kinds of handlers and events `x.*` that nobody has registered for those of an
    /// embedder: they become warnings. A hook of such a kind fails when it is asked.
    #[must_use]
    pub const fn allow_unverified(mut self) -> Self {
        self.allow_unverified = true;
        self
    }

    /// Keeps the handlers of an earlier table of the same file whose hooks have not changed, with
    /// their processes and counters.
    #[must_use]
    pub const fn keeping(mut self, earlier: &'r HandlerTable) -> Self {
        self.keeping = Some(earlier);
        self
    }

    /// Loads a file.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn load(&self, path: &Path) -> Result<Loaded, ConfigErrors> {
        let name = path.display().to_string();
        let unread = |problem| {
            let source = Source::new(&name, "");
            ConfigErrors::new(vec![ConfigError::new(&source, 0..0, problem)])
        };
        let bytes = file::read(path, file::LIMIT)
            .map_err(|error| unread(ConfigProblem::Read(error.kind(), error.to_string())))?;
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                let source = Source::new(&name, &text);
                let wrong = ConfigError::new(&source, at..at, ConfigProblem::Utf8);
                return Err(ConfigErrors::new(vec![wrong]));
            }
        };
        // Absolute, so that nothing depends on the folder that the process is in later.
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let base = folder.map_or_else(|| PathBuf::from("."), Path::to_path_buf);
        let base = base.canonicalize().unwrap_or(base);
        self.parse(&name, &text, &base)
    }

    /// Loads a text. Relative paths in it start at `base`.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn parse(&self, name: &str, text: &str, base: &Path) -> Result<Loaded, ConfigErrors> {
        let source = Source::new(name, text);
        let (root, syntax) = node::parse(text);
        let mut reading = Reading {
            registry: self.registry,
            allow_unverified: self.allow_unverified,
            errors: syntax
                .into_iter()
                .map(|(span, message)| {
                    ConfigError::new(&source, span, ConfigProblem::Syntax(message))
                })
                .collect(),
            warnings: Vec::new(),
            source,
        };
        let read = reading.file(&root, base);
        let built = reading.build(read, self.keeping);
        let Reading { mut errors, warnings, .. } = reading;
        match built {
            Some(table) if errors.is_empty() => Ok(Loaded { table, warnings }),
            _ => {
                errors.sort_by_key(ConfigError::offset);
                errors.dedup();
                Err(ConfigErrors::new(errors))
            }
        }
    }
}

/// The state of reading one file.
struct Reading<'r> {
    registry: &'r Registry,
    allow_unverified: bool,
    source: Arc<Source>,
    errors: Vec<ConfigError>,
    warnings: Vec<ConfigError>,
}

/// What was read of a file.
#[derive(Default)]
struct Read {
    limits: Limits,
    hooks: Vec<Placed>,
    require: Require,
    /// Where the requirement stands.
    require_span: Range<usize>,
}

/// A hook and the places of its keys.
struct Placed {
    spec: HookSpec,
    span: Range<usize>,
    keys: HashMap<String, Range<usize>>,
    /// Whether its role is known: it may depend on a handler that could not be built.
    role_known: bool,
    /// Whether all its events could be read.
    events_known: bool,
}

impl Reading<'_> {
    fn error(&mut self, span: Range<usize>, problem: ConfigProblem) {
        self.errors.push(ConfigError::new(&self.source, span, problem));
    }

    fn warn(&mut self, span: Range<usize>, problem: ConfigProblem) {
        self.warnings.push(ConfigError::new(&self.source, span, problem));
    }

    /// Takes over all that is wrong with a table of settings.
    fn finish(&mut self, settings: Settings<'_>) {
        for error in settings.finish() {
            self.error(error.span, ConfigProblem::Setting(error.problem));
        }
    }

    fn file(&mut self, root: &Node, base: &Path) -> Read {
        let mut settings = Settings::new(root);
        if let Some(version) = settings.integer("version").filter(|version| *version != 1) {
            self.error(settings.span_of("version"), ConfigProblem::Version(version));
        }
        let mut read = Read::default();
        if let Some(limits) = settings.table("limits") {
            read.limits = self.limits(limits);
        }
        let hooks = match settings.node("hook") {
            None => &[][..],
            Some(Node { value: NodeValue::List(hooks), .. }) => hooks,
            Some(other) => {
                self.error(other.span.clone(), ConfigProblem::HookTable);
                &[][..]
            }
        };
        let allow_empty = settings.flag("allow_empty").unwrap_or_default();
        if hooks.is_empty() && self.errors.is_empty() {
            // A file that was cut, or is still being written, looks like this.
            if allow_empty {
                self.warn(0..0, ConfigProblem::Empty);
            } else {
                self.error(0..0, ConfigProblem::NoHooks);
            }
        }
        for hook in hooks {
            let surroundings = BuildContext::new(base, read.limits.output);
            let hook = self.hook(hook, &surroundings);
            read.hooks.push(hook);
        }
        if let Some(require) = settings.table("require") {
            read.require_span = require.span();
            read.require = self.require(require, &read.hooks);
        }
        self.finish(settings);
        read
    }

    fn limits(&mut self, mut settings: Settings<'_>) -> Limits {
        let mut limits = Limits::default();
        set(&mut limits.dispatch_deadline, settings.duration("dispatch_deadline"));
        set(&mut limits.payload, size(&mut settings, "payload"));
        set(&mut limits.output, size(&mut settings, "output"));
        set(&mut limits.background_queue, count(&mut settings, "background_queue"));
        set(&mut limits.concurrency, count(&mut settings, "concurrency"));
        let denials = settings.integer("stop_denials").map(u64::try_from);
        match denials {
            Some(Ok(denials)) => limits.stop_denials = denials,
            Some(Err(_)) => settings.invalid("stop_denials", "must not be negative"),
            None => {}
        }
        let names = Integers::ALL.map(Integers::name);
        set(&mut limits.integers, settings.choice("integers", &names, Integers::from_name));
        if let Some(mut timeouts) = settings.table("timeout") {
            let mut kinds = self.registry.kinds();
            kinds.extend(hook::KINDS.iter().map(|&kind| kind.to_owned()));
            let read: BTreeMap<_, _> = kinds
                .into_iter()
                .filter_map(|kind| Some((kind.clone(), timeouts.duration(&kind)?)))
                .collect();
            limits.timeout = read;
            settings.absorb(timeouts.finish());
        }
        self.finish(settings);
        limits
    }

    fn build(&mut self, read: Read, keeping: Option<&HandlerTable>) -> Option<HandlerTable> {
        let Read { limits, hooks, require, require_span } = read;
        let mut builder = HandlerTable::builder().limits(limits).require(require);
        if self.allow_unverified {
            builder = builder.allow_unknown_contracts();
        }
        for contract in self.registry.contracts() {
            builder = builder.contract(contract);
        }
        let earlier: HashMap<&str, &HookSpec> = keeping
            .into_iter()
            .flat_map(HandlerTable::specs)
            .map(|old| (old.id().as_str(), old))
            .collect();
        for hook in &hooks {
            let spec = hook.spec.clone();
            builder.add(match earlier.get(spec.id().as_str()) {
                Some(earlier) => spec.keep_handler_of(earlier),
                None => spec,
            });
        }
        match builder.build() {
            Ok(table) => {
                for (event, why) in table.unguarded() {
                    let problem = ConfigProblem::Unguarded { event: event.to_owned(), why };
                    self.warn(require_span.clone(), problem);
                }
                Some(table)
            }
            Err(BuildErrors(errors)) => {
                let index = Index::new(&hooks);
                for error in errors.into_iter().filter(|error| !index.follows(error)) {
                    let span = index.place(&error);
                    self.error(
                        span,
                        ConfigProblem::Build { hook: error.hook, problem: error.problem },
                    );
                }
                None
            }
        }
    }
}

/// The hooks of a file by what its errors name: there may be as many errors as hooks.
#[derive(Default)]
struct Index<'h> {
    /// The hooks of each id.
    hooks: HashMap<&'h str, Vec<&'h Placed>>,
    /// The first place of each key in the hooks of an id.
    keys: HashMap<(&'h str, &'h str), &'h Range<usize>>,
    role_unknown: HashSet<&'h str>,
    events_unknown: HashSet<&'h str>,
}

impl<'h> Index<'h> {
    fn new(hooks: &'h [Placed]) -> Self {
        let mut index = Self::default();
        for hook in hooks {
            let id = hook.spec.id();
            index.hooks.entry(id).or_default().push(hook);
            for (key, span) in &hook.keys {
                index.keys.entry((id, key)).or_insert(span);
            }
            if !hook.role_known {
                index.role_unknown.insert(id);
            }
            if !hook.events_known {
                index.events_unknown.insert(id);
            }
        }
        index
    }

    /// Where an error stands: at its key, in the hook of that id which has it.
    fn place(&self, error: &BuildError) -> Range<usize> {
        let hooks = self.hooks.get(error.hook.as_str());
        let hook = hooks.and_then(|hooks| hooks.get(error.occurrence));
        let key = hook.and_then(|hook| hook.keys.get(error.key)).or_else(|| {
            let first = self.keys.get(&(error.hook.as_str(), error.key)).copied();
            first.filter(|_| error.occurrence == 0)
        });
        key.or(hook.map(|hook| &hook.span)).cloned().unwrap_or_default()
    }

    /// Whether an error is nothing but the consequence of one that was reported: of a handler that
    /// could not be built, of an event that is not known.
    fn follows(&self, error: &BuildError) -> bool {
        let id = error.hook.as_str();
        match &error.problem {
            BuildProblem::Role { .. }
            | BuildProblem::Background { .. }
            | BuildProblem::Posture { .. } => self.role_unknown.contains(id),
            // Reported where the hook names the event.
            BuildProblem::UnknownContract(_) => true,
            BuildProblem::NoEvent => self.events_unknown.contains(id),
            BuildProblem::UnrelatedDependency(other) => {
                self.events_unknown.contains(id) || self.events_unknown.contains(other.as_str())
            }
            _ => false,
        }
    }
}

fn set<T>(target: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *target = value;
    }
}

/// The most things of a kind that can be asked for.
const MOST: i64 = 1 << 20;

/// The largest envelope or answer that can be asked for.
const LARGEST: usize = 1 << 30;

/// Reads a number of things, of which there must be one at least.
fn count(settings: &mut Settings<'_>, key: &'static str) -> Option<usize> {
    settings.within(key, 1..=MOST).and_then(|number| usize::try_from(number).ok())
}

/// Reads the size of something that is held in memory.
fn size(settings: &mut Settings<'_>, key: &'static str) -> Option<usize> {
    let size = settings.size(key)?;
    if size > LARGEST {
        settings.invalid(key, "larger than 1GiB");
        return None;
    }
    Some(size)
}
