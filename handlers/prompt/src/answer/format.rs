//! The kinds of answers a judge can be asked for, and the trait behind an embedder's own.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use hookgate_contract::Reply;
use serde_json::{Map, Value};

/// An answer format that an embedder adds: `respond = "its name"`.
///
/// Use one if a decision is not what the model should give, such as a score from which the handler
/// derives the verdict. It is registered with
/// [`JudgeState::with_answer_format`](crate::JudgeState::with_answer_format). The judge itself asks
/// for the nonce, checks it and removes it, so a format sees only its own keys.
///
/// ```
/// use hookgate_contract::{Failure, FailureClass, Reply, Verdict};
/// use hookgate_prompt::AnswerFormat;
/// use serde_json::{Map, Value, json};
///
/// /// Asks for a score and denies what scores more than 5.
/// struct Score;
///
/// impl AnswerFormat for Score {
///     fn properties(&self) -> Map<String, Value> {
///         Map::from_iter([("score".to_owned(), json!({"type": "integer"}))])
///     }
///
///     fn instructions(&self) -> String {
///         "`score`: how much is at stake, from 0 to 9; -1 if you cannot tell.\n".to_owned()
///     }
///
///     fn read(&self, answer: &Map<String, Value>) -> Reply {
///         match (answer.get("score").and_then(Value::as_i64), answer.len()) {
///             (Some(-1), 1) => Err(Failure::new(FailureClass::Unsure, "the model cannot tell")),
///             (Some(0..=5), 1) => Ok(Verdict::none()),
///             (Some(6..=9), 1) => Ok(Verdict::deny("too much is at stake")),
///             _ => Err(Failure::new(FailureClass::Malformed, "the answer has no score")),
///         }
///     }
/// }
///
/// let answer = json!({"score": 9});
/// assert_eq!(Score.read(answer.as_object().unwrap()), Ok(Verdict::deny("too much is at stake")));
/// ```
pub trait AnswerFormat: Send + Sync {
    /// Returns the keys of the answer, each with its JSON Schema. All of them are required. Strict
    /// servers accept only plain types here: no `pattern`, no `minimum`.
    fn properties(&self) -> Map<String, Value>;

    /// Returns what each key means. The text becomes a part of the system message, one line for each
    /// key, each with a line end.
    fn instructions(&self) -> String;

    /// Reads an answer. The keys may be others than those of [`properties`](Self::properties): a
    /// format checks them itself.
    ///
    /// # Errors
    /// A failure of class [`FailureClass::Malformed`](hookgate_contract::FailureClass::Malformed) if
    /// the values make no sense, which leads to one more question with `repair = true`; a failure of
    /// class [`FailureClass::Unsure`](hookgate_contract::FailureClass::Unsure) if the model could not
    /// tell. An ask or a deny that is written anywhere in a malformed answer still counts.
    fn read(&self, answer: &Map<String, Value>) -> Reply;
}

/// What a judge is asked for: the setting `respond`.
#[derive(Clone)]
pub(crate) enum AnswerKind {
    /// `allow`, `deny`, `ask` or `unsure`, with a reason.
    Decision,
    /// A note for the agent.
    Context,
    /// A patch of the step.
    Rewrite,
    /// A format of the embedder, under this name.
    Custom(String, Arc<dyn AnswerFormat>),
}

impl AnswerKind {
    /// The names of the built-in kinds.
    pub(crate) const NAMES: &[&str] = &["decision", "context", "rewrite"];

    /// Tells whether a decision is requested, so that one in a damaged reply has to be kept.
    pub(crate) const fn decides(&self) -> bool {
        matches!(self, Self::Decision | Self::Custom(..))
    }

    /// Returns the name in the settings.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Decision => "decision",
            Self::Context => "context",
            Self::Rewrite => "rewrite",
            Self::Custom(name, _) => name,
        }
    }
}

impl fmt::Debug for AnswerKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The answer formats that the embedder has registered, by name.
#[derive(Default)]
pub(crate) struct AnswerFormats(BTreeMap<String, Arc<dyn AnswerFormat>>);

impl AnswerFormats {
    /// Adds a format; an earlier one of the same name is replaced.
    pub(crate) fn insert(&mut self, name: String, format: Arc<dyn AnswerFormat>) {
        self.0.insert(name, format);
    }

    /// Returns the kind of a name, or `None` if neither this crate nor the embedder knows it.
    pub(crate) fn kind(&self, name: &str) -> Option<AnswerKind> {
        Some(match name {
            "decision" => AnswerKind::Decision,
            "context" => AnswerKind::Context,
            "rewrite" => AnswerKind::Rewrite,
            _ => AnswerKind::Custom(name.to_owned(), Arc::clone(self.0.get(name)?)),
        })
    }
}
