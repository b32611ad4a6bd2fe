//! Warnings about steps that can be evaluated, but may not be what their writer meant.

use std::collections::BTreeSet;

use hookgate::envelope::Incoming;
use hookgate::{Event, HandlerTable};

/// How many warnings a run prints: the names in them come from outside, and there may be many.
const LIMIT: usize = 100;

/// Fields of other systems' envelopes, and what they are called here.
const FOREIGN: &[(&str, &str)] = &[
    ("args", "tool_input"),
    ("arguments", "tool_input"),
    ("model_id", "model"),
    ("stop_response", "last_assistant_message"),
    ("tool_args", "tool_input"),
    ("tool_call", "tool_name` and `tool_input"),
    ("tool_error", "error"),
    ("tool_output", "tool_response"),
    ("tool_result", "tool_response"),
    ("user_prompt", "prompt"),
];

/// Warnings about steps, each once in a run.
#[derive(Debug, Default)]
pub(crate) struct Remarks {
    made: BTreeSet<String>,
}

impl Remarks {
    /// Returns the warnings about a step that were not returned before.
    pub(crate) fn new_about(&mut self, step: &Incoming, table: &HandlerTable) -> Vec<String> {
        let mut found = Vec::new();
        if step.event == Event::Custom {
            let name = step.payload.event_name();
            if !table.listing().any(|hook| hook.event == name) {
                found.push(format!("no hook is for the event `{name}`: such steps are allowed"));
            }
        }
        let fields = FOREIGN.iter().filter(|(field, _)| step.header.host.contains_key(*field));
        found.extend(fields.map(|(field, ours)| {
            format!(
                "`{field}` is another system's name for `{ours}`: no hook looks at it, and it is kept under `host`"
            )
        }));
        found.retain(|text| self.made.len() < LIMIT && self.made.insert(text.clone()));
        found
    }
}
