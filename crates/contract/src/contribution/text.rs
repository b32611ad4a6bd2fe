//! What is said of a text for the prompt: how long it counts, who sees it, who wrote it.

use crate::{data, name_enum};

name_enum! {
    /// How long a text counts.
    #[derive(Default, PartialOrd, Ord)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[non_exhaustive]
    pub enum Lifetime {
        /// For the prompt of this turn; the hook gives it again at the next one.
        #[default]
        Turn = "turn",
        /// It stays in the conversation: it is not sent again while its text is the same.
        Session = "session",
        /// It is sent once in a session, whatever its hook says later under the same id.
        Once = "once",
    }
}

name_enum! {
    /// Who sees a text.
    #[derive(Default, PartialOrd, Ord)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[non_exhaustive]
    pub enum Visibility {
        /// The model.
        #[default]
        Model = "model",
        /// The user, and not the model.
        User = "user",
        /// The model, and the user as well.
        Both = "both",
    }
}

impl Visibility {
    /// Whether the text belongs into the prompt.
    #[must_use]
    pub const fn reaches_model(self) -> bool {
        !matches!(self, Self::User)
    }

    /// Whether the text is shown to the user.
    #[must_use]
    pub const fn reaches_user(self) -> bool {
        !matches!(self, Self::Model)
    }
}

name_enum! {
    /// Who wrote a text.
    #[derive(Default, PartialOrd, Ord)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[non_exhaustive]
    pub enum TextSource {
        /// The hook itself, or whoever wrote its settings.
        #[default]
        Hook = "hook",
        /// The user of the agent.
        User = "user",
        /// A tool: the text is data.
        Tool = "tool",
        /// A file that the agent or anybody else could have written: the text is data.
        File = "file",
        /// A page or a service: the text is data.
        Web = "web",
    }
}

impl TextSource {
    /// Whether a text of this source is data, whatever it says: it is fenced in a prompt.
    #[must_use]
    pub const fn is_data(self) -> bool {
        matches!(self, Self::Tool | Self::File | Self::Web)
    }

    /// Says it in words that a name can follow.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Hook => "text of the hook",
            Self::User => "text of the user",
            Self::Tool => "output of the tool",
            Self::File => "content of the file",
            Self::Web => "content of the page",
        }
    }
}

data! {
    /// Where a text comes from.
    #[derive(Eq, Default)]
    #[serde(deny_unknown_fields)]
    struct TextProvenance {
        /// Who wrote it.
        kind: TextSource,
        /// The tool, the file or the address.
        optional name: String,
        /// The call, or the version.
        optional id: String,
    }
}
