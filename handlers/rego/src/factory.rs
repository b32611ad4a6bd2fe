//! From the settings of a hook to its handler.

use std::sync::Arc;
use std::time::Duration;

use hookgate_contract::files::Files;
use hookgate_contract::settings::Settings;
use hookgate_contract::{BuildContext, BuiltHandler, EffectsFn, Role, json, quote};
use serde_json::Value as Json;

use crate::answer::Rule;
use crate::handler::RegoHandler;
use crate::input::to_rego;
use crate::meaning::Meaning;
use crate::policy::{Policy, Sources};

/// How long an evaluation may take if the hook does not say.
const MAX_TIME: Duration = Duration::from_millis(500);

/// Builds a handler, with the effects that the host knows.
pub(crate) fn build(
    settings: &mut Settings<'_>,
    context: &BuildContext<'_>,
    effects: Option<Arc<EffectsFn>>,
) -> Option<BuiltHandler> {
    let mut files = Files::at(context.base);
    let rules = read_rules(settings);
    let sources = read_sources(settings, &mut files);
    let reason = settings.text("reason").map(str::to_owned);
    let max_time = settings.duration("max_time").unwrap_or(MAX_TIME);
    let (rules, sources) = (rules?, sources?);
    if effects.is_none() && sources.modules.iter().any(|(_, text)| text.contains("input.effects")) {
        settings
            .invalid("file", "the policy reads `input.effects`, and this program knows no effects");
        return None;
    }
    let compiled = Policy::compile(sources, max_time);
    let policy = compiled.map_err(|error| settings.invalid("file", error.to_string())).ok()?;
    for rule in &rules {
        if let Err(error) = policy.check_rule(&rule.path) {
            settings.invalid("query", error.to_string());
        }
    }
    let strongest = rules.iter().map(|rule| rule.meaning).min()?;
    let rules_of_verdict = rules.iter().any(|rule| rule.meaning == Meaning::Verdict);
    let handler = RegoHandler { policy, rules, reason, effects };
    let mut built = BuiltHandler::from_sync(handler).supports(strongest.supports()).heavy();
    if !rules_of_verdict {
        built = built.role(Role::Guard);
    }
    let (identity, sources) = files.finish();
    built.sources = sources;
    Some(built.identity(identity))
}

/// Reads `query` and `result`.
fn read_rules(settings: &mut Settings<'_>) -> Option<Vec<Rule>> {
    let result = settings.choice("result", Meaning::NAMES, Meaning::from_name);
    if !settings.has("query") {
        settings.missing("query");
    }
    let paths = settings.one_or_more("query")?;
    let mut rules = Vec::new();
    for path in &paths {
        match result.or_else(|| Meaning::of_rule(path)) {
            Some(meaning) => rules.push(Rule { path: (*path).to_owned(), meaning }),
            None => settings.invalid(
                "query",
                format!(
                    "the name of `{}` does not say what its value means: write `result`, one of {}",
                    quote::Quoted(path),
                    Meaning::NAMES.join(", ")
                ),
            ),
        }
    }
    let is_verdict = |rule: &Rule| rule.meaning == Meaning::Verdict;
    if rules.len() > 1 && rules.iter().any(is_verdict) {
        settings.invalid("query", "a rule whose value is a verdict is asked alone");
    }
    if paths.is_empty() {
        settings.invalid("query", "it names no rule");
    }
    (rules.len() == paths.len() && !rules.is_empty()).then_some(rules)
}

/// Reads the files that `file` and `data` name.
fn read_sources(settings: &mut Settings<'_>, files: &mut Files<'_>) -> Option<Sources> {
    if !settings.has("file") {
        settings.missing("file");
    }
    let v0 = settings.flag("v0").unwrap_or_default();
    let named = settings.one_or_more("file");
    let data = settings.one_or_more("data").unwrap_or_default();
    let mut sources = Sources { v0, ..Sources::default() };
    let mut complete = true;
    let named = named?;
    if named.is_empty() {
        settings.invalid("file", "it names no file");
        complete = false;
    }
    for name in named {
        match files.read(name) {
            Ok(text) => sources.modules.push((name.to_owned(), text)),
            Err(problem) => {
                settings.invalid("file", problem);
                complete = false;
            }
        }
    }
    for name in data {
        match files.read(name).and_then(|text| read_data(name, &text)) {
            Ok(value) => sources.data.push((name.to_owned(), to_rego(&value))),
            Err(problem) => {
                settings.invalid("data", problem);
                complete = false;
            }
        }
    }
    complete.then_some(sources)
}

fn read_data(name: &str, text: &str) -> Result<Json, String> {
    match json::parse(text.as_bytes()) {
        Ok(value @ Json::Object(_)) => Ok(value),
        Ok(_) => Err(format!("`{name}` does not hold a JSON object")),
        Err(error) => Err(format!("`{name}` is not JSON: {error}")),
    }
}
