//! Texts of a model, made fit to be shown: without secrets, on one line, short, and without
//! quotations.
//!
//! The agent reads the reason of a deny, and the agent wrote the step. A reason that quotes the rule
//! tells the agent how to get around it; one that quotes the data lets the agent speak through the
//! judge to the reader of the reason.
//!
//! A reason is dropped rather than shortened if it quotes: what is left of a quotation is one, too. The
//! decision is not touched, and a fixed text takes the place of the reason.

use std::fmt::Write as _;

use hookgate_secrets::Secrets;

/// How many characters in a row make a quotation.
const QUOTATION: usize = 32;

/// How many characters a reason may have.
const MAX_REASON: usize = 300;

/// How many characters of an answer are kept.
const MAX_ANSWER: usize = 2000;

/// How many bytes of a text are searched for secrets. That is far more than is shown, so that no
/// secret is cut before it is found.
const SEARCHED: usize = 16 * 1024;

/// Returns an answer as it may stand in a record: at most 2000 characters.
pub(crate) fn presentable_answer(answer: &str, secrets: &Secrets) -> String {
    let mut text = without_secrets(answer, MAX_ANSWER, secrets);
    if text.chars().count() >= MAX_ANSWER {
        let _ = write!(text, "… ({} bytes in all)", answer.len());
    }
    text
}

/// Returns a reason as it may be shown: at most 300 characters. Returns `None` if the reason is empty
/// or has 32 characters in a row with one of the `private` texts in common.
pub(crate) fn presentable_reason(
    reason: &str,
    private: &[&str],
    secrets: &Secrets,
) -> Option<String> {
    let reason = without_secrets(reason, MAX_REASON, secrets);
    let reason = reason.trim();
    if reason.is_empty() {
        return None;
    }
    let ends: Vec<usize> = reason.char_indices().map(|(at, _)| at).chain([reason.len()]).collect();
    let quotes = ends.windows(QUOTATION + 1).any(|window| {
        let (Some(from), Some(to)) = (window.first(), window.last()) else { return false };
        let piece = reason.get(*from..*to).unwrap_or_default();
        private.iter().any(|text| text.contains(piece))
    });
    (!quotes).then(|| reason.to_owned())
}

/// Hides secrets, then replaces what is invisible or would break the line, then cuts. The order
/// matters: the rest of a secret that was cut in two would not be recognised.
fn without_secrets(text: &str, max_chars: usize, secrets: &Secrets) -> String {
    let end = text.char_indices().map(|(at, _)| at).find(|at| *at >= SEARCHED);
    let hidden = secrets.hide(text.get(..end.unwrap_or(text.len())).unwrap_or_default());
    let unfit = |c: char| c.is_control() || hookgate_contract::quote::is_invisible(c);
    hidden.chars().take(max_chars).map(|c| if unfit(c) { ' ' } else { c }).collect()
}
