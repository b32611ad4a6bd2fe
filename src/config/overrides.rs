//! Overrides of one run: hooks that it adds to a table in force, and hooks that it goes without.
//!
//! ```json
//! {"entries": [{"id": "no-network", "event": "pre_tool_use", "tool": "WebFetch",
//!               "builtin": {"name": "deny", "reason": "this run stays offline"}}],
//!  "disable": ["lint"], "shadow": ["style"]}
//! ```
//!
//! An override is the lowest layer ([`Layer::CommandLine`]): it can tighten what is in force. `disable` and
//! `shadow` reach hooks of that layer only, so what a caller sends with a request cannot switch off a guard
//! of the host. Whoever runs steps only to see what would happen, where nothing is guarded, may reach all of
//! them: [`Overrides::reaching_all_layers`].

use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookgate_contract::Mode;
use hookgate_contract::settings::{Node, NodeValue, SettingEntry, SettingProblem, Settings};
use hookgate_contract::suggest::Suggestion;

use super::error::{ConfigError, ConfigErrors};
use super::include::Trail;
use super::parsed::Parsed;
use super::problem::ConfigProblem;
use super::source::Source;
use super::{Loaded, LoadedFile, Loader, base_of, join, json_text, read};
use crate::table::{BuildError, HandlerTable, HookSpec, Layer, TableBuilder};

/// The keys of an override.
const KEYS: [&str; 3] = ["entries", "disable", "shadow"];

/// Hooks to add to a table, to switch off in it, or to put in shadow.
///
/// ```
/// # #[cfg(feature = "builtin")] {
/// use std::sync::Arc;
/// use hookgate::config::{Loader, Overrides};
/// use hookgate::{Engine, Event, HandlerTable, Hook, Registry, Verdict};
///
/// let guard = Hook::sync("no-bash", |_| Ok(Verdict::deny("no"))).event(Event::PreToolUse).tool("Bash");
/// let base = Arc::new(HandlerTable::builder().insert(guard).build()?);
/// let registry = Registry::from_iter([hookgate::builtin::kind()]);
///
/// // What a request brings: one more guard for its run.
/// let text = r#"{"entries": [{"id": "no-web", "event": "pre_tool_use", "tool": "WebFetch",
///                             "builtin": {"name": "deny", "reason": "offline"}}]}"#;
/// let overrides = Overrides::parse("request", text, ".".as_ref())?;
/// let engine = Engine::new(Loader::new(&registry).derive(&base, &overrides)?.table);
/// assert_eq!((engine.table().len(), base.len()), (2, 1), "the table in force stays as it is");
///
/// // It cannot take a guard of the host away.
/// let weaker = Overrides::parse("request", r#"{"disable": ["no-bash"]}"#, ".".as_ref())?;
/// let refused = Loader::new(&registry).derive(&base, &weaker).unwrap_err();
/// assert!(refused.to_string().starts_with("request:1:14: `no-bash` is a hook of the layer `code`"));
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Overrides {
    source: Arc<Source>,
    base: PathBuf,
    /// A document of `[[hook]]`; `None` if nothing is added.
    entries: Option<Node>,
    modes: Vec<NewMode>,
    all_layers: bool,
}

/// A hook whose decisions are not to count.
#[derive(Debug, Clone)]
struct NewMode {
    id: String,
    span: Range<usize>,
    mode: Mode,
}

