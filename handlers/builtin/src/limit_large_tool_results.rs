//! `limit_large_tool_results`: a result that is too long loses its middle.

mod full_text;
mod shorten;

use std::fmt;
use std::path::PathBuf;

use hookgate_contract::payload::FieldRef;
use hookgate_contract::settings::Settings;
use hookgate_contract::{
    BuildContext, BuiltHandler, Contract, Failure, FailureClass, Invocation, Reply, Role,
    SyncHandler, Verdict, patch_field,
};

use self::full_text::FullTexts;
use self::shorten::{shorten_text, shorten_value};
use crate::doc::{Build, BuiltinDoc, SettingDoc, SettingType};
use crate::host::Host;

const MAX_BYTES: usize = 50 * 1024;
const KEEP: usize = 100;
const MOST_KEPT: usize = 10_000;

/// Below this the notes would be longer than what they stand for.
const LEAST: usize = 256;

/// The fields that are shortened.
const FIELDS: &[&str] = &[patch_field::TOOL_RESPONSE, patch_field::ERROR];

/// The annotation that holds how many bytes were left out.
const LEFT_OUT: &str = "left_out_bytes";

/// What the builtin is.
pub(crate) const DOC: BuiltinDoc = BuiltinDoc {
    name: "limit_large_tool_results",
    role: Role::Rewrite,
    about: "cuts the middle out of tool results that are too long",
    supports: Some(has_result),
    settings: &[
        SettingDoc::optional(
            "max_bytes",
            SettingType::Size,
            "how long the texts of a result may be",
        )
        .default("\"50KiB\""),
        SettingDoc::optional(
            "folder",
            SettingType::Path,
            "where the whole result is written, so that the model can read it",
        ),
        SettingDoc::optional(
            "keep",
            SettingType::Integer(1, 10_000),
            "how many results are kept in the folder",
        )
        .default("100"),
    ],
    example: r#"[[hook]]
id = "short-results"
event = ["post_tool_use", "post_tool_use_failure"]
builtin = { name = "limit_large_tool_results", max_bytes = "20KiB" }
"#,
    build: Build::WithHost(build),
};

/// Cuts the middle out of the texts of a tool's result, so that all of them together have at most a
/// number of bytes. The beginning and the end stay: there are the headings and the errors.
///
/// In place of what is left out stands a note with its length, and, if a folder is set, the path of a
/// file with the whole result. A result that is not a text keeps its form: of `{"stdout": …, "stderr":
/// …}` the long texts are shortened and the short ones stay. Should numbers and keys alone be too
/// long, the result becomes a text.
///
/// ```toml
/// [[hook]]
/// id = "short-results"
/// event = ["post_tool_use", "post_tool_use_failure"]
/// priority = 900
/// builtin = { name = "limit_large_tool_results", max_bytes = "20KiB", folder = "results" }
/// ```
///
/// | setting | type | meaning |
/// |---|---|---|
/// | `max_bytes` | size, `50KiB` | how long the texts of a result may be; 256 or more |
/// | `folder` | path | where the whole result is written, so that the model can read it |
/// | `keep` | integer, `100` | how many results are kept in the folder |
///
/// It answers with a patch and the annotation `left_out_bytes`; about a result that is short enough it
/// has no opinion and allocates nothing. It is refused at events without the result of a tool. Put it
/// behind `redact_secrets`, so that no secret gets into the folder. Files are made for their owner only;
/// if one cannot be written the hook fails with the class `unreachable`. About a step of more than
/// 64 KiB it runs on a blocking thread.
///
/// ```
/// use hookgate_builtin::LimitLargeToolResults;
/// use hookgate_contract::payload::{PostToolUse, ToolCall};
/// use hookgate_contract::{Envelope, Invocation, StepContext, StepId, SyncHandler};
/// use serde_json::json;
///
/// let call = ToolCall::new("Bash", json!({"command": "make"}));
/// let result = PostToolUse::new(call, json!({"stdout": "line\n".repeat(1000), "code": 2}));
/// let context = StepContext::new("session-1");
/// let id = StepId::new(Some("step-1"), String::new);
/// let envelope = Envelope::new(&result, &context, &id, 1, 1 << 20);
///
/// let handler = LimitLargeToolResults::new(500);
/// let verdict = handler.handle(Invocation::new("short-results", &envelope)).unwrap();
/// let short = &verdict.parts().unwrap().patch["tool_response"];
/// assert!(short["stdout"].as_str().unwrap().contains("bytes are left out"));
/// assert_eq!(short["code"], 2);
/// ```
pub struct LimitLargeToolResults {
    max_bytes: usize,
    full_texts: Option<FullTexts>,
}

