//! A failure that lasts.

use std::path::PathBuf;
use std::time::Duration;

use hookgate_contract::settings::SettingProblem;
use tokio::time::Instant;

use crate::config::{ConfigError, ConfigErrors, ConfigProblem};
use crate::reload::ReloadError;

/// How often it is said again.
pub(super) const REMIND_EVERY: Duration = Duration::from_secs(10);

/// A failure that was told.
#[derive(Debug)]
pub(super) struct Failing {
    error: ReloadError,
    /// When it was last told.
    told: Instant,
}

impl Failing {
    /// A failure that is told now.
    pub(super) fn now(error: ReloadError) -> Self {
        Self { error, told: Instant::now() }
    }

    pub(super) fn is(&self, error: &ReloadError) -> bool {
        self.error == *error
    }

    /// Whether it was not told for a while; then it counts as told again.
    pub(super) fn is_due(&mut self) -> bool {
        let is_due = self.told.elapsed() >= REMIND_EVERY;
        if is_due {
            self.told = Instant::now();
        }
        is_due
    }

    /// Whether it may be mended without a change to the files that are watched: by a script that was missing, for
    /// example.
    pub(super) fn rests_on_other_files(&self) -> bool {
        let is_outside = |error: &ConfigError| {
            matches!(
                error.problem(),
                ConfigProblem::Setting(SettingProblem::Invalid { .. })
                    | ConfigProblem::Unbuilt
                    | ConfigProblem::Include(_)
                    | ConfigProblem::Pack(_)
            )
        };
        self.mistakes().is_none_or(|all| all.errors().iter().any(is_outside))
    }

    /// Returns the files in which the mistakes are.
    pub(super) fn files(&self) -> impl Iterator<Item = PathBuf> {
        let errors = self.mistakes().into_iter().flat_map(ConfigErrors::errors);
        errors.map(|error| PathBuf::from(error.file()))
    }

    const fn mistakes(&self) -> Option<&ConfigErrors> {
        match &self.error {
            ReloadError::Config(mistakes) => Some(mistakes),
            _ => None,
        }
    }
}
