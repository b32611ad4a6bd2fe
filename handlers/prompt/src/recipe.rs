//! How a judge is to ask, as its settings say.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use hookgate_contract::BuildContext;
use hookgate_contract::file;
use hookgate_contract::json::canonical;
use hookgate_contract::settings::{NodeValue, Settings};
use hookgate_secrets::Secrets;
use serde_json::{Map, Value};

use crate::budget::{Limits, Price, Purse, prices};
use crate::fields;
use crate::model::{Format, Sampling};
use crate::number::count;
use crate::policy::Policy;
use crate::shape::Respond;
use crate::shared::Shared;
use crate::shown::Pointer;
use crate::target::{self, Target};

/// How many bytes of a step are shown, unless the settings say it.
const SHOW_LIMIT: usize = 32 * 1024;

const MAX_TOKENS: u32 = 1024;
const TTL: Duration = Duration::from_secs(600);
const CACHE_SIZE: usize = 1000;
const BACKOFF: Duration = Duration::from_millis(250);
const ON_CUT: &[&str] = &["fail", "judge"];
const RESPOND: &[&str] = &["decision", "context", "rewrite"];

/// How answers are remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Keep {
    pub(crate) ttl: Duration,
    pub(crate) size: usize,
}

/// Who is asked first.
#[derive(Debug, Clone)]
pub(crate) enum First {
    /// A judge that stands elsewhere in the config.
    Named(String),
    /// A judge that stands in the settings of this one.
    Own(Box<Recipe>),
}

/// All that a judge is made of.
#[derive(Debug, Clone)]
pub(crate) struct Recipe {
    /// The model that is asked, and those that are asked when it cannot be.
    pub(crate) targets: Vec<Target>,
    pub(crate) sampling: Sampling,
    /// None: found out by trying.
    pub(crate) format: Option<Format>,
    pub(crate) role: Option<String>,
    pub(crate) policy: Policy,
    pub(crate) show: Option<Vec<Pointer>>,
    pub(crate) show_limit: usize,
    /// Whether a step that is longer is judged by its beginning and end.
    pub(crate) judge_cut: bool,
    /// Whether the record of a vote tells what the model said.
    pub(crate) keep_answer: bool,
    pub(crate) respond: Respond,
    pub(crate) speak_allow: bool,
    pub(crate) reason: Option<String>,
    pub(crate) retries: u32,
    pub(crate) backoff: Duration,
    pub(crate) repair: bool,
    pub(crate) keep: Option<Keep>,
    pub(crate) batch: bool,
    pub(crate) first: Option<First>,
    pub(crate) samples: u32,
    pub(crate) agree: u32,
    pub(crate) concurrency: usize,
    pub(crate) waiting: usize,
    pub(crate) limits: Limits,
    pub(crate) prices: BTreeMap<String, Price>,
    /// How many bytes an answer may have.
    pub(crate) output: usize,
    /// The settings and the files that they name.
    pub(crate) definition: [u8; 32],
}

