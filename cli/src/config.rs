//! The configs that a verb works with.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::eval::Meter;
use hookgate::config::{ConfigError, ConfigErrors, Loaded, LoadedFile, Loader, join};
use hookgate::contract::settings::Node;
use hookgate::table::Layer;
use hookgate::{HandlerTable, Registry};
use miette::Severity;
use serde_json::{Value, json};

use crate::abort::Abort;
use crate::foreign;
use crate::kinds::note_files;
pub(crate) use crate::kinds::{registry, registry_at};
use crate::sources::{Search, Source};
use crate::terminal::phrase::count;
use crate::terminal::{diagnostics, stderr};

/// What is said if there is no config at all.
pub(crate) const NOT_FOUND: &str = "no config was found";

/// Which configs a verb works with.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct ConfigArgs {
    /// The hooks: a hooks.toml, or the hook config of another agent, such as .claude/settings.json. It may be
    /// given several times. Without it: HOOKGATE_CONFIG, or else the configs of the user and of the project
    #[arg(id = "config", short = 'c', long = "config", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// A config with a mistake is refused as a whole, as `check` and `test` always do; and a failed hook of another
    /// agent's config refuses the step, as one of a hooks.toml does
    #[arg(long)]
    pub(crate) strict: bool,
}

impl ConfigArgs {
    /// Finds the configs.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn find(&self) -> Result<Configs, Abort> {
        let search = self.search();
        let sources = search.sources().into_iter().map(|source| search.near(source)).collect();
        let configs = Configs { sources, strict: self.strict };
        if configs.sources.is_empty() { Err(not_found(&search)) } else { Ok(configs) }
    }

    /// Finds them again. A config that was there and is not there any more is still one of them: its guards
    /// are not lost because its file is. A drop-in, and what one person has for a project, may go.
    pub(crate) fn find_again(&self, earlier: &Configs) -> Configs {
        let mut configs = self.find().unwrap_or_else(|_| earlier.clone());
        for source in &earlier.sources {
            let may_go = source.is_drop_in || source.layer == Layer::Local;
            if !may_go && !source.file.exists() && !configs.sources.contains(source) {
                configs.sources.push(source.clone());
            }
        }
        configs
    }

    /// Returns where the configs are looked for.
    pub(crate) fn search(&self) -> Search {
        Search::new(&self.files, &std::env::current_dir().unwrap_or_default())
    }

    /// Loads the table, and prints the mistakes and the warnings.
    pub(crate) fn load(&self, registry: &Registry) -> Result<HandlerTable, Abort> {
        self.find()?.load_and_warn(registry)
    }

    /// Loads the table, and prints the mistakes only.
    pub(crate) fn load_quietly(&self, registry: &Registry) -> Result<HandlerTable, Abort> {
        self.find()?.load_quietly(registry)
    }

    /// Loads the table as `hookgate hook` does: hooks with mistakes are set aside, unless it is to be strict.
    /// Prints the mistakes and the warnings.
    ///
    /// # Errors
    /// There is no config, or one cannot be used even without the hooks that have mistakes.
    pub(crate) fn load_in_part(&self, registry: &Registry) -> Result<(Configs, Loaded), Abort> {
        let configs = self.find()?;
        self.search().passed_over().iter().for_each(|found| stderr::warning(&found.to_string()));
        let loaded = configs.load_in_part(registry)?;
        Ok((configs, loaded))
    }
}

/// The error of a verb that has found no config.
fn not_found(search: &Search) -> Abort {
    let passed_over = search.passed_over();
    let near = passed_over.first().map(|found| format!("; {found}")).unwrap_or_default();
    Abort::invalid_config(NOT_FOUND).help(format!(
        "`hookgate init` writes a hooks.toml to start from; looked for {}{near}",
        search.phrase()
    ))
}

/// Configs that were found.
#[derive(Debug, Clone, Default)]
pub(crate) struct Configs {
    sources: Vec<Source>,
    strict: bool,
}

impl Configs {
    /// A config that is in force alone.
    pub(crate) fn alone(file: &Path) -> Self {
        Self { sources: vec![Source::new(Layer::CommandLine, file.to_owned())], strict: false }
    }

    /// Configs that were found elsewhere.
    pub(crate) const fn of(sources: Vec<Source>) -> Self {
        Self { sources, strict: false }
    }

