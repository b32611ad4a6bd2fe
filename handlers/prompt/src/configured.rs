//! A judge of a config, without what it shares with others.
//!
//! It is separate from the handler so that the state can know the judges of all hooks, for `first`,
//! while the handlers know the state: references go one way only.

use std::sync::Arc;

use hookgate_contract::Failure;

use crate::answer::opinion::Opinion;
use crate::coalesce::cache::TtlCache;
use crate::coalesce::kept_opinions::KeptOpinions;
use crate::question::input::InputKey;
use crate::settings::JudgeSettings;

/// The opinions of one judge. Judges with the same definition share them.
pub(crate) type OpinionCache = TtlCache<InputKey, Arc<Opinion>>;

/// The settings of a judge, its cache, and the first judge in its settings.
pub(crate) struct ConfiguredJudge {
    pub(crate) settings: Arc<JudgeSettings>,
    /// `None`: the model is asked about every step.
    pub(crate) cache: Option<Arc<OpinionCache>>,
    /// What outlives the process of it, in a host that has a home for it.
    pub(crate) kept: Option<KeptOpinions>,
    /// The judge in a table `first`. One that is named lives elsewhere, and is looked up for each
    /// step, since a reload may replace it.
    pub(crate) table_first: Option<Arc<Self>>,
}

impl ConfiguredJudge {
    /// Returns the opinion about an input that is cached in this process.
    pub(crate) fn cached(&self, key: &InputKey) -> Option<Arc<Opinion>> {
        self.cache.as_ref()?.get(key)
    }

    /// Returns the opinion about an input that is known, also from an earlier process.
    ///
    /// # Errors
    /// A failure of class `state` if it is not known what was kept.
    pub(crate) fn known(&self, key: &InputKey) -> Result<Option<Arc<Opinion>>, Failure> {
        if let Some(cached) = self.cached(key) {
            return Ok(Some(cached));
        }
        let Some(kept) = &self.kept else { return Ok(None) };
        Ok(kept.find(key)?.map(Arc::new))
    }

    /// Remembers an opinion, if it may be.
    pub(crate) fn remember(&self, key: InputKey, opinion: &Arc<Opinion>) {
        if !opinion.is_cacheable() {
            return;
        }
        if let Some(cache) = &self.cache {
            cache.insert(key, Arc::clone(opinion));
        }
        if let Some(kept) = &self.kept {
            kept.insert(&key, opinion);
        }
    }
}
