//! The rule of a judge: a template that is rendered once, and never sees the judged data.

use std::collections::BTreeMap;

use hookgate_contract::json::canonical;
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior};
use serde_json::{Value, json};

/// How many instructions a template may take.
const FUEL: u64 = 100_000;

/// The functions of the template language, which are no missing variables.
const GLOBALS: &[&str] = &["range", "dict", "namespace", "debug"];

/// The text of a rule, with the constants of its settings.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Policy {
    source: String,
    vars: BTreeMap<String, Value>,
}

impl Policy {
    /// Takes a template over, if it can be rendered: a variable that is missing anywhere in it is
    /// an error now, not a surprise at some step.
    pub(crate) fn new(source: String, vars: BTreeMap<String, Value>) -> Result<Self, String> {
        let this = Self { source, vars };
        let environment = environment();
        let template = environment
            .template_from_str(&this.source)
            .map_err(|error| format!("is no template: {error}"))?;
        let known = json!({"event": "", "vars": this.vars});
        let mut missing: Vec<String> = template
            .undeclared_variables(true)
            .into_iter()
            .filter(|name| !GLOBALS.contains(&name.as_str()))
            .filter(|name| known.pointer(&format!("/{}", name.replace('.', "/"))).is_none())
            .collect();
        missing.sort();
        if let Some(name) = missing.first() {
            return Err(format!(
                "there is no variable `{name}`: there are `event` and what `vars` gives \
                 (`vars.name`); what is judged is not put into the rule"
            ));
        }
        let rendered = this.render("pre_tool_use")?;
        if rendered.trim().is_empty() {
            return Err("is empty: say what is not allowed".into());
        }
        Ok(this)
    }

    /// Returns the rule and its constants as text that is the same on every machine, for the identity of
    /// a judge.
    pub(crate) fn canonical(&self) -> String {
        canonical(&json!({"source": self.source, "vars": self.vars}))
    }

    /// The rule at an event.
    pub(crate) fn render(&self, event: &str) -> Result<String, String> {
        let environment = environment();
        let context = Serde(json!({"event": event, "vars": self.vars}));
        environment
            .template_from_str(&self.source)
            .and_then(|template| template.render(context))
            .map(|text| text.trim().to_owned())
            .map_err(|error| format!("cannot be rendered: {error}"))
    }
}

fn environment<'a>() -> Environment<'a> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(FUEL));
    environment
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(source: &str) -> Result<Policy, String> {
        let vars = BTreeMap::from([("branch".to_owned(), json!("{{ event }}"))]);
        Policy::new(source.to_owned(), vars)
    }

    #[test]
    fn a_template_is_expanded_once() {
        let policy = policy("At {{ event }}: keep {{ vars.branch }}.").unwrap();
        assert_eq!(policy.render("stop").unwrap(), "At stop: keep {{ event }}.");
    }

    #[test]
    fn a_missing_variable_is_an_error_wherever_it_stands() {
        for bad in [
            "{{ tool_input }}",
            "{% if event == 'stop' %}{{ brnch }}{% endif %}x",
            "{{ vars.brnch }}",
            "{{ event",
            "  ",
            "{% for i in range(100000000) %}x{% endfor %}",
        ] {
            assert!(policy(bad).is_err(), "{bad}");
        }
    }
}
