//! `redact_secrets`: secrets are taken out of what the model reads and says.

use std::fmt;

use hookgate_contract::payload::{FieldRef, PostToolUse};
use hookgate_contract::settings::Settings;
use hookgate_contract::{
    BuildContext, BuiltHandler, Contract, Invocation, Reply, Role, SyncHandler, TextCuts, Verdict,
    patch_field,
};
use hookgate_secrets::{Finder, Redactor};
use serde_json::Value;

use crate::doc::{Build, BuiltinDoc, SettingDoc, SettingType};
use crate::error::BuiltinError;

/// The fields that are searched. The arguments of a tool are not among them: a call with a redacted
/// argument is another call.
const FIELDS: &[&str] = &[
    patch_field::TOOL_RESPONSE,
    patch_field::ERROR,
    patch_field::PROMPT,
    patch_field::ASSISTANT_TEXT,
    patch_field::RESULT_TEXT,
    patch_field::MESSAGES,
    patch_field::CUSTOM_INSTRUCTIONS,
    patch_field::SUMMARY,
];

/// The annotation that holds the number of replaced values.
const COUNT: &str = "redacted";

/// What the builtin is.
pub(crate) const DOC: BuiltinDoc = BuiltinDoc {
    name: "redact_secrets",
    role: Role::Rewrite,
    about: "replaces secrets by `[redacted:KIND]`",
    supports: Some(supports_text_or_input),
    settings: &[
        SettingDoc::optional(
            "patterns",
            SettingType::Texts,
            "regular expressions of more secrets; the first group is replaced, or all of the match",
        ),
        SettingDoc::optional(
            "keys",
            SettingType::Texts,
            "more names of fields; case does not matter, `-` is the same as `_`",
        ),
        SettingDoc::optional(
            "tool_input",
            SettingType::Flag,
            "whether the arguments of tools are searched too, which changes the call",
        )
        .default("false"),
    ],
    example: r#"[[hook]]
id = "no-secrets"
event = ["post_tool_use", "post_tool_use_failure", "user_prompt_submit"]
builtin = { name = "redact_secrets", patterns = ["ACME-[0-9]{8}"], keys = ["x-pin"] }
"#,
    build: Build::Alone(build),
};

/// Replaces secrets by `[redacted:KIND]` before a model or a user sees them.
///
/// A tool that prints its environment, a config file that a model reads, a key in a prompt: what
/// reaches the model may reach its provider, a log, or the next tool. This handler finds
///
/// * what looks like a secret: every pattern of the
///   [catalogue](hookgate_secrets::SECRET_PATTERNS) of `hookgate-secrets`;
/// * what a name gives away (`password`, `dbPassword`, `X-Api-Key`), in texts and in JSON. Below such
///   a key all strings and numbers are replaced, however deep; so are the value of
///   `{"name": "DB_PASSWORD", "value": …}` and the item after `"--password"`;
/// * keys of objects that are secrets themselves;
/// * what the settings name.
///
/// ```toml
/// [[hook]]
/// id = "no-secrets"
/// event = ["post_tool_use", "post_tool_use_failure", "user_prompt_submit"]
/// builtin = { name = "redact_secrets", patterns = ["ACME-[0-9]{8}"], keys = ["x-pin"] }
/// ```
///
/// | setting | type | meaning |
/// |---|---|---|
/// | `patterns` | array of regular expressions | more secrets; the first group is replaced, or all of the match |
/// | `keys` | array of strings | more names of fields; case does not matter, `-` is the same as `_` |
/// | `tool_input` | bool, `false` | also searches the arguments of tools, which changes the call |
///
/// It answers with a patch of the fields in which it found something, and the annotation `redacted`
/// with their number; without a finding it has no opinion and allocates nothing. It is refused at
/// events without a text that can be rewritten. It never fails, and takes time that is linear in the
/// step: about a step of more than 64 KiB it runs on a blocking thread.
///
/// Of a text that still comes it judges the pieces at once, unless it has `patterns` of its own: it holds back what may
/// still become a secret ([`Finder::last_cut`](hookgate_secrets::Finder::last_cut)).
///
/// # Limits
/// It keeps secrets out of sight that are written in the usual way. It does not stop a program that
/// wants to get one past it: reversed, in pieces or in base64 a secret goes through. Besides the gaps
/// that the catalogue names it does not find: passwords in prose, secrets of an unknown form under a
/// name that says nothing, and what reads like code (`token: CancellationToken`), a placeholder
/// (`$TOKEN`, `<token>`, `YOUR_TOKEN`) or a path. Of a replaced value, true, false and null remain.
///
/// ```
/// use hookgate_builtin::RedactSecrets;
/// use hookgate_contract::StepId;
/// use hookgate_contract::payload::{PostToolUse, ToolCall};
/// use hookgate_contract::{Envelope, Invocation, StepContext, SyncHandler};
/// use serde_json::json;
///
/// let call = ToolCall::new("Bash", json!({"command": "cat .env"}));
/// let result = PostToolUse::new(call, json!({"stdout": "DB_PASS=correct7horse\nPORT=80"}));
/// let context = StepContext::new("session-1");
/// let id = StepId::new(Some("step-1"), String::new);
/// let envelope = Envelope::new(&result, &context, &id, 1, 64 * 1024);
///
/// let handler = RedactSecrets::new();
/// let verdict = handler.handle(Invocation::new("no-secrets", &envelope)).unwrap();
/// let parts = verdict.parts().unwrap();
/// assert_eq!(
///     parts.patch["tool_response"],
///     json!({"stdout": "DB_PASS=[redacted:assignment]\nPORT=80"}),
/// );
/// assert_eq!(parts.annotations["redacted"], 1);
/// ```
pub struct RedactSecrets {
    redactor: Redactor,
    tool_input: bool,
}

