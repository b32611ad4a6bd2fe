//! Several files in force together, in layers.
//!
//! The hooks of all files make one table: those of the layer that binds most first. A layer can add hooks
//! to those above it, and take nothing from them:
//!
//! * an id of a layer above is taken; a hook that is the same as one above counts once, and so does one under another
//!   id that does the same at the same events, unless something names its id;
//! * its hooks are called after those above, whatever their priority;
//! * its allow approves nothing, its `[limits]` do not count, its hooks are not the guards that a layer above
//!   requires, and its `[[disable]]` reaches hooks of its own layer and below only.
//!
//! Each file is checked by itself first, so `after` and `before` name hooks of the same file.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use hookgate_contract::{Invocation, Verdict};
use serde_json::Value;

use super::disable::Disable;
use super::error::{ConfigError, ConfigErrors};
use super::loaded_file::{Found, LoadedFile};
use super::lost_history::LostHistory;
use super::problem::ConfigProblem;
use super::source::Source;
use super::{Loaded, Loader};
use crate::config_hash::ConfigHash;
use crate::hook_id::HookId;
use crate::require::REQUIRE;
use crate::table::{
    BuildError, BuildErrors, EventSelector, HandlerTable, Hook, HookSpec, Layer, Limits, Origin,
    Place, TableBuilder, Work,
};

impl Loader<'_> {
    /// Loads several files, each of a layer, to one table. A file that binds more comes first, whatever
    /// their order here; among files of one layer the order counts.
    ///
    /// A layer can only tighten what the layers above it say: see
    /// [`Layer`]. What a file wants and does not get is a warning.
    ///
    /// ```no_run
    /// use hookgate::{Registry, config::Loader, table::Layer};
    ///
    /// let registry = Registry::new();
    /// let loaded = Loader::new(&registry).load_layers(&[
    ///     (Layer::User, "/home/me/.config/hookgate/hooks.toml".into()),
    ///     (Layer::Project, ".hookgate/hooks.toml".into()),
    /// ])?;
    /// # Ok::<(), hookgate::config::ConfigErrors>(())
    /// ```
    ///
    /// # Errors
    /// Everything that is wrong with the files, those of the first layer first; or an id of one file is
    /// used by another for another hook.
    pub fn load_layers(&self, files: &[(Layer, PathBuf)]) -> Result<Loaded, ConfigErrors> {
        let mut files: Vec<_> = files.iter().collect();
        files.sort_by_key(|(layer, _)| *layer);
        let (mut read, mut errors) = (Vec::new(), Vec::new());
        for (layer, path) in files {
            match self.layer(*layer).read_file(path) {
                Ok(file) => read.push(file),
                Err(found) => errors.extend(found.into_errors()),
            }
        }
        match errors.is_empty() {
            true => join(read),
            false => Err(ConfigErrors::new(errors)),
        }
    }
}

/// Joins files to one table: all their hooks, requirements and sections. Those of the layer that binds most
/// come first, whatever their order here; among files of one layer the order counts. A layer can only tighten
/// what the layers above it say: [`Loader::load_layers`] says how, and does both for files on disk.
///
/// # Errors
/// There is no file; an id of one file is used by another for another hook; or nothing would be enforced.
pub fn join(files: Vec<LoadedFile>) -> Result<Loaded, ConfigErrors> {
    let (mut all, mut found) = (Vec::new(), Found::default());
    files.into_iter().for_each(|file| file.flatten(&mut all, &mut found));
    let (table, warnings) = join_all(all)?;
    let Found { set_aside, included, searched } = found;
    Ok(Loaded { table, warnings, set_aside, included, searched })
}

