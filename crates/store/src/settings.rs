//! The section `[journal]` of a config.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hookgate_contract::ConfigSection;
use hookgate_contract::settings::{Node, NodeValue, SettingEntry, Settings};
use serde_json::{Value, json};

use crate::head_place::HeadPlace;
use crate::runs::RunSettings;

/// The key at the top of the file.
const NAME: &str = "journal";

/// How many records wait for the writer.
const QUEUE: usize = 4096;

/// What of a step is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum EnvelopeMode {
    /// All of it.
    Full,
    /// All of it but what looks like a secret, and what a hook has rewritten: of that, what it became.
    #[default]
    Redacted,
    /// Its SHA-256, and the reasons of hooks without what looks like a secret.
    Hash,
}

impl EnvelopeMode {
    /// The names in a config.
    pub const NAMES: &[&str] = &["full", "redacted", "hash"];

    /// Returns the mode of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "full" => Some(Self::Full),
            "redacted" => Some(Self::Redacted),
            "hash" => Some(Self::Hash),
            _ => None,
        }
    }
}

/// Where decisions are recorded, and how.
///
/// ```
/// use hookgate_store::JournalSettings;
///
/// let settings = JournalSettings::new("/var/lib/agent/journal.db");
/// assert!(!settings.required && settings.queue == 4096);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct JournalSettings {
    /// The file.
    pub file: PathBuf,
    /// What of a step is kept.
    pub envelope: EnvelopeMode,
    /// Whether a step waits until its record is on the disk, and is denied if it does not get there.
    pub required: bool,
    /// How long the bodies of records are kept; `None` is for ever.
    pub keep: Option<Duration>,
    /// How many bytes the file may have before the oldest bodies go; `None` is without a limit.
    pub keep_size: Option<u64>,
    /// Where the head of the chain is written after each group of records.
    pub heads: Vec<HeadPlace>,
    /// The environment variable with the key by which heads are signed.
    pub head_key: Option<String>,
    /// How many records wait for the writer before one is lost.
    pub queue: usize,
    /// Whether a step waits for room in the queue, so that no record is lost there: for runs over many steps, which
    /// come faster than a disk writes.
    pub waits: bool,
}

impl JournalSettings {
    /// Records in this file, with secrets redacted; a record that cannot be written is told and stops nothing.
    #[must_use]
    pub fn new(file: impl Into<PathBuf>) -> Self {
        Self {
            file: file.into(),
            envelope: EnvelopeMode::default(),
            required: false,
            keep: None,
            keep_size: None,
            heads: Vec::new(),
            head_key: None,
            queue: QUEUE,
            waits: false,
        }
    }

    /// Has each step wait for room in the queue.
    #[must_use]
    pub fn waiting(self) -> Self {
        Self { waits: true, ..self }
    }

    /// Returns every file that is written: the journal, what SQLite keeps beside it, those of heads, and those of the
    /// [runs](RunSettings::beside).
    ///
    /// ```
    /// use hookgate_store::JournalSettings;
    ///
    /// let files = JournalSettings::new("/var/lib/agent/journal.db").files();
    /// assert_eq!(files[1].to_str(), Some("/var/lib/agent/journal.db-wal"));
    /// ```
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        let beside = ["", "-wal", "-shm"].map(|end| {
            let mut name = self.file.clone().into_os_string();
            name.push(end);
            PathBuf::from(name)
        });
        let of_heads = self.heads.iter().filter_map(HeadPlace::file).map(Path::to_path_buf);
        let runs = RunSettings::beside(&self.file).files();
        beside.into_iter().chain(of_heads).chain(runs).collect()
    }

    /// Reads the section as a table has it. A path may begin with `~/`; without a file it is `fallback`. If there is
    /// none either, or no home, the file has no name, and cannot be opened: a journal that is asked for is never left
    /// out in silence.
    #[must_use]
    pub fn of_section(section: &Value, home: Option<&Path>, fallback: Option<&Path>) -> Self {
        let entry =
            SettingEntry { key: NAME.to_owned(), key_span: 0..0, node: Node::from_json(section) };
        let table = Node { span: 0..0, value: NodeValue::Table(vec![entry]) };
        let Some(read) = read(&mut Settings::new(&table)) else { return Self::new("") };
        let place = |path: &PathBuf| match (path.strip_prefix("~"), home) {
            (Ok(rest), Some(home)) => home.join(rest),
            (Ok(_), None) => PathBuf::new(),
            (Err(_), _) => path.clone(),
        };
        let file = read.file.as_ref().map(place);
        let file = file.or_else(|| fallback.map(Path::to_path_buf)).unwrap_or_default();
        let heads = read.settings.heads.iter().map(|head| match head {
            HeadPlace::File(file) => HeadPlace::File(place(file)),
            head => head.clone(),
        });
        Self { heads: heads.collect(), file, ..read.settings }
    }
}

