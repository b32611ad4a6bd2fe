//! What a limit counts.

use std::time::Duration;

use hookgate_contract::settings::Settings;
use serde_json::{Map, Value};

/// What a limit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    Calls,
    Tokens,
    Cost,
    Time,
}

/// The names that providers give to the sum of all tokens.
const TOTALS: &[&str] = &["total_tokens", "totalTokens", "totalTokenCount", "total"];

/// The names that providers give to parts of the tokens, which add up: those of one list are used together,
/// since some hosts write the same figure under two names.
const PARTS: &[&[&str]] = &[
    &[
        "input_tokens",
        "output_tokens",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
        "cached_write_tokens",
    ],
    &["prompt_tokens", "completion_tokens"],
    &["inputTokens", "outputTokens"],
    &["promptTokens", "completionTokens"],
    &["promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount"],
    &["input", "output", "reasoning"],
];

/// The names that hosts give to what a response cost, in the response or in its `usage`.
const COSTS: &[&str] =
    &["cost", "total_cost", "cost_usd", "total_cost_usd", "costUSD", "totalCost"];

impl Measure {
    pub(super) fn from_name(name: &str) -> Option<Self> {
        match name {
            "calls" => Some(Self::Calls),
            "tokens" => Some(Self::Tokens),
            "cost" => Some(Self::Cost),
            "time" => Some(Self::Time),
            _ => None,
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::Tokens => "tokens",
            Self::Cost => "cost",
            Self::Time => "time",
        }
    }

    /// Writes an amount as a person would.
    pub(super) fn display(self, amount: f64) -> String {
        match self {
            Self::Calls | Self::Tokens => format!("{amount:.0} {}", self.name()),
            Self::Cost => format!("a cost of {}", (amount * 1e6).round() / 1e6),
            // A second is exact enough for what has passed, and a limit may be shorter.
            Self::Time if amount >= 10.0 => {
                format!("{:?}", Duration::from_secs_f64(amount.floor()))
            }
            Self::Time => format!("{:?}", Duration::try_from_secs_f64(amount).unwrap_or_default()),
        }
    }
}

/// Returns the tokens in a `usage`, whatever the provider calls them.
pub(super) fn tokens_in(usage: &Value) -> Option<f64> {
    let number = |name: &&str| usage.get(*name).and_then(Value::as_f64).filter(|n| *n >= 0.0);
    if let Some(total) = TOTALS.iter().find_map(number) {
        return Some(total);
    }
    PARTS.iter().find_map(|parts| {
        let parts: Vec<f64> = parts.iter().filter_map(number).collect();
        (!parts.is_empty()).then(|| parts.iter().sum())
    })
}

/// Returns the cost in an object, whatever the host calls it.
pub(super) fn cost_in(object: &Value) -> Option<f64> {
    cost_in_fields(object.as_object()?)
}

pub(super) fn cost_in_fields(fields: &Map<String, Value>) -> Option<f64> {
    let number = |name: &&str| fields.get(*name).and_then(Value::as_f64).filter(|n| *n >= 0.0);
    COSTS.iter().find_map(number)
}

/// Reads the setting `over`, whose type depends on what is counted.
#[expect(clippy::cast_precision_loss, reason = "nobody counts to 2^53")]
pub(super) fn read_over(settings: &mut Settings<'_>, of: Option<Measure>) -> Option<f64> {
    if !settings.has("over") {
        settings.missing("over");
        return None;
    }
    match of {
        Some(Measure::Calls | Measure::Tokens) => {
            settings.within("over", 1..=i64::MAX).map(|over| over as f64)
        }
        Some(Measure::Time) => settings.duration("over").map(|over| over.as_secs_f64()),
        Some(Measure::Cost) => {
            let number = settings.node("over").and_then(|node| node.to_json().as_f64());
            let over = number.filter(|over| over.is_finite() && *over > 0.0);
            if over.is_none() {
                settings.invalid("over", "it must be a number above 0, such as 2.50");
            }
            over
        }
        None => {
            let _ = settings.node("over");
            None
        }
    }
}
