//! The event `WorktreeCreate`: the hook itself makes the work tree and says where it is.

use serde_json::Value;

use super::event::Event;
use super::output::{self, Output, specific};
use super::reply;
use crate::foreign::{Audience, ForeignVerdict, HookResult, HookStatus, RawRun, RunEnd};

const PATH: &str = "worktree_path";

/// Reads the path that a hook says. Without one there is no work tree: here every failure counts.
pub(super) fn read(event: &Event, run: &RawRun) -> HookResult {
    match path(event, run) {
        Ok(path) => {
            let mut result = HookResult::new(HookStatus::Ok);
            result.effect.insert(PATH.to_owned(), Value::from(path));
            result
        }
        Err(failed) => {
            let mut result = HookResult::new(failed);
            result.verdict = ForeignVerdict::Deny;
            result.reason = match &result.status {
                HookStatus::Error(why) | HookStatus::Timeout(why) => Some(why.clone()),
                _ => None,
            };
            result.reason_to = Some(Audience::User);
            result.effect.insert(PATH.to_owned(), Value::Null);
            result
        }
    }
}

fn path(event: &Event, run: &RawRun) -> Result<String, HookStatus> {
    let text = run.stdout_text();
    let named = match (&run.end, output::read(&text, event)) {
        (RunEnd::Answered(200..=299) | RunEnd::Called(false), Output::Json(object)) => {
            let path = specific(&object).and_then(|fields| fields.get("worktreePath"));
            path.and_then(Value::as_str).map(str::to_owned)
        }
        (RunEnd::Exited(0) | RunEnd::InputNotRead(0) | RunEnd::Called(false), _) => {
            let text = without_ansi(&text);
            let last = text.lines().map(str::trim).rfind(|line| !line.is_empty());
            last.map(str::to_owned)
        }
        (RunEnd::Answered(200..=299), _) => None,
        _ => return Err(reply::failure(run).status),
    };
    let named = named.filter(|path| !path.is_empty());
    named.ok_or_else(|| HookStatus::Error("the hook names no path for the work tree".to_owned()))
}

/// Leaves out the sequences that colour a terminal, and all others.
fn without_ansi(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut signs = text.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '\u{1b}' if signs.next_if_eq(&'[').is_some() => {
                // Up to and with the letter that ends it.
                let _ = signs.by_ref().find(|sign| ('@'..='~').contains(sign));
            }
            '\u{1b}' if signs.next_if_eq(&']').is_some() => {
                let _ = signs.by_ref().find(|sign| *sign == '\u{7}' || *sign == '\\');
            }
            '\u{1b}' => {
                let _ = signs.next();
            }
            sign => plain.push(sign),
        }
    }
    plain
}
