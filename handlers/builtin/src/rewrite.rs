//! `rewrite`: one text in the arguments of a tool is changed.

mod commands;
mod pattern;
mod pointer;
mod words;

use hookgate_contract::settings::Settings;
use hookgate_contract::{
    BuildContext, BuiltHandler, Failure, FailureClass, Invocation, Reply, Role, SyncHandler,
    Verdict, patch_field,
};
use serde_json::Value;

use self::pattern::Pattern;
use self::pointer::Pointer;
use self::words::ProgramWords;
use crate::doc::{Build, BuiltinDoc, SettingDoc, SettingType};
use crate::error::BuiltinError;
use crate::host::Host;
use crate::supports::takes_tool_input;

/// Where the command of a shell tool is.
const COMMAND: &str = "/command";

/// The annotation that holds the number of replacements.
const COUNT: &str = "rewritten";

/// What the builtin is.
pub(crate) const DOC: BuiltinDoc = BuiltinDoc {
    name: "rewrite",
    role: Role::Rewrite,
    about: "replaces text or program words in one argument of a tool",
    supports: Some(takes_tool_input),
    settings: &[
        SettingDoc::optional(
            "from",
            SettingType::OneOrMoreTexts,
            "the words with which a command begins, such as `pip install`",
        ),
        SettingDoc::optional("to", SettingType::Text, "the words that take their place"),
        SettingDoc::optional("regex", SettingType::Regex, "the text to replace"),
        SettingDoc::optional("replace", SettingType::Text, "what takes its place; `$1` is a group"),
        SettingDoc::optional("pointer", SettingType::Pointer, "where the text is in the input")
            .default("\"/command\""),
        SettingDoc::optional("once", SettingType::Flag, "whether only the first place is changed")
            .default("false"),
    ],
    example: r#"[[hook]]
id = "pnpm-here"
event = "pre_tool_use"
tool = "Bash"
builtin = { name = "rewrite", from = "npm", to = "pnpm" }
"#,
    build: Build::WithHost(build),
};

/// Changes one text in the arguments of a tool.
///
/// It is for what the model keeps doing in the wrong way, where a deny would cost a turn: another
/// package manager, an old host name, a flag that is missing. It has two forms:
///
/// * **Words of a command**: `from` and `to`. Only the words with which a command begins are replaced,
///   in each part of the command line (`cd app && npm ci | tee log`), behind assignments, `sudo` and
///   the like, and in `$(…)`. What is only mentioned stays: `git commit -m "use npm"`.
/// * **Text**: `regex` and `replace`. Every match in the text is replaced, wherever it is.
///
/// ```toml
/// [[hook]]
/// id = "pnpm-here"
/// event = "pre_tool_use"
/// tool = "Bash"
/// builtin = { name = "rewrite", from = "npm", to = "pnpm" }
///
/// [[hook]]
/// id = "uv-here"
/// event = "pre_tool_use"
/// tool = "Bash"
/// builtin = { name = "rewrite", from = ["pip", "pip3", "python -m pip"], to = "uv pip" }
///
/// [[hook]]
/// id = "new-host"
/// event = "pre_tool_use"
/// tool = "WebFetch"
/// builtin = { name = "rewrite", pointer = "/url", regex = '^http://(docs\.example)', replace = 'https://$1' }
/// ```
///
/// | setting | type | meaning |
/// |---|---|---|
/// | `from` | string or array of strings | the words with which a command begins, such as `pip install` |
/// | `to` | string | the words that take their place |
/// | `regex` | regular expression | the text to replace |
/// | `replace` | string | what takes its place; `$1` or `${name}` is a group, `$$` a dollar sign |
/// | `pointer` | JSON pointer, `/command` | where the text is in the input |
/// | `once` | bool, `false` | whether only the first place is changed |
///
/// It needs either `from` and `to` or `regex` and `replace`. It answers with a patch of the input in
/// which all other fields are as they were, and the annotation `rewritten` with the number of
/// replacements; where nothing changes it has no opinion. It is refused at events at which the
/// arguments of a tool cannot be changed.
///
/// # When it cannot tell
/// It fails with the class `unclear`, and changes nothing, if there is a value at the pointer that is
/// not a text, and if a word of `from` stands where it may or may not be a program: in text that another
/// program runs (`sh -c "npm ci"`), behind a wrapper with options of its own (`sudo -u me npm ci`), in
/// backticks or in a command line that is not complete.
///
/// ```
/// use hookgate_builtin::Rewrite;
/// use hookgate_contract::StepId;
/// use hookgate_contract::payload::ToolCall;
/// use hookgate_contract::{Envelope, Invocation, StepContext, SyncHandler};
/// use serde_json::json;
///
/// let input = json!({"command": "cd app && npm ci", "timeout": 60});
/// let call = ToolCall::new("Bash", input);
/// let context = StepContext::new("session-1");
/// let id = StepId::new(Some("step-1"), String::new);
/// let envelope = Envelope::new(&call, &context, &id, 1, 64 * 1024);
///
/// let handler = Rewrite::words(&["npm"], "pnpm")?;
/// let verdict = handler.handle(Invocation::new("pnpm-here", &envelope)).unwrap();
/// let patch = &verdict.parts().unwrap().patch;
/// assert_eq!(patch["tool_input"], json!({"command": "cd app && pnpm ci", "timeout": 60}));
/// # Ok::<(), hookgate_builtin::BuiltinError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Rewrite {
    change: Change,
    pointer: Pointer,
    once: bool,
}

