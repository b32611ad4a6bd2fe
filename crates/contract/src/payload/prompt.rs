//! Prompts, and what is gathered while a turn is planned.

use crate::{data, name_enum};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{FieldRef, put, text_of};
use crate::patch_field;

name_enum! {
    /// Where a prompt comes from.
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[non_exhaustive]
    pub enum PromptSource {
        /// The user begins a turn.
        #[default]
        User = "user",
        /// The user speaks into a turn that is under way.
        Steering = "steering",
        /// A prompt that waited for the turn to end.
        Followup = "followup",
        /// The runtime lets the agent go on.
        Continuation = "continuation",
        /// Something that ran in the background.
        Background = "background",
    }
}

payload! {
    /// A prompt comes in.
    struct UserPromptSubmit {
        /// The text.
        prompt: String,
        /// Where it comes from.
        defaulted source: PromptSource,
        /// What came with it.
        optional attachments: Vec<Value>,
    }

    fn field(&self, name: &str) -> Option<FieldRef<'_>> {
        prompt_field(Some(&self.prompt), name)
    }

    fn set(&mut self, name: &str, value: Value) -> Option<&'static str> {
        set_prompt(&mut self.prompt, name, value)
    }
}

pub(super) fn prompt_field<'a>(prompt: Option<&'a str>, name: &str) -> Option<FieldRef<'a>> {
    if name == patch_field::PROMPT { prompt.map(FieldRef::Text) } else { None }
}

/// Replaces a prompt, or puts a paragraph before or after it.
pub(super) fn set_prompt(prompt: &mut String, name: &str, value: Value) -> Option<&'static str> {
    let text = text_of(value)?;
    let whole = match name {
        patch_field::PROMPT => text,
        patch_field::PREPEND => format!("{text}\n\n{prompt}"),
        patch_field::APPEND => format!("{prompt}\n\n{text}"),
        _ => return None,
    };
    put(prompt, whole, patch_field::PROMPT)
}

payload! {
    /// A prompt has been taken.
    #[derive(Eq)]
    struct UserPromptAccepted {
        /// The text.
        prompt: String,
        /// How many messages the conversation has now.
        optional committed_len: u64,
    }
}

payload! {
    /// The agent waits for its user.
    #[derive(Eq, Default)]
    struct UserInputRequested {
        /// What it wants to know.
        optional message: String,
    }
}

data! {
    /// What is known while a turn is planned and its prompt is put together.
    #[derive(Default)]
    struct Planning {
        /// What the turn is about.
        input_text: String,
        /// The model.
        optional model: String,
        /// The provider that serves the model.
        optional model_provider: String,
        /// The plan of the turn.
        optional plan: Value,
        /// The tools on offer.
        optional tool_names: Vec<String>,
        /// The policies gathered so far.
        optional policies: Value,
        /// The context gathered so far.
        optional contexts: Value,
    }
}

/// Declares payloads that hold the [`Planning`] of a turn and nothing else.
macro_rules! planning {
    ($($(#[$meta:meta])* $name:ident { $($method:item)* })*) => { $(
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(transparent)]
        pub struct $name(pub Planning);

        impl $name {
            /// The names of its fields on the wire.
            pub const FIELDS: &'static [&'static str] = Planning::FIELDS;
        }

        payload! { for $name $($method)* }
    )* };
}

planning! {
    /// The policy of a turn is gathered.
    TurnPolicy {}
    /// The context of a prompt is gathered.
    PromptContext {}
    /// The context of a prompt is gathered, once the turn is planned.
    PromptContextPlanned {}
    /// The tools of a turn are chosen.
    ToolSelection {
        fn field(&self, name: &str) -> Option<FieldRef<'_>> {
            let names = self.0.tool_names.as_ref().filter(|_| name == patch_field::TOOL_NAMES)?;
            Some(FieldRef::Owned(names.iter().cloned().collect()))
        }

        fn set(&mut self, name: &str, value: Value) -> Option<&'static str> {
            let Value::Array(names) = value else { return None };
            if name != patch_field::TOOL_NAMES {
                return None;
            }
            let names = names.into_iter().filter_map(text_of).collect();
            put(&mut self.0.tool_names, Some(names), patch_field::TOOL_NAMES)
        }
    }
    /// The sections of a prompt are gathered.
    PromptCompile {}
}

payload! {
    /// A prompt has been put together.
    #[derive(Eq, Default)]
    struct PromptCompiled {
        /// Its sections, in order.
        section_ids: Vec<String>,
        /// About how many tokens it has.
        optional token_estimate: u64,
    }
}