/// Returns the section `[journal]`, to be [added](hookgate::Registry::add_section) to a registry.
#[must_use]
pub fn section() -> ConfigSection {
    ConfigSection::new(NAME, |settings, _| read(settings))
        .about("where every decision is recorded: docs/journal.md")
        .schema(schema)
}

/// What a section says.
struct Read {
    file: Option<PathBuf>,
    /// With an empty file.
    settings: JournalSettings,
}

fn read(settings: &mut Settings<'_>) -> Option<Read> {
    let mut table = settings.table(NAME)?;
    let mut read = JournalSettings::new("");
    let file = path(&mut table, "file");
    read.heads = heads(&mut table);
    read.envelope =
        table.choice("envelope", EnvelopeMode::NAMES, EnvelopeMode::from_name).unwrap_or_default();
    read.required = table
        .choice("on_failure", &["deny", "warn"], |name| match name {
            "deny" => Some(true),
            "warn" => Some(false),
            _ => None,
        })
        .unwrap_or_default();
    read.keep = table.duration("keep");
    read.keep_size = table.size("keep_size").and_then(|size| u64::try_from(size).ok());
    read.head_key = table.text("head_key").map(str::to_owned);
    if read.head_key.is_some() && read.heads.is_empty() {
        table.invalid("head_key", "there are no heads to sign: say where they go with `heads`");
    }
    if let Some(queue) = table.count("queue", 1..=1_000_000) {
        read.queue = queue;
    }
    let errors = table.finish();
    let is_right = errors.is_empty();
    settings.absorb(errors);
    is_right.then_some(Read { file, settings: read })
}

/// Reads a path that does not depend on the folder of a process.
fn path(table: &mut Settings<'_>, key: &'static str) -> Option<PathBuf> {
    let path = Path::new(table.text(key)?);
    if !is_fixed(path) {
        table.invalid(key, "it is an absolute path, or begins with `~/`");
        return None;
    }
    Some(path.to_path_buf())
}

fn is_fixed(path: &Path) -> bool {
    path.is_absolute() || path.starts_with("~")
}

/// Reads where heads go.
fn heads(table: &mut Settings<'_>) -> Vec<HeadPlace> {
    const KEY: &str = "heads";
    let names = table.one_or_more(KEY).unwrap_or_default();
    let places: Vec<HeadPlace> = names.into_iter().map(HeadPlace::of_name).collect();
    if !places.iter().filter_map(HeadPlace::file).all(is_fixed) {
        table.invalid(
            KEY,
            "it is an absolute path or begins with `~/`, is \"stderr\", or the URL of a service that takes logs of \
             OpenTelemetry (http://127.0.0.1:4318/v1/logs)",
        );
    }
    places
}

fn schema() -> Value {
    let text = |about: &str| json!({"type": "string", "description": about});
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "file": text("The file: an absolute path, or one that begins with `~/`. Without it, hookgate/journal.db in the state folder of the user."),
            "envelope": {
                "enum": EnvelopeMode::NAMES,
                "default": "redacted",
                "description": "What of a step is kept: all of it, all but what looks like a secret, or its hash.",
            },
            "on_failure": {
                "enum": ["deny", "warn"],
                "default": "warn",
                "description": "`deny`: no step goes on before its record is on the disk. `warn`: a record that is lost is counted and told.",
            },
            "keep": text("How long steps and reasons are kept: `90d`. Their lines in the chain stay."),
            "keep_size": {
                "type": ["integer", "string"],
                "description": "How large the file may be before the oldest steps and reasons go: `1GiB`.",
            },
            "heads": {
                "type": ["string", "array"],
                "items": {"type": "string"},
                "description": "Where the head of the chain is written, since a chain alone does not show a cut at its end: a file, \"stderr\", the URL of a service that takes logs of OpenTelemetry, or several of these.",
            },
            "head_key": text("The environment variable with the key by which heads are signed."),
            "queue": {
                "type": "integer",
                "minimum": 1,
                "default": QUEUE,
                "description": "How many records wait for the writer before one is lost.",
            },
        },
    })
}
