//! Why a request is not answered: a code of JSON-RPC, a name of ours, and words. An error is never an allow.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// What kind of error it is. The numbers below -32000 are those of JSON-RPC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Code {
    ParseError,
    InvalidRequest,
    UnknownMethod,
    InvalidParams,
    Internal,
    HelloFirst,
    UnsupportedProtocol,
    Unenforced,
    UndeclaredEvent,
    InvalidStep,
    OnlyObserved,
    NeedsVerdict,
    InvalidSession,
    SessionInUse,
    UnknownSession,
    TooMany,
    TooLarge,
    DeadlinePassed,
    OverrideRefused,
    InvalidConfig,
    GenerationChanged,
    NotPermitted,
    QuestionRefused,
}

impl Code {
    /// Every code.
    pub(crate) const ALL: [Self; 23] = [
        Self::ParseError,
        Self::InvalidRequest,
        Self::UnknownMethod,
        Self::InvalidParams,
        Self::Internal,
        Self::HelloFirst,
        Self::UnsupportedProtocol,
        Self::Unenforced,
        Self::UndeclaredEvent,
        Self::InvalidStep,
        Self::OnlyObserved,
        Self::NeedsVerdict,
        Self::InvalidSession,
        Self::SessionInUse,
        Self::UnknownSession,
        Self::TooMany,
        Self::TooLarge,
        Self::DeadlinePassed,
        Self::OverrideRefused,
        Self::InvalidConfig,
        Self::GenerationChanged,
        Self::NotPermitted,
        Self::QuestionRefused,
    ];

    /// Returns number, name and meaning.
    const fn row(self) -> (i64, &'static str, &'static str) {
        match self {
            Self::ParseError => (-32700, "parse_error", "the line is not one JSON value"),
            Self::InvalidRequest => (-32600, "invalid_request", "the line is not a request"),
            Self::UnknownMethod => (-32601, "unknown_method", "there is no such method"),
            Self::InvalidParams => {
                (-32602, "invalid_params", "a field is missing, unknown or wrong")
            }
            Self::Internal => (-32603, "internal", "the server has failed"),
            Self::HelloFirst => (-32001, "hello_first", "no method comes before `hello`"),
            Self::UnsupportedProtocol => {
                (-32002, "unsupported_protocol", "the server speaks another version")
            }
            Self::Unenforced => (
                -32003,
                "unenforced",
                "guards in force that the host cannot enforce; they are listed",
            ),
            Self::UndeclaredEvent => (
                -32004,
                "undeclared_event",
                "the host did not say in `hello` that it fires this event",
            ),
            Self::InvalidStep => (-32005, "invalid_step", "the step cannot be read"),
            Self::OnlyObserved => {
                (-32006, "only_observed", "nothing can stop the event: it is told with `observe`")
            }
            Self::NeedsVerdict => (
                -32007,
                "needs_verdict",
                "hooks can answer at the event: it is judged with `judge`",
            ),
            Self::InvalidSession => (-32008, "invalid_session", "it is no name of a session"),
            Self::SessionInUse => {
                (-32009, "session_in_use", "the session belongs to another connection")
            }
            Self::UnknownSession => (-32010, "unknown_session", "there is no such session"),
            Self::TooMany => (-32011, "too_many", "a limit on numbers is reached"),
            Self::TooLarge => (-32012, "too_large", "the line is longer than the server reads"),
            Self::DeadlinePassed => (-32013, "deadline_passed", "the step was not judged in time"),
            Self::OverrideRefused => (
                -32014,
                "override_refused",
                "it would loosen what is in force, or do more than decide",
            ),
            Self::InvalidConfig => {
                (-32015, "invalid_config", "the hooks have mistakes; they are listed")
            }
            Self::GenerationChanged => {
                (-32016, "generation_changed", "another table is in force than was expected")
            }
            Self::NotPermitted => (-32017, "not_permitted", "the operator has not permitted it"),
            Self::QuestionRefused => {
                (-32018, "question_refused", "the question cannot be kept or answered: judge again")
            }
        }
    }

    /// Returns the number on the wire.
    pub(crate) const fn number(self) -> i64 {
        self.row().0
    }

    /// Returns the name on the wire.
    pub(crate) const fn name(self) -> &'static str {
        self.row().1
    }

    /// Returns what it means, in words.
    pub(crate) const fn meaning(self) -> &'static str {
        self.row().2
    }
}

/// The error of one request.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct CallError {
    code: Code,
    message: String,
    data: Map<String, Value>,
}

impl CallError {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: Map::new() }
    }

    /// Adds a fact for programs.
    pub(crate) fn with(mut self, name: &str, value: impl Serialize) -> Self {
        // What cannot be written stays out: the code and the words are what counts.
        if let Ok(value) = serde_json::to_value(value) {
            self.data.insert(name.to_owned(), value);
        }
        self
    }

    pub(crate) const fn code(&self) -> Code {
        self.code
    }

    /// Returns the error as it is on the wire.
    pub(crate) fn body(&self) -> ErrorBody<'_> {
        let data = ErrorData { name: self.code, more: &self.data };
        ErrorBody { code: self.code.number(), message: &self.message, data }
    }
}

/// The `error` of a response.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ErrorBody<'e> {
    /// The number.
    code: i64,
    /// What is wrong and what to do, for people.
    message: &'e str,
    /// For programs.
    data: ErrorData<'e>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ErrorData<'e> {
    /// The name of the code.
    name: Code,
    /// Facts that belong to this code: `unenforced`, `mistakes`, `generation`.
    more: &'e Map<String, Value>,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_code_has_a_number_of_its_own_and_the_name_that_is_written() {
        let numbers: BTreeSet<i64> = Code::ALL.into_iter().map(Code::number).collect();
        assert_eq!(numbers.len(), Code::ALL.len());
        for code in Code::ALL {
            assert_eq!(serde_json::to_value(code).unwrap(), code.name());
            assert!(!code.meaning().is_empty());
        }
    }
}