#[derive(Debug, Clone)]
enum Change {
    Pattern(Pattern),
    Words(ProgramWords),
}

impl Rewrite {
    /// Creates a handler that replaces what a regular expression matches in the field `command`.
    ///
    /// # Errors
    /// [`BuiltinError::Pattern`] if it is not a regular expression, [`BuiltinError::Group`] if the
    /// replacement names a group that it does not have.
    ///
    /// ```
    /// use hookgate_builtin::{BuiltinError, Rewrite};
    ///
    /// assert!(Rewrite::regex(r"--host=(\w+)", "--host=$1.example").is_ok());
    /// let error = Rewrite::regex(r"--host=(\w+)", "--host=$1_example").unwrap_err();
    /// assert_eq!(error, BuiltinError::Group { group: "1_example".into() });
    /// ```
    pub fn regex(regex: &str, replace: &str) -> Result<Self, BuiltinError> {
        Self::new(Change::Pattern(Pattern::new(regex, replace)?))
    }

    /// Creates a handler that replaces the words with which the commands in the field `command` begin.
    ///
    /// # Errors
    /// [`BuiltinError::Words`] if one of the texts has other signs than those of plain words.
    pub fn words(from: &[&str], to: &str) -> Result<Self, BuiltinError> {
        Self::new(Change::Words(ProgramWords::new(from, to)?))
    }

    fn new(change: Change) -> Result<Self, BuiltinError> {
        Ok(Self { change, pointer: Pointer::new(COMMAND)?, once: false })
    }

    /// Sets where the text is in the input.
    ///
    /// # Errors
    /// [`BuiltinError::Pointer`] if it is not a JSON pointer.
    pub fn pointer(self, pointer: &str) -> Result<Self, BuiltinError> {
        Ok(Self { pointer: Pointer::new(pointer)?, ..self })
    }

    /// Changes only the first place.
    #[must_use]
    pub fn once(self) -> Self {
        Self { once: true, ..self }
    }

    fn change(&self, text: &str) -> Result<Option<(String, u64)>, Failure> {
        match &self.change {
            Change::Pattern(pattern) => Ok(pattern.replace(text, self.once)),
            Change::Words(words) => words.replace(text, self.once).map_err(unclear),
        }
    }
}

