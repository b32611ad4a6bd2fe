//! A judge of a config, without what it shares with others.
//!
//! It is separate from the handler so that the state can know the judges of all hooks, for `first`,
//! while the handlers know the state: references go one way only.

use std::sync::Arc;

use crate::answer::opinion::Opinion;
use crate::coalesce::cache::TtlCache;
use crate::question::input::InputKey;
use crate::settings::JudgeSettings;

/// The opinions of one judge. Judges with the same definition share them.
pub(crate) type OpinionCache = TtlCache<InputKey, Arc<Opinion>>;

/// The settings of a judge, its cache, and the first judge in its settings.
pub(crate) struct ConfiguredJudge {
    pub(crate) settings: Arc<JudgeSettings>,
    /// `None`: the model is asked about every step.
    pub(crate) cache: Option<Arc<OpinionCache>>,
    /// The judge in a table `first`. One that is named lives elsewhere, and is looked up for each
    /// step, since a reload may replace it.
    pub(crate) table_first: Option<Arc<Self>>,
}

impl ConfiguredJudge {
    /// Returns the cached opinion about an input.
    pub(crate) fn cached(&self, key: &InputKey) -> Option<Arc<Opinion>> {
        self.cache.as_ref()?.get(key)
    }
}
