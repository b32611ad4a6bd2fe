//! The settings of a judge, read and checked once when its config is loaded.
//!
//! Reading never stops at the first mistake: each part reads its keys, notes what is wrong, and goes
//! on, so that one run reports everything. Only at the end is it decided whether there is a judge.
//!
//! Each group of keys is a struct in a file of its own, with its defaults beside it:
//!
//! | file | keys |
//! |---|---|
//! | [`endpoint`] | `model`, `base_url`, `api_key_env`, `allow_plain_http`, `fallback` |
//! | [`sampling`] | `temperature`, `seed`, `max_tokens` |
//! | [`template`] | `prompt`, `prompt_file`, `vars` |
//! | [`show`] | `show`, `show_limit`, `on_cut`, `images` |
//! | [`respond`] | `respond`, `speak_allow`, `reason`, `keep_answer` |
//! | [`retry`] | `retries`, `backoff`, `repair`, `samples`, `agree` |
//! | [`cost`] | `cache`, `limits` |
//! | [`budget`] | `budget`, `prices` |
//!
//! A table `first` is a judge of its own with the settings of the one around it, except for those of
//! [`essentials`], which it may replace. All of them are read-only after that: nothing about a judge
//! changes but by a reload, which makes another one.

pub(crate) mod budget;
pub(crate) mod cost;
pub(crate) mod definition;
mod doc;
pub(crate) mod endpoint;
mod envelope_fields;
mod essentials;
mod number;
pub(crate) mod respond;
pub(crate) mod retry;
pub(crate) mod sampling;
pub(crate) mod show;
pub(crate) mod template;

use std::collections::BTreeMap;
use std::sync::Arc;

use hookgate_contract::BuildContext;
use hookgate_contract::settings::{NodeValue, Settings};
use hookgate_secrets::Secrets;

use crate::answer::format::{AnswerFormats, AnswerKind};
use crate::answer::response_format::ResponseFormat;
use budget::{Price, SpendLimits};
use cost::{CacheSettings, ConcurrencyLimit, RequestLimits};
use definition::{Definition, definition};
pub use doc::SETTINGS;
use endpoint::Endpoint;
use essentials::Essentials;
use respond::Respond;
use retry::{RetrySettings, Samples};
use sampling::Sampling;
use show::Show;
use template::RuleTemplate;

/// All settings of a judge. They are shared by the handler, its requests and its probe, so they are kept
/// in an `Arc` and never changed.
#[derive(Debug, Clone)]
pub(crate) struct JudgeSettings {
    /// The model, followed by its fallbacks. Never empty.
    pub(crate) endpoints: Vec<Endpoint>,
    pub(crate) sampling: Sampling,
    /// `None`: the strictest format that the server accepts is found out by trying.
    pub(crate) response_format: Option<ResponseFormat>,
    pub(crate) system: Option<String>,
    pub(crate) rule: RuleTemplate,
    pub(crate) show: Show,
    pub(crate) respond: Respond,
    pub(crate) retry: RetrySettings,
    pub(crate) samples: Samples,
    /// `None`: the model is asked about every step.
    pub(crate) cache: Option<CacheSettings>,
    pub(crate) batch: bool,
    pub(crate) first: Option<FirstJudge>,
    pub(crate) concurrency: ConcurrencyLimit,
    pub(crate) spending: SpendLimits,
    pub(crate) prices: BTreeMap<String, Price>,
    /// How many bytes a reply of a server may have.
    pub(crate) max_reply: usize,
    pub(crate) definition: Definition,
}

/// The cheaper judge that is asked first.
#[derive(Debug, Clone)]
pub(crate) enum FirstJudge {
    /// A judge elsewhere in the config, by the id of its hook.
    Named(String),
    /// A judge in a table of these settings.
    Table(Arc<JudgeSettings>),
}

