//! The reasons of many hooks as one text that a person reads.
//!
//! Many hooks often fail for the same cause: one word of a command that is not known makes every hook
//! unclear that asks about commands. The cause stands once then, with the first few of the hooks behind it;
//! the votes of the report have all of them.
//!
//! What a single hook says in its own words is never cut: its author may give a model pages to read. What is
//! joined of several, and what the engine says itself, stays within [`LONGEST`].

use std::fmt::Display;

use hookgate_contract::{FailureClass, VerdictDecision};

use super::ballots::{Left, Uncounted};
use crate::hook_id::HookId;

/// The most characters of a reason that is joined of several, or that the engine says itself.
pub(crate) const LONGEST: usize = 400;

/// How many hooks are named.
const NAMED: usize = 3;

/// The fewest characters of a cause that are worth a place.
const SHORTEST: usize = 60;

/// One reason, and the hooks that gave it.
#[derive(Debug)]
pub(super) struct Shared {
    /// The class of the failure, if it is no verdict.
    pub(super) failed: Option<FailureClass>,
    /// The words of the hook, or what is known of the failure and may be shown.
    pub(super) cause: Option<String>,
    /// The places of the hooks among those that decided.
    pub(super) hooks: Vec<usize>,
}

/// Adds the reason of one more hook to those before it.
pub(super) fn add(
    all: &mut Vec<Shared>,
    hook: usize,
    failed: Option<FailureClass>,
    cause: Option<String>,
) {
    if failed.is_none() && cause.is_none() {
        return;
    }
    match all.iter_mut().find(|shared| shared.failed == failed && shared.cause == cause) {
        Some(shared) => shared.hooks.push(hook),
        None => all.push(Shared { failed, cause, hooks: vec![hook] }),
    }
}

/// Joins reasons: first what hooks have said, then what became of those that failed.
pub(super) fn joined(all: &[Shared], by: &[HookId], decision: VerdictDecision) -> Option<String> {
    let (said, failed): (Vec<&Shared>, Vec<&Shared>) =
        all.iter().partition(|shared| shared.failed.is_none());
    let count = said.len() + failed.len();
    if let ([only], []) = (said.as_slice(), failed.as_slice()) {
        return only.cause.clone();
    }
    let mut whole = String::new();
    for (at, shared) in said.into_iter().chain(failed).enumerate() {
        let left = count - at - 1;
        let rest = rest_of(left);
        let start = if at == 0 { 0 } else { 2 };
        let used = whole.chars().count() + start;
        let room = LONGEST.saturating_sub(used + rest.chars().count());
        let text = match shared.failed {
            None => cut(shared.cause.as_deref().unwrap_or_default(), room),
            Some(class) => {
                let names: Vec<&HookId> =
                    shared.hooks.iter().filter_map(|hook| by.get(*hook)).collect();
                failure(shared.cause.as_deref(), class, &names, decision, room)
            }
        };
        // What does not fit is counted; the first always has its place.
        if at > 0 && (room < SHORTEST || text.chars().count() > room) {
            whole.push_str(&rest_of(left + 1));
            return Some(whole);
        }
        if at > 0 {
            whole.push_str("; ");
        }
        whole.push_str(&text);
    }
    (!whole.is_empty()).then_some(whole)
}

fn rest_of(reasons: usize) -> String {
    match reasons {
        0 => String::new(),
        1 => "; 1 more reason is in the votes of the record".to_owned(),
        many => format!("; {many} more reasons are in the votes of the record"),
    }
}

/// Says what hooks that failed count as. It begins with the cause, if that may be shown: for an unclear hook
/// nothing is broken, and whoever proposed the step can propose a clearer one.
pub(crate) fn failure<N: Display>(
    cause: Option<&str>,
    class: FailureClass,
    hooks: &[N],
    decision: VerdictDecision,
    room: usize,
) -> String {
    let is_unclear = class == FailureClass::Unclear;
    let what = match (hooks, is_unclear) {
        ([hook], true) => format!("the hook `{hook}` is unclear, which counts as {decision}"),
        ([hook], false) => {
            format!("the hook `{hook}` failed ({class}), which counts as {decision}")
        }
        (many, true) => {
            format!("{} hooks are unclear, which counts as {decision}: {}", many.len(), named(many))
        }
        (many, false) => format!(
            "{} hooks failed ({class}), which counts as {decision}: {}",
            many.len(),
            named(many)
        ),
    };
    match cause {
        Some(cause) => {
            let room = room.saturating_sub(what.chars().count() + "; so ".len()).max(SHORTEST);
            format!("{}; so {what}", cut(cause, room))
        }
        None => what,
    }
}

/// Says that hooks failed whose failure does not count.
pub(super) fn uncounted<N: Display>(
    Uncounted { class, warns, left }: Uncounted,
    hooks: &[N],
) -> String {
    match (warns, hooks) {
        (None, [hook]) if left == Left::Gap => {
            format!("the hook `{hook}` failed ({class}), and it is required")
        }
        (None, many) if left == Left::Gap => {
            format!("{} hooks failed ({class}) that are required: {}", many.len(), named(many))
        }
        (None, [hook]) if left == Left::Fallback => {
            format!("the hook `{hook}` failed ({class}), and its fallback stands in")
        }
        (None, many) if left == Left::Fallback => format!(
            "{} hooks failed ({class}), and their fallbacks stand in: {}",
            many.len(),
            named(many)
        ),
        (None, [hook]) => format!("the hook `{hook}` failed ({class}) and was not enforced"),
        (None, many) => {
            format!("{} hooks failed ({class}) and were not enforced: {}", many.len(), named(many))
        }
        (Some(would), [hook]) => {
            let would = would.map(|decision| format!(", it would {decision}")).unwrap_or_default();
            format!("warning: the hook `{hook}` failed ({class}){would}")
        }
        (Some(would), many) => {
            let would = would.map(|decision| format!(", they would {decision}"));
            let (count, would) = (many.len(), would.unwrap_or_default());
            format!("warning: {count} hooks failed ({class}){would}: {}", named(many))
        }
    }
}

