//! What the judges of a registry have in common.
//!
//! Everything here outlives a reload of the config. A new table builds new judges, but a judge whose
//! definition has not changed finds the cache of its predecessor, its budgets are not refilled, and the
//! connections stay open. Caches are found by definition and kept weakly: when the last table with a
//! judge is gone, its answers are gone, too.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use hookgate_contract::StateHome;

use crate::answer::format::{AnswerFormat, AnswerFormats};
use crate::answer::opinion::Opinion;
use crate::client::Client;
use crate::client::ledger::SpendLedger;
use crate::client::partial_reply::PartialReplies;
use crate::coalesce::batch::Batcher;
use crate::coalesce::cache::TtlCache;
use crate::coalesce::kept_opinions::KeptOpinions;
use crate::coalesce::single_flight::SingleFlight;
use crate::configured::{ConfiguredJudge, OpinionCache};
use crate::question::Question;
use crate::settings::definition::Definition;
use crate::settings::{FirstJudge, JudgeSettings};
use crate::sync::lock;

/// How long a question waits for others about the same step.
const BATCH_WINDOW: Duration = Duration::from_millis(3);

/// How many rules are asked about together. With more, models begin to mix them up.
const MAX_BATCH: usize = 16;

/// A hash over parts of any length, for maps of what is under way.
pub(crate) type Key = [u8; 32];

/// The state that all judges of a registry share: connections, cached answers, requests that are under
/// way, spending. It outlives a reload of the config.
///
/// Each registry has a state of its own; two registries never share an answer or a budget. Judges
/// built with [`Judge::build`](crate::Judge::build) share what they are given.
///
/// ```
/// use std::path::Path;
/// use std::sync::Arc;
///
/// use hookgate_contract::BuildContext;
/// use hookgate_contract::settings::{Node, Settings};
/// use hookgate_prompt::{Judge, JudgeState};
/// use serde_json::json;
///
/// let state = Arc::new(JudgeState::default());
/// let build = |rule: &str| {
///     let node = Node::from_json(&json!({"model": "gpt-5-mini", "prompt": rule}));
///     let context = BuildContext::new(Path::new("."), 256 * 1024);
///     Judge::build(&mut Settings::new(&node), &context, Arc::clone(&state))
/// };
/// assert!(build("Deny what deletes data.").is_some());
/// assert!(build("").is_none(), "a rule must not be empty");
/// ```
pub struct JudgeState {
    pub(crate) formats: AnswerFormats,
    pub(crate) client: Client,
    pub(crate) ledger: SpendLedger,
    pub(crate) flights: Arc<SingleFlight<Key, Arc<Opinion>, PartialReplies>>,
    pub(crate) batches: Arc<Batcher<Key, Question, Opinion>>,
    judges: Mutex<KnownJudges>,
    home: Option<Arc<dyn StateHome>>,
}

/// Judges and caches that are in use somewhere. The references are weak: a judge lives as long as a
/// table has it.
#[derive(Default)]
struct KnownJudges {
    caches: HashMap<Definition, Weak<OpinionCache>>,
    by_hook: HashMap<String, Vec<Weak<ConfiguredJudge>>>,
}

impl JudgeState {
    /// Adds an answer format, for `respond = "name"`. A later format of the same name replaces an
    /// earlier one; the names `decision`, `context` and `rewrite` keep their meaning.
    ///
    /// Formats are added before the state is shared, so the formats of a registry do not change under
    /// its judges.
    ///
    /// ```
    /// use std::path::Path;
    /// use std::sync::Arc;
    ///
    /// use hookgate_contract::settings::{Node, Settings};
    /// use hookgate_contract::{BuildContext, Reply, Verdict};
    /// use hookgate_prompt::{AnswerFormat, Judge, JudgeState};
    /// use serde_json::{Map, Value, json};
    ///
    /// /// Keeps the topic of a step in the record, and decides nothing.
    /// struct Topic;
    ///
    /// impl AnswerFormat for Topic {
    ///     fn properties(&self) -> Map<String, Value> {
    ///         Map::from_iter([("topic".to_owned(), json!({"type": "string"}))])
    ///     }
    ///
    ///     fn instructions(&self) -> String {
    ///         "`topic`: what the step is about, in one word.\n".to_owned()
    ///     }
    ///
    ///     fn read(&self, answer: &Map<String, Value>) -> Reply {
    ///         Ok(Verdict::none().annotate("topic", answer["topic"].clone()))
    ///     }
    /// }
    ///
    /// let node = Node::from_json(&json!({"model": "m", "prompt": "Any.", "respond": "topic"}));
    /// let build = |state| {
    ///     let context = BuildContext::new(Path::new("."), 256 * 1024);
    ///     Judge::build(&mut Settings::new(&node), &context, Arc::new(state))
    /// };
    /// assert!(build(JudgeState::default()).is_none(), "`topic` is not known");
    /// assert!(build(JudgeState::default().with_answer_format("topic", Arc::new(Topic))).is_some());
    /// ```
    #[must_use]
    pub fn with_answer_format(
        mut self,
        name: impl Into<String>,
        format: Arc<dyn AnswerFormat>,
    ) -> Self {
        self.formats.insert(name.into(), format);
        self
    }