fn join_all(mut files: Vec<LoadedFile>) -> Result<(HandlerTable, Vec<ConfigError>), ConfigErrors> {
    files.sort_by_key(|file| file.layer);
    let mut files = files.into_iter();
    let Some(first) = files.next() else {
        let error = ConfigError::new(&Source::new("", ""), 0..0, ConfigProblem::NoHooks);
        return Err(ConfigErrors::new(vec![error]));
    };
    let rest: Vec<LoadedFile> = files.collect();
    if rest.is_empty() && first.disables.is_empty() {
        return Ok((first.table, first.warnings));
    }
    let disables = Disables::of(&first, &rest);
    let all = std::iter::once(&first).chain(&rest);
    let lost = all.filter_map(|file| file.lost_history.clone()).min_by_key(|lost| lost.layer);
    // A pack comes before the file that extends it, and gives no limits to it.
    let of_layer = std::iter::once(&first).chain(&rest).filter(|file| file.layer == first.layer);
    let giver = of_layer.into_iter().find(|file| !file.is_of_pack).unwrap_or(&first);
    let limits = (giver.table.limits().clone(), giver.source.name().to_string());
    let mut named = HashSet::new();
    std::iter::once(&first).chain(&rest).for_each(|file| names_of(&file.table, &mut named));
    let mut joined = Joined::start(first, limits, &disables, lost, named);
    for file in rest {
        joined.add(file, &disables)?;
    }
    joined.finish(&disables)
}

/// Who switches which hooks off.
struct Disables(HashMap<String, Layer>);

impl Disables {
    fn of(first: &LoadedFile, rest: &[LoadedFile]) -> Self {
        let mut all: HashMap<String, Layer> = HashMap::new();
        for file in std::iter::once(first).chain(rest) {
            for disable in &file.disables {
                let by = all.entry(disable.id.clone()).or_insert(file.layer);
                *by = file.layer.min(*by);
            }
        }
        Self(all)
    }

    /// Whether a hook of a layer is switched off: by its own layer, or by one above.
    fn reach(&self, id: &str, layer: Layer) -> bool {
        self.reaching(id, layer).is_some()
    }

    /// Returns the layer that switches a hook off.
    fn reaching(&self, id: &str, layer: Layer) -> Option<Layer> {
        self.0.get(id).copied().filter(|by| *by <= layer)
    }
}

/// A hook of the table to be.
struct Known {
    layer: Layer,
    hash: ConfigHash,
    place: Place,
    priority: i64,
}

/// A hook of the table to be that is called, with what it does.
struct Doer {
    id: HookId,
    events: BTreeSet<String>,
    file: String,
}

/// A file whose hooks are in the table to be.
struct File {
    source: Arc<Source>,
    layer: Layer,
    disables: Vec<Disable>,
}

/// The table to be.
struct Joined {
    builder: TableBuilder,
    warnings: Vec<ConfigError>,
    hooks: HashMap<HookId, Known>,
    /// The hooks that are called, by what they do.
    doers: HashMap<Work, Vec<Doer>>,
    /// All texts of the files that may name a hook.
    named: HashSet<String>,
    limits: Limits,
    /// The file that they are of.
    limits_of: String,
    /// Whether a file so far requires anything.
    requires: bool,
    /// The sections: of one that is a list, such as `tool`, what all files have; of another, such as `escalate`, what
    /// the file of the layer that binds most has.
    sections: BTreeMap<String, Value>,
    files: Vec<File>,
    lost_history: Option<LostHistory>,
}

impl Joined {
    fn start(
        first: LoadedFile,
        (limits, limits_of): (Limits, String),
        disables: &Disables,
        lost: Option<LostHistory>,
        named: HashSet<String>,
    ) -> Self {
        let table = Arc::new(first.table);
        let mut joined = Self {
            // Its hooks are compiled.
            builder: TableBuilder::from_table(&table),
            warnings: first.warnings,
            hooks: HashMap::new(),
            doers: HashMap::new(),
            named,
            limits,
            limits_of,
            requires: !table.require().is_empty(),
            sections: BTreeMap::new(),
            files: vec![File {
                source: first.source,
                layer: first.layer,
                disables: first.disables,
            }],
            lost_history: lost,
        };
        joined.builder.limits(joined.limits.clone());
        joined.warn_of_limits(0, &table);
        joined.add_sections(&table);
        for spec in table.specs() {
            joined.note(spec, first.layer);
            let off = disables.reaching(spec.id(), first.layer);
            let off = off.map(|by| spec.clone().switched_off(by));
            match off.or_else(|| joined.without_history(spec)) {
                Some(changed) => _ = joined.builder.replace(changed),
                None => joined.note_work(spec),
            }
        }
        joined
    }