impl fmt::Debug for LimitLargeToolResults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LimitLargeToolResults")
            .field("max_bytes", &self.max_bytes)
            .field("full_texts", &self.full_texts)
            .finish()
    }
}

impl LimitLargeToolResults {
    /// Creates a handler that lets the texts of a result have this many bytes; 256 is the least.
    #[must_use]
    pub fn new(max_bytes: usize) -> Self {
        Self { max_bytes: max_bytes.max(LEAST), full_texts: None }
    }

    /// Writes each whole result to a file in this folder, and keeps the latest of them.
    #[must_use]
    pub fn folder(self, folder: impl Into<PathBuf>, keep: usize) -> Self {
        Self { full_texts: Some(FullTexts::new(folder.into(), keep)), ..self }
    }

    /// Returns where the whole of a field can be read, as a part of a sentence.
    fn keep(&self, field: &FieldRef<'_>) -> Result<String, Failure> {
        let Some(full_texts) = &self.full_texts else { return Ok(String::new()) };
        let path = match field {
            FieldRef::Text(text) => full_texts.write(text.as_bytes()),
            FieldRef::Json(serde_json::Value::String(text)) => full_texts.write(text.as_bytes()),
            other => full_texts.write(format!("{:#}", other.to_value()).as_bytes()),
        };
        let path = path.map_err(|error| {
            let problem = format!("the whole result cannot be written: {error}");
            Failure::new(FailureClass::Unreachable, problem)
        })?;
        Ok(format!("; all of it is in {}", path.display()))
    }
}

impl SyncHandler for LimitLargeToolResults {
    fn handle(&self, invocation: Invocation<'_>) -> Reply {
        let mut verdict = Verdict::none();
        let mut left_out = 0;
        for name in FIELDS {
            let Some(field) = invocation.payload().field(name) else { continue };
            let is_short = match &field {
                FieldRef::Text(text) => text.len() <= self.max_bytes,
                FieldRef::Json(value) => shorten::is_short(value, self.max_bytes),
                FieldRef::Owned(_) => true,
            };
            if is_short {
                continue;
            }
            let place = self.keep(&field)?;
            let (short, bytes) = match &field {
                FieldRef::Text(text) => {
                    let (short, bytes) = shorten_text(text, self.max_bytes, &place);
                    (short.into(), bytes)
                }
                other => shorten_value(other.to_value(), self.max_bytes, &place),
            };
            left_out += bytes;
            verdict = verdict.patch(*name, short);
        }
        Ok(if left_out > 0 { verdict.annotate(LEFT_OUT, left_out) } else { verdict })
    }
}

impl From<LimitLargeToolResults> for BuiltHandler {
    fn from(handler: LimitLargeToolResults) -> Self {
        let writes = handler.full_texts.is_some();
        let built = Self::from_sync(handler).role(Role::Rewrite).heavy().supports(has_result);
        if writes { built.external() } else { built }
    }
}

fn has_result(contract: &Contract) -> Result<(), &'static str> {
    if FIELDS.iter().any(|name| contract.patch_field(name).is_some()) {
        Ok(())
    } else {
        Err("there is no result of a tool here")
    }
}

/// Builds the handler from the settings of a config.
fn build(
    settings: &mut Settings<'_>,
    context: &BuildContext<'_>,
    host: &Host,
) -> Option<BuiltHandler> {
    let max_bytes = settings.size("max_bytes").unwrap_or(MAX_BYTES);
    let folder = settings.text("folder");
    let keep = settings.count("keep", 1..=MOST_KEPT);
    if max_bytes < LEAST {
        settings.invalid("max_bytes", format!("it must be {LEAST} or more, which the notes need"));
        return None;
    }
    if folder.is_none() && keep.is_some() {
        settings.invalid("keep", "nothing is kept without `folder`");
        return None;
    }
    let handler = LimitLargeToolResults::new(max_bytes);
    Some(match folder.filter(|_| !host.dry_run) {
        Some(folder) => handler.folder(context.base.join(folder), keep.unwrap_or(KEEP)).into(),
        None => handler.into(),
    })
}
