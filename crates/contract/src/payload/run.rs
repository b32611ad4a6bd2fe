//! A run: one task that an agent is given, from its prompt to its result.

use serde_json::Value;

use super::prompt::{prompt_field, set_prompt};
use super::{FieldRef, put, text_of};
use crate::patch_field;

payload! {
    /// A run begins.
    #[derive(Eq, Default)]
    struct RunStarted {
        /// What the run is to do.
        optional prompt: String,
    }

    fn field(&self, name: &str) -> Option<FieldRef<'_>> {
        prompt_field(self.prompt.as_deref(), name)
    }

    fn set(&mut self, name: &str, value: Value) -> Option<&'static str> {
        set_prompt(self.prompt.get_or_insert_default(), name, value)
    }
}

payload! {
    /// A run is done and its text goes to the caller.
    struct RunCompleted {
        /// The text.
        result_text: String,
        /// How many turns it took.
        turns: u64,
        /// Tokens, as the provider counts them.
        optional usage: Value,
    }

    fn field(&self, name: &str) -> Option<FieldRef<'_>> {
        (name == patch_field::RESULT_TEXT).then_some(FieldRef::Text(&self.result_text))
    }

    fn set(&mut self, name: &str, value: Value) -> Option<&'static str> {
        if name != patch_field::RESULT_TEXT {
            return None;
        }
        put(&mut self.result_text, text_of(value)?, patch_field::RESULT_TEXT)
    }
}

payload! {
    /// A run has failed.
    #[derive(Eq)]
    struct RunFailed {
        /// What went wrong.
        error: String,
        /// What kind of error it is.
        optional error_class: String,
    }
}