impl SyncHandler for Rewrite {
    fn handle(&self, invocation: Invocation<'_>) -> Reply {
        let Some(input) = invocation.tool().map(|call| &call.tool_input) else {
            return Ok(Verdict::none());
        };
        let text = match self.pointer.get(input) {
            None | Some(Value::Null) => return Ok(Verdict::none()),
            Some(Value::String(text)) => text,
            Some(_) => return Err(unclear(format!("`{}` is not a text", self.pointer.as_str()))),
        };
        let Some((changed, count)) = self.change(text)? else { return Ok(Verdict::none()) };
        if changed == *text {
            return Ok(Verdict::none());
        }
        let mut input = input.clone();
        if let Some(value) = self.pointer.get_mut(&mut input) {
            *value = Value::String(changed);
        }
        Ok(Verdict::none().patch(patch_field::TOOL_INPUT, input).annotate(COUNT, count))
    }
}

fn unclear(why: String) -> Failure {
    Failure::new(FailureClass::Unclear, format!("it cannot tell what to rewrite: {why}"))
}

impl From<Rewrite> for BuiltHandler {
    fn from(handler: Rewrite) -> Self {
        Self::from_sync(handler)
            .role(Role::Rewrite)
            .supports(takes_tool_input)
            .heavy()
            .static_answer()
    }
}

/// Builds the handler from the settings of a config.
fn build(settings: &mut Settings<'_>, _: &BuildContext<'_>, host: &Host) -> Option<BuiltHandler> {
    let change = read_change(settings);
    let pointer = settings.text("pointer").unwrap_or(COMMAND);
    let once = settings.flag("once").unwrap_or(false);
    let change = change?;
    let from = settings.one_or_more("from").unwrap_or_default();
    let from: Vec<String> = from.into_iter().map(str::to_owned).collect();
    let pointer = Pointer::new(pointer);
    let pointer = pointer.map_err(|error| settings.invalid("pointer", error.to_string())).ok()?;
    let input = pointer.as_str().to_owned();
    let handler = BuiltHandler::from(Rewrite { change, pointer, once }).reads_input(input);
    let Some(changes) = host.changes.clone() else { return Some(handler) };
    let doubt = move |words: &String| {
        let why = changes.doubt_of_words(words)?;
        Some(format!("`from`: `{words}` may begin no command: {why}"))
    };
    Some(handler.doubts(move || from.iter().filter_map(&doubt).collect()))
}

/// Reads one of the two forms.
fn read_change(settings: &mut Settings<'_>) -> Option<Change> {
    let from = settings.one_or_more("from");
    let to = settings.text("to");
    let regex = settings.text("regex");
    let replace = settings.text("replace");
    let (words, pattern) = (settings.has("from"), settings.has("regex"));
    match (words, pattern) {
        (true, false) => {
            if settings.has("replace") {
                settings.invalid("replace", "it belongs to `regex`; beside `from` write `to`");
                return None;
            }
            let from = from?;
            let Some(to) = to else { return missing(settings, "to") };
            let words = ProgramWords::new(&from, to);
            let blame = if ProgramWords::new(&from, "x").is_err() { "from" } else { "to" };
            words
                .map_err(|error| settings.invalid(blame, error.to_string()))
                .ok()
                .map(Change::Words)
        }
        (false, true) => {
            if settings.has("to") {
                settings.invalid("to", "it belongs to `from`; beside `regex` write `replace`");
                return None;
            }
            let regex = regex?;
            let Some(replace) = replace else { return missing(settings, "replace") };
            match Pattern::new(regex, replace) {
                Ok(pattern) => Some(Change::Pattern(pattern)),
                Err(error) => {
                    let wrong_group = matches!(error, BuiltinError::Group { .. });
                    let blame = if wrong_group { "replace" } else { "regex" };
                    settings.invalid(blame, error.to_string());
                    None
                }
            }
        }
        (true, true) => {
            settings.invalid("regex", "either `regex` and `replace`, or `from` and `to`");
            None
        }
        (false, false) if settings.has("to") => missing(settings, "from"),
        (false, false) => missing(settings, "regex"),
    }
}

/// Notes that a key must be there, unless its value is wrong, which was noted.
fn missing<T>(settings: &mut Settings<'_>, key: &'static str) -> Option<T> {
    if !settings.has(key) {
        settings.missing(key);
    }
    None
}
