//! The one table that the configs of a session become.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use hookgate::builtin::ConfigFiles;
use hookgate::certify::CertifySettings;
use hookgate::config::{Loaded, LoadedFile, Loader, join};
use hookgate::table::{EventSelector, Layer, TableBuilder};
use hookgate::{Engine, HandlerTable, Registry};
use hookgate_store::JournalSettings;

use super::error::HookError;
use super::later::Later;
use super::recording::Recording;
use super::state::State;
use super::trust::{self, Skipped};
use crate::foreign;
use crate::journal;
use crate::kinds::{Memory, files_of, protected, registry_of};
use crate::overrides::OverrideArgs;
use crate::runs;
use crate::self_protection;
use crate::sources::{DROP_INS, Source};
use crate::terminal::sanitize::line;
use crate::trust::{Content, Grants, Policy, Project, Text, Why, projects};

/// The table that configs became, in an engine, with what belongs to it.
#[derive(Debug)]
pub(super) struct InForce {
    /// The engine.
    pub(super) engine: Arc<Engine>,
    /// What its hooks do later.
    pub(super) later: Later,
    /// When its configs were read.
    pub(super) read: SystemTime,
    /// What its hooks keep of sessions.
    pub(super) state: State,
    /// What of its hooks was not called.
    pub(super) skipped: Skipped,
    /// Where its decisions are recorded; what of it does not work stops nothing, and is told.
    journal: Recording,
    /// How often its hooks are proved.
    pub(super) certify: Option<CertifySettings>,
    files: Arc<Files>,
    /// The folders in which a file may appear that belongs to it.
    searched: Vec<PathBuf>,
    is_whole: bool,
}

impl InForce {
    /// Returns the files that it is made of, and the folders in which more of them may appear.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        self.files.read().into_iter().chain(self.searched.iter().cloned()).collect()
    }

    /// Changes the hooks as a command line asks for; none of a layer above it can be made to count less.
    ///
    /// # Errors
    /// A change is not valid, or is about a hook that it does not reach.
    pub(super) fn change(&mut self, overrides: &OverrideArgs) -> Result<(), HookError> {
        if overrides.is_empty() {
            return Ok(());
        }
        let files = Arc::clone(&self.files) as Arc<dyn ConfigFiles>;
        let registry = registry_of(self.state.of_user(), None, files);
        let table = HandlerTable::clone(&self.engine.table());
        let changed = overrides.tighten(table, &registry);
        let table = changed.map_err(|errors| HookError::overrides(&errors))?;
        self.later = self.later.changed(&table);
        let engine = self.later.attach(Engine::new(table));
        self.engine = Arc::new(self.journal.of(engine, &self.files.configs()));
        Ok(())
    }

    /// Tells the journal of which files the table in force is made, which is another one if a hook was set aside.
    pub(super) fn note_table(&self) {
        self.journal.note(&self.engine, &self.files.configs());
    }

    /// Returns what to tell of a journal that is not written.
    pub(super) async fn journal_problem(&self) -> Option<String> {
        self.journal.problem().await
    }

    /// Returns the journal that is written.
    pub(super) fn journal_file(&self) -> Option<&Path> {
        self.journal.file()
    }

    /// Tells whether all configs are in force, for all events.
    pub(super) const fn is_whole(&self) -> bool {
        self.is_whole
    }
}

/// The files that a table is made of, as soon as they are known: a builtin of it protects them.
#[derive(Debug, Default)]
struct Files {
    read: OnceLock<Vec<PathBuf>>,
    /// The configs among them.
    configs: OnceLock<Vec<PathBuf>>,
    /// The folders in which further configs would be found.
    drop_ins: OnceLock<Vec<PathBuf>>,
    /// The files of the journal, which a step changes each time.
    journal: OnceLock<Vec<PathBuf>>,
}

impl Files {
    fn read(&self) -> Vec<PathBuf> {
        self.read.get().cloned().unwrap_or_default()
    }

    fn configs(&self) -> Vec<PathBuf> {
        self.configs.get().cloned().unwrap_or_default()
    }
}

impl ConfigFiles for Files {
    fn files(&self) -> Vec<PathBuf> {
        let mut files = self.read();
        let others = [&self.drop_ins, &self.journal];
        files.extend(others.into_iter().filter_map(OnceLock::get).flatten().cloned());
        protected(files)
    }

    fn names(&self) -> Vec<PathBuf> {
        self_protection::names()
    }
}

