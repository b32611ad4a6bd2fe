//! The reasons that only a host may give.

use hookgate_contract::name_enum;
use hookgate_contract::{Failure, FailureClass};

use crate::target_path::TargetError;

/// What every reserved reason begins with.
pub(crate) const PREFIX: &str = "host_error:";

name_enum! {
    /// A reason that a host gives itself, always with a deny. An interceptor must not give one.
    #[non_exhaustive]
    pub enum Reserved {
        /// There is no valid context, or its identity cannot be computed.
        ContextInvalid = "host_error:context_invalid",
        /// An interceptor failed.
        InterceptorFailed = "host_error:interceptor_failed",
        /// An interceptor did not answer in time.
        InterceptorTimeout = "host_error:interceptor_timeout",
        /// An answer is no verdict.
        VerdictInvalid = "host_error:verdict_invalid",
        /// The path of a change names nothing, or the value has no place there.
        TransformInvalid = "host_error:transform_invalid",
        /// Something else than the target is to be changed.
        TransformTargetForbidden = "host_error:transform_target_forbidden",
        /// The approver failed.
        ApprovalResolverFailed = "host_error:approval_resolver_failed",
        /// The approver could not decide.
        ApprovalUnresolved = "host_error:approval_unresolved",
        /// The approver decided about something else.
        ApprovalIdentityMismatch = "host_error:approval_identity_mismatch",
        /// There is no interceptor.
        NoInterceptor = "host_error:no_interceptor",
    }
}

impl Reserved {
    /// Returns the failure of a hook that stands for the reason. Its detail begins with the reason, from
    /// where [`Reserved::of_failure`] reads it back.
    pub(crate) fn failure(self, detail: &str) -> Failure {
        let class = match self {
            Self::VerdictInvalid => FailureClass::Malformed,
            Self::InterceptorTimeout => FailureClass::Timeout,
            // An illegal verdict ends the calls of later hooks, whatever `stop_at` says.
            Self::TransformInvalid | Self::TransformTargetForbidden | Self::ContextInvalid => {
                FailureClass::Illegal
            }
            _ => FailureClass::Exit,
        };
        Failure::new(class, format!("{self}: {detail}"))
    }

    /// Returns the reason for which a hook has failed.
    pub(crate) fn of_failure(class: Option<FailureClass>, detail: &str) -> Self {
        let named = Self::ALL.into_iter().find(|reason| {
            detail.strip_prefix(reason.name()).is_some_and(|rest| rest.starts_with(": "))
        });
        named.unwrap_or(match class {
            Some(FailureClass::Timeout) => Self::InterceptorTimeout,
            Some(FailureClass::Malformed | FailureClass::Illegal) => Self::VerdictInvalid,
            _ => Self::InterceptorFailed,
        })
    }

    /// Tells whether a rewrite could not be applied: such a deny is nobody's decision.
    pub(crate) const fn is_about_rewrite(self) -> bool {
        matches!(
            self,
            Self::TransformInvalid | Self::TransformTargetForbidden | Self::ContextInvalid
        )
    }
}

impl From<TargetError> for Reserved {
    fn from(error: TargetError) -> Self {
        match error {
            TargetError::Forbidden => Self::TransformTargetForbidden,
            TargetError::Invalid => Self::TransformInvalid,
        }
    }
}
