//! What a judge is asked for, and what becomes of its answer.
//!
//! By default an allow is no opinion. A judge is usually one guard among several, and that it sees
//! nothing wrong must not approve a step which another hook would ask about. `speak_allow` is for judges
//! that are meant to approve, and takes effect only where the hook has `may_allow`.

use hookgate_contract::settings::Settings;

use crate::answer::format::{AnswerFormats, AnswerKind};

/// The settings `respond`, `speak_allow`, `reason` and `keep_answer`.
#[derive(Debug, Clone)]
pub(crate) struct Respond {
    pub(crate) kind: AnswerKind,
    /// Whether an allow of the model is an allow of the hook. Otherwise the hook has no opinion.
    pub(crate) speak_allow: bool,
    /// The text in place of the model's reason for a deny or an ask.
    pub(crate) reason: Option<String>,
    /// Whether the text of the model goes into the note of the vote.
    pub(crate) keep_answer: bool,
}

impl Respond {
    /// Reads the settings; returns `None` if `respond` names an unknown kind of answer.
    pub(crate) fn read(settings: &mut Settings<'_>, formats: &AnswerFormats) -> Option<Self> {
        let keep_answer = settings.flag("keep_answer").unwrap_or(false);
        let kind = read_kind(settings, formats);
        let speak_allow = settings.flag("speak_allow").unwrap_or(false);
        let reason = settings.text("reason").map(str::to_owned);
        Some(Self { kind: kind?, speak_allow, reason, keep_answer })
    }
}

fn read_kind(settings: &mut Settings<'_>, formats: &AnswerFormats) -> Option<AnswerKind> {
    let Some(name) = settings.text("respond") else { return Some(AnswerKind::Decision) };
    let kind = formats.kind(name);
    if kind.is_none() {
        let known = AnswerKind::NAMES.join(", ");
        settings.invalid("respond", format!("`{name}` is not one of {known}"));
    }
    kind
}
