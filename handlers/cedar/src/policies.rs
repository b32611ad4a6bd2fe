//! The policies of a hook: parsed, named and validated when the config is loaded.

use std::collections::HashMap;

use cedar_policy::{
    Effect, Entities, Policy, PolicyId, PolicySet, Schema, ValidationMode, Validator,
};
use hookgate_contract::VerdictDecision;
use miette::Diagnostic;

use crate::error::located;

/// The annotations that hold the reason of a policy, the first that is there.
const REASONS: [&str; 3] = ["reason", "advice", "message"];

/// The annotation that makes a `forbid` weaker or stronger than a deny.
const DECISION: &str = "decision";

/// What a policy says when it decides.
#[derive(Debug, Clone)]
pub(crate) struct Saying {
    pub(crate) reason: Option<String>,
    /// What a `forbid` counts as.
    pub(crate) decision: VerdictDecision,
}

/// The policies of a hook.
#[derive(Debug)]
pub(crate) struct Policies {
    pub(crate) set: PolicySet,
    /// Those that do not ask. What they do not permit is denied, and no question changes that.
    pub(crate) without_asking: PolicySet,
    pub(crate) sayings: HashMap<PolicyId, Saying>,
    pub(crate) schema: Option<Schema>,
    pub(crate) entities: Entities,
}

/// A policy file: its name and its text.
pub(crate) type NamedText = (String, String);

impl Policies {
    /// Makes no policies, which permit nothing, under a schema and with entities.
    ///
    /// # Errors
    /// What is wrong with either, under the setting that names it.
    pub(crate) fn new(
        schema: Option<&NamedText>,
        entities: Option<&NamedText>,
    ) -> Result<Self, (&'static str, String)> {
        let schema = schema.map(read_schema).transpose().map_err(|error| ("schema", error))?;
        let entities = match entities {
            None => Entities::empty(),
            Some((name, text)) => Entities::from_json_str(text, schema.as_ref())
                .map_err(|error| ("entities", with_causes(name, text, &error)))?,
        };
        Ok(Self {
            set: PolicySet::new(),
            without_asking: PolicySet::new(),
            sayings: HashMap::new(),
            schema,
            entities,
        })
    }

    /// Adds the policies of a file.
    ///
    /// # Errors
    /// All mistakes, each with its place.
    pub(crate) fn add_file(&mut self, (name, text): &NamedText) -> Result<(), Vec<String>> {
        let parsed: PolicySet = text.parse().map_err(|errors: cedar_policy::ParseErrors| {
            errors.iter().map(|error| located(name, text, error)).collect::<Vec<_>>()
        })?;
        let mut errors: Vec<String> = parsed
            .templates()
            .map(|template| {
                let id = template.annotation("id").unwrap_or_default();
                format!("{name}: the template {id:?} would never apply: nothing fills its slots")
            })
            .collect();
        let mut policies: Vec<&Policy> = parsed.policies().collect();
        policies.sort_by_key(|policy| number(policy.id()));
        let mut from = 0;
        for policy in policies {
            let line = line_of(text, policy, &mut from);
            let place = format!("{name}:{line}");
            let id = policy.annotation("id").map_or_else(|| place.clone(), str::to_owned);
            if let Err(problem) = self.add(policy, &id) {
                errors.push(format!("{place}: {problem}"));
            }
        }
        errors.extend(self.validate(&parsed, name, text));
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    fn add(&mut self, policy: &Policy, id: &str) -> Result<(), String> {
        let reason = REASONS.iter().find_map(|key| policy.annotation(key));
        let decision = match (policy.annotation(DECISION), policy.effect()) {
            (None, _) => VerdictDecision::Deny,
            (Some(_), Effect::Permit) => {
                return Err(format!("`@{DECISION}` is for a `forbid`: a `permit` permits"));
            }
            (Some(name), Effect::Forbid) => VerdictDecision::from_name(name)
                .filter(|decision| *decision > VerdictDecision::Allow)
                .ok_or_else(|| format!("`@{DECISION}({name:?})` is none of ask, deny, halt"))?,
        };
        let id = PolicyId::new(id);
        let named = policy.new_id(id.clone());
        let twice = |_| format!("there is another policy with the id `{id}`");
        if decision != VerdictDecision::Ask {
            self.without_asking.add(named.clone()).map_err(twice)?;
        }
        self.set.add(named).map_err(twice)?;
        self.sayings.insert(id, Saying { reason: reason.map(str::to_owned), decision });
        Ok(())
    }

    /// Returns what is wrong with the policies of a file under the schema.
    fn validate(&self, parsed: &PolicySet, name: &str, text: &str) -> Vec<String> {
        let Some(schema) = &self.schema else { return Vec::new() };
        let result = Validator::new(schema.clone()).validate(parsed, ValidationMode::Strict);
        result.validation_errors().map(|error| located(name, text, error)).collect()
    }
}

/// Reads a schema: in JSON if the name of its file ends so, else in the syntax of Cedar.
fn read_schema((name, text): &NamedText) -> Result<Schema, String> {
    if name.ends_with(".json") {
        return Schema::from_json_str(text).map_err(|error| with_causes(name, text, &error));
    }
    let read = Schema::from_cedarschema_str(text);
    read.map(|(schema, _)| schema).map_err(|error| with_causes(name, text, &error))
}

/// Returns an error with what caused it.
fn with_causes(name: &str, text: &str, error: &dyn Diagnostic) -> String {
    let mut message = located(name, text, error);
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let text = error.to_string();
        if !message.contains(&text) {
            message = format!("{message}: {text}");
        }
        cause = error.source();
    }
    message
}

/// Returns the number in the id that the parser gave to a policy: `policy12`.
fn number(id: &PolicyId) -> usize {
    let id: &str = id.as_ref();
    id.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().unwrap_or(usize::MAX)
}

/// Returns the line in which a policy begins. Policies are asked for in the order of the file, and
/// `from` is where the last one was found.
fn line_of(text: &str, policy: &Policy, from: &mut usize) -> usize {
    let written = policy.to_cedar().unwrap_or_default();
    let rest = text.get(*from..).unwrap_or_default();
    let at = *from + rest.find(&written).unwrap_or(0);
    *from = at;
    text.get(..at).unwrap_or_default().matches('\n').count() + 1
}
