//! A step in the form of another agent, and the answer to it.

use bytes::Bytes;
use hookgate_contract::dialect::{Dialect, ScriptInput, ScriptOutput};
use hookgate_contract::{Failure, FailureClass, Invocation, Reply};

/// What a service is asked that was written for an agent.
pub(crate) struct Asked<'a> {
    dialect: &'a dyn Dialect,
    input: ScriptInput,
}

impl<'a> Asked<'a> {
    /// Writes a step as the agent would send it.
    ///
    /// # Errors
    /// The step is too large, or the agent has no event for it.
    pub(crate) fn about(dialect: &'a dyn Dialect, call: Invocation<'_>) -> Result<Self, Failure> {
        // What is too large for one form is so for the other.
        call.envelope.bytes()?;
        let malformed = |detail: String| Failure::new(FailureClass::Malformed, detail);
        let Some(envelope) = call.json()?.as_object() else {
            return Err(malformed("the step is no JSON object".to_owned()));
        };
        let input = dialect.write(envelope).map_err(|error| malformed(error.to_string()))?;
        Ok(Self { dialect, input })
    }

    /// Returns the body of the request.
    pub(crate) fn body(&self) -> Bytes {
        Bytes::from(self.input.envelope.to_string())
    }

    /// Reads the body of an answer whose status was a success.
    pub(crate) fn reply(&self, body: &[u8]) -> Reply {
        self.dialect.reply(&self.input, &ScriptOutput::new(0, body, ""))
    }
}
