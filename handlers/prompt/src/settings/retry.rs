//! How often one model is asked, and how many answers must agree.
//!
//! Retries are for the way to the model, repair is for the form of its answer, and samples are for its
//! content. They multiply: three samples with one repair each are up to six answers, and each of those
//! may take several attempts. All of them are paid for, and share the timeout of the hook.

use std::time::Duration;

use hookgate_contract::settings::Settings;

use super::number::count;

/// The first wait between two attempts. It doubles with every further one.
const BACKOFF: Duration = Duration::from_millis(250);

/// The settings `retries`, `backoff` and `repair`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RetrySettings {
    /// How many more attempts follow a failure that may pass. Default 2.
    pub(crate) retries: u32,
    /// Default 250 ms.
    pub(crate) backoff: Duration,
    /// Whether the model is asked once more if its answer has not the requested form. Default true.
    pub(crate) repair: bool,
}

impl RetrySettings {
    /// Reads the settings.
    pub(crate) fn read(settings: &mut Settings<'_>) -> Self {
        Self {
            retries: count(settings, "retries", 0..=10).unwrap_or(2),
            backoff: settings.duration("backoff").unwrap_or(BACKOFF),
            repair: settings.flag("repair").unwrap_or(true),
        }
    }
}

/// The settings `samples` and `agree`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Samples {
    /// How many answers are requested. Default 1.
    pub(crate) count: u32,
    /// How many of them must agree: more than half.
    pub(crate) agree: u32,
}

impl Samples {
    /// A judge that is asked once.
    pub(crate) const ONE: Self = Self { count: 1, agree: 1 };

    /// Reads the settings.
    pub(crate) fn read(settings: &mut Settings<'_>) -> Self {
        let samples = count(settings, "samples", 1..=15).unwrap_or(1);
        let majority = samples / 2 + 1;
        let agree = count(settings, "agree", 1..=15).unwrap_or(majority);
        if agree > samples || agree < majority {
            settings.invalid(
                "agree",
                format!(
                    "of {samples} samples between {majority} and {samples} can have to agree: with \
                     fewer, two decisions could win"
                ),
            );
        }
        Self { count: samples, agree }
    }
}
