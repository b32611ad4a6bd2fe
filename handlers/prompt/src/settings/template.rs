//! The rule of a judge: a template that is rendered once, and never sees the judged data.
//!
//! A rule may use `event` and the constants of `vars`. The values of a step are not variables: text
//! that an agent wrote would otherwise become a part of the rule. A rendered rule is not rendered
//! again either, so a constant may contain braces.
//!
//! The template is parsed at each rendering, which takes microseconds and happens only before a request;
//! a parsed template would borrow from its environment.

use std::collections::BTreeMap;

use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior};
use serde_json::{Value, json};

/// How many instructions a template may take, which ends endless loops.
const FUEL: u64 = 100_000;

/// The functions of the template language. They are not missing variables.
const GLOBALS: &[&str] = &["range", "dict", "namespace", "debug"];

/// The text of a rule, with the constants of its settings.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RuleTemplate {
    source: String,
    vars: BTreeMap<String, Value>,
}

impl RuleTemplate {
    /// Makes a template, and renders it once to see that this works.
    ///
    /// # Errors
    /// Says what is wrong: the syntax, a variable that does not exist (also in a branch that is not
    /// taken), a rule that is empty. Each would otherwise surprise at some step.
    pub(crate) fn new(source: String, vars: BTreeMap<String, Value>) -> Result<Self, String> {
        let this = Self { source, vars };
        let environment = environment();
        let template = environment
            .template_from_str(&this.source)
            .map_err(|error| format!("is not a template: {error}"))?;
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

    /// Returns the text of the template as it was written.
    pub(crate) fn source(&self) -> &str {
        &self.source
    }

    /// Renders the rule for an event.
    ///
    /// # Errors
    /// Says why the template cannot be rendered, such as a division by zero.
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

    fn template(source: &str) -> Result<RuleTemplate, String> {
        let vars = BTreeMap::from([("branch".to_owned(), json!("{{ event }}"))]);
        RuleTemplate::new(source.to_owned(), vars)
    }

    #[test]
    fn a_template_is_expanded_once() {
        let template = template("At {{ event }}: keep {{ vars.branch }}.").unwrap();
        assert_eq!(template.render("stop").unwrap(), "At stop: keep {{ event }}.");
    }

    #[test]
    fn a_missing_variable_is_an_error_in_any_branch() {
        for bad in [
            "{{ tool_input }}",
            "{% if event == 'stop' %}{{ brnch }}{% endif %}x",
            "{{ vars.brnch }}",
            "{{ event",
            "  ",
            "{% for i in range(100000000) %}x{% endfor %}",
        ] {
            assert!(template(bad).is_err(), "{bad}");
        }
    }
}
