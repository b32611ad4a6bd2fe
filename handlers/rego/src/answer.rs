//! Makes one verdict of the values of the rules.
//!
//! Policies that people have answer in a few forms: a boolean, a set of texts, a set of objects with a
//! text in them, an object. Whatever a rule that denies holds, other than false and nothing, is a deny:
//! a form that is not known is a failure that counts as no less.

use hookgate_contract::{Failure, FailureClass, Verdict, VerdictDecision};
use regorus::Value;
use serde_json::Value as Json;

use crate::meaning::Meaning;

/// The longest reason, in bytes: a policy may quote a command of any length.
const LONGEST: usize = 4 * 1024;

/// Under which keys an object has its text, the most usual first.
const TEXT_KEYS: [&str; 4] = ["msg", "message", "reason", "description"];

/// A rule that is asked.
#[derive(Debug)]
pub(crate) struct Rule {
    /// Its whole path.
    pub(crate) path: String,
    /// What its value means.
    pub(crate) meaning: Meaning,
}

/// Makes the verdict of the values of the rules. `reason` stands where the policy gives none.
///
/// # Errors
/// A failure of class `malformed` if a value has a form that its rule cannot have, with the decision
/// that can be made out.
pub(crate) fn verdict(
    rules: &[Rule],
    values: Vec<Value>,
    reason: Option<&str>,
) -> Result<Verdict, Failure> {
    let mut answer = Answer::default();
    let mut refused: Option<Failure> = None;
    for (rule, value) in rules.iter().zip(values) {
        match answer.add(rule, value) {
            Ok(Some(whole)) => return Ok(whole),
            Ok(None) => {}
            Err(failure) => {
                let salvaged = refused.as_ref().and_then(|earlier| earlier.salvaged);
                refused = Some(failure.clone().with_salvaged(failure.salvaged.max(salvaged)));
            }
        }
    }
    match refused {
        Some(failure) => {
            let salvaged =
                failure.salvaged.max(answer.decision).filter(|d| *d > VerdictDecision::Allow);
            Err(failure.with_salvaged(salvaged))
        }
        None => Ok(answer.into_verdict(reason)),
    }
}

/// What the rules have said so far.
#[derive(Default)]
struct Answer {
    decision: Option<VerdictDecision>,
    /// The reasons of exactly this decision.
    reasons: Vec<String>,
    /// What stands for a reason, if none is given.
    fallback: Option<String>,
    context: Vec<String>,
    messages: Vec<String>,
}

impl Answer {
    /// Adds the value of a rule. Returns the verdict if the value is a whole one.
    fn add(&mut self, rule: &Rule, value: Value) -> Result<Option<Verdict>, Failure> {
        match rule.meaning {
            Meaning::Allow => self.add_allow(rule, &value)?,
            Meaning::Deny | Meaning::Ask | Meaning::Halt => self.add_decision(rule, &value)?,
            Meaning::Context => self.context.extend(texts(rule, &value)?),
            Meaning::Warn => self.messages.extend(texts(rule, &value)?),
            Meaning::Verdict => return whole_verdict(rule, &value).map(Some),
        }
        Ok(None)
    }

    fn add_allow(&mut self, rule: &Rule, value: &Value) -> Result<(), Failure> {
        let (allowed, reason) = match value {
            Value::Bool(allowed) => (*allowed, None),
            Value::Undefined => (false, None),
            Value::Object(_) => {
                let flag = ["allowed", "allow"].iter().find_map(|key| match &value[*key] {
                    Value::Bool(allowed) => Some(*allowed),
                    _ => None,
                });
                let flag = flag.ok_or_else(|| {
                    malformed(rule, "is an object without `allowed`, which is true or false")
                })?;
                (flag, text_in(value))
            }
            other => {
                return Err(malformed(rule, &format!("is {}, not true or false", name(other))));
            }
        };
        if allowed {
            self.decision = self.decision.max(Some(VerdictDecision::Allow));
        } else {
            let fallback = format!("the policy does not allow this: `{}` does not hold", rule.path);
            self.decide(VerdictDecision::Deny, reason.into_iter().collect(), fallback);
        }
        Ok(())
    }

    fn add_decision(&mut self, rule: &Rule, value: &Value) -> Result<(), Failure> {
        let Some(decision) = rule.meaning.decision() else { return Ok(()) };
        let texts = texts(rule, value).map_err(|refused| refused.with_salvaged(Some(decision)))?;
        if texts.is_empty() && *value != Value::from(true) {
            return Ok(());
        }
        let texts = texts.into_iter().filter(|text| !text.trim().is_empty()).collect();
        self.decide(decision, texts, format!("the policy says so: `{}` holds", rule.path));
        Ok(())
    }

