//! `limits` and `sandbox` where the system has no means for them: a config that asks for one is refused, since a guard
//! that is less confined than its config says would not be the guard that was configured.

use std::path::Path;

use hookgate_contract::settings::Settings;

/// What a sandbox does not restrict: there is none.
pub(crate) const NOT_COVERED: &str = "anything";

/// The resource limits of a program, of which there are none.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ResourceLimits;

impl ResourceLimits {
    /// Refuses `limits`.
    pub(crate) fn read(settings: &mut Settings<'_>) -> Self {
        refuse(settings, "limits");
        Self
    }

    #[allow(clippy::unused_self, reason = "Linux has limits")]
    pub(crate) const fn is_ineffective(self) -> bool {
        false
    }

    #[cfg(unix)]
    #[allow(clippy::unused_self, clippy::unnecessary_wraps, reason = "Linux has limits")]
    pub(crate) const fn apply(self, _pid: rustix::process::Pid) -> std::io::Result<()> {
        Ok(())
    }
}

/// A sandbox, of which there is none.
#[derive(Debug, Clone)]
pub(crate) enum Sandbox {}

impl Sandbox {
    /// Refuses `sandbox`.
    pub(crate) fn read(settings: &mut Settings<'_>, _base: &Path) -> Option<Self> {
        refuse(settings, "sandbox");
        None
    }

    pub(crate) const fn is_supported(&self) -> bool {
        match *self {}
    }
}

fn refuse(settings: &mut Settings<'_>, key: &str) {
    if settings.node(key).is_some() {
        let problem =
            "only Linux can enforce it: leave it out, and the program is not confined here";
        settings.invalid(key, problem);
    }
}