/// Loads the configs, and joins them to one table, in which a layer can only tighten what those above it say.
/// Of the hooks of a project that is not trusted not all are called: see [`trust`]. A mistake in its config does
/// not weaken those above it, either: their hooks are in force, and all that can be refused at the event is.
///
/// # Errors
/// There is no config, one is not valid, or they do not go together.
pub(super) fn load(
    sources: &[Source],
    strict: bool,
    grants: &Grants,
    event: &str,
) -> Result<InForce, HookError> {
    let read = SystemTime::now();
    let shared = Shared::new(grants);
    let (loaded, is_joined) = match shared.join(sources, strict) {
        Ok(loaded) => (loaded, true),
        Err(error) => (shared.without_project(sources, strict, event, error)?, false),
    };
    let Loaded { table, included, searched, .. } = loaded;
    let Shared { state, skipped, files, trusted, journal, certify, .. } = shared;
    let Trusted { files: named, is_doubtful } = trusted.into_inner();
    let configs = sources.iter().map(|source| source.file.clone());
    let configs: Vec<PathBuf> = configs.chain(included).chain(named).collect();
    let journal = Recording::open(journal.into_inner())?;
    // Nobody else sets them.
    let _ = files.read.set(files_of(&configs, &table));
    let _ = files.configs.set(configs);
    let _ = files.journal.set(journal.files());
    let folders = sources.iter().filter_map(|source| source.file.parent());
    let _ = files.drop_ins.set(folders.map(|folder| folder.join(DROP_INS)).collect());
    let is_whole = is_joined && !is_doubtful;
    let mut scope = runs::scope(sources.iter().map(|source| source.file.as_path()), strict);
    if !is_whole {
        scope = runs::changed_scope(&scope, &table);
    }
    let later = Later::of(&table, journal.file(), scope);
    let engine = journal.of(later.attach(Engine::new(table)), &files.configs());
    let (engine, certify) = (Arc::new(engine), certify.into_inner());
    Ok(InForce { engine, later, read, state, skipped, journal, certify, files, searched, is_whole })
}

/// What was found out about the trust in projects.
#[derive(Debug, Default)]
struct Trusted {
    /// The files that a project is made of which is trusted.
    files: Vec<PathBuf>,
    /// Whether a project would be trusted if a file of it were another one; which one is not watched.
    is_doubtful: bool,
}

/// What the tables of several configs share.
struct Shared<'g> {
    grants: &'g Grants,
    state: State,
    skipped: Skipped,
    files: Arc<Files>,
    trusted: RefCell<Trusted>,
    /// The `[journal]` of the machine or of the user: a project does not say where its user's steps are recorded.
    journal: RefCell<Option<JournalSettings>>,
    /// The `[certify]` that binds most. That of a project counts if it is trusted: it has programs run.
    certify: RefCell<Option<CertifySettings>>,
}

impl<'g> Shared<'g> {
    fn new(grants: &'g Grants) -> Self {
        Self {
            grants,
            state: State::default(),
            skipped: Skipped::default(),
            files: Arc::default(),
            trusted: RefCell::default(),
            journal: RefCell::default(),
            certify: RefCell::default(),
        }
    }

    fn join(&self, sources: &[Source], strict: bool) -> Result<Loaded, HookError> {
        if sources.is_empty() {
            return Err(HookError::NoConfig);
        }
        let own = sources.iter().filter(|source| !source.is_of_project());
        let mut read: Vec<LoadedFile> =
            own.clone().map(|source| self.read(source, strict)).collect::<Result<_, _>>()?;
        let policy = Policy::of(own.zip(&read));
        *self.journal.borrow_mut() = journal::settings(read.iter().flat_map(tables_of));
        *self.certify.borrow_mut() = certify_settings(&read);
        for project in projects(sources) {
            read.extend(self.read_project(&project, &policy, strict)?);
        }
        let loaded = join(read);
        let files = || sources.iter().map(|source| source.file.clone()).collect::<Vec<_>>();
        loaded.map_err(|errors| HookError::join(&files(), &errors))
    }

    /// Returns the table without the configs of a project, which refuses all that can be refused.
    fn without_project(
        &self,
        sources: &[Source],
        strict: bool,
        event: &str,
        error: HookError,
    ) -> Result<Loaded, HookError> {
        let above: Vec<Source> =
            sources.iter().filter(|source| !source.is_of_project()).cloned().collect();
        if above.is_empty() || above.len() == sources.len() {
            return Err(error);
        }
        let mut loaded = self.join(&above, strict)?;
        let table = Arc::new(loaded.table);
        let refusal = trust::refusal("hookgate-project-config", error.to_string(), &self.skipped);
        let events = EventSelector::named(event).into_iter().flatten();
        let mut builder = TableBuilder::from_table(&table);
        builder.insert(refusal.event_selectors(events));
        loaded.table = builder.build().map_err(|_| error)?;
        Ok(loaded)
    }