    fn decide(&mut self, decision: VerdictDecision, reasons: Vec<String>, fallback: String) {
        if Some(decision) < self.decision {
            return;
        }
        if Some(decision) > self.decision {
            self.decision = Some(decision);
            self.reasons.clear();
            self.fallback = None;
        }
        self.fallback.get_or_insert(fallback);
        for reason in reasons {
            if !self.reasons.contains(&reason) {
                self.reasons.push(reason);
            }
        }
    }

    fn into_verdict(self, given: Option<&str>) -> Verdict {
        let reason = match self.reasons.as_slice() {
            [] => given.map(str::to_owned).or(self.fallback).unwrap_or_default(),
            reasons => reasons.join("; "),
        };
        let reason = cut(reason);
        let verdict = match self.decision {
            Some(VerdictDecision::Allow) => Verdict::allow(),
            Some(VerdictDecision::Ask) => Verdict::ask(reason),
            Some(VerdictDecision::Deny) => Verdict::deny(reason),
            Some(VerdictDecision::Halt) => Verdict::halt(reason),
            None => Verdict::none(),
        };
        let verdict =
            self.context.into_iter().fold(verdict, |verdict, text| verdict.context(cut(text)));
        match self.messages.as_slice() {
            [] => verdict,
            messages => verdict.message(cut(messages.join("\n"))),
        }
    }
}

/// Reads the texts of a rule: of a set or list of texts or objects, of one text, or of one object.
fn texts(rule: &Rule, value: &Value) -> Result<Vec<String>, Failure> {
    Ok(match value {
        Value::Undefined | Value::Bool(false) => Vec::new(),
        Value::Bool(true) if rule.meaning.decision().is_some() => Vec::new(),
        Value::String(text) => vec![text.to_string()],
        Value::Set(items) => items.iter().map(text_of).collect(),
        Value::Array(items) => items.iter().map(text_of).collect(),
        Value::Object(fields) if fields.is_empty() => Vec::new(),
        Value::Object(_) => match text_in(value) {
            Some(text) => vec![text],
            None => {
                let problem = "is an object without a text: name it `msg`, `message` or `reason`";
                return Err(malformed(rule, problem));
            }
        },
        other => return Err(malformed(rule, &format!("is {}, not a set of texts", name(other)))),
    })
}

/// Returns the text of an item of a set: itself, the text in it, or how it is written as JSON.
fn text_of(item: &Value) -> String {
    match item {
        Value::String(text) => text.to_string(),
        other => text_in(other).unwrap_or_else(|| to_json(other).to_string()),
    }
}

/// Returns the text in an object.
fn text_in(value: &Value) -> Option<String> {
    TEXT_KEYS.iter().find_map(|key| match &value[*key] {
        Value::String(text) => Some(text.to_string()),
        _ => None,
    })
}

/// Reads an object that is a verdict; the name of a decision is one, too. A rule that is asked for a
/// verdict and gives none has not been thought to its end: that is a failure, and no opinion is `{}`.
fn whole_verdict(rule: &Rule, value: &Value) -> Result<Verdict, Failure> {
    let json = match value {
        Value::Undefined => {
            let problem =
                "is undefined for this step: write `default verdict := {}` for no opinion";
            return Err(malformed(rule, problem));
        }
        Value::String(decision) => serde_json::json!({"decision": decision.as_ref()}),
        Value::Object(_) => to_json(value),
        other => return Err(malformed(rule, &format!("is {}, not a verdict", name(other)))),
    };
    Verdict::parse(json.to_string().as_bytes()).map_err(|failure| {
        let salvaged = failure.salvaged;
        malformed(rule, &format!("is not a verdict: {}", failure.detail)).with_salvaged(salvaged)
    })
}

fn to_json(value: &Value) -> Json {
    serde_json::to_value(value).unwrap_or_default()
}

const fn name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "an array",
        Value::Set(_) => "a set",
        Value::Object(_) => "an object",
        Value::Undefined => "undefined",
    }
}

fn malformed(rule: &Rule, problem: &str) -> Failure {
    let detail = format!("the value of `{}` {problem}", rule.path);
    Failure::new(FailureClass::Malformed, detail)
}

fn cut(mut text: String) -> String {
    if text.len() > LONGEST {
        let end = (0..=LONGEST).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        text.truncate(end);
        text.push('…');
    }
    text
}