impl Overrides {
    /// Reads a JSON text. `name` stands for it in messages; relative paths in it begin at `base`.
    ///
    /// # Errors
    /// It is not JSON, or has other keys or values than those of an override, each with its place. What is
    /// wrong with its hooks is found by [`Loader::derive`].
    pub fn parse(name: &str, text: &str, base: &Path) -> Result<Self, ConfigErrors> {
        let source = Source::new(name, text);
        let fail =
            |span, problem| Err(ConfigErrors::new(vec![ConfigError::new(&source, span, problem)]));
        let root = match json_text::parse(text) {
            Ok(root) => root,
            Err((span, message)) => return fail(span, ConfigProblem::Syntax(message)),
        };
        if !matches!(root.value, NodeValue::Table(_)) {
            let problem = "an override is one JSON object: {\"entries\": […], \"disable\": […]}";
            return fail(root.span, ConfigProblem::Syntax(problem.to_owned()));
        }
        let mut errors = Vec::new();
        let mut settings = Settings::new(&root);
        let entries = settings.node("entries").cloned();
        let mut modes = Vec::new();
        for (key, mode) in [("disable", Mode::Off), ("shadow", Mode::Shadow)] {
            let Some(list) = settings.node(key) else { continue };
            match read_ids(list) {
                Ok(ids) => {
                    modes.extend(ids.into_iter().map(|(id, span)| NewMode { id, span, mode }));
                }
                Err(span) => {
                    let problem = "must be a list of ids of hooks: [\"lint\"]".to_owned();
                    let problem = SettingProblem::Invalid { key: key.to_owned(), problem };
                    errors.push(ConfigError::new(&source, span, ConfigProblem::Setting(problem)));
                }
            }
        }
        for error in settings.finish() {
            let problem = match error.problem {
                SettingProblem::Unknown { key, .. } => {
                    let near = Suggestion::nearest(&key, &KEYS);
                    ConfigProblem::Setting(SettingProblem::Unknown { key, near })
                }
                problem => ConfigProblem::Setting(problem),
            };
            errors.push(ConfigError::new(&source, error.span, problem));
        }
        if !errors.is_empty() {
            return Err(ConfigErrors::new(errors));
        }
        let is_none =
            |node: &Node| matches!(&node.value, NodeValue::List(items) if items.is_empty());
        let entries = entries.filter(|node| !is_none(node)).map(|node| {
            let entry = SettingEntry { key: "hook".to_owned(), key_span: node.span.clone(), node };
            Node { span: root.span.clone(), value: NodeValue::Table(vec![entry]) }
        });
        Ok(Self { source, base: base.to_owned(), entries, modes, all_layers: false })
    }

    /// Reads a file. Relative paths in it begin at its folder.
    ///
    /// # Errors
    /// As [`Overrides::parse`]; or the file cannot be read, is too large, or is not UTF-8.
    pub fn load(path: &Path) -> Result<Self, ConfigErrors> {
        Self::parse(&path.display().to_string(), &read(path)?, &base_of(path))
    }

    /// Lets `disable` and `shadow` reach hooks of every layer. This is for tools in which nothing is
    /// guarded, such as a run over recorded steps; a host that enforces must not let its callers have it.
    #[must_use]
    pub const fn reaching_all_layers(mut self) -> Self {
        self.all_layers = true;
        self
    }

    /// Checks that the hooks that are named are there and can be reached.
    pub(crate) fn check(&self, base: &HandlerTable) -> Vec<ConfigError> {
        let ids: Vec<&str> = base.specs().map(|spec| spec.id().as_str()).collect();
        let check = |new: &NewMode| {
            let problem = match base.specs().find(|spec| spec.id() == new.id.as_str()) {
                None => ConfigProblem::OverrideNothing {
                    near: Suggestion::nearest(&new.id, &ids),
                    hook: new.id.clone(),
                },
                Some(spec) if !self.reaches(spec) => {
                    let (hook, layer) = (new.id.clone(), spec.origin().layer());
                    ConfigProblem::DisableAbove { hook, layer }
                }
                Some(_) => return None,
            };
            Some(ConfigError::new(&self.source, new.span.clone(), problem))
        };
        self.modes.iter().filter_map(check).collect()
    }

    /// Returns whether it may weaken a hook.
    fn reaches(&self, spec: &HookSpec) -> bool {
        self.all_layers || spec.origin().layer() == Layer::CommandLine
    }

