//! The condition `expr`: an expression in CEL, the Common Expression Language.
//!
//! ```toml
//! expr = 'step.tool_input.command.startsWith("cargo") && session.turn > 3'
//! expr = 'has(step.tool_input.timeout) && step.tool_input.timeout > 60000'
//! expr = 'effects.writes.exists(w, w.path.endsWith(".lock"))'
//! ```
//!
//! | variable | is |
//! |---|---|
//! | `step` | the step as hooks get it: `step.tool_name`, `step.tool_input`, `step.prompt`, … |
//! | `session` | `id`, `cwd`, `turn`, `agent` (the type) and `agent_id`; null if not known |
//! | `effects` | what the step would do, as `hookgate effects` prints it, if the host knows effects |
//!
//! Functions are `size`, `contains`, `startsWith`, `endsWith`, `matches` (a regular expression), `has`,
//! `all`, `exists`, `exists_one`, `map`, `filter`, `int`, `uint`, `double`, `string`, `bytes`, `bool`,
//! `type` and `dyn`; operators are those of CEL. An expression that cannot be parsed, a name that does not
//! exist and a `matches` with a wrong pattern are errors when the config is loaded.
//!
//! The condition is unknown if the evaluation fails (a key is missing, types do not fit), if the result is
//! no boolean, and if the step is too large: it may have 1 MiB, with a loop at most 100,000 values,
//! and with a loop in a loop 316. Test with `has(…)` what may be missing.

mod constants;
mod interpreter;
mod names;
mod problem;
mod program;
mod syntax_tree;
mod values;

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use cel::Value as CelValue;
use hookgate_contract::quote::{self, Quoted};
use hookgate_contract::settings::{Node, NodeValue};
use hookgate_contract::{Condition, ConditionKind, EffectsFn, Envelope, Truth};
use serde_json::json;

use crate::texts::invalid;
use names::Host;
use program::Expression;
use values::StepValues;

/// The variables of which an expression knows all fields, each with its fields. Those of `step` are the fields of the
/// envelope, which depend on the event.
pub const FIELDS: [(&str, &[&str]); 2] =
    [("session", &values::SESSION), ("effects", &values::EFFECTS)];

/// How much a step may have for its loops: elements to the power of the nested loops.
const WORK: usize = 100_000;

/// Returns the kind.
pub(crate) fn kind(effects: Option<Arc<EffectsFn>>) -> ConditionKind {
    ConditionKind::new("expr", move |settings, context| {
        let node = settings.node("expr")?;
        let source = settings.text("expr")?;
        let host = Host { has_effects: effects.is_some(), ..Host::at(context.events) };
        match Expression::compile(source, host) {
            Ok(expression) => {
                Some(Box::new(Expr { expression, effects: effects.as_ref().map(Arc::clone) }))
            }
            Err(problem) => {
                let span = place(node, problem.at).unwrap_or_else(|| node.span.clone());
                let (line, column) = line_and_column(source, problem.at);
                let line = if line == 1 { String::new() } else { format!("line {line}, ") };
                let text = format!("{line}column {column}: {}", problem.message);
                settings.absorb([invalid("expr", span, text)]);
                None
            }
        }
    })
    .about("an expression in CEL over step, session and effects")
    .example(r#"expr = 'step.tool_input.command.startsWith("cargo") && session.turn > 3'"#)
    .schema(|| {
        json!({
            "type": "string",
            "description": "An expression in CEL over step, session and effects.",
            "minLength": 1,
            "maxLength": program::LONGEST,
        })
    })
}

/// Returns the place of a character of a text in the file, if the text stands there as it is.
fn place(node: &Node, at: usize) -> Option<Range<usize>> {
    let NodeValue::Text(text) = &node.value else { return None };
    // With escapes, or a line break that was left out, the lengths differ.
    let quotes = match node.span.len().checked_sub(text.len())? {
        2 => 1,
        6 => 3,
        _ => return None,
    };
    let before: usize = text.chars().take(at).map(char::len_utf8).sum();
    let length = text.chars().nth(at).map_or(1, char::len_utf8);
    let start = node.span.start + quotes + before;
    Some(start..start + length)
}

/// Returns the line and column of a character, both from 1.
fn line_and_column(source: &str, at: usize) -> (usize, usize) {
    let before: Vec<char> = source.chars().take(at).collect();
    let line = before.iter().filter(|c| **c == '\n').count() + 1;
    let column = before.iter().rev().take_while(|c| **c != '\n').count() + 1;
    (line, column)
}

struct Expr {
    expression: Expression,
    effects: Option<Arc<EffectsFn>>,
}

impl Expr {
    /// Evaluates the expression.
    ///
    /// # Errors
    /// Why there is no answer, in one sentence.
    fn evaluate(&self, step: &Envelope<'_>) -> Result<bool, String> {
        let values = StepValues::of(step, self.effects.as_deref(), self.expression.uses());
        let loops = self.expression.loops();
        let size = values.size()?;
        if loops > 0 && size.checked_pow(loops).is_none_or(|work| work > WORK) {
            let loops = if loops == 1 {
                "a loop".to_owned()
            } else {
                format!("{loops} loops in one another")
            };
            return Err(format!("the step has {size} values, too many for {loops}"));
        }
        // The interpreter is not ours: its panics are no answer either.
        let run = catch_unwind(AssertUnwindSafe(|| self.expression.run(&values)));
        match run {
            Err(_) => Err("the evaluation panicked".to_owned()),
            Ok(Err(error)) => Err(interpreter::reason(&error)),
            Ok(Ok(CelValue::Bool(holds))) => Ok(holds),
            Ok(Ok(other)) => {
                Err(format!("its value is of type {}, not a boolean", other.type_of()))
            }
        }
    }
}

impl Condition for Expr {
    fn hold(&self, step: &Envelope<'_>) -> Truth {
        self.evaluate(step).map_or(Truth::Unknown, Truth::from)
    }

    fn explain(&self, step: &Envelope<'_>) -> String {
        let source = Quoted(self.expression.source());
        match self.evaluate(step) {
            Ok(holds) => format!("`{source}` is {holds}"),
            Err(why) => format!("`{source}` has no answer: {}", quote::message(&why)),
        }
    }
}
