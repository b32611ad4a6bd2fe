//! What a server says of an interceptor.

use hookgate_contract::{Failure, FailureClass, quote};
use serde_json::Value;

use super::operation::Phase;

/// What an interceptor does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    /// It says whether a payload is valid.
    Validation,
    /// It replaces the payload.
    Mutation,
}

/// What a server says of an interceptor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Descriptor {
    pub(super) kind: Type,
    /// Whether the server wants its answers to be noted only.
    pub(super) is_audit: bool,
    /// For which events in which phase it is there; `None` for both phases.
    hooks: Vec<(Vec<String>, Option<Phase>)>,
}

impl Descriptor {
    /// Finds the descriptor of a name.
    ///
    /// # Errors
    /// Of class `malformed` if there is none, or it is not one.
    pub(super) fn find(list: &[Value], name: &str) -> Result<Self, Failure> {
        let names = list.iter().filter_map(|found| found.get("name")?.as_str());
        let Some(found) = list.iter().find(|found| found.get("name").is_some_and(|n| n == name))
        else {
            let names = quote::message(&names.collect::<Vec<_>>().join(", "));
            return Err(malformed(format!(
                "the server has no interceptor `{name}`: it has {names}"
            )));
        };
        let kind = match found.get("type").and_then(Value::as_str) {
            Some("validation") => Type::Validation,
            Some("mutation") => Type::Mutation,
            _ => {
                return Err(malformed(format!(
                    "the interceptor `{name}` is neither of the type `validation` nor `mutation`"
                )));
            }
        };
        // Servers have the one or the other form.
        let hooks = match (found.get("hooks"), found.get("hook")) {
            (Some(Value::Array(hooks)), _) => hooks.iter().map(read_hook).collect(),
            (_, Some(hook)) => vec![read_hook(hook)],
            _ => Vec::new(),
        };
        let is_audit = found.get("mode").is_some_and(|mode| mode == "audit");
        Ok(Self { kind, is_audit, hooks })
    }

    /// Returns whether it is there for an event in a phase.
    pub(super) fn handles(&self, event: &str, phase: Phase) -> bool {
        self.hooks.iter().any(|(events, of)| {
            of.is_none_or(|of| of == phase)
                && events.iter().any(|pattern| matches(pattern, event, phase))
        })
    }

    /// Returns the events for which it is there, for messages.
    pub(super) fn hooks(&self) -> String {
        let hooks: Vec<String> = self
            .hooks
            .iter()
            .map(|(events, phase)| match phase {
                Some(phase) => format!("{} ({phase})", events.join(", ")),
                None => events.join(", "),
            })
            .collect();
        quote::message(&hooks.join("; "))
    }
}

fn read_hook(hook: &Value) -> (Vec<String>, Option<Phase>) {
    let events = hook.get("events").and_then(Value::as_array).into_iter().flatten();
    let events = events.filter_map(|event| Some(event.as_str()?.to_owned())).collect();
    let phase = match hook.get("phase").and_then(Value::as_str) {
        Some("request") => Some(Phase::Request),
        Some("response") => Some(Phase::Response),
        _ => None,
    };
    (events, phase)
}

/// Returns whether an event is meant: by its name, by `*`, by `*/request`, or by `tools/*`.
fn matches(pattern: &str, event: &str, phase: Phase) -> bool {
    match pattern {
        "*" => true,
        "*/request" => phase == Phase::Request,
        "*/response" => phase == Phase::Response,
        _ => match pattern.strip_suffix("/*") {
            Some(namespace) => event.split('/').next() == Some(namespace),
            None => pattern == event,
        },
    }
}

fn malformed(detail: String) -> Failure {
    Failure::new(FailureClass::Malformed, detail)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn hooked(hooks: Value) -> Descriptor {
        let (key, hooks) = if hooks.is_array() { ("hooks", hooks) } else { ("hook", hooks) };
        let mut found = json!({"name": "a", "type": "validation"});
        found[key] = hooks;
        Descriptor::find(&[found], "a").unwrap()
    }

    #[test]
    fn both_forms_of_hooks_are_read() {
        let both = json!({"events": ["tools/call"], "phase": "both"});
        let each = json!([{"events": ["tools/call"], "phase": "request"},
            {"events": ["tools/call"], "phase": "response"}]);
        for hooks in [both, each] {
            let descriptor = hooked(hooks);
            assert!(descriptor.handles("tools/call", Phase::Request));
            assert!(descriptor.handles("tools/call", Phase::Response));
            assert!(!descriptor.handles("prompts/get", Phase::Request));
        }
    }

    #[test]
    fn wildcards_respect_the_phase() {
        let request = hooked(json!({"events": ["*"], "phase": "request"}));
        assert!(request.handles("tools/call", Phase::Request));
        assert!(!request.handles("tools/call", Phase::Response));
        let response = hooked(json!({"events": ["*/response", "tools/*"], "phase": "both"}));
        assert!(response.handles("tools/call", Phase::Request));
        assert!(!response.handles("llm/completion", Phase::Request));
        assert!(response.handles("llm/completion", Phase::Response));
        assert!(!hooked(json!([])).handles("tools/call", Phase::Request));
    }

    #[test]
    fn a_name_that_is_not_there_is_a_failure() {
        let list = [json!({"name": "a", "type": "validation"}), json!({"name": "b"})];
        let failure = Descriptor::find(&list, "c").unwrap_err();
        assert!(failure.detail.ends_with("it has a, b"), "{failure}");
        assert!(Descriptor::find(&list, "b").is_err());
    }
}
