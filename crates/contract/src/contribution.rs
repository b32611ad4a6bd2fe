//! Typed data that a hook hands to the runtime.

mod fence;
mod text;

use std::collections::BTreeMap;

use crate::{data, name_enum};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use fence::fenced;
pub use text::{Lifetime, TextProvenance, TextSource, Visibility};

impl ContributionKind {
    /// The kinds that are taken at every event but those that can only be watched.
    pub const ANYWHERE: &'static [Self] = &[Self::Audit, Self::Diagnostic, Self::BackgroundJob];
}

name_enum! {
    /// How grave a diagnostic is.
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[non_exhaustive]
    pub enum Severity {
        /// Worth knowing.
        Info = "info",
        /// Worth a look.
        Warning = "warning",
        /// Something is wrong.
        Error = "error",
    }
}

/// Defines the contributions and their kinds from one list of variants, structs and wire names.
macro_rules! contributions {
    ($($(#[$doc:meta])* $variant:ident($struct:ident) = $name:literal,)*) => {
        /// Something that a hook adds for the runtime to use.
        ///
        /// A decision carries contributions in the order of the hooks. Those of the phases of a turn are merged by
        /// `turn::Turn` of the crate `hookgate`.
        ///
        /// ```
        /// # use hookgate_contract::contribution::{AuditLine, Contribution};
        /// let line = Contribution::from(AuditLine::new("policy_read").safe_for_user(true));
        /// let json = r#"{"kind":"audit","event_kind":"policy_read","details":null,"safe_for_user":true}"#;
        /// assert_eq!(serde_json::to_string(&line)?, json);
        /// # Ok::<(), serde_json::Error>(())
        /// ```
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(tag = "kind", rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum Contribution {
            $($(#[$doc])* $variant($struct),)*
        }

        name_enum! {
            /// The kind of a [`Contribution`]; a contract lists the kinds that its event takes.
            #[derive(PartialOrd, Ord)]
            #[non_exhaustive]
            pub enum ContributionKind {
                $($(#[$doc])* $variant = $name,)*
            }
        }

        impl Contribution {
            /// Returns the kind, which a contract takes or does not take.
            #[must_use]
            pub const fn kind(&self) -> ContributionKind {
                match self {
                    $(Self::$variant(_) => ContributionKind::$variant,)*
                }
            }
        }

        $(impl From<$struct> for Contribution {
            fn from(contribution: $struct) -> Self {
                Self::$variant(contribution)
            }
        })*
    };
}

contributions! {
    /// A setting of the turn's policy.
    Policy(PolicySetting) = "policy",
    /// A piece of context for the prompt.
    PromptContext(ContextPiece) = "prompt_context",
    /// A section of the prompt.
    PromptSection(SectionText) = "prompt_section",
    /// Tools that are offered together.
    ToolBundle(ToolBundle) = "tool_bundle",
    /// A line for the audit log.
    Audit(AuditLine) = "audit",
    /// Something that the writer of a hook or prompt should know.
    Diagnostic(Diagnostic) = "diagnostic",
    /// Work for later.
    BackgroundJob(BackgroundJob) = "background_job",
}

data! {
    /// A setting of the turn's policy.
    #[serde(deny_unknown_fields)]
    struct PolicySetting {
        /// The area that the key belongs to.
        domain: String,
        /// The setting.
        key: String,
        /// Its value.
        value: Value,
        /// Lower wins.
        defaulted priority: i64,
    }
}

data! {
    /// A piece of context for the prompt.
    #[serde(deny_unknown_fields)]
    struct ContextPiece {
        /// A name that stays the same from turn to turn.
        id: String,
        /// The text.
        content: String,
        /// The area that the text belongs to.
        optional domain: String,
        /// Lower comes first.
        defaulted priority: i64,
        /// The longest that the text may become, in characters.
        optional max_chars: u64,
        /// Where the text comes from.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        defaulted source_refs: Vec<String>,
        /// The place in the prompt; without one it is the domain, or else the place of the kind.
        optional slot: String,
        /// How long it counts; this turn if it is absent.
        optional lifetime: Lifetime,
        /// Who sees it; the model if it is absent.
        optional visible: Visibility,
        /// Who wrote the text; the hook itself if it is absent.
        optional provenance: TextProvenance,
    }
}

data! {
    /// A section of the prompt.
    #[serde(deny_unknown_fields)]
    struct SectionText {
        /// The section.
        section_id: String,
        /// The text.
        content: String,
        /// A heading.
        optional title: String,
        /// The area that the text belongs to.
        optional domain: String,
        /// Lower comes first.
        defaulted priority: i64,
        /// The longest that the text may become, in characters.
        optional max_chars: u64,
        /// The place in the prompt; without one it is the domain, or else the place of the kind.
        optional slot: String,
        /// How long it counts; this turn if it is absent.
        optional lifetime: Lifetime,
        /// Who sees it; the model if it is absent.
        optional visible: Visibility,
        /// Who wrote the text; the hook itself if it is absent.
        optional provenance: TextProvenance,
    }
}

data! {
    /// Tools that are offered together.
    #[serde(deny_unknown_fields)]
    struct ToolBundle {
        /// The bundle.
        bundle_id: String,
        /// The tools in it.
        tool_names: Vec<String>,
        /// The area that the bundle belongs to.
        optional domain: String,
        /// Lower comes first.
        defaulted priority: i64,
        /// What the model is told of its tools. A tool may be named without.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        defaulted declarations: Vec<ToolDeclaration>,
        /// How the runtime reaches them: a server, an address, by keys of its own.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        defaulted routing: BTreeMap<String, Value>,
    }
}

data! {
    /// What the model is told of a tool.
    #[serde(deny_unknown_fields)]
    struct ToolDeclaration {
        /// Its name.
        name: String,
        /// What it does.
        optional description: String,
        /// The JSON Schema of its input.
        optional input_schema: Value,
    }
}

data! {
    /// A line for the audit log.
    #[serde(deny_unknown_fields)]
    struct AuditLine {
        /// What happened.
        event_kind: String,
        /// The facts.
        defaulted details: Value,
        /// Whether the user may see it.
        defaulted safe_for_user: bool,
    }
}

data! {
    /// Something that the writer of a hook or prompt should know.
    #[serde(deny_unknown_fields)]
    struct Diagnostic {
        /// A stable name.
        code: String,
        /// The text.
        message: String,
        /// How grave it is.
        severity: Severity,
        /// Whether the user may see it.
        defaulted safe_for_user: bool,
    }
}

data! {
    /// Work for later.
    #[serde(deny_unknown_fields)]
    struct BackgroundJob {
        /// The job.
        job_id: String,
        /// Its input.
        defaulted payload: Value,
        /// The area that the job belongs to.
        optional domain: String,
        /// Lower runs first.
        defaulted priority: i64,
        /// Jobs of the same key are one job.
        optional idempotency_key: String,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_contribution_comes_back_as_it_was_sent_and_unknown_fields_are_refused() {
        let all: [Contribution; 7] = [
            PolicySetting::new("shell", "network", false).into(),
            ContextPiece::new("id", "text")
                .source_refs(vec!["a".into()])
                .lifetime(Lifetime::Session)
                .provenance(TextProvenance::new(TextSource::Tool).name("Bash"))
                .into(),
            SectionText::new("id", "text")
                .max_chars(9)
                .slot("top")
                .visible(Visibility::Both)
                .into(),
            ToolBundle::new("id", vec!["Bash".into()])
                .declarations(vec![ToolDeclaration::new("Bash").input_schema(json!({}))])
                .routing([("server".to_owned(), json!("local"))].into())
                .into(),
            AuditLine::new("seen").details(json!({"n": 1})).into(),
            Diagnostic::new("code", "text", Severity::Warning).into(),
            BackgroundJob::new("id").idempotency_key("k").priority(-1).into(),
        ];
        assert_eq!(all.each_ref().map(Contribution::kind), ContributionKind::ALL);
        for contribution in all {
            let mut wire = serde_json::to_value(&contribution).unwrap();
            assert_eq!(wire["kind"], contribution.kind().name());
            assert_eq!(serde_json::from_value::<Contribution>(wire.clone()).unwrap(), contribution);
            wire["unknown"] = json!(1);
            assert!(serde_json::from_value::<Contribution>(wire).is_err());
        }
    }

    #[test]
    fn what_was_written_before_there_were_slots_is_read_and_written_as_it_was() {
        let earlier = [
            r#"{"kind":"prompt_context","id":"i","content":"c","priority":0}"#,
            r#"{"kind":"prompt_section","section_id":"s","content":"c","priority":2,"max_chars":9}"#,
            r#"{"kind":"tool_bundle","bundle_id":"b","tool_names":["Bash"],"priority":0}"#,
        ];
        for json in earlier {
            let read: Contribution = serde_json::from_str(json).unwrap();
            assert_eq!(serde_json::to_string(&read).unwrap(), json);
        }
    }
}