    /// Keeps what judges spend and learn in a home that outlives the process: budgets and rates, answers, and
    /// which form of answer a server accepts. Without one a host that starts a process for each step bounds
    /// nothing.
    #[must_use]
    pub fn with_home(self, home: Arc<dyn StateHome>) -> Self {
        Self {
            client: Client::in_home(Some(Arc::clone(&home))),
            ledger: SpendLedger::in_home(Some(Arc::clone(&home))),
            home: Some(home),
            ..self
        }
    }

    /// Makes a judge from its settings, with the cache of earlier judges of the same definition: a
    /// reload that does not change a judge keeps its answers.
    pub(crate) fn configure(&self, settings: Arc<JudgeSettings>) -> Arc<ConfiguredJudge> {
        let cache = settings
            .cache
            .map(|cache| self.cache(settings.definition, || TtlCache::new(cache.ttl, cache.size)));
        let table_first = match &settings.first {
            Some(FirstJudge::Table(first)) => Some(self.configure(Arc::clone(first))),
            _ => None,
        };
        let kept = match (&self.home, settings.cache) {
            (Some(home), Some(cache)) => {
                let home = Arc::clone(home);
                Some(KeptOpinions::new(home, &settings.definition, cache.ttl, cache.size))
            }
            _ => None,
        };
        Arc::new(ConfiguredJudge { settings, cache, kept, table_first })
    }

    fn cache(
        &self,
        definition: Definition,
        make: impl FnOnce() -> OpinionCache,
    ) -> Arc<OpinionCache> {
        let mut judges = lock(&self.judges);
        judges.caches.retain(|_, cache| cache.strong_count() > 0);
        if let Some(cache) = judges.caches.get(&definition).and_then(Weak::upgrade) {
            return cache;
        }
        let cache = Arc::new(make());
        judges.caches.insert(definition, Arc::downgrade(&cache));
        cache
    }

    /// Makes the judge of a hook known, so that others can name it as `first`.
    pub(crate) fn register(&self, hook: &str, judge: &Arc<ConfiguredJudge>) {
        let mut judges = lock(&self.judges);
        let of_hook = judges.by_hook.entry(hook.to_owned()).or_default();
        of_hook.retain(|judge| judge.strong_count() > 0);
        of_hook.push(Arc::downgrade(judge));
    }

    /// Returns the judge of a hook; of several, the latest.
    pub(crate) fn judge_of(&self, hook: &str) -> Option<Arc<ConfiguredJudge>> {
        lock(&self.judges).by_hook.get(hook)?.iter().rev().find_map(Weak::upgrade)
    }

    /// Returns the judge that is asked before another. A judge that names itself has no first judge,
    /// and an id without a judge clears nothing.
    pub(crate) fn first_judge(&self, judge: &Arc<ConfiguredJudge>) -> Option<Arc<ConfiguredJudge>> {
        let first = match &judge.settings.first {
            Some(FirstJudge::Named(hook)) => self.judge_of(hook),
            Some(FirstJudge::Table(_)) => judge.table_first.clone(),
            None => None,
        };
        first.filter(|first| !Arc::ptr_eq(first, judge))
    }
}

impl Default for JudgeState {
    /// Makes an empty state. It opens no connection and reads no certificate yet.
    fn default() -> Self {
        Self {
            formats: AnswerFormats::default(),
            client: Client::default(),
            ledger: SpendLedger::default(),
            flights: Arc::default(),
            batches: Arc::new(Batcher::new(BATCH_WINDOW, MAX_BATCH)),
            judges: Mutex::default(),
            home: None,
        }
    }
}

impl fmt::Debug for JudgeState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hooks = lock(&self.judges).by_hook.len();
        f.debug_struct("JudgeState").field("hooks", &hooks).finish_non_exhaustive()
    }
}
