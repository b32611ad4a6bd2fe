//! Hooks that nobody waits for: `async` and `asyncRewake`.

use serde_json::{Map, Value, json};

use super::event::Event;
use super::output::{lenient, specific};
use super::reply;
use crate::foreign::{ForeignHook, HookResult, HookStatus, RawRun, RunEnd};

/// The effect: what the model gets with the next turn.
const LATER: &str = "delivered_later";

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
    let mut later = Map::new();
    if let Some(object) = lenient(&run.stdout_text(), event) {
        let context = specific(&object).and_then(|fields| fields.get("additionalContext"));
        if let Some(text) = context {
            later.insert("context".to_owned(), json!([text]));
        }
        if let Some(text) = object.get("systemMessage") {
            later.insert("system_message".to_owned(), text.clone());
        }
    } else if code == 0 && event.text_is_context && !run.stdout.trim_ascii().is_empty() {
        later.insert("context".to_owned(), json!([run.stdout_text().trim()]));
    } else if code != 0 && result.effect.is_empty() {
        return reply::failure(&RawRun { end: RunEnd::Exited(code), ..run.clone() });
    }
    if !later.is_empty() {
        result.effect.insert(LATER.to_owned(), Value::Object(later));
    }
    result
}
