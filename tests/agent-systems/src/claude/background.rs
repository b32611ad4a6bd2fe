//! Hooks that nobody waits for: `async` and `asyncRewake`.

use serde_json::{Map, Value};

use super::event::Event;
use super::later::deliver_later;
use super::output::{lenient, specific};
use super::reply;
use super::spill::shorten;
use crate::foreign::{ForeignHook, HookResult, HookStatus, Host, RawRun, RunEnd};

/// Reads the run of a hook that nobody waited for. It decides nothing; its texts reach the model with the
/// next turn, or at once if it wakes the model.
pub(super) fn read(
    hook: &ForeignHook,
    event: &Event,
    run: &RawRun,
    (input, host): (&Map<String, Value>, &Host),
) -> HookResult {
    let Some(code) = run.exit() else { return reply::failure(run) };
    let for_model = |text: &str| {
        let mut text = text.to_owned();
        let _ = shorten(&mut text, input, host);
        Value::from(text)
    };
    let mut result = HookResult::new(HookStatus::Ok);
    let wakes = hook.options.get("asyncRewake") == Some(&Value::Bool(true));
    if wakes && code == 2 {
        let (stdout, stderr) = (run.stdout_text(), run.stderr_text());
        let text = if stderr.trim().is_empty() { stdout } else { stderr };
        result.effect.insert("wakes_model_with".to_owned(), for_model(text.trim()));
    }
    let mut later = Vec::new();
    if let Some(object) = lenient(&run.stdout_text(), event) {
        // No user waits for the message of a hook that nobody waited for: the model reads both.
        let context = specific(&object).and_then(|fields| fields.get("additionalContext"));
        let texts = context.into_iter().chain(object.get("systemMessage"));
        later.extend(texts.filter_map(Value::as_str).map(for_model));
    } else if code == 0 && event.text_is_context && !run.stdout.trim_ascii().is_empty() {
        later.push(for_model(run.stdout_text().trim()));
    } else if code != 0 && result.effect.is_empty() {
        return reply::failure(&RawRun { end: RunEnd::Exited(code), ..run.clone() });
    }
    deliver_later(later, &mut result);
    result
}
