//! How an answer is drawn from a model.
//!
//! The temperature is 0 by default, since a judge should decide the same step the same way. That is not
//! a promise of the server: batching on its side can still change an answer, which is what `samples`
//! are for.

use hookgate_contract::settings::{NodeValue, Settings};

use super::number::count;

/// Enough for a nonce, a decision and a reason, also of a model that thinks a little first.
const MAX_TOKENS: u32 = 1024;

/// The parameters of a request that decide how an answer is drawn.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sampling {
    /// `None` sends no temperature, so the server uses its own.
    pub(crate) temperature: Option<f64>,
    pub(crate) seed: Option<i64>,
    /// For each rule of a question.
    pub(crate) max_tokens: u32,
}

impl Sampling {
    /// Reads `temperature`, `seed` and `max_tokens`.
    pub(crate) fn read(settings: &mut Settings<'_>, outer_seed: Option<i64>) -> Self {
        Self {
            temperature: read_temperature(settings),
            seed: settings.integer("seed").or(outer_seed),
            max_tokens: count(settings, "max_tokens", 1..=1_000_000).unwrap_or(MAX_TOKENS),
        }
    }
}

/// Reads `temperature`, which is 0 by default. Some models accept only their own temperature: for
/// those `"default"` sends none.
fn read_temperature(settings: &mut Settings<'_>) -> Option<f64> {
    let Some(node) = settings.node("temperature") else { return Some(0.0) };
    match &node.value {
        NodeValue::Text(text) if text == "default" => return None,
        NodeValue::Float(number) if (0.0..=2.0).contains(number) => return Some(*number),
        NodeValue::Integer(number @ 0..=2) => return Some(f64::from(*number as i8)),
        _ => {}
    }
    settings.invalid("temperature", "must be a number from 0 to 2, or \"default\"");
    None
}
