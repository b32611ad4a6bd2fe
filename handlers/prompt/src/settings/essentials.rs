//! The settings that a judge and the table `first` in it both have.
//!
//! A table `first` may say where its model is, how it is sampled, and replace the rule. What it leaves
//! out comes from the judge around it, if it is about the rule or the server; what is about a model
//! (temperature, tokens, the response format) has its defaults, since the two models differ.

use std::collections::BTreeMap;
use std::path::Path;

use hookgate_contract::file;
use hookgate_contract::settings::Settings;
use serde_json::Value;

use super::JudgeSettings;
use super::endpoint::Endpoint;
use super::sampling::Sampling;
use super::template::RuleTemplate;
use crate::answer::response_format::ResponseFormat;

/// Which model is asked, by which rule. What could not be read is `None`; the settings know why.
pub(crate) struct Essentials {
    pub(crate) endpoint: Option<Endpoint>,
    pub(crate) rule: Option<RuleTemplate>,
    /// The text that replaces the built-in role of the judge.
    pub(crate) system: Option<String>,
    pub(crate) sampling: Sampling,
    pub(crate) response_format: Option<ResponseFormat>,
}

impl Essentials {
    /// Reads them. What a table `first` leaves out it takes from `outer`, the judge around it;
    /// temperature, tokens and response format are those of a model, and are not taken over.
    pub(crate) fn read(
        settings: &mut Settings<'_>,
        folder: &Path,
        outer: Option<&JudgeSettings>,
    ) -> Self {
        let endpoint = Endpoint::read(settings, outer.and_then(|outer| outer.endpoints.first()));
        let vars = if outer.is_none() { read_vars(settings) } else { BTreeMap::new() };
        let rule = read_rule(settings, folder, vars, outer);
        let system = settings.text("system").map(str::to_owned);
        let sampling = Sampling::read(settings, outer.and_then(|outer| outer.sampling.seed));
        let names = ResponseFormat::NAMES;
        Self {
            endpoint,
            rule,
            system: system.or_else(|| outer?.system.clone()),
            sampling,
            response_format: settings.choice("response", names, |name| name.parse().ok()),
        }
    }
}

/// Reads `vars`: any values, of which a rule uses what it likes.
fn read_vars(settings: &mut Settings<'_>) -> BTreeMap<String, Value> {
    let Some(inner) = settings.table("vars") else { return BTreeMap::new() };
    inner.entries().iter().map(|entry| (entry.key.clone(), entry.node.to_json())).collect()
}

/// Reads `prompt` or `prompt_file`, of which there must be one. A file is read here and never again: a
/// change of it takes a reload, for which it is one of the handler's sources.
fn read_rule(
    settings: &mut Settings<'_>,
    folder: &Path,
    vars: BTreeMap<String, Value>,
    outer: Option<&JudgeSettings>,
) -> Option<RuleTemplate> {
    let text = settings.text("prompt").map(str::to_owned);
    let file = settings.text("prompt_file");
    let (key, source) = match (text, file) {
        (Some(_), Some(_)) => {
            settings.invalid("prompt_file", "there is a `prompt` already");
            return None;
        }
        (Some(text), None) => ("prompt", text),
        (None, Some(name)) => match file::read_text(&folder.join(name), file::LIMIT) {
            Ok(text) => ("prompt_file", text),
            Err(error) => {
                settings.invalid("prompt_file", format!("`{name}` cannot be read: {error}"));
                return None;
            }
        },
        (None, None) => {
            if let Some(outer) = outer {
                return Some(outer.rule.clone());
            }
            settings.missing("prompt");
            return None;
        }
    };
    RuleTemplate::new(source, vars).map_err(|problem| settings.invalid(key, problem)).ok()
}