    /// Notes what a hook does that is called.
    fn note_work(&mut self, spec: &HookSpec) {
        let Some(work) = spec.work() else { return };
        let file = spec.origin().file_name().unwrap_or_default().to_owned();
        let doer = Doer { id: spec.id().clone(), events: spec.event_forms(), file };
        self.doers.entry(work).or_default().push(doer);
    }

    /// Returns the hook before this one that does the same wherever this one does it.
    fn doer_of(&self, spec: &HookSpec) -> Option<&Doer> {
        if self.named.contains(spec.id().as_str()) {
            return None;
        }
        let doers = self.doers.get(&spec.work()?)?;
        let events = spec.event_forms();
        doers.iter().find(|doer| events.is_subset(&doer.events))
    }

    fn note(&mut self, spec: &HookSpec, layer: Layer) {
        let (hash, place) = (spec.config_hash(), spec.place());
        let known = Known { layer, hash, place, priority: spec.priority() };
        self.hooks.insert(spec.id().clone(), known);
    }

    /// Returns what stands in the place of a hook that depends on what another one would have kept.
    fn without_history(&self, spec: &HookSpec) -> Option<HookSpec> {
        self.lost_history.as_ref()?.in_place_of(spec)
    }

    fn add_sections(&mut self, table: &HandlerTable) {
        for (name, written) in table.sections() {
            match (self.sections.get_mut(name), written) {
                (None, _) => {
                    self.sections.insert(name.to_owned(), written.clone());
                }
                (Some(Value::Array(list)), Value::Array(more)) => list.extend(more.iter().cloned()),
                _ => {}
            }
        }
    }

    fn add(&mut self, file: LoadedFile, disables: &Disables) -> Result<(), ConfigErrors> {
        let LoadedFile { layer, source, table, warnings, disables: own, .. } = file;
        self.warnings.extend(warnings);
        self.keep_unguarded(layer)?;
        let is_above = |known: &&Known| known.layer < layer;
        let lowest = self.hooks.values().filter(is_above).map(|known| known.priority).max();
        let above: HashSet<HookId> = self
            .hooks
            .iter()
            .filter(|(_, known)| known.layer < layer)
            .map(|(id, _)| id.clone())
            .collect();
        let mut specs: Vec<HookSpec> = table.specs().cloned().collect();
        if lowest.is_some() {
            // They keep their order among each other, although many get the same priority now.
            specs.sort_by_key(HookSpec::priority);
        }
        for spec in specs {
            let same = self.hooks.get(spec.id());
            // What is written alike may mean something else in another folder: then the id is taken.
            let is_same =
                |known: &Known| known.hash == spec.config_hash() && known.place == spec.place();
            if same.is_some_and(is_same) {
                continue;
            }
            if same.is_none() {
                self.note(&spec, layer);
            }
            let off = disables.reaching(spec.id(), layer);
            let without_history = self.without_history(&spec);
            if off.is_none() && without_history.is_none() {
                if let Some(doer) = self.doer_of(&spec) {
                    let (kept, file) = (doer.id.to_string(), doer.file.clone());
                    let hook = spec.id().to_string();
                    let span = spec.origin().span_of("id").or_else(|| spec.origin().span());
                    let problem = ConfigProblem::Copied { hook, kept, file };
                    let error = ConfigError::new(&source, span.unwrap_or_default(), problem);
                    self.warnings.push(error);
                    continue;
                }
                self.note_work(&spec);
            }
            let spec = without_history.unwrap_or(spec);
            let mut spec = match lowest {
                Some(lowest) => {
                    self.warn_of_allow(&source, &spec);
                    spec.below(lowest, |id| above.contains(id))
                }
                None => spec,
            };
            if let Some(by) = off {
                spec = spec.switched_off(by);
            }
            self.builder.insert(spec);
        }
        self.add_sections(&table);
        self.builder.require(table.require().clone());
        self.requires |= !table.require().is_empty();
        self.files.push(File { source, layer, disables: own });
        self.warn_of_limits(self.files.len().saturating_sub(1), &table);
        Ok(())
    }

