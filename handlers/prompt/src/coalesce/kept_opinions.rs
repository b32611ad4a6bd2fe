//! Opinions that outlive the process: in a host that starts one for each step, a cache in memory would be
//! empty at each of them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use data_encoding::HEXLOWER;
use hookgate_contract::{Kept, StateError, StateHome, StateScope};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::answer::finding::Finding;
use crate::answer::opinion::{Opinion, Usage};
use crate::parameter::Parameters;
use crate::question::input::InputKey;
use crate::settings::definition::Definition;

/// How many opinions of a judge are kept in a home: all of them are read at each step.
const MOST: usize = 256;

/// The opinions of the judges of one definition, in a home.
pub(crate) struct KeptOpinions {
    kept: Kept<Opinions>,
    definition: String,
    ttl: Duration,
    most: usize,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Opinions(BTreeMap<String, KeptOpinion>);

#[derive(Debug, Clone, Serialize, Deserialize)]
struct KeptOpinion {
    /// Since the epoch.
    expires: Duration,
    finding: KeptFinding,
    model: Arc<str>,
    prompt_hash: Arc<str>,
    omitted: usize,
    answer: Option<Arc<str>>,
}

/// A [`Finding`] but that of an answer format of the host, which has no form of its own.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum KeptFinding {
    Allow(String),
    Deny(String),
    Ask(String),
    Context(String),
    Patch(Map<String, Value>),
}

impl KeptOpinions {
    /// Keeps opinions of judges of this definition in a home, for a time, and not more than so many.
    pub(crate) fn new(
        home: Arc<dyn StateHome>,
        definition: &Definition,
        ttl: Duration,
        size: usize,
    ) -> Self {
        let kept = Kept::new("opinions", 1).in_home(Some(home));
        Self { kept, definition: HEXLOWER.encode(definition), ttl, most: size.min(MOST) }
    }

    /// Returns the opinion about an input, unless it has expired.
    ///
    /// # Errors
    /// It is not known what was kept.
    pub(crate) fn find(&self, key: &InputKey) -> Result<Option<Opinion>, StateError> {
        let (key, now) = (HEXLOWER.encode(key), now());
        self.kept.look(StateScope::User, &self.definition, |kept| {
            let found = kept.and_then(|Opinions(all)| all.get(&key));
            found.filter(|found| now < found.expires).map(KeptOpinion::opinion)
        })
    }

    /// Keeps an opinion. One that cannot be kept is asked for again.
    pub(crate) fn insert(&self, key: &InputKey, opinion: &Opinion) {
        let now = now();
        let Some(opinion) = KeptOpinion::of(opinion, now.saturating_add(self.ttl)) else { return };
        let _ = self.kept.update(StateScope::User, &self.definition, |Opinions(all)| {
            all.retain(|_, kept| now < kept.expires);
            all.insert(HEXLOWER.encode(key), opinion);
            while all.len() > self.most {
                let oldest = all.iter().min_by_key(|(_, kept)| kept.expires);
                let Some(oldest) = oldest.map(|(key, _)| key.clone()) else { break };
                all.remove(&oldest);
            }
        });
    }
}

impl KeptOpinion {
    fn of(opinion: &Opinion, expires: Duration) -> Option<Self> {
        let finding = match opinion.finding.as_ref().ok()? {
            Finding::Allow(reason) => KeptFinding::Allow(reason.clone()),
            Finding::Deny(reason) => KeptFinding::Deny(reason.clone()),
            Finding::Ask(reason) => KeptFinding::Ask(reason.clone()),
            Finding::Context(text) => KeptFinding::Context(text.clone()),
            Finding::Patch(patch) => KeptFinding::Patch(patch.clone()),
            Finding::Custom(_) => return None,
        };
        let Opinion { model, prompt_hash, omitted, answer, .. } = opinion.clone();
        Some(Self { expires, finding, model, prompt_hash, omitted, answer })
    }

    fn opinion(&self) -> Opinion {
        let Self { model, prompt_hash, omitted, answer, .. } = self.clone();
        let finding = match self.finding.clone() {
            KeptFinding::Allow(reason) => Finding::Allow(reason),
            KeptFinding::Deny(reason) => Finding::Deny(reason),
            KeptFinding::Ask(reason) => Finding::Ask(reason),
            KeptFinding::Context(text) => Finding::Context(text),
            KeptFinding::Patch(patch) => Finding::Patch(patch),
        };
        // Nobody pays for it again.
        let usage = Usage::default();
        Opinion {
            finding: Ok(finding),
            model,
            prompt_hash,
            fallback: false,
            // It was told with the request.
            refused: Parameters::default(),
            omitted,
            answer,
            usage,
        }
    }
}

fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}