impl JudgeSettings {
    /// Reads the settings of a judge. Every mistake is noted in the settings; the result is `None` only
    /// if what is missing leaves nothing to build: no model, no rule, no kind of answer.
    pub(crate) fn read(
        settings: &mut Settings<'_>,
        context: &BuildContext<'_>,
        formats: &AnswerFormats,
    ) -> Option<Self> {
        let essentials = Essentials::read(settings, context.base, None);
        let mut endpoints: Vec<Endpoint> = essentials.endpoint.into_iter().collect();
        endpoints.extend(Endpoint::read_fallbacks(settings));
        let show = Show::read(settings, context);
        let respond = Respond::read(settings, formats);
        let retry = RetrySettings::read(settings);
        let cache = CacheSettings::read(settings);
        let batch = settings.flag("batch").unwrap_or(false);
        let samples = Samples::read(settings);
        let limits = RequestLimits::read(settings);
        let spending = SpendLimits::read(settings, limits.rate);
        let prices = read_prices(settings, &spending, &endpoints);
        // `first` is read last, and only in a judge that is whole. Here it becomes a known key.
        let _ = settings.node("first");
        let mut judge = Self {
            endpoints,
            sampling: essentials.sampling,
            response_format: essentials.response_format,
            system: essentials.system,
            rule: essentials.rule?,
            show,
            respond: respond?,
            retry,
            samples,
            cache,
            batch,
            first: None,
            concurrency: limits.concurrency,
            spending,
            prices,
            max_reply: context.output,
            definition: Definition::default(),
        };
        judge.define(settings, context);
        if judge.endpoints.is_empty() { None } else { Some(judge) }
    }

    /// Reads `first` and computes the definition, of which the first judge is a part.
    fn define(&mut self, settings: &mut Settings<'_>, context: &BuildContext<'_>) {
        let rule = self.rule.source().as_bytes().to_owned();
        self.definition = definition(settings, &[&rule]);
        self.first = self.read_first(settings, context);
        if let Some(FirstJudge::Table(first)) = &self.first {
            // A rule file that only the first judge names is a part of this one, too.
            self.definition = definition(settings, &[&rule, &first.definition]);
        }
    }

    /// Reads `first`. Only decisions can have a first judge: it clears a step by allowing it.
    fn read_first(
        &self,
        settings: &mut Settings<'_>,
        context: &BuildContext<'_>,
    ) -> Option<FirstJudge> {
        let node = settings.node("first")?;
        if !matches!(self.respond.kind, AnswerKind::Decision) {
            settings.invalid("first", "makes sense for decisions only");
            return None;
        }
        if let NodeValue::Text(name) = &node.value {
            return Some(FirstJudge::Named(name.clone()));
        }
        let mut inner = Settings::new(node);
        let first = self.read_inner(&mut inner, context);
        settings.absorb(inner.finish());
        first.map(|first| FirstJudge::Table(Arc::new(first)))
    }

    /// Reads a table `first`: what it does not have is as in this judge.
    fn read_inner(&self, settings: &mut Settings<'_>, context: &BuildContext<'_>) -> Option<Self> {
        let essentials = Essentials::read(settings, context.base, Some(self));
        let rule = essentials.rule?;
        let definition = definition(settings, &[&self.definition, rule.source().as_bytes()]);
        Some(Self {
            endpoints: vec![essentials.endpoint?],
            sampling: essentials.sampling,
            response_format: essentials.response_format,
            system: essentials.system,
            rule,
            respond: Respond { reason: None, ..self.respond.clone() },
            samples: Samples::ONE,
            definition,
            ..self.clone()
        })
    }

    /// Returns what two judges must have in common to be asked in one request. It is compared within
    /// one process only, and never stored.
    pub(crate) fn batch_signature(&self) -> String {
        let Respond { kind, keep_answer, .. } = &self.respond;
        let Show { pointers, limit, images, .. } = &self.show;
        format!(
            "{:?}",
            (
                (&self.endpoints, &self.sampling, self.response_format, &self.system),
                (kind, keep_answer, pointers, limit, images, &self.retry),
                (self.cache.is_some(), self.concurrency.running, self.max_reply),
            )
        )
    }

    /// Returns the keys of the servers, which must not be shown if a model repeats one.
    pub(crate) fn secrets(&self) -> Secrets {
        let names = self.endpoints.iter().filter_map(|endpoint| endpoint.key_env.as_ref());
        Secrets::new(names.filter_map(|name| Some((name.clone(), std::env::var(name).ok()?))))
    }
}

/// Reads `prices`. A budget in money needs the price of every model that may be asked.
fn read_prices(
    settings: &mut Settings<'_>,
    spending: &SpendLimits,
    endpoints: &[Endpoint],
) -> BTreeMap<String, Price> {
    let prices = Price::read_all(settings);
    let unpriced = |endpoint: &Endpoint| !prices.contains_key(&endpoint.model);
    if spending.count_money() && endpoints.iter().any(unpriced) {
        let problem = "a budget in money needs the price of every model: give `prices`";
        settings.invalid("budget", problem);
    }
    prices
}
