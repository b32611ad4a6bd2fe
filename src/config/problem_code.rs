//! The stable names of what can be wrong with a config.

use super::problem::ConfigProblem;

impl ConfigProblem {
    /// Returns a short name for the sort of the mistake: `unknown_event`. Programs can rely on it, and
    /// reports in SARIF have it as the id of the rule.
    ///
    /// ```
    /// use hookgate::config::ConfigProblem;
    ///
    /// assert_eq!(ConfigProblem::NoHooks.code(), "no_hooks");
    /// ```
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Read(..) => "unreadable_file",
            Self::Utf8 => "not_utf8",
            Self::Syntax(_) => "syntax",
            Self::Version(_) => "unknown_version",
            Self::HookTable | Self::NoHooks | Self::Empty => "no_hooks",
            Self::Setting(_) => "setting",
            Self::Build { .. } => "hook",
            Self::UnknownEvent { .. } => "unknown_event",
            Self::NoEventMatches(_) | Self::NoEventSuits(_) => "no_event",
            Self::Condition(_) => "doubtful_setting",
            Self::UnclearAllowed => "unclear_allowed",
            Self::StopsAtAsk => "stops_at_ask",
            Self::TooFewFiles(_) => "too_few_files",
            Self::UnknownBuiltin { .. } => "unknown_builtin",
            Self::UnknownKind { .. } => "unknown_kind",
            Self::Misplaced { .. } => "misplaced_key",
            Self::Shadowed { .. } => "shadowed_hook",
            Self::NoHandler | Self::SeveralHandlers(_) => "one_handler",
            Self::Handler(_) | Self::Unbuilt => "handler",
            Self::UnverifiedKind(_) | Self::UnverifiedEvent(_) => "unverified",
            Self::RequiredHook { .. }
            | Self::RequiredDefinition { .. }
            | Self::NotGuardable(_)
            | Self::Unguarded { .. } => "require",
            Self::ForeignEvent { .. } | Self::Foreign { .. } => "foreign",
            Self::Pack(_) => "pack",
            _ => "layers",
        }
    }
}
