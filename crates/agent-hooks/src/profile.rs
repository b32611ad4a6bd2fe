//! How interceptors are called, how their verdicts are put together, and whether these count.

use hookgate_contract::StopAt;
use hookgate_contract::name_enum;
use serde::{Serialize, Serializer};

name_enum! {
    /// How interceptors are called, and how their verdicts are put together. The parallel profiles of
    /// the standard are not offered.
    #[derive(Default)]
    #[non_exhaustive]
    pub enum Profile {
        /// One after the other, up to the first that denies. If an approval lifts the deny, those after
        /// it are not asked.
        #[default]
        FirstDeny = "sequential/first_deny",
        /// One after the other, all of them; the strictest verdict counts.
        RunAll = "sequential/run_all",
    }
}

name_enum! {
    /// Whether verdicts count.
    #[derive(Default)]
    pub enum EnforcementMode {
        /// They do.
        #[default]
        Enforce = "enforce",
        /// They are only recorded.
        EvaluateOnly = "evaluate_only",
    }
}

impl Profile {
    /// Returns what `limits.stop_at` of the table must be.
    ///
    /// ```
    /// use hookgate::contract::StopAt;
    /// use hookgate_agent_hooks::Profile;
    ///
    /// assert_eq!(Profile::FirstDeny.stop_at(), StopAt::Ask);
    /// assert_eq!(Profile::RunAll.stop_at(), StopAt::Halt);
    /// ```
    #[must_use]
    pub const fn stop_at(self) -> StopAt {
        match self {
            Self::FirstDeny => StopAt::Ask,
            Self::RunAll => StopAt::Halt,
        }
    }
}

/// The profile in a record, with its setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Composition(pub Profile);

impl Serialize for Composition {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Written {
            profile: Profile,
            #[serde(skip_serializing_if = "Option::is_none")]
            on_approval: Option<&'static str>,
        }
        let on_approval = (self.0 == Profile::FirstDeny).then_some("stop");
        Written { profile: self.0, on_approval }.serialize(serializer)
    }
}
