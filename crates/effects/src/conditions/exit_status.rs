//! The condition `exit_status`: with which status a program ended.
//!
//! ```toml
//! [[hook]]
//! id = "tests-failed"
//! event = ["post_tool_use", "post_tool_use_failure"]
//! runs = "cargo test"
//! exit_status = { not = 0 }
//! builtin = { name = "add_context", text = "the tests failed: mend them before anything else" }
//! ```
//!
//! Beside `runs` it is about the program that is meant, else about the call as a whole. The result of the tool must
//! say the status, and it must be that of the program: the status of `cargo test || true`, of `cargo test | tee log`
//! without `pipefail` and of `cargo test &` is not, and if `cargo build && cargo test` failed, nobody knows which of
//! the two did. What is not known is no success: `exit_status = 0` is false then, so that
//! `not = { exit_status = 0 }` is true, and with any other status it cannot be told.

use std::sync::Arc;

use hookgate_contract::settings::{Node, NodeValue, SettingError, SettingProblem, Settings};
use hookgate_contract::tool_result::{ExitStatus, exit_status};
use hookgate_contract::{Command, Condition, ConditionKind, Contract, Envelope, Event, Truth};
use serde_json::{Value, json};

use super::step_effects::effects_of;
use crate::effects::UnclearWhat;
use crate::manifests::Manifests;

const KEY: &str = "exit_status";

/// The largest status of a program.
const LARGEST: i64 = 255;

/// Returns the kind.
pub(super) fn kind(home: Arc<Option<String>>) -> ConditionKind {
    ConditionKind::new(KEY, move |settings, context| {
        let (numbers, negated) = read(settings)?;
        let manifests = context.section::<Manifests>().map(|found| (*found).clone());
        let manifests = manifests.unwrap_or_default();
        Some(Box::new(Exit { numbers, negated, manifests, home: (*home).clone() }))
    })
    .about("a program that the call ran ended with this exit status, as far as the result says so")
    .example("exit_status = { not = 0 }")
    .schema(schema)
    .supports(has_result)
}

fn schema() -> Value {
    let number = json!({"type": "integer", "minimum": 0, "maximum": LARGEST});
    let list = json!({"type": "array", "minItems": 1, "items": number});
    let not = json!({
        "description": "Numbers: it ended with none of these.",
        "anyOf": [number, list],
    });
    let table = json!({
        "type": "object",
        "properties": {"not": not},
        "required": ["not"],
        "additionalProperties": false,
    });
    json!({"anyOf": [number, list, table]})
}

const fn has_result(contract: &Contract) -> Result<(), &'static str> {
    match contract.event {
        Event::PostToolUse | Event::PostToolUseFailure => Ok(()),
        _ => Err("no program has ended there: use `post_tool_use` and `post_tool_use_failure`"),
    }
}

/// Reads the numbers, and whether they are those that are not meant.
fn read(settings: &mut Settings<'_>) -> Option<(Vec<i64>, bool)> {
    let node = settings.node(KEY)?;
    let NodeValue::Table(_) = node.value else {
        let (numbers, errors) = numbers(KEY, node);
        settings.absorb(errors);
        return Some((numbers, false));
    };
    let mut table = settings.table(KEY)?;
    if !table.has("not") {
        table.missing("not");
    }
    let found = table.node("not").map(|node| numbers("not", node));
    let (numbers, errors) = found.unwrap_or_default();
    table.absorb(errors);
    settings.absorb(table.finish());
    Some((numbers, true))
}

fn numbers(key: &str, node: &Node) -> (Vec<i64>, Vec<SettingError>) {
    let items = match &node.value {
        NodeValue::List(items) => items.as_slice(),
        _ => std::slice::from_ref(node),
    };
    let wrong = |node: &Node, problem: String| SettingError {
        span: node.span.clone(),
        problem: SettingProblem::Invalid { key: key.to_owned(), problem },
    };
    let (mut numbers, mut errors) = (Vec::new(), Vec::new());
    for item in items {
        match item.value {
            NodeValue::Integer(number) if (0..=LARGEST).contains(&number) => numbers.push(number),
            _ => errors.push(wrong(
                item,
                format!(
                    "it is no exit status: write a number from 0 to {LARGEST}, a list of these, or {{ not = 0 }}"
                ),
            )),
        }
    }
    if items.is_empty() {
        errors.push(wrong(node, "the list is empty, so that nothing is meant".to_owned()));
    }
    (numbers, errors)
}

/// A condition on the exit status of a program.
struct Exit {
    numbers: Vec<i64>,
    /// Whether all other numbers are meant.
    negated: bool,
    manifests: Manifests,
    home: Option<String>,
}

impl Exit {
    /// Returns whether the condition means a status.
    fn means(&self, number: i64) -> bool {
        self.numbers.contains(&number) != self.negated
    }

    fn answer(&self, status: ExitStatus) -> Truth {
        match status {
            ExitStatus::Known(number) => self.means(number).into(),
            ExitStatus::Failed => {
                let mut failures = (1..=LARGEST).map(|number| self.means(number));
                let first = failures.next().unwrap_or_default();
                if failures.all(|one| one == first) { first.into() } else { Truth::Unknown }
            }
            // It does not count as a success.
            ExitStatus::Unknown if self.means(0) => Truth::False,
            ExitStatus::Unknown => Truth::Unknown,
        }
    }

    /// Returns whether the call may have run a program.
    fn runs_something(&self, step: &Envelope<'_>) -> bool {
        let shared = effects_of(step, &self.manifests, self.home.as_deref());
        let unclear = |what| matches!(what, UnclearWhat::Anything | UnclearWhat::Program);
        !shared.effects.runs.is_empty()
            || shared.effects.unclear.iter().any(|one| unclear(one.what))
    }
}

/// Returns what the status of the call says of one command.
fn of_command(status: ExitStatus, command: &Command) -> ExitStatus {
    let says = match status {
        ExitStatus::Known(0) => command.status_counts,
        ExitStatus::Known(_) | ExitStatus::Failed => command.status_is_own,
        ExitStatus::Unknown => false,
    };
    if says { status } else { ExitStatus::Unknown }
}

fn explained(whole: ExitStatus, own: ExitStatus) -> String {
    match own {
        ExitStatus::Known(number) => format!("the exit status is {number}"),
        ExitStatus::Failed => "the call failed, with an exit status that is not known".to_owned(),
        ExitStatus::Unknown if whole == ExitStatus::Unknown => {
            "the result does not say the exit status, and that is no success".to_owned()
        }
        ExitStatus::Unknown => {
            "the exit status of the call is not that of the program, and that is no success"
                .to_owned()
        }
    }
}

impl Condition for Exit {
    fn hold(&self, step: &Envelope<'_>) -> Truth {
        if self.runs_something(step) { self.answer(exit_status(step)) } else { Truth::False }
    }

    fn explain(&self, step: &Envelope<'_>) -> String {
        if !self.runs_something(step) {
            return "the call runs no program".to_owned();
        }
        let whole = exit_status(step);
        explained(whole, whole)
    }

    fn depends_on_place(&self) -> bool {
        true
    }

    fn hold_for(&self, step: &Envelope<'_>, command: &Command) -> Truth {
        self.answer(of_command(exit_status(step), command))
    }

    fn explain_for(&self, step: &Envelope<'_>, command: &Command) -> String {
        let whole = exit_status(step);
        explained(whole, of_command(whole, command))
    }
}