/// Adds the cause of a failure, if it may be shown, to what is told of it.
pub(crate) fn with_cause(text: String, cause: Option<&str>) -> String {
    match cause {
        Some(cause) => {
            let room = LONGEST.saturating_sub(text.chars().count() + ": ".len()).max(SHORTEST);
            format!("{text}: {}", cut(cause, room))
        }
        None => text,
    }
}

/// Names the first few of many hooks.
fn named<N: Display>(hooks: &[N]) -> String {
    // One that would be left alone has its place, too.
    let shown = if hooks.len() == NAMED + 1 { hooks.len() } else { NAMED.min(hooks.len()) };
    let names: Vec<String> = hooks.iter().take(shown).map(|hook| format!("`{hook}`")).collect();
    match hooks.len() - shown {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

/// Cuts a text after a word, so that it has at most so many characters, and says so.
pub(crate) fn cut(text: &str, most: usize) -> String {
    const MARK: &str = " … (cut)";
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let room = most.saturating_sub(MARK.chars().count());
    let end = text.char_indices().nth(room).map_or(text.len(), |(at, _)| at);
    let start = text.get(..end).unwrap_or_default();
    // A text without a blank is cut where it is.
    let words = start.rfind(char::is_whitespace).filter(|at| *at > end / 2);
    let kept = words.and_then(|at| start.get(..at)).unwrap_or(start);
    format!("{}{MARK}", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ids(count: usize) -> Vec<HookId> {
        (0..count).map(|at| HookId::from(format!("hook-{at}").as_str())).collect()
    }

    fn joined_of(reasons: &[(Option<FailureClass>, &str)]) -> String {
        let mut all = Vec::new();
        for (hook, (failed, cause)) in reasons.iter().enumerate() {
            add(&mut all, hook, *failed, Some((*cause).to_owned()));
        }
        joined(&all, &ids(reasons.len()), VerdictDecision::Ask).unwrap_or_default()
    }

    #[test]
    fn a_cause_stands_once_with_the_hooks_behind_it() {
        let unclear = (Some(FailureClass::Unclear), "`$CMD` is not known before it runs");
        assert_eq!(
            joined_of(&[unclear; 32]),
            "`$CMD` is not known before it runs; so 32 hooks are unclear, which counts as ask: `hook-0`, \
             `hook-1`, `hook-2` and 29 more"
        );
        assert_eq!(
            joined_of(&[unclear; 4]),
            "`$CMD` is not known before it runs; so 4 hooks are unclear, which counts as ask: `hook-0`, \
             `hook-1`, `hook-2`, `hook-3`"
        );
    }

    #[test]
    fn what_hooks_say_comes_first_and_once() {
        let unclear = (Some(FailureClass::Unclear), "a glob");
        assert_eq!(
            joined_of(&[unclear, (None, "no force"), (None, "no force"), (None, "no push")]),
            "no force; no push; a glob; so the hook `hook-0` is unclear, which counts as ask"
        );
    }

    #[test]
    fn the_words_of_one_hook_stay_whole() {
        let long = "word ".repeat(300);
        assert_eq!(joined_of(&[(None, &long)]), long);
        assert_eq!(joined_of(&[(None, &long), (None, &long)]), long);
    }

    #[test]
    fn a_text_is_cut_after_a_word() {
        assert_eq!(cut("one two three", 13), "one two three");
        assert_eq!(cut("one two three four five", 18), "one two … (cut)");
        assert_eq!(cut(&"x".repeat(30), 18), format!("{} … (cut)", "x".repeat(10)));
    }

    fn reason() -> impl Strategy<Value = (Option<FailureClass>, String)> {
        let failed = prop_oneof![
            Just(None),
            Just(Some(FailureClass::Unclear)),
            Just(Some(FailureClass::Exit)),
        ];
        let text = prop_oneof!["[a-cé ]{0,40}", "[a-cé ]{300,900}", Just("the same".to_owned())];
        (failed, text)
    }

    proptest! {
        /// Whatever hooks say: a text that is joined is no longer than one screen, and none of the reasons is
        /// lost without a word.
        #[test]
        fn what_is_joined_is_short(reasons in proptest::collection::vec(reason(), 2..40)) {
            let reasons: Vec<(Option<FailureClass>, &str)> =
                reasons.iter().map(|(failed, text)| (*failed, text.as_str())).collect();
            let mut all = Vec::new();
            for (hook, (failed, cause)) in reasons.iter().enumerate() {
                add(&mut all, hook, *failed, Some((*cause).to_owned()));
            }
            let text = joined(&all, &ids(reasons.len()), VerdictDecision::Deny).unwrap_or_default();
            let is_alone = all.len() == 1 && all[0].failed.is_none();
            prop_assert!(is_alone || text.chars().count() <= LONGEST, "{}: {text}", text.chars().count());
            let told: usize = text
                .rsplit_once("; ")
                .and_then(|(_, rest)| rest.split_once(" more reason")?.0.parse().ok())
                .unwrap_or(0);
            let failures = text.matches(" counts as deny").count();
            let shown_failures = all.iter().filter(|one| one.failed.is_some()).count();
            prop_assert!(failures + told >= shown_failures, "{text}");
        }
    }
}
