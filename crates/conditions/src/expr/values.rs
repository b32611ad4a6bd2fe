//! The variables of an expression: a step as values of CEL.

use std::collections::HashMap;
use std::sync::Arc;

use cel::common::types::{
    CelBool, CelDouble, CelInt, CelList, CelMap, CelMapKey, CelNull, CelString, CelUInt,
};
use cel::common::value::{CowVal, Val};
use cel::context::VariableResolver;
use hookgate_contract::json::PlainNumber;
use hookgate_contract::{EffectsFn, Envelope};
use serde_json::{Value, json};

/// How many bytes a step may have.
const BYTES: usize = 1 << 20;

/// How deep a step may be nested: comparing two values takes stack for each level.
const DEEPEST: usize = 128;

/// The variables.
pub(super) const VARIABLES: [&str; 3] = ["step", "session", "effects"];

/// The fields of `session`.
pub(super) const SESSION: [&str; 5] = ["id", "cwd", "turn", "agent", "agent_id"];

/// The fields of `effects`.
pub(super) const EFFECTS: [&str; 7] =
    ["tool_name", "runs", "reads", "writes", "deletes", "connects", "unclear"];

/// Which variables an expression has.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Uses {
    pub(super) step: bool,
    pub(super) session: bool,
    pub(super) effects: bool,
}

/// A value, and how many values are in it; or why there is none.
type Converted = Result<(Box<dyn Val>, usize), String>;

/// The converted step of one version of a step, for all hooks.
struct SharedStep(Converted);

/// The converted effects of one version of a step, for all hooks.
struct SharedEffects(Converted);

/// The values of the variables that an expression has.
pub(super) struct StepValues {
    step: Option<Arc<SharedStep>>,
    effects: Option<Arc<SharedEffects>>,
    session: Option<Box<dyn Val>>,
}

impl StepValues {
    /// Converts what is used. Hooks of one step share the work.
    pub(super) fn of(step: &Envelope<'_>, effects: Option<&EffectsFn>, uses: Uses) -> Self {
        let convert_step = || {
            let value = step.value().map_err(|failure| failure.to_string());
            SharedStep(value.and_then(convert))
        };
        let shared_effects = effects
            .filter(|_| uses.effects)
            .map(|effects| step.derived(|| SharedEffects(convert(&effects(step)))));
        Self {
            step: uses.step.then(|| step.derived(convert_step)),
            effects: shared_effects,
            session: uses.session.then(|| session(step)),
        }
    }

    /// Returns how many values there are.
    ///
    /// # Errors
    /// Why one of the variables has no value.
    pub(super) fn size(&self) -> Result<usize, String> {
        let step = self.step.as_ref().map(|shared| size_of_value(&shared.0)).transpose()?;
        let effects = self.effects.as_ref().map(|shared| size_of_value(&shared.0)).transpose()?;
        Ok(step.unwrap_or_default() + effects.unwrap_or_default())
    }
}

fn size_of_value(converted: &Converted) -> Result<usize, String> {
    converted.as_ref().map(|(_, size)| *size).map_err(Clone::clone)
}

impl VariableResolver for StepValues {
    fn resolve<'b>(&'b self, variable: &str) -> Option<CowVal<'b, 'b>> {
        let value = match variable {
            "step" => &self.step.as_ref()?.0.as_ref().ok()?.0,
            "effects" => &self.effects.as_ref()?.0.as_ref().ok()?.0,
            "session" => self.session.as_ref()?,
            _ => return None,
        };
        Some(CowVal::Borrowed(&**value))
    }
}

fn session(step: &Envelope<'_>) -> Box<dyn Val> {
    let context = step.context();
    let session = json!({
        "id": context.session_id,
        "cwd": context.cwd,
        "turn": context.turn,
        "agent": context.agent_type,
        "agent_id": context.agent_id,
    });
    convert(&session).map_or_else(|_| Box::new(CelNull) as Box<dyn Val>, |(value, _)| value)
}

/// Converts JSON, within bounds.
fn convert(value: &Value) -> Converted {
    let mut left = Left { bytes: BYTES, values: 0 };
    let converted = left.convert(value, 0)?;
    Ok((converted, left.values))
}

/// What may still be converted.
struct Left {
    bytes: usize,
    values: usize,
}

impl Left {
    fn take(&mut self, bytes: usize) -> Result<(), String> {
        let left = self.bytes.checked_sub(bytes + 1);
        self.bytes = left.ok_or("the step is larger than 1 MiB")?;
        self.values += 1;
        Ok(())
    }

    fn convert(&mut self, value: &Value, depth: usize) -> Result<Box<dyn Val>, String> {
        if depth > DEEPEST {
            return Err(format!("the step is nested more than {DEEPEST} levels deep"));
        }
        self.take(value.as_str().map_or(0, str::len))?;
        Ok(match value {
            Value::Null => Box::new(CelNull),
            Value::Bool(flag) => Box::new(CelBool::from(*flag)),
            Value::String(text) => Box::new(CelString::from(text.clone())),
            Value::Number(number) => match number.into() {
                PlainNumber::Signed(number) => Box::new(CelInt::from(number)),
                PlainNumber::Unsigned(number) => Box::new(CelUInt::from(number)),
                PlainNumber::Float(number) => Box::new(CelDouble::from(number)),
            },
            Value::Array(items) => {
                let items = items.iter().map(|item| self.convert(item, depth + 1));
                Box::new(CelList::from(items.collect::<Result<Vec<Box<dyn Val>>, String>>()?))
            }
            Value::Object(entries) => {
                let mut all: HashMap<CelMapKey<'static>, Box<dyn Val>> = HashMap::new();
                for (key, value) in entries {
                    self.take(key.len())?;
                    let key = CelMapKey::from(key.clone());
                    all.insert(key, self.convert(value, depth + 1)?);
                }
                Box::new(CelMap::from(all))
            }
        })
    }
}
