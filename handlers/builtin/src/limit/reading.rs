//! What a step says of an amount that is limited.

use std::path::Path;

use hookgate_contract::payload::PostLlmResponse;
use hookgate_contract::{Failure, FailureClass, Invocation};

use super::measure::{Measure, cost_in, cost_in_fields, tokens_in};
use super::transcript::{self, Said};

/// The facts in which coding agents name the file of a session.
const TRANSCRIPTS: &[&str] = &["transcript_path", "transcriptPath"];

/// What a step says about an amount.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Reading {
    /// It adds so much.
    Adds(f64),
    /// The whole session has used so much until now; `None` if nothing is written yet.
    Total(Option<f64>),
}

impl Measure {
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
        if let Ok(total @ Reading::Total(Some(_))) = self.of_transcript(invocation) {
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
            Said::Used(amount) => Ok(Reading::Total(Some(amount))),
            Said::NothingYet => Ok(Reading::Total(None)),
            Said::NoFigure => {
                let what = format!("the transcript `{path}` does not say the {}", self.name());
                Err(self.unclear(&what))
            }
        }
    }

    fn unclear(self, why: &str) -> Failure {
        Failure::new(FailureClass::Unclear, why.to_owned())
    }
}
