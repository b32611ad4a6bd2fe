//! What a judge is shown of a step: the settings `show`, `show_limit`, `on_cut` and `images`.
//!
//! The limit is compared with the JSON of the excerpt, before any of it is escaped for the prompt. It
//! is a limit of bytes and not of tokens, because the tokens of a model are not known here.

use hookgate_contract::BuildContext;
use hookgate_contract::settings::Settings;

use super::envelope_fields::pointer_problem;

/// How many bytes of a step are shown by default.
const SHOW_LIMIT: usize = 32 * 1024;

/// The choices of `on_cut`.
const ON_CUT: &[&str] = &["fail", "judge"];

/// What becomes of pictures and other bytes in a step, which no model can read as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Images {
    /// The judge does not decide.
    Fail,
    /// The judge decides on the rest.
    LeaveOut,
}

impl Images {
    /// The choices of `images`.
    const NAMES: &[&str] = &["fail", "leave_out"];

    fn named(name: &str) -> Option<Self> {
        match name {
            "fail" => Some(Self::Fail),
            "leave_out" => Some(Self::LeaveOut),
            _ => None,
        }
    }
}

/// The part of a step that a judge sees.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Show {
    /// `None` shows what a deny at the event would stop or withhold.
    pub(crate) pointers: Option<Vec<Pointer>>,
    /// In bytes.
    pub(crate) limit: usize,
    /// Whether a longer step is judged by its beginning and its end; otherwise it is not judged.
    pub(crate) judge_cut: bool,
    pub(crate) images: Images,
}

impl Show {
    /// Reads the four settings. Pointers are checked against the envelopes of the hook's events.
    pub(crate) fn read(settings: &mut Settings<'_>, context: &BuildContext<'_>) -> Self {
        let pointers = read_pointers(settings, context);
        let judge_cut = settings.choice("on_cut", ON_CUT, |name| match name {
            "fail" => Some(false),
            "judge" => Some(true),
            _ => None,
        });
        let limit = settings.size("show_limit").unwrap_or(SHOW_LIMIT);
        let images = settings.choice("images", Images::NAMES, Images::named);
        let images = images.unwrap_or(Images::Fail);
        Self { pointers, limit, judge_cut: judge_cut.unwrap_or(false), images }
    }

    /// Tells whether a step of this size would be shown in part only.
    pub(crate) const fn cuts(&self, bytes: usize) -> bool {
        bytes > self.limit
    }
}

/// A JSON pointer of `show`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pointer {
    pub(crate) path: String,
    /// Whether a step may lack what the pointer leads to: `"/path?"`.
    pub(crate) optional: bool,
}

impl Pointer {
    /// Reads a pointer; returns `None` if the text is not one.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (path, optional) = split_optional(text);
        path.starts_with('/').then(|| Self { path: path.to_owned(), optional })
    }
}

/// Splits the mark of an optional pointer from its path.
pub(crate) fn split_optional(text: &str) -> (&str, bool) {
    text.strip_suffix('?').map_or((text, false), |path| (path, true))
}

/// Reads `show`. The first pointer that is wrong is reported; the others wait for the next load.
fn read_pointers(settings: &mut Settings<'_>, context: &BuildContext<'_>) -> Option<Vec<Pointer>> {
    let show = settings.list("show")?;
    if show.is_empty() {
        settings.invalid("show", "shows nothing");
    }
    let mut pointers = Vec::new();
    let mut problem = None;
    for text in show {
        match Pointer::parse(text) {
            None => {
                let wrong = format!("`{text}` is not a JSON pointer such as \"/tool_name\"");
                problem = problem.or(Some(wrong));
            }
            Some(pointer) => {
                let Pointer { path, optional } = &pointer;
                problem = problem.or_else(|| pointer_problem(path, *optional, context.events));
                pointers.push(pointer);
            }
        }
    }
    if let Some(problem) = problem {
        settings.invalid("show", problem);
    }
    Some(pointers)
}