    /// Returns those of one layer: the command line, the project, or else the first that is there. What comes
    /// out with them does not depend on the machine.
    pub(crate) fn of_one_layer(mut self) -> Self {
        let has = |layer: &Layer| self.sources.iter().any(|source| source.layer == *layer);
        let layers = [Layer::CommandLine, Layer::Project, Layer::Local, Layer::User];
        let layer = layers.into_iter().find(has).unwrap_or(Layer::Managed);
        self.sources.retain(|source| source.layer == layer);
        self
    }

    /// Returns the files and their layers.
    pub(crate) fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// Returns the files.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        self.sources.iter().map(|source| source.file.as_path())
    }

    /// Returns what messages call them.
    pub(crate) fn name(&self) -> Named {
        match self.sources.as_slice() {
            [one] => Named { text: one.file.display().to_string(), several: false },
            several => Named { text: count(several.len(), "file"), several: true },
        }
    }

    /// Loads the joined table, and notes its files, which can be in force now. Kinds and events that only an
    /// embedder registers are warnings.
    ///
    /// # Errors
    /// All mistakes of all files.
    pub(crate) fn load(&self, registry: &Registry) -> Result<Loaded, ConfigErrors> {
        self.load_with(Loader::new(registry))
    }

    /// Loads it again; hooks that have not changed keep their handlers.
    ///
    /// # Errors
    /// As [`Configs::load`].
    pub(crate) fn reload(
        &self,
        registry: &Registry,
        earlier: &HandlerTable,
    ) -> Result<Loaded, ConfigErrors> {
        self.load_with(Loader::new(registry).keeping(earlier))
    }

    /// Loads the table, and prints the mistakes and the warnings.
    pub(crate) fn load_and_warn(&self, registry: &Registry) -> Result<HandlerTable, Abort> {
        let Loaded { table, warnings, .. } = self.load_or_print(registry)?;
        diagnostics::print(&warnings, Severity::Warning);
        Ok(table)
    }

    /// Loads the table, and prints the mistakes only.
    pub(crate) fn load_quietly(&self, registry: &Registry) -> Result<HandlerTable, Abort> {
        self.load_or_print(registry).map(|loaded| loaded.table)
    }

    fn load_in_part(&self, registry: &Registry) -> Result<Loaded, Abort> {
        let loaded = self.print_parts(self.join_all(self.in_part(registry)))?;
        note_files(&self.all_files(&loaded), &loaded.table);
        Ok(loaded)
    }

    /// Loads the table as [`ConfigArgs::load_in_part`] does, and prints nothing.
    ///
    /// # Errors
    /// One of them cannot be used even without the hooks that have mistakes.
    pub(crate) fn look_in_part(&self, registry: &Registry) -> Result<Loaded, ConfigErrors> {
        self.join_all(self.in_part(registry))
    }

    /// Loads the table as [`ConfigArgs::load_in_part`] does, of configs that are not in force: their files are not
    /// noted.
    ///
    /// # Errors
    /// One of them cannot be used even without the hooks that have mistakes.
    pub(crate) fn load_aside(&self, registry: &Registry) -> Result<HandlerTable, Abort> {
        Ok(self.print_parts(self.join_all(self.in_part(registry)))?.table)
    }

    /// Returns a loader that sets hooks with mistakes aside, unless it is to be strict.
    const fn in_part<'r>(&self, registry: &'r Registry) -> Loader<'r> {
        let loader = Loader::new(registry);
        if self.strict { loader } else { loader.quarantine() }
    }

    fn print_parts(&self, loaded: Result<Loaded, ConfigErrors>) -> Result<Loaded, Abort> {
        let loaded = self.or_print(loaded)?;
        diagnostics::print(&loaded.set_aside, Severity::Error);
        diagnostics::print(&loaded.warnings, Severity::Warning);
        if !loaded.set_aside.is_empty() {
            stderr::warning(&set_aside(&loaded.set_aside));
        }
        Ok(loaded)
    }

    fn load_or_print(&self, registry: &Registry) -> Result<Loaded, Abort> {
        self.or_print(self.load(registry))
    }

    fn or_print(&self, loaded: Result<Loaded, ConfigErrors>) -> Result<Loaded, Abort> {
        loaded.map_err(|errors| {
            diagnostics::print(errors.errors(), Severity::Error);
            self.invalid(&errors)
        })
    }

    fn load_with(&self, loader: Loader<'_>) -> Result<Loaded, ConfigErrors> {
        let loaded = self.join_all(loader)?;
        note_files(&self.all_files(&loaded), &loaded.table);
        Ok(loaded)
    }

    fn join_all(&self, loader: Loader<'_>) -> Result<Loaded, ConfigErrors> {
        let loader = loader.allow_unverified();
        let mut wrong: Option<ConfigErrors> = None;
        let mut read = Vec::new();
        for source in &self.sources {
            match self.read_with(loader, source) {
                Ok(file) => read.push(file),
                Err(errors) => {
                    wrong = Some(match wrong {
                        Some(wrong) => wrong.and(errors),
                        None => errors,
                    });
                }
            }
        }
        if let Some(wrong) = wrong {
            return Err(wrong);
        }
        join(read)
    }

    /// Reads one file with other values in place of its own, alone.
    ///
    /// # Errors
    /// As [`Configs::read`].
    pub(crate) fn read_changed(
        &self,
        registry: &Registry,
        layer: Layer,
        (file, text): (&Path, &str),
        values: &Node,
    ) -> Result<LoadedFile, ConfigErrors> {
        let loader = Loader::new(registry).allow_unverified().layer(layer);
        foreign::read_text(loader.with_values(file, values), file, text, self.strict)
    }

    /// Loads the joined table with these values in place of those of one file. The files in force stay those
    /// that were noted before.
    ///
    /// # Errors
    /// As [`Configs::load`].
    pub(crate) fn load_changed(
        &self,
        registry: &Registry,
        file: &Path,
        values: &Node,
    ) -> Result<HandlerTable, ConfigErrors> {
        let loader = Loader::new(registry).allow_unverified().with_values(file, values);
        let read = self.sources.iter().map(|source| self.read_with(loader, source));
        Ok(join(read.collect::<Result<_, _>>()?)?.table)
    }

    /// Reads one of them, which is to be joined with others.
    ///
    /// # Errors
    /// All mistakes of the file, and of those that it includes.
    pub(crate) fn read(
        &self,
        registry: &Registry,
        source: &Source,
    ) -> Result<LoadedFile, ConfigErrors> {
        self.read_with(Loader::new(registry).allow_unverified(), source)
    }

    fn read_with(&self, loader: Loader<'_>, source: &Source) -> Result<LoadedFile, ConfigErrors> {
        foreign::read_text(loader.layer(source.layer), &source.file, &source.read()?, self.strict)
    }

    /// Returns the files, and those that they include.
    pub(crate) fn all_files(&self, loaded: &Loaded) -> Vec<PathBuf> {
        self.files().map(Path::to_path_buf).chain(loaded.included.iter().cloned()).collect()
    }

    /// Returns the error of a verb that has printed these mistakes.
    pub(crate) fn invalid(&self, errors: &ConfigErrors) -> Abort {
        let its = self.name().verb("its", "their");
        let has = self.has(errors);
        Abort::invalid_config(format!("{has}: none of {its} hooks is in force"))
    }

    /// Says how many mistakes there are.
    pub(crate) fn has(&self, errors: &ConfigErrors) -> String {
        let errors = count(errors.errors().len(), "error");
        format!("{} {errors}", self.name().of("has", "have"))
    }
}

