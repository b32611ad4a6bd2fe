//! What a call asks a daemon, and what that replies.

use hookgate::contract::dialect::HostAnswer;
use serde::{Deserialize, Serialize};

/// A step to be judged.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    pub(crate) agent: String,
    pub(crate) event: Option<String>,
    pub(crate) config: Vec<String>,
    pub(crate) strict: bool,
    /// The hashes of contents of projects that are trusted.
    pub(crate) trusted: Vec<String>,
    /// The time that is left, in milliseconds.
    pub(crate) rest: u64,
    pub(crate) envelope: String,
}

/// The answer to the agent, as it is printed.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Response {
    exit: u8,
    stdout: String,
    stderr: String,
}

impl Response {
    /// Makes a response of an answer; `stderr` is all that is said there.
    pub(crate) fn new(answer: &HostAnswer, stderr: String) -> Self {
        Self { exit: answer.exit, stdout: answer.stdout.clone(), stderr }
    }

    /// Returns the answer, unless it is none that a call gives: agents understand two exit codes alike.
    pub(crate) fn answer(self) -> Option<HostAnswer> {
        let mut answer = HostAnswer::silent();
        (answer.exit, answer.stdout, answer.stderr) = (self.exit, self.stdout, self.stderr);
        matches!(answer.exit, 0 | 2).then_some(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exit_code_that_no_agent_understands_is_no_answer() {
        for exit in [1, 3, 101, 255] {
            let response = Response { exit, stdout: String::new(), stderr: String::new() };
            assert!(response.answer().is_none(), "{exit}");
        }
        let response = Response { exit: 2, stdout: String::new(), stderr: String::new() };
        assert_eq!(response.answer().unwrap().exit, 2);
    }
}
