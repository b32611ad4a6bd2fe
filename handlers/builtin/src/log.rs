//! `log`: every step as a line of JSON in a file.

mod file;

use std::fmt;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use hookgate_contract::settings::Settings;
use hookgate_contract::system;
use hookgate_contract::{
    BuildContext, BuiltHandler, Failure, FailureClass, Invocation, Reply, Role, SyncHandler,
    Verdict,
};
use hookgate_secrets::{Finder, Redactor};
use jiff::Timestamp;

use self::file::LogFile;
use crate::doc::{Build, BuiltinDoc, SettingDoc, SettingType};

const MAX_BYTES: usize = 10 * 1024 * 1024;
const KEEP: usize = 3;
const MOST_KEPT: usize = 1000;

/// What the builtin is.
pub(crate) const DOC: BuiltinDoc = BuiltinDoc {
    name: "log",
    role: Role::Observe,
    about: "writes each step as a line of JSON to a file",
    supports: None,
    settings: &[
        SettingDoc::required("file", SettingType::Path, "the file; its folder must be there"),
        SettingDoc::optional(
            "max_bytes",
            SettingType::Size,
            "from which size on the file is put aside and a new one begun",
        )
        .default("\"10MiB\""),
        SettingDoc::optional(
            "keep",
            SettingType::Integer(0, 1000),
            "how many files are kept that were put aside: `FILE.1` is the latest",
        )
        .default("3"),
        SettingDoc::optional("redact", SettingType::Flag, "whether secrets are taken out")
            .default("true"),
    ],
    example: r#"[[hook]]
id = "every-step"
event = "post_tool_use"
builtin = { name = "log", file = "steps.jsonl" }
"#,
    build: Build::Alone(build),
};

/// Writes every step that its hook matches as a line of JSON to a file: the time, the envelope of the
/// step, and the decision.
///
/// ```toml
/// [[hook]]
/// id = "every-step"
/// event = ["pre_tool_use", "post_tool_use", "user_prompt_submit"]
/// builtin = { name = "log", file = "steps.jsonl", max_bytes = "50MiB", keep = 5 }
/// ```
///
/// | setting | type | meaning |
/// |---|---|---|
/// | `file` | path, required | the file, from the folder of the config; its folder must be there |
/// | `max_bytes` | size, `10MiB` | from which size on the file is put aside and a new one begun |
/// | `keep` | integer, `3` | how many files are kept that were put aside: `FILE.1` is the latest |
/// | `redact` | bool, `true` | whether secrets are taken out, as [`RedactSecrets`](crate::RedactSecrets) does |
///
/// The file is only ever appended to, a line at a time, so several hooks and processes can write to
/// one file. A new file can be read by its owner only. A file that was moved or deleted meanwhile is
/// made anew. Lines are not forced to the disk: after a loss of power the last ones may be missing.
///
/// It supports every event and observes only. If the file cannot be written the hook fails with the
/// class `unreachable`, and the failure of an observer changes no decision. It makes the envelope, and
/// about a step of more than 64 KiB it runs on a blocking thread.
///
/// ```
/// use hookgate_builtin::LogFileWriter;
/// use hookgate_contract::StepId;
/// use hookgate_contract::payload::ToolCall;
/// use hookgate_contract::{Envelope, Invocation, StepContext, SyncHandler};
///
/// let folder = std::env::temp_dir().join(format!("hookgate-log-{}", std::process::id()));
/// std::fs::create_dir_all(&folder)?;
/// let call = ToolCall::new("Bash", serde_json::json!({"command": "ls"}));
/// let context = StepContext::new("session-1");
/// let id = StepId::new(Some("step-1"), String::new);
/// let envelope = Envelope::new(&call, &context, &id, 1, 64 * 1024);
///
/// let log = LogFileWriter::new(folder.join("steps.jsonl"));
/// log.handle(Invocation::new("every-step", &envelope)).unwrap();
/// let line = std::fs::read_to_string(folder.join("steps.jsonl"))?;
/// assert!(line.starts_with("{\"time\":\"2") && line.ends_with("}\n"));
/// std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct LogFileWriter {
    file: Mutex<LogFile>,
    redactor: Option<Redactor>,
}

impl fmt::Debug for LogFileWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogFileWriter")
            .field("file", &self.file)
            .field("redact", &self.redactor.is_some())
            .finish()
    }
}

impl LogFileWriter {
    /// Creates a handler that appends to this file and takes secrets out. Nothing is opened yet.
    #[must_use]
    pub fn new(file: impl Into<PathBuf>) -> Self {
        Self {
            file: Mutex::new(LogFile::new(file.into(), MAX_BYTES, KEEP)),
            redactor: Some(Redactor::new(Finder::catalogue().clone())),
        }
    }

    /// Sets from which size on the file is put aside, and how many of those are kept.
    #[must_use]
    pub fn rotate(self, max_bytes: usize, keep: usize) -> Self {
        let file = self.file.into_inner().unwrap_or_else(PoisonError::into_inner);
        Self { file: Mutex::new(LogFile::new(file.into_path(), max_bytes, keep)), ..self }
    }

    /// Writes steps with their secrets.
    #[must_use]
    pub fn with_secrets(self) -> Self {
        Self { redactor: None, ..self }
    }

    fn line(&self, invocation: Invocation<'_>) -> Result<String, Failure> {
        let envelope = invocation.json()?;
        let redacted = self.redactor.as_ref().and_then(|redactor| redactor.redact_value(envelope));
        let step = match &redacted {
            Some((value, _)) => value.to_string(),
            None => envelope.to_string(),
        };
        // The time comes first, as people read it, and no field of a step can take its place.
        let step = step.strip_prefix('{').unwrap_or(&step);
        let now = system::now().and_then(|now| Timestamp::try_from(now).ok()).unwrap_or_default();
        Ok(format!("{{\"time\":\"{now}\",{step}\n"))
    }
}

impl SyncHandler for LogFileWriter {
    fn handle(&self, invocation: Invocation<'_>) -> Reply {
        let line = self.line(invocation)?;
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.append(line.as_bytes()).map_err(|error| {
            let problem = format!("the log `{}` cannot be written: {error}", file.path().display());
            Failure::new(FailureClass::Unreachable, problem)
        })?;
        Ok(Verdict::none())
    }
}

impl From<LogFileWriter> for BuiltHandler {
    fn from(handler: LogFileWriter) -> Self {
        Self::from_sync(handler).role(Role::Observe).heavy().external()
    }
}

/// Builds the handler from the settings of a config.
fn build(settings: &mut Settings<'_>, context: &BuildContext<'_>) -> Option<BuiltHandler> {
    let max_bytes = settings.size("max_bytes").unwrap_or(MAX_BYTES);
    let keep = settings.count("keep", 0..=MOST_KEPT).unwrap_or(KEEP);
    let redact = settings.flag("redact").unwrap_or(true);
    let file = context.base.join(settings.required_text("file")?);
    if file.is_dir() || file.file_name().is_none() {
        settings.invalid("file", "it is a folder; name a file in it");
        return None;
    }
    if !file.parent().is_some_and(std::path::Path::is_dir) {
        settings.invalid("file", "its folder is not there; make it first");
        return None;
    }
    let log = LogFileWriter::new(file).rotate(max_bytes.max(1), keep);
    Some(if redact { log } else { log.with_secrets() }.into())
}