/// What messages call configs: one by its path, several by their number.
#[derive(Debug, Clone, Default)]
pub(crate) struct Named {
    text: String,
    several: bool,
}

impl Named {
    /// Returns the name, and what is said of one file or of several.
    pub(crate) fn of(&self, one: &'static str, several: &'static str) -> String {
        format!("{self} {}", self.verb(one, several))
    }

    /// Returns the word that suits one file, or several.
    pub(crate) const fn verb(&self, one: &'static str, several: &'static str) -> &'static str {
        if self.several { several } else { one }
    }

    /// Returns the name without the signs around a path.
    pub(crate) fn plain(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.several { f.write_str(&self.text) } else { write!(f, "`{}`", self.text) }
    }
}

/// Returns the same registry with judges that report what they take.
pub(crate) fn metered_registry(meter: &Meter) -> Result<Registry, Abort> {
    let registry = registry();
    registry
        .register(hookgate::prompt::KIND, meter.judge_factory())
        .map_err(|error| Abort::failure(error.to_string()))?;
    Ok(registry)
}

/// Says that hooks are set aside.
pub(crate) fn set_aside(mistakes: &[ConfigError]) -> String {
    let mistakes = count(mistakes.len(), "mistake");
    format!(
        "{mistakes}: what the hooks concerned are about gets their posture (deny unless they say otherwise) until \
         that is mended; the other hooks are in force (--strict refuses the config)"
    )
}

/// Returns a mistake as an entry of a JSON report.
pub(crate) fn mistake_json(error: &ConfigError) -> Value {
    json!({
        "file": error.file(),
        "line": error.line(),
        "column": error.column(),
        "message": error.message(),
        "help": error.help(),
    })
}