    fn read(&self, source: &Source, strict: bool) -> Result<LoadedFile, HookError> {
        let file = &source.file;
        let registry = self.registry(self.state.of_user());
        let loader = loader(&registry, source.layer, strict);
        let read = source.read().and_then(|text| foreign::read_text(loader, file, &text, strict));
        read.map_err(|errors| HookError::config(file, &errors))
    }

    /// Reads the configs of a project, each of them once. If it is not trusted as it is, what may not be called
    /// refuses.
    fn read_project(
        &self,
        project: &Project,
        policy: &Policy,
        strict: bool,
    ) -> Result<Vec<LoadedFile>, HookError> {
        let read =
            |source| Text::read(source).map_err(|errors| HookError::config(&source.file, &errors));
        let texts: Vec<Text> = project.sources.iter().map(read).collect::<Result<_, _>>()?;
        let why = match self.read_trusted(project, policy, &texts, strict) {
            Ok(trusted) => return Ok(trusted),
            Err(why) => why,
        };
        self.trusted.borrow_mut().is_doubtful |= why != Why::Never;
        texts.iter().map(|text| self.read_untrusted(text, project, &why, strict)).collect()
    }

    /// Reads the configs of a project that is trusted.
    ///
    /// # Errors
    /// Why it is not.
    fn read_trusted(
        &self,
        project: &Project,
        policy: &Policy,
        texts: &[Text],
        strict: bool,
    ) -> Result<Vec<LoadedFile>, Why> {
        self.grants.check_texts(policy, &project.root, texts)?;
        let mut loaded = Vec::new();
        for Text { source, text } in texts {
            let registry = self.registry(self.state.of_project(&source.file));
            // What was trusted was without mistakes.
            let loader = loader(&registry, source.layer, true);
            let read = foreign::read_text(loader, &source.file, text, strict);
            loaded.push(read.map_err(|errors| {
                Why::Broken(HookError::config(&source.file, &errors).to_string())
            })?);
        }
        let parts: Vec<_> = texts.iter().zip(&loaded).collect();
        let content = Content::of(&project.root, &parts);
        self.grants.check(policy, &content)?;
        self.trusted.borrow_mut().files.extend(content.paths);
        let above = self.certify.take();
        *self.certify.borrow_mut() = above.or_else(|| certify_settings(&loaded));
        Ok(loaded)
    }

    fn read_untrusted(
        &self,
        Text { source, text }: &Text,
        project: &Project,
        why: &Why,
        strict: bool,
    ) -> Result<LoadedFile, HookError> {
        let file = &source.file;
        let registry = self.registry(self.state.of_project(file));
        trust::restrict(&registry);
        let loader = loader(&registry, source.layer, strict);
        let read = foreign::read_text(loader, file, text, strict);
        let read = read.map_err(|errors| HookError::config(file, &errors))?;
        let place = (file.as_path(), project.root.as_path());
        read.map_table(|table| trust::refuse_untrusted(table, place, why, &self.skipped)).map_err(
            |errors| HookError::Config { file: file.clone(), problem: line(&errors.to_string()) },
        )
    }

    fn registry(&self, memory: Memory) -> Registry {
        registry_of(memory, None, Arc::clone(&self.files) as Arc<dyn ConfigFiles>)
    }
}

/// Returns the table of a file, and those of what it includes.
fn tables_of(file: &LoadedFile) -> impl Iterator<Item = &HandlerTable> {
    std::iter::once(file.table()).chain(file.included().into_iter().map(|below| below.table))
}

/// Returns the settings of the first of these files that has some.
fn certify_settings(files: &[LoadedFile]) -> Option<CertifySettings> {
    files.iter().flat_map(tables_of).find_map(CertifySettings::of_table)
}

/// A hook with a mistake must not weaken the others, nor must it stop what it is not about, unless that is
/// wanted.
fn loader(registry: &Registry, layer: Layer, strict: bool) -> Loader<'_> {
    let loader = Loader::new(registry).allow_unverified().layer(layer);
    if strict { loader } else { loader.quarantine() }
}

#[cfg(test)]
mod tests;
