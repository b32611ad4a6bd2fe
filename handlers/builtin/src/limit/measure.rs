//! What a limit counts.

use std::path::Path;
use std::time::Duration;

use hookgate_contract::payload::PostLlmResponse;
use hookgate_contract::settings::Settings;
use hookgate_contract::{Failure, FailureClass, Invocation};
use serde_json::{Map, Value};

use super::transcript::{self, Said};

/// The facts in which coding agents name the file of a session.
const TRANSCRIPTS: &[&str] = &["transcript_path", "transcriptPath"];

/// What a limit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    Calls,
    Tokens,
    Cost,
    Time,
}

/// What a step says about an amount.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Reading {
    /// It adds so much.
    Adds(f64),
    /// The whole session has used so much until now.
    Total(f64),
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

    /// Returns what a step says of the amount.
    ///
    /// # Errors
    /// A failure of the class `unclear` if it should say it and does not.
    pub(super) fn reading(self, invocation: Invocation<'_>) -> Result<Reading, Failure> {
        let response = match self {
            Self::Calls => return Ok(Reading::Adds(1.0)),
            Self::Time => return Ok(Reading::Adds(0.0)),
            Self::Tokens | Self::Cost => {
                invocation.payload().as_any().downcast_ref::<PostLlmResponse>()
            }
        };
        let Some(response) = response else { return self.of_transcript(invocation) };
        // What an agent says of a response may be of a part of it; its transcript has the whole.
        if let Ok(total @ Reading::Total(_)) = self.of_transcript(invocation) {
            return Ok(total);
        }
        let usage = response.usage.as_ref();
        let said = match self {
            Self::Tokens => usage.and_then(tokens_in),
            _ => {
                let beside = invocation.context().host.and_then(cost_in_fields);
                let own = response.cost.filter(|cost| *cost >= 0.0).or(beside);
                own.or_else(|| usage.and_then(cost_in))
            }
        };
        match said {
            Some(amount) => Ok(Reading::Adds(amount)),
            // A model that has failed has answered nothing.
            None if response.error.is_some() => Ok(Reading::Adds(0.0)),
            None => Err(self.unclear(&format!("the response does not say its {}", self.name()))),
        }
    }

    /// Returns what the session has used by the transcript of a coding agent; nothing is added where the host
    /// speaks of no transcript, since it counts each response.
    fn of_transcript(self, invocation: Invocation<'_>) -> Result<Reading, Failure> {
        let host = invocation.context().host;
        let named = |name: &&str| host.and_then(|host| host.get(*name));
        let Some(path) = TRANSCRIPTS.iter().find_map(named) else { return Ok(Reading::Adds(0.0)) };
        let none = || {
            let what = "the agent writes no transcript, and nothing else says";
            self.unclear(&format!("{what} the {} of this session", self.name()))
        };
        let path = path.as_str().filter(|path| !path.is_empty()).ok_or_else(none)?;
        let said = transcript::read(Path::new(path), self).map_err(|why| self.unclear(&why))?;
        match said {
            Said::Used(amount) => Ok(Reading::Total(amount)),
            Said::NothingYet => Ok(Reading::Total(0.0)),
            Said::NoFigure => {
                let what = format!("the transcript `{path}` does not say the {}", self.name());
                Err(self.unclear(&what))
            }
        }
    }

    fn unclear(self, why: &str) -> Failure {
        Failure::new(FailureClass::Unclear, why.to_owned())
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

fn cost_in_fields(fields: &Map<String, Value>) -> Option<f64> {
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
