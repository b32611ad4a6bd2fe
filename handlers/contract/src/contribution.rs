//! Typed data that a hook hands to the runtime.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The kind of a [`Contribution`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ContributionKind {
    /// See [`Contribution::Policy`].
    Policy,
    /// See [`Contribution::PromptContext`].
    PromptContext,
    /// See [`Contribution::PromptSection`].
    PromptSection,
    /// See [`Contribution::ToolBundle`].
    ToolBundle,
    /// See [`Contribution::Audit`].
    Audit,
    /// See [`Contribution::Diagnostic`].
    Diagnostic,
    /// See [`Contribution::BackgroundJob`].
    BackgroundJob,
}

impl ContributionKind {
    /// The kinds that are taken wherever a hook may speak.
    pub const ANYWHERE: &'static [Self] = &[Self::Audit, Self::Diagnostic, Self::BackgroundJob];
    pub(crate) const POLICY: &'static [Self] =
        &[Self::Policy, Self::Audit, Self::Diagnostic, Self::BackgroundJob];
    pub(crate) const PROMPT_CONTEXT: &'static [Self] =
        &[Self::PromptContext, Self::Audit, Self::Diagnostic, Self::BackgroundJob];
    pub(crate) const PROMPT_SECTION: &'static [Self] =
        &[Self::PromptSection, Self::Audit, Self::Diagnostic, Self::BackgroundJob];
    pub(crate) const TOOL_BUNDLE: &'static [Self] =
        &[Self::ToolBundle, Self::Audit, Self::Diagnostic, Self::BackgroundJob];

    /// The name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Policy => "policy",
            Self::PromptContext => "prompt_context",
            Self::PromptSection => "prompt_section",
            Self::ToolBundle => "tool_bundle",
            Self::Audit => "audit",
            Self::Diagnostic => "diagnostic",
            Self::BackgroundJob => "background_job",
        }
    }
}

/// How grave a diagnostic is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Worth a look.
    Warning,
    /// Something is wrong.
    Error,
}

/// Something that a hook adds for the runtime to use. Contributions are carried in the order of
/// the hooks; merging them is up to the runtime.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Contribution {
    /// A setting of the turn's policy.
    Policy {
        /// The area that the key belongs to.
        domain: String,
        /// The setting.
        key: String,
        /// Its value.
        value: Value,
        /// Lower wins.
        #[serde(default)]
        priority: i64,
    },
    /// A piece of context for the prompt.
    PromptContext {
        /// A name that stays the same from turn to turn.
        id: String,
        /// The text.
        content: String,
        /// The area that the text belongs to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        domain: Option<String>,
        /// Lower comes first.
        #[serde(default)]
        priority: i64,
        /// The longest that the text may become, in characters.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_chars: Option<u64>,
        /// Where the text comes from.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        source_refs: Vec<String>,
    },
    /// A section of the prompt.
    PromptSection {
        /// The section.
        section_id: String,
        /// The text.
        content: String,
        /// A heading.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<String>,
        /// The area that the text belongs to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        domain: Option<String>,
        /// Lower comes first.
        #[serde(default)]
        priority: i64,
        /// The longest that the text may become, in characters.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_chars: Option<u64>,
    },
    /// Tools that are offered together.
    ToolBundle {
        /// The bundle.
        bundle_id: String,
        /// The tools in it.
        tool_names: Vec<String>,
        /// The area that the bundle belongs to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        domain: Option<String>,
        /// Lower comes first.
        #[serde(default)]
        priority: i64,
    },
    /// A line for the audit log.
    Audit {
        /// What happened.
        event_kind: String,
        /// The facts.
        #[serde(default)]
        details: Value,
        /// Whether the user may see it.
        #[serde(default)]
        safe_for_user: bool,
    },
    /// Something that the writer of a hook or prompt should know.
    Diagnostic {
        /// A stable name.
        code: String,
        /// The text.
        message: String,
        /// How grave it is.
        severity: Severity,
        /// Whether the user may see it.
        #[serde(default)]
        safe_for_user: bool,
    },
    /// Work for later.
    BackgroundJob {
        /// The job.
        job_id: String,
        /// Its input.
        #[serde(default)]
        payload: Value,
        /// The area that the job belongs to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        domain: Option<String>,
        /// Lower runs first.
        #[serde(default)]
        priority: i64,
        /// Jobs of the same key are one job.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        idempotency_key: Option<String>,
    },
}

impl Contribution {
    /// The kind, which a contract takes or does not take.
    #[must_use]
    pub const fn kind(&self) -> ContributionKind {
        match self {
            Self::Policy { .. } => ContributionKind::Policy,
            Self::PromptContext { .. } => ContributionKind::PromptContext,
            Self::PromptSection { .. } => ContributionKind::PromptSection,
            Self::ToolBundle { .. } => ContributionKind::ToolBundle,
            Self::Audit { .. } => ContributionKind::Audit,
            Self::Diagnostic { .. } => ContributionKind::Diagnostic,
            Self::BackgroundJob { .. } => ContributionKind::BackgroundJob,
        }
    }
}