impl Default for RedactSecrets {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for RedactSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedactSecrets")
            .field("tool_input", &self.tool_input)
            .finish_non_exhaustive()
    }
}

impl RedactSecrets {
    /// Creates a handler that knows the catalogue.
    #[must_use]
    pub fn new() -> Self {
        Self { redactor: Redactor::new(Finder::catalogue().clone()), tool_input: false }
    }

    /// Creates a handler that also knows these patterns and names of fields.
    ///
    /// # Errors
    /// [`BuiltinError::Pattern`] if a pattern is not a regular expression.
    ///
    /// ```
    /// use hookgate_builtin::RedactSecrets;
    ///
    /// assert!(RedactSecrets::with(&["ACME-[0-9]+"], &["x-pin"]).is_ok());
    /// assert!(RedactSecrets::with(&["ACME-("], &[]).is_err());
    /// ```
    pub fn with(patterns: &[&str], keys: &[&str]) -> Result<Self, BuiltinError> {
        let finder = Finder::new(patterns, keys)
            .map_err(|error| BuiltinError::Pattern(error.to_string()))?;
        Ok(Self { redactor: Redactor::new(finder), tool_input: false })
    }

    /// Sets whether the arguments of tools are searched too. The call is then another one.
    #[must_use]
    pub fn tool_input(mut self, tool_input: bool) -> Self {
        self.tool_input = tool_input;
        self
    }

    fn searches(&self, name: &str) -> bool {
        FIELDS.contains(&name) || (self.tool_input && name == patch_field::TOOL_INPUT)
    }

    /// Returns the field without its secrets, or `None` if it has none.
    fn redact_field(&self, field: &FieldRef<'_>) -> Option<(Value, u64)> {
        match field {
            FieldRef::Text(text) => {
                self.redactor.redact_text(text).map(|(text, count)| (Value::String(text), count))
            }
            FieldRef::Json(value) => self.redactor.redact_value(value),
            FieldRef::Owned(value) => self.redactor.redact_value(value),
        }
    }

    /// Counts the secrets in the content blocks of a result. A patch cannot set the blocks, but a
    /// patch of the result drops them, even if the result itself is clean.
    fn secrets_in_blocks(&self, invocation: &Invocation<'_>, name: &str) -> u64 {
        if name != patch_field::TOOL_RESPONSE {
            return 0;
        }
        let payload = invocation.payload().as_any().downcast_ref::<PostToolUse>();
        let blocks = payload.and_then(|result| result.content_blocks.as_ref());
        blocks.and_then(|blocks| self.redactor.redact_value(blocks)).map_or(0, |(_, count)| count)
    }
}

impl SyncHandler for RedactSecrets {
    fn handle(&self, invocation: Invocation<'_>) -> Reply {
        let mut verdict = Verdict::none();
        let mut total = 0_u64;
        for name in invocation.contract().patch.iter().map(|field| field.name) {
            let Some(field) = invocation.payload().field(name).filter(|_| self.searches(name))
            else {
                continue;
            };
            let in_blocks = self.secrets_in_blocks(&invocation, name);
            let redacted = self.redact_field(&field);
            let unchanged = || (in_blocks > 0).then(|| (field.to_value(), 0));
            let Some((value, count)) = redacted.or_else(unchanged) else { continue };
            total = total.saturating_add(count).saturating_add(in_blocks);
            verdict = verdict.patch(name, value);
        }
        if total == 0 {
            return Ok(Verdict::none());
        }
        Ok(verdict.annotate(COUNT, total))
    }
}

impl From<RedactSecrets> for BuiltHandler {
    fn from(handler: RedactSecrets) -> Self {
        let supports = match handler.tool_input {
            true => supports_text_or_input,
            false => supports_text,
        };
        // Patterns of the settings may reach over any place.
        let cuts = (!handler.redactor.finder().has_own_patterns())
            .then(|| Cuts(handler.redactor.finder().clone()));
        let built = Self::from_sync(handler).role(Role::Rewrite).heavy().supports(supports);
        match cuts {
            Some(cuts) => built.judges_pieces(cuts),
            None => built,
        }
    }
}

/// Where a text can be cut, so that no secret of the catalogue is.
struct Cuts(Finder);

impl TextCuts for Cuts {
    fn last_cut(&self, text: &str, most: usize) -> usize {
        self.0.last_cut(text, most)
    }
}

/// Builds the handler from the settings of a config.
fn build(settings: &mut Settings<'_>, _: &BuildContext<'_>) -> Option<BuiltHandler> {
    let patterns = settings.list("patterns").unwrap_or_default();
    let keys = settings.list("keys").unwrap_or_default();
    let tool_input = settings.flag("tool_input").unwrap_or(false);
    let handler = RedactSecrets::with(&patterns, &keys)
        .map_err(|error| settings.invalid("patterns", error.to_string()))
        .ok()?;
    Some(handler.tool_input(tool_input).into())
}

fn supports_text(contract: &Contract) -> Result<(), &'static str> {
    if contract.patch.iter().any(|field| FIELDS.contains(&field.name)) {
        Ok(())
    } else if contract.patch_field(patch_field::TOOL_INPUT).is_some() {
        Err("a tool's arguments are redacted only with `tool_input = true`, \
             and the call is then another one")
    } else {
        Err("no text can be rewritten here")
    }
}

fn supports_text_or_input(contract: &Contract) -> Result<(), &'static str> {
    if contract.patch_field(patch_field::TOOL_INPUT).is_some() {
        Ok(())
    } else {
        supports_text(contract)
    }
}