    /// Warns of limits of a file that do not count.
    fn warn_of_limits(&mut self, file: usize, table: &HandlerTable) {
        let is_other = *table.limits() != Limits::default() && *table.limits() != self.limits;
        if let Some(file) = self.files.get(file).filter(|_| is_other) {
            let problem = ConfigProblem::LimitsOfOther { file: self.limits_of.clone() };
            self.warnings.push(ConfigError::new(&file.source, 0..0, problem));
        }
    }

    /// Before the first hook of a layer below is added: what the files so far require to be guarded, and
    /// leave unguarded, stays denied. A hook of a layer below must not count as that guard, nor be called
    /// before the deny: where `stop_at` is `ask`, the deny would not be reached.
    fn keep_unguarded(&mut self, below: Layer) -> Result<(), ConfigErrors> {
        let last = self.files.last().map(|last| last.layer);
        let Some(above) = last.filter(|last| *last < below && self.requires) else { return Ok(()) };
        let so_far = self.builder.clone().build().map_err(|errors| self.refuse(errors))?;
        for (event, why) in so_far.unguarded() {
            let deny = move |_: Invocation<'_>| Ok(Verdict::deny(why.as_str()));
            let spec = Hook::sync(format!("{REQUIRE}-{event}"), deny)
                .event_selectors(EventSelector::named(event).unwrap_or_default())
                .priority(i64::MIN)
                .build();
            self.note(&spec, above);
            self.builder.insert(spec);
        }
        Ok(())
    }

    fn refuse(&self, errors: BuildErrors) -> ConfigErrors {
        ConfigErrors::new(errors.into_iter().map(|error| located(&self.files, error)).collect())
    }

    /// Warns of a hook whose allow does not approve anything here.
    fn warn_of_allow(&mut self, source: &Arc<Source>, spec: &HookSpec) {
        if spec.may_allow() {
            let span = spec.origin().span_of("may_allow").unwrap_or_default();
            let problem = ConfigProblem::AllowOfLayer { hook: spec.id().to_string() };
            self.warnings.push(ConfigError::new(source, span, problem));
        }
    }

    /// Warns of every `[[disable]]` that is not in force.
    fn warn_of_disables(&mut self) {
        for File { source, layer, disables } in &self.files {
            for disable in disables {
                let hook = disable.id.clone();
                let problem = match self.hooks.get(disable.id.as_str()) {
                    Some(known) if known.layer >= *layer => continue,
                    Some(known) => ConfigProblem::DisableAbove { hook, layer: known.layer },
                    None => ConfigProblem::DisableNothing { hook },
                };
                self.warnings.push(ConfigError::new(source, disable.span.clone(), problem));
            }
        }
    }

    /// Warns of hooks that are never called. What the files say of that, each by itself, need not hold for
    /// all of them.
    fn warn_of_shadowed(&mut self, table: &HandlerTable) {
        let is_of_table =
            |warning: &ConfigError| !matches!(warning.problem(), ConfigProblem::Shadowed { .. });
        self.warnings.retain(is_of_table);
        for (hook, event, by) in table.shadowed() {
            let (event, by) = (event.to_owned(), by.id().to_string());
            let problem = ConfigProblem::Shadowed { hook: hook.id().to_string(), event, by };
            self.warnings.push(at_origin(&self.files, Some(hook.origin()), "id", problem));
        }
    }

