//! Hooks that nobody waits for: `async` and `asyncRewake`.

use serde_json::Value;

use super::event::Event;
use super::later::deliver_later;
use super::output::{lenient, specific};
use super::reply;
use crate::foreign::{ForeignHook, HookResult, HookStatus, RawRun, RunEnd};

/// Reads the run of a hook that nobody waited for. It decides nothing; its texts reach the model with the
/// next turn, or at once if it wakes the model.
pub(super) fn read(hook: &ForeignHook, event: &Event, run: &RawRun) -> HookResult {
    let Some(code) = run.exit() else { return reply::failure(run) };
    let mut result = HookResult::new(HookStatus::Ok);
    let wakes = hook.options.get("asyncRewake") == Some(&Value::Bool(true));
    if wakes && code == 2 {
        let (stdout, stderr) = (run.stdout_text(), run.stderr_text());
        let text = if stderr.trim().is_empty() { stdout } else { stderr };
        result.effect.insert("wakes_model_with".to_owned(), Value::from(text.trim()));
    }
    let mut later = Vec::new();
    if let Some(object) = lenient(&run.stdout_text(), event) {
        // No user waits for the message of a hook that nobody waited for: the model reads both.
        let context = specific(&object).and_then(|fields| fields.get("additionalContext"));
        later.extend(context.into_iter().chain(object.get("systemMessage")).cloned());
    } else if code == 0 && event.text_is_context && !run.stdout.trim_ascii().is_empty() {
        later.push(run.stdout_text().trim().into());
    } else if code != 0 && result.effect.is_empty() {
        return reply::failure(&RawRun { end: RunEnd::Exited(code), ..run.clone() });
    }
    deliver_later(later, &mut result);
    result
}
