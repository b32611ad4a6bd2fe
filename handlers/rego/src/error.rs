//! What goes wrong with a policy: when it is compiled, and when it is evaluated.

use std::fmt::Display;
use std::time::Duration;

use hookgate_contract::{Failure, FailureClass, quote};
use regorus::LimitError;

/// What is wrong with a policy when a config is loaded.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PolicyError {
    /// The text is not Rego, or makes no sense.
    #[error("{0}")]
    Policy(String),
    /// A data file that cannot be added to those before it.
    #[error("`{file}` cannot be added to `data`: {problem}")]
    Data {
        /// The file as it was written.
        file: String,
        /// What is wrong.
        problem: String,
    },
    /// A path that is not the path of a rule.
    #[error(
        "there is no rule `{path}`: write the whole path, `data.`, the package and the name of the \
         rule; the packages are {packages}"
    )]
    NoRule {
        /// The path as it was written.
        path: String,
        /// The packages of the policy.
        packages: String,
    },
}

impl PolicyError {
    /// Makes the error of a text that the library refused, with the place that it names.
    pub(crate) fn of_policy(error: &impl Display) -> Self {
        let text = error.to_string();
        Self::Policy(match place(&text) {
            Some(place) => format!("{place}: {}", message(&text)),
            None => quote::message(text.trim()),
        })
    }
}

/// Returns the failure of an evaluation that ended with an error.
///
/// The message of the library may quote values of the step, so only the place is told.
pub(crate) fn evaluation_failure(
    text: &str,
    limit: Option<&LimitError>,
    max_time: Duration,
) -> Failure {
    match limit {
        Some(LimitError::TimeLimitExceeded { .. }) => Failure::new(
            FailureClass::Timeout,
            format!("the policy took longer than {max_time:?}: raise `max_time`"),
        ),
        Some(_) => Failure::new(FailureClass::Oversize, "the policy needs too much memory"),
        None => {
            let place = place(text).map(|place| format!(" at {place}")).unwrap_or_default();
            let line = source_line(text).map(|line| format!(", `{line}`")).unwrap_or_default();
            Failure::new(
                FailureClass::Malformed,
                format!(
                    "the policy cannot be evaluated{place}{line}: an error is no answer; test the \
                     types there, as `is_string` does"
                ),
            )
        }
    }
}

/// Returns `file:line:column` of a message of the library, which begins its picture with it.
fn place(text: &str) -> Option<String> {
    let place = text.split("--> ").nth(1)?.lines().next()?.trim();
    (!place.is_empty()).then(|| quote::message(place))
}

/// Returns the message below the picture.
fn message(text: &str) -> String {
    let message = text.rsplit("\nerror: ").next().unwrap_or(text);
    quote::message(message.trim())
}

/// Returns the line of the policy that the picture shows: `3 | deny contains 1`.
fn source_line(text: &str) -> Option<String> {
    let mut lines = text.split("--> ").nth(1)?.lines().skip(1);
    let shown = lines.find_map(|line| {
        let (number, source) = line.split_once('|')?;
        number.trim().parse::<u32>().ok().map(|_| source.trim())
    })?;
    Some(quote::message(shown))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PICTURE: &str = "\n--> p.rego:3:9\n  |\n3 | x := to_number(input.a)\n  |         ^\n\
                           error: could not parse `secret` as number";

    #[test]
    fn a_picture_becomes_a_line() {
        let error = PolicyError::of_policy(&PICTURE);
        assert_eq!(error.to_string(), "p.rego:3:9: could not parse `secret` as number");
        assert_eq!(PolicyError::of_policy(&" odd ").to_string(), "odd");
    }

    #[test]
    fn the_failure_of_a_step_quotes_the_policy_and_not_the_step() {
        let failure = evaluation_failure(PICTURE, None, Duration::from_secs(1));
        assert!(failure.detail.contains("at p.rego:3:9, `x := to_number(input.a)`"), "{failure}");
        assert!(!failure.detail.contains("secret"), "{failure}");
    }
}