impl Recipe {
    /// Reads the settings of a judge; those of one that is asked `first` take the rest from the
    /// judge that they stand in.
    pub(crate) fn read(
        settings: &mut Settings<'_>,
        surroundings: &BuildContext<'_>,
        shared: &Shared,
        outer: Option<&Self>,
    ) -> Option<Self> {
        let target = Target::read(settings, outer.and_then(|outer| outer.targets.first()));
        let vars = vars(settings, outer);
        let policy = policy(settings, surroundings.base, vars, outer);
        let role = settings.text("system").map(str::to_owned);
        let role = role.or_else(|| outer?.role.clone());
        let sampling = Sampling {
            temperature: temperature(settings),
            seed: settings.integer("seed").or_else(|| outer?.sampling.seed),
            max_tokens: count(settings, "max_tokens", 1, 1_000_000).unwrap_or(MAX_TOKENS),
        };
        let format = settings.choice("response", Format::NAMES, Format::from_name);
        let text = policy.as_ref().map(Policy::canonical).unwrap_or_default();
        if let Some(outer) = outer {
            // Who is asked first has no more settings: the rest is that of the judge after it.
            return Some(Self {
                targets: vec![target?],
                sampling,
                format,
                role,
                policy: policy?,
                first: None,
                reason: None,
                samples: 1,
                agree: 1,
                definition: definition(settings, &[&outer.definition, text.as_bytes()]),
                ..outer.clone()
            });
        }
        let mut targets: Vec<Target> = target.into_iter().collect();
        targets.extend(target::fallback(settings));
        let show = show(settings, surroundings);
        let judge_cut = settings.choice("on_cut", ON_CUT, judge_cut).unwrap_or(false);
        let keep_answer = settings.flag("keep_answer").unwrap_or(false);
        let show_limit = settings.size("show_limit").unwrap_or(SHOW_LIMIT);
        let respond = respond(settings, shared);
        let speak_allow = settings.flag("speak_allow").unwrap_or(false);
        let reason = settings.text("reason").map(str::to_owned);
        let retries = count(settings, "retries", 0, 10).unwrap_or(2);
        let backoff = settings.duration("backoff").unwrap_or(BACKOFF);
        let repair = settings.flag("repair").unwrap_or(true);
        let keep = keep(settings);
        let batch = settings.flag("batch").unwrap_or(false);
        let samples = count(settings, "samples", 1, 15).unwrap_or(1);
        let agree = count(settings, "agree", 1, 15).unwrap_or(samples / 2 + 1);
        if agree > samples || agree * 2 <= samples {
            settings.invalid(
                "agree",
                format!(
                    "of {samples} samples between {} and {samples} can have to agree: with fewer, \
                     two decisions could win",
                    samples / 2 + 1
                ),
            );
        }
        let mut limits = Limits::default();
        let (mut concurrency, mut waiting) = (8, 1024);
        if let Some(mut inner) = settings.table("limits") {
            limits.rate = count(&mut inner, "rate", 1, 1_000_000);
            if let Some(bound) = count(&mut inner, "concurrency", 1, 10_000) {
                concurrency = bound as usize;
            }
            if let Some(bound) = count(&mut inner, "waiting", 0, 1_000_000) {
                waiting = bound as usize;
            }
            settings.absorb(inner.finish());
        }
        if let Some(mut inner) = settings.table("budget") {
            limits.session = Purse::read(&mut inner, "session");
            limits.hour = Purse::read(&mut inner, "hour");
            settings.absorb(inner.finish());
        }
        let prices = prices(settings);
        let priced = limits.session.money.or(limits.hour.money).is_none()
            || targets.iter().all(|target| prices.contains_key(&target.model));
        if !priced {
            settings.invalid(
                "budget",
                "a budget in money needs the price of every model: give `prices`",
            );
        }
        // It is read last, of a judge that is whole; of any other it is at least a known key.
        let _ = settings.node("first");
        let mut recipe = Self {
            targets,
            sampling,
            format,
            role,
            policy: policy?,
            show,
            show_limit,
            judge_cut,
            keep_answer,
            respond: respond?,
            speak_allow,
            reason,
            retries,
            backoff,
            repair,
            keep,
            batch,
            first: None,
            samples,
            agree,
            concurrency,
            waiting,
            limits,
            prices,
            output: surroundings.output,
            definition: [0; 32],
        };
        recipe.definition = definition(settings, &[text.as_bytes()]);
        recipe.first = first(settings, surroundings, shared, &recipe);
        if let Some(First::Own(first)) = &recipe.first {
            // A file that only the first judge names is a part of this one too.
            recipe.definition = definition(settings, &[text.as_bytes(), &first.definition]);
        }
        if recipe.targets.is_empty() { None } else { Some(recipe) }
    }

    /// What two judges must have in common to be asked in one call.
    pub(crate) fn batch_mark(&self) -> String {
        format!(
            "{:?}",
            (
                (&self.targets, &self.sampling, &self.format, &self.role, &self.respond),
                (&self.show, self.show_limit, self.retries, self.backoff, self.repair),
                (self.keep.is_some(), self.concurrency, self.output, self.keep_answer),
            )
        )
    }

    /// The keys of its servers, which nobody is to read in what a model says.
    pub(crate) fn secrets(&self) -> Secrets {
        let names = self.targets.iter().filter_map(|target| target.key_env.as_ref());
        Secrets::new(names.filter_map(|name| Some((name.clone(), std::env::var(name).ok()?))))
    }
}

/// A hash of the settings, and of what they name.
fn definition(settings: &Settings<'_>, more: &[&[u8]]) -> [u8; 32] {
    let entries = settings.entries().iter();
    let all: Map<String, Value> =
        entries.map(|entry| (entry.key.clone(), entry.node.to_json())).collect();
    let mut hasher = blake3::Hasher::new();
    hasher.update(canonical(&Value::Object(all)).as_bytes());
    for more in more {
        hasher.update(&[0]);
        hasher.update(more);
    }
    *hasher.finalize().as_bytes()
}

fn vars(settings: &mut Settings<'_>, outer: Option<&Recipe>) -> BTreeMap<String, Value> {
    if outer.is_some() {
        return BTreeMap::new();
    }
    let Some(inner) = settings.table("vars") else { return BTreeMap::new() };
    inner.entries().iter().map(|entry| (entry.key.clone(), entry.node.to_json())).collect()
}

