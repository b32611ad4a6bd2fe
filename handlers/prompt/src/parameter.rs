//! The parameters of a request that a server may refuse: newer models of one provider have another name for
//! one, and take no other temperature than their own.
//!
//! A refused parameter is left out from then on, or sent under its other name. This is found out once for each
//! model of a server, and costs no retry.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A parameter that a judge can do without, or that has two names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Parameter {
    Temperature,
    Seed,
    MaxTokens,
    MaxCompletionTokens,
}

impl Parameter {
    const ALL: [Self; 4] =
        [Self::Temperature, Self::Seed, Self::MaxTokens, Self::MaxCompletionTokens];

    /// Returns its name in a request.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Temperature => "temperature",
            Self::Seed => "seed",
            Self::MaxTokens => "max_tokens",
            Self::MaxCompletionTokens => "max_completion_tokens",
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// Words by which servers say that they do not take a parameter.
const REFUSALS: [&str; 7] = [
    "support",
    "unknown",
    "unrecognized",
    "not permitted",
    "not allowed",
    "unexpected",
    "deprecated",
];

/// A set of parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Parameters(u8);

impl Parameters {
    /// Returns those that an error is about: the one that it names, or those of which its text says that they
    /// are not taken.
    pub(crate) fn of_error(named: Option<&str>, text: &str) -> Self {
        if let Some(named) = named {
            return Self::named(|parameter| parameter.name() == named);
        }
        let text = text.to_lowercase();
        if !REFUSALS.iter().any(|word| text.contains(word)) {
            return Self::default();
        }
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        Self::named(|parameter| text.split(|c| !is_part(c)).any(|word| word == parameter.name()))
    }

    fn named(is_meant: impl Fn(Parameter) -> bool) -> Self {
        let meant = Parameter::ALL.into_iter().filter(|parameter| is_meant(*parameter));
        meant.fold(Self::default(), Self::with)
    }

    pub(crate) const fn has(self, parameter: Parameter) -> bool {
        self.0 & parameter.bit() != 0
    }

    #[must_use]
    pub(crate) const fn with(self, parameter: Parameter) -> Self {
        Self(self.0 | parameter.bit())
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the first one that is in both.
    pub(crate) fn first_in(self, other: Self) -> Option<Parameter> {
        Parameter::ALL.into_iter().find(|it| self.has(*it) && other.has(*it))
    }
}

impl fmt::Display for Parameters {
    /// Writes the names: "`temperature`, `seed`".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = Parameter::ALL.into_iter().filter(|parameter| self.has(*parameter));
        for (index, parameter) in all.enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            write!(f, "{comma}`{}`", parameter.name())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_about_what_it_names_or_says_that_it_does_not_take() {
        let of = |named, text| Parameters::of_error(named, text).to_string();
        assert_eq!(of(Some("temperature"), "max_tokens is unknown"), "`temperature`");
        assert_eq!(of(Some("prompt"), "temperature is not supported"), "");
        let openai = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
        assert_eq!(of(None, openai), "`max_tokens`, `max_completion_tokens`");
        let pydantic =
            r#"{"detail":[{"loc":["body","seed"],"msg":"Extra inputs are not permitted"}]}"#;
        assert_eq!(of(None, pydantic), "`seed`");
        assert_eq!(of(None, "the context has 9000 tokens, with max_tokens 1024"), "");
        assert_eq!(of(None, "this model does not support my_temperature"), "");
    }
}