    /// Returns the table with the hooks off and in shadow that are named and that it reaches. One that is switched off and
    /// added again is taken out.
    pub(crate) fn weaken(
        &self,
        base: &Arc<HandlerTable>,
        added: &HashSet<&str>,
    ) -> Result<HandlerTable, ConfigErrors> {
        if self.modes.is_empty() {
            return Ok(HandlerTable::clone(base));
        }
        let mut builder = TableBuilder::from_table(base);
        let mode_of = |spec: &HookSpec| {
            let new = self.modes.iter().find(|new| *spec.id() == *new.id)?;
            self.reaches(spec).then_some(new.mode)
        };
        let is_off = |id: &str| base.spec(id).and_then(mode_of) == Some(Mode::Off);
        for spec in base.specs() {
            let mode = mode_of(spec).filter(|_| spec.mode() != Mode::Off);
            if is_off(spec.id()) && added.contains(spec.id().as_str()) {
                builder.remove(spec.id());
                continue;
            }
            // Nothing can come before or after a hook that is off.
            let tied = spec.after().iter().chain(spec.before()).any(|id| is_off(id));
            if mode.is_some() || tied {
                let changed: HookSpec = spec.clone().unordered_with(is_off);
                builder.replace(match mode {
                    Some(Mode::Off) => changed.switched_off(Layer::CommandLine),
                    mode => changed.with_mode(mode.unwrap_or(spec.mode())),
                });
            }
        }
        builder.build().map_err(|errors| {
            let located = |BuildError { hook, problem, .. }: BuildError| {
                let span = self.modes.iter().find(|new| hook == new.id.as_str());
                let span = span.map(|new| new.span.clone()).unwrap_or_default();
                ConfigError::new(&self.source, span, ConfigProblem::Build { hook, problem })
            };
            ConfigErrors::new(errors.into_iter().map(located).collect())
        })
    }
}

impl Loader<'_> {
    /// Makes a table of one in force and an override of it. The table in force is left as it is, and its
    /// handlers are shared, with their processes, counters and caches. What it requires stays required.
    ///
    /// It is made once: what is put in force later does not reach it. Sessions over a table that is swapped are
    /// [scopes](crate::scope).
    ///
    /// # Errors
    /// Everything that is wrong with the hooks of the override, each with its place in the JSON; an id to
    /// switch off is not there, or is that of a hook that the override does not reach; an id of a hook in
    /// force is used for another hook.
    pub fn derive(
        &self,
        base: &Arc<HandlerTable>,
        overrides: &Overrides,
    ) -> Result<Loaded, ConfigErrors> {
        let source = &overrides.source;
        let mut errors = overrides.check(base);
        let added = match self.read_added(overrides) {
            Ok(added) => added,
            Err(found) => {
                errors.extend(found.into_errors());
                None
            }
        };
        if !errors.is_empty() {
            return Err(ConfigErrors::new(errors));
        }
        let Some(added) = added else {
            let table = overrides.weaken(base, &HashSet::new())?;
            return Ok(Loaded {
                table,
                warnings: Vec::new(),
                set_aside: Vec::new(),
                included: Vec::new(),
                searched: Vec::new(),
            });
        };
        let ids = added.table.specs().map(|spec| spec.id().as_str()).collect();
        let in_force = LoadedFile {
            layer: Layer::Managed,
            source: Source::new("the hooks in force", ""),
            table: overrides.weaken(base, &ids)?,
            warnings: Vec::new(),
            disables: Vec::new(),
            set_aside: Vec::new(),
            lost_history: None,
            included: Vec::new(),
            searched: Vec::new(),
            is_of_pack: false,
        };
        let mut loaded = join(vec![in_force, added])?;
        // What there is to say of the hooks in force was said when they were loaded.
        loaded.warnings.retain(|warning| warning.file() == &**source.name());
        Ok(loaded)
    }
}

impl Loader<'_> {
    /// Reads the hooks that an override adds; `None` if it adds none.
    ///
    /// # Errors
    /// Everything that is wrong with them.
    pub(crate) fn read_added(
        &self,
        overrides: &Overrides,
    ) -> Result<Option<LoadedFile>, ConfigErrors> {
        let Overrides { source, base: folder, entries, .. } = overrides;
        let added = entries.as_ref().map(|root| {
            let loader = self.layer(Layer::CommandLine);
            let trail = &mut Trail::default();
            let parsed = Parsed { root, syntax: Vec::new(), text: None };
            loader.read_parsed(Arc::clone(source), parsed, folder, folder, trail)
        });
        added.transpose()
    }
}

/// Reads ids, each with its span.
///
/// # Errors
/// The span of what is no id.
fn read_ids(list: &Node) -> Result<Vec<(String, Range<usize>)>, Range<usize>> {
    let NodeValue::List(items) = &list.value else { return Err(list.span.clone()) };
    let id = |item: &Node| match &item.value {
        NodeValue::Text(id) => Ok((id.clone(), item.span.clone())),
        _ => Err(item.span.clone()),
    };
    items.iter().map(id).collect()
}