    fn may_be_empty(&self) -> bool {
        self.warnings.iter().any(|warning| *warning.problem() == ConfigProblem::Empty)
    }

    /// Drops the warnings of what a file alone leaves unguarded, where another one guards it.
    fn forget_guarded(&mut self, table: &HandlerTable) {
        let unguarded: HashSet<&str> =
            table.unguarded().into_iter().map(|(event, _)| event).collect();
        self.warnings.retain(|warning| match warning.problem() {
            ConfigProblem::Unguarded { event, .. } => unguarded.contains(event.as_str()),
            _ => true,
        });
    }

    fn finish(
        mut self,
        disables: &Disables,
    ) -> Result<(HandlerTable, Vec<ConfigError>), ConfigErrors> {
        self.warn_of_disables();
        let off =
            |id: &str| self.hooks.get(id).is_some_and(|known| disables.reach(id, known.layer));
        // Nothing can come before or after a hook that is off.
        let tied: Vec<HookSpec> = self
            .builder
            .specs()
            .filter(|spec| spec.after().iter().chain(spec.before()).any(|id| off(id)))
            .map(|spec| spec.clone().unordered_with(off))
            .collect();
        for spec in tied {
            self.builder.replace(spec);
        }
        for (name, written) in std::mem::take(&mut self.sections) {
            self.builder.section(name, written);
        }
        match self.builder.clone().build() {
            // No file has said that this is intended.
            Ok(table) if table.is_empty() && !self.may_be_empty() => {
                let source = self.files.first().map(|file| Arc::clone(&file.source));
                let source = source.unwrap_or_else(|| Source::new("", ""));
                let error = ConfigError::new(&source, 0..0, ConfigProblem::NoHooks);
                Err(ConfigErrors::new(vec![error]))
            }
            Ok(table) => {
                self.forget_guarded(&table);
                self.warn_of_shadowed(&table);
                Ok((table, self.warnings))
            }
            Err(errors) => Err(self.refuse(errors)),
        }
    }
}

/// Collects the texts of a file that may be ids of hooks: what its hooks, requirements and sections name.
fn names_of(table: &HandlerTable, named: &mut HashSet<String>) {
    for spec in table.specs() {
        let order = spec.after().iter().chain(spec.before()).chain(spec.needs());
        named.extend(order.map(ToString::to_string));
        for (condition, _) in spec.matcher().all_registered() {
            texts_of(condition.written(), named);
        }
        texts_of(spec.settings(), named);
    }
    named.extend(table.require().required_hooks().map(|required| required.id.to_string()));
    table.sections().for_each(|(_, written)| texts_of(written, named));
}

fn texts_of(value: &Value, texts: &mut HashSet<String>) {
    match value {
        Value::String(text) => _ = texts.insert(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| texts_of(item, texts)),
        Value::Object(entries) => entries.values().for_each(|value| texts_of(value, texts)),
        _ => {}
    }
}

/// Returns a mistake that was found when the table was built, at its place.
fn located(files: &[File], error: BuildError) -> ConfigError {
    let problem = ConfigProblem::Build { hook: error.hook, problem: error.problem };
    at_origin(files, error.origin.as_ref(), error.key, problem)
}

/// Places a problem at a key of a hook.
fn at_origin(
    files: &[File],
    origin: Option<&Origin>,
    key: &str,
    problem: ConfigProblem,
) -> ConfigError {
    let name = origin.and_then(Origin::file_name);
    let file = files.iter().find(|file| name == Some(file.source.name()));
    let source = file.or(files.first()).map(|file| Arc::clone(&file.source));
    let span = origin.and_then(|origin| origin.span_of(key)).unwrap_or_default();
    ConfigError::new(&source.unwrap_or_else(|| Source::new("", "")), span, problem)
}
