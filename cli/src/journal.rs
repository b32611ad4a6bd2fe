//! Where decisions are recorded, and the journal that is read.

mod filter;
pub(crate) mod otlp;
mod otlp_sender;

use std::path::{Path, PathBuf};
use std::time::Duration;

use hookgate::{Engine, HandlerTable};
use hookgate_store::{ConfigText, Journal, JournalSettings, Reader, StoreError};
use serde_json::Value;

use crate::abort::Abort;
use crate::config::Configs;
use crate::kinds;
use crate::sources::{Search, Source};
use crate::state_folder::state_folder;
pub(crate) use filter::FilterArgs;
use otlp_sender::OtlpSender;

/// The section of a config.
pub(crate) const SECTION: &str = "journal";

/// The journal of the user, in the folder of what programs keep.
const FILE: &str = "hookgate/journal.db";

/// How long the end of a process waits for the last records.
const FLUSH: Duration = Duration::from_secs(10);

/// Which journal a verb reads.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct JournalArgs {
    /// The journal. Without it: the `[journal]` of the machine or of the user, or else hookgate/journal.db in the folder
    /// of what programs keep (XDG_STATE_HOME)
    #[arg(id = "journal", long = "journal", value_name = "FILE")]
    file: Option<PathBuf>,
}

impl JournalArgs {
    /// Returns the file that the command line names.
    pub(crate) fn named(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Returns the file.
    pub(crate) fn file(&self) -> Result<PathBuf, Abort> {
        let of_user = || of_user().map(|settings| settings.file).filter(|file| file.is_absolute());
        self.file.clone().or_else(of_user).or_else(default_file).ok_or_else(|| {
            Abort::failure("there is no journal: neither HOME nor XDG_STATE_HOME is set")
                .help("name the file with --journal")
        })
    }

    /// Opens it.
    ///
    /// # Errors
    /// It is not there, or cannot be read.
    pub(crate) fn open(&self) -> Result<Reader, Abort> {
        open_to_read(&self.file()?)
    }
}

/// Opens a journal that is read.
///
/// # Errors
/// It is not there, or cannot be read.
pub(crate) fn open_to_read(file: &Path) -> Result<Reader, Abort> {
    Reader::open(file).map_err(|error| match error {
        StoreError::File { error, .. } if error.kind() == std::io::ErrorKind::NotFound => {
            Abort::failure(format!("there is no journal `{}`", file.display())).help(
                "`[journal]` in a hooks.toml has decisions recorded, and `hookgate run --journal FILE` does; \
                 docs/journal.md says how",
            )
        }
        error => failure(&error),
    })
}

/// Returns the error of a verb for one of a journal.
pub(crate) fn failure(error: &StoreError) -> Abort {
    Abort::failure(error.to_string())
}

/// Returns the settings in force of the first of these configs that has some.
pub(crate) fn settings<'t>(
    tables: impl IntoIterator<Item = &'t HandlerTable>,
) -> Option<JournalSettings> {
    Some(of_section(tables.into_iter().find_map(|table| table.section(SECTION))?))
}

fn of_section(section: &Value) -> JournalSettings {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    JournalSettings::of_section(section, home.as_deref(), default_file().as_deref())
}

fn default_file() -> Option<PathBuf> {
    state_folder().map(|folder| folder.join(FILE))
}

/// Returns what the machine and the user have set, without what is of a project.
fn of_user() -> Option<JournalSettings> {
    let folder = std::env::current_dir().unwrap_or_default();
    let sources = Search::new(&[], &folder).sources();
    let own: Vec<Source> = sources.into_iter().filter(|source| !source.is_of_project()).collect();
    let table = Configs::of(own).load(&kinds::registry()).ok()?.table;
    settings([&table])
}

/// Opens a journal that is written.
///
/// # Errors
/// The file cannot be used.
pub(crate) fn open(settings: JournalSettings) -> Result<Journal, Abort> {
    open_to_write(settings).map_err(|error| failure(&error))
}

/// Opens a journal that is written, whose heads go wherever the settings say.
///
/// # Errors
/// The file or a place of heads cannot be used.
pub(crate) fn open_to_write(settings: JournalSettings) -> Result<Journal, StoreError> {
    match OtlpSender::of(&settings)? {
        None => Journal::open(settings),
        Some(sender) => Journal::open_sending(settings, sender),
    }
}

/// Returns the files of configs as they are now; one that cannot be read any more is left out.
pub(crate) fn texts<'f>(files: impl IntoIterator<Item = &'f Path>) -> Vec<ConfigText> {
    let read = |file: &Path| {
        let text = std::fs::read_to_string(file).ok()?;
        Some(ConfigText::new(file.display().to_string(), text))
    };
    files.into_iter().filter_map(read).collect()
}

/// Has an engine recorded from now on, whose table is made of these files.
pub(crate) fn recorded(engine: Engine, journal: &Journal, texts: Vec<ConfigText>) -> Engine {
    note_table(&engine, journal, texts);
    engine.with_recorder(journal.clone())
}

/// Tells a journal of which files the table in force is made.
pub(crate) fn note_table(engine: &Engine, journal: &Journal, texts: Vec<ConfigText>) {
    journal.note_config(engine.table(), texts);
}

/// Waits until everything is written.
///
/// # Errors
/// It is not, or some of it was lost.
pub(crate) fn finish(journal: &Journal) -> Result<(), Abort> {
    journal.flush(FLUSH).map_err(|error| failure(&error))
}
