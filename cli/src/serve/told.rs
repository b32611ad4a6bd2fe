//! What subscribers are told.

use hookgate::Report;
use schemars::JsonSchema;
use serde::Serialize;

/// Something that was decided.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Told {
    /// A step was judged, or told.
    Decision(Box<Report>),
    /// A caller has asked for what it may not have.
    Refused {
        /// The method.
        method: String,
        /// The session that it was for.
        session: String,
        /// Why it was refused.
        why: String,
    },
}

/// The parameters of the notification `event`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct EventParams<'t> {
    /// How many were lost before this one, because they were not read in time.
    pub(super) lost: u64,
    /// What was decided; absent if only losses are told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) told: Option<&'t Told>,
}