fn policy(
    settings: &mut Settings<'_>,
    base: &Path,
    vars: BTreeMap<String, Value>,
    outer: Option<&Recipe>,
) -> Option<Policy> {
    let text = settings.text("prompt").map(str::to_owned);
    let file = settings.text("prompt_file");
    let (key, source) = match (text, file) {
        (Some(_), Some(_)) => {
            settings.invalid("prompt_file", "there is a `prompt` already");
            return None;
        }
        (Some(text), None) => ("prompt", text),
        (None, Some(name)) => match file::read_text(&base.join(name), file::LIMIT) {
            Ok(text) => ("prompt_file", text),
            Err(error) => {
                settings.invalid("prompt_file", format!("`{name}` cannot be read: {error}"));
                return None;
            }
        },
        (None, None) => {
            if let Some(outer) = outer {
                return Some(outer.policy.clone());
            }
            settings.missing("prompt");
            return None;
        }
    };
    Policy::new(source, vars).map_err(|problem| settings.invalid(key, problem)).ok()
}

/// 0 unless the settings say it; some models take none but their own, which `"default"` leaves.
fn temperature(settings: &mut Settings<'_>) -> Option<f64> {
    let Some(node) = settings.node("temperature") else { return Some(0.0) };
    match &node.value {
        NodeValue::Text(text) if text == "default" => return None,
        NodeValue::Float(number) if (0.0..=2.0).contains(number) => return Some(*number),
        NodeValue::Integer(number @ 0..=2) => return Some(f64::from(*number as i8)),
        _ => {}
    }
    settings.invalid("temperature", "no number from 0 to 2, and not \"default\"");
    None
}

/// Reads `on_cut`.
fn judge_cut(name: &str) -> Option<bool> {
    match name {
        "fail" => Some(false),
        "judge" => Some(true),
        _ => None,
    }
}

fn show(settings: &mut Settings<'_>, surroundings: &BuildContext<'_>) -> Option<Vec<Pointer>> {
    let show = settings.list("show")?;
    if show.is_empty() {
        settings.invalid("show", "shows nothing");
    }
    let (mut pointers, mut wrong) = (Vec::new(), None);
    for text in show {
        match Pointer::read(text) {
            None => {
                wrong =
                    wrong.or(Some(format!("`{text}` is no JSON pointer such as \"/tool_name\"")))
            }
            Some(pointer) => {
                let Pointer { path, optional } = &pointer;
                wrong = wrong.or_else(|| fields::problem(path, *optional, surroundings.events));
                pointers.push(pointer);
            }
        }
    }
    if let Some(wrong) = wrong {
        settings.invalid("show", wrong);
    }
    Some(pointers)
}

fn respond(settings: &mut Settings<'_>, shared: &Shared) -> Option<Respond> {
    let Some(name) = settings.text("respond") else { return Some(Respond::Decision) };
    let found = match name {
        "decision" => Some(Respond::Decision),
        "context" => Some(Respond::Context),
        "rewrite" => Some(Respond::Rewrite),
        _ => shared.shape(name).map(|shape| Respond::Own(name.to_owned(), shape)),
    };
    if found.is_none() {
        settings.invalid("respond", format!("`{name}` is not one of {}", RESPOND.join(", ")));
    }
    found
}

fn keep(settings: &mut Settings<'_>) -> Option<Keep> {
    let usual = Keep { ttl: TTL, size: CACHE_SIZE };
    let Some(node) = settings.node("cache") else { return Some(usual) };
    match node.value {
        NodeValue::Flag(false) => None,
        NodeValue::Flag(true) => Some(usual),
        _ => {
            let mut inner = Settings::new(node);
            let ttl = inner.duration("ttl").unwrap_or(TTL);
            let size = count(&mut inner, "size", 1, 10_000_000).map(|size| size as usize);
            settings.absorb(inner.finish());
            Some(Keep { ttl, size: size.unwrap_or(CACHE_SIZE) })
        }
    }
}

fn first(
    settings: &mut Settings<'_>,
    surroundings: &BuildContext<'_>,
    shared: &Shared,
    recipe: &Recipe,
) -> Option<First> {
    let node = settings.node("first")?;
    if !matches!(recipe.respond, Respond::Decision) {
        settings.invalid("first", "makes sense for decisions only");
        return None;
    }
    if let NodeValue::Text(name) = &node.value {
        return Some(First::Named(name.clone()));
    }
    let mut inner = Settings::new(node);
    let first = Recipe::read(&mut inner, surroundings, shared, Some(recipe));
    settings.absorb(inner.finish());
    first.map(|first| First::Own(Box::new(first)))
}
