//! A session: what belongs to one conversation, which may be compacted.

use crate::name_enum;
use serde_json::Value;

use super::{FieldRef, put, text_of};
use crate::patch_field;

name_enum! {
    /// Why a session begins.
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[non_exhaustive]
    pub enum SessionSource {
        /// A new session.
        Startup = "startup",
        /// An earlier one goes on.
        Resume = "resume",
        /// The conversation was cleared.
        Clear = "clear",
        /// The conversation was compacted.
        Compact = "compact",
        /// The session was split off another.
        Fork = "fork",
    }
}

payload! {
    /// A session begins.
    #[derive(Eq)]
    struct SessionStart {
        /// Why.
        source: SessionSource,
        /// The model in use.
        optional model: String,
        /// The title of the session.
        optional title: String,
    }
}

payload! {
    /// A user lets a session go on past its limit.
    #[derive(Eq, Default)]
    struct SessionResume {
        /// The limit before.
        optional previous_max_iterations: u64,
        /// The limit now.
        optional new_max_iterations: u64,
    }
}

payload! {
    /// A session has ended.
    #[derive(Eq)]
    struct SessionEnd {
        /// Why.
        reason: String,
    }
}

payload! {
    /// The conversation is about to be compacted.
    #[derive(Eq)]
    struct PreCompact {
        /// What set it off: manual, auto, overflow, …
        trigger: String,
        /// About how many tokens there are now.
        optional token_estimate: u64,
        /// From how many tokens on the conversation is compacted.
        optional threshold: u64,
        /// How many tokens the model takes.
        optional context_limit: u64,
        /// What the user wants to be kept.
        optional custom_instructions: String,
        /// A summary that a rewriter supplied; the runtime then makes none of its own.
        optional summary: String,
    }

    fn field(&self, name: &str) -> Option<FieldRef<'_>> {
        match name {
            patch_field::CUSTOM_INSTRUCTIONS => {
                self.custom_instructions.as_deref().map(FieldRef::Text)
            }
            patch_field::SUMMARY => self.summary.as_deref().map(FieldRef::Text),
            _ => None,
        }
    }

    fn set(&mut self, name: &str, value: Value) -> Option<&'static str> {
        match name {
            patch_field::CUSTOM_INSTRUCTIONS => {
                put(&mut self.custom_instructions, text_of(value), patch_field::CUSTOM_INSTRUCTIONS)
            }
            // Of several summaries the first wins.
            patch_field::SUMMARY if self.summary.is_none() => {
                put(&mut self.summary, text_of(value), patch_field::SUMMARY)
            }
            _ => None,
        }
    }
}

payload! {
    /// The conversation has been compacted.
    #[derive(Eq, Default)]
    struct PostCompact {
        /// How many tokens there were.
        optional tokens_before: u64,
        /// How many there are.
        optional tokens_after: u64,
        /// What took the place of the conversation.
        optional summary: String,
    }
}
