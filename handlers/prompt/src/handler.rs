//! How a config makes a judge: the factory of the kind `prompt`, and what the handler declares.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use data_encoding::HEXLOWER;
use hookgate_contract::settings::{NodeValue, Settings};
use hookgate_contract::{BuildContext, BuiltHandler, Contract, Resource, Role, VerdictDecision};

use crate::answer::format::AnswerKind;
use crate::judge::Judge;
use crate::probe::ModelProbe;
use crate::settings::budget::SpendLimits;
use crate::state::JudgeState;

/// Returns the factory of the kind [`KIND`](crate::KIND). All judges that it builds share the state, so
/// each registry needs a state of its own.
///
/// ```
/// use std::path::Path;
/// use std::sync::Arc;
///
/// use hookgate_contract::BuildContext;
/// use hookgate_contract::settings::{Node, Settings};
/// use hookgate_prompt::JudgeState;
/// use serde_json::json;
///
/// let factory = hookgate_prompt::factory(Arc::new(JudgeState::default()));
/// let context = BuildContext::new(Path::new("."), 256 * 1024);
///
/// let node = Node::from_json(&json!({"model": "gpt-5-mini", "prompt": "Deny what deletes data."}));
/// let built = factory(&mut Settings::new(&node), &context).unwrap();
/// assert!(built.identity.is_some() && built.probe.is_some());
///
/// // Settings that make no judge say why.
/// let node = Node::from_json(&json!({"prompt": "Deny what deletes data."}));
/// let mut settings = Settings::new(&node);
/// assert!(factory(&mut settings, &context).is_none());
/// assert_eq!(settings.finish()[0].to_string(), "`model` is missing");
/// ```
pub fn factory(
    state: Arc<JudgeState>,
) -> impl Fn(&mut Settings<'_>, &BuildContext<'_>) -> Option<BuiltHandler> + Send + Sync + 'static {
    move |settings, context| {
        let judge = Judge::build(settings, context, Arc::clone(&state))?;
        let definition = HEXLOWER.encode(&judge.configured.settings.definition);
        // The limit of the output is not among the settings.
        let identity = format!("{definition} {}", context.output);
        let kind = judge.configured.settings.respond.kind.clone();
        let endpoints = judge.configured.settings.endpoints.iter();
        let missing_keys = endpoints.filter_map(|endpoint| endpoint.key().err());
        let missing_keys: Vec<String> = missing_keys
            .map(|missing| format!("`api_key_env`: {missing}: every question fails until it is"))
            .collect();
        let probe = ModelProbe::new(&judge.configured, &state);
        let is_bounded = judge.configured.settings.spending != SpendLimits::default();
        let mut built = BuiltHandler::from_async(judge).identity(identity).probe(probe).external();
        built.resource = Some(Resource::Request);
        built.sources = rule_files(settings, context.base);
        built.warnings = missing_keys;
        built.keeps_state = is_bounded;
        Some(match kind {
            AnswerKind::Decision => built.supports(takes_decision),
            AnswerKind::Context => built.supports(takes_context),
            AnswerKind::Rewrite => built.role(Role::Rewrite).supports(takes_patch),
            AnswerKind::Custom(..) => built,
        })
    }
}

/// Returns the files with the rules, of the judge and of the one in its table `first`.
fn rule_files(settings: &mut Settings<'_>, base: &Path) -> Vec<PathBuf> {
    let rule = settings.text("prompt_file");
    let first = settings.node("first").filter(|node| matches!(node.value, NodeValue::Table(_)));
    let first = first.and_then(|first| Settings::new(first).text("prompt_file"));
    rule.into_iter().chain(first).map(|file| base.join(file)).collect()
}

fn takes_decision(contract: &Contract) -> Result<(), &'static str> {
    if contract.allows(VerdictDecision::Deny) || contract.allows(VerdictDecision::Ask) {
        Ok(())
    } else {
        Err("nothing can be denied or asked here: a judge could only answer with `respond = \
             \"context\"`, where context is taken")
    }
}

fn takes_context(contract: &Contract) -> Result<(), &'static str> {
    if contract.context {
        Ok(())
    } else {
        Err("no context can be added here, and `respond` is \"context\"")
    }
}

fn takes_patch(contract: &Contract) -> Result<(), &'static str> {
    if contract.patch.is_empty() {
        Err("nothing can be rewritten here, and `respond` is \"rewrite\"")
    } else {
        Ok(())
    }
}
