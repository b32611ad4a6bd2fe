//! What the failures of a hook count as.

use hookgate::FailureClass;
use hookgate::table::Listed;
use serde_json::{Map, Value};

/// Returns the classes in which a hook can fail; most hooks cannot be unclear, and are never skipped.
pub(crate) fn possible(hook: &Listed<'_>) -> Vec<FailureClass> {
    let can = |class: &FailureClass| match *class {
        FailureClass::Unclear => hook.can_be_unclear(),
        FailureClass::Skipped => hook.can_be_skipped(),
        _ => true,
    };
    FailureClass::ALL.into_iter().filter(can).collect()
}

/// Returns what each of them counts as.
pub(crate) fn postures_json(hook: &Listed<'_>) -> Map<String, Value> {
    let named = |class: FailureClass| (class.name().to_owned(), hook.posture(class).name().into());
    possible(hook).into_iter().map(named).collect()
}

/// Returns all that they count as, without the classes: `deny`, or `deny, ask`.
pub(crate) fn postures_short(hook: &Listed<'_>) -> String {
    let mut all: Vec<&str> = Vec::new();
    for class in possible(hook) {
        let name = hook.posture(class).name();
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all.join(", ")
}
