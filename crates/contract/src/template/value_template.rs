//! A JSON value whose strings are templates: the arguments of a call.

use std::fmt;

use crate::settings::{Node, NodeValue};
use crate::{Event, Failure, FailureClass, Invocation};
use minijinja::value::{Value, merge_maps};
use minijinja::{Environment, UndefinedBehavior};
use serde_json::{Map, Value as Json};

use super::error::TemplateError;
use super::text::{NO_FIELD, Template, check_names, environment, failure, is_template};
use super::value::value_of;

/// The name of the whole envelope.
const ENVELOPE: &str = "envelope";

/// A JSON value whose strings may be templates over the envelope of a step.
///
/// A string that is one expression and nothing else (`"{{ tool_input }}"`) becomes the value of the
/// expression, of whatever type; any other template becomes text. `envelope` is the whole envelope.
///
/// ```
/// use hookgate_contract::payload::ToolCall;
/// use hookgate_contract::settings::Node;
/// use hookgate_contract::{Envelope, Invocation, StepContext, StepId};
/// use hookgate_contract::template::ValueTemplate;
/// use serde_json::json;
///
/// let written = json!({"input": "{{ tool_input }}", "title": "a call of {{ tool_name }}", "deep": true});
/// let template = ValueTemplate::read(&Node::from_json(&written), &[])?;
/// let call = ToolCall::new("Bash", json!({"command": "ls"}));
/// let (context, id) = (StepContext::new("session-1"), StepId::new(Some("step-1"), String::new));
/// let envelope = Envelope::new(&call, &context, &id, 1, 1 << 20);
/// let value = template.render(Invocation::new("hook", &envelope)).unwrap();
/// assert_eq!(value, json!({"input": {"command": "ls"}, "title": "a call of Bash", "deep": true}));
/// # Ok::<(), hookgate_contract::template::TemplateError>(())
/// ```
#[derive(Debug)]
pub struct ValueTemplate(Part);

#[derive(Debug)]
enum Part {
    Fixed(Json),
    Text(Box<Template>),
    Expression(Box<Expression>),
    List(Vec<Self>),
    Table(Vec<(String, Self)>),
}

impl ValueTemplate {
    /// Reads a value and compiles its templates. Their names are checked as
    /// [`Template::check_names`] does, with `envelope` as a further name.
    ///
    /// # Errors
    /// What is wrong with the first template that cannot be used.
    pub fn read(node: &Node, events: &[Event]) -> Result<Self, TemplateError> {
        Part::read(node, events).map(Self)
    }

    /// Returns the value for a step.
    ///
    /// # Errors
    /// Of class `malformed`; the detail quotes the template, and nothing of the step.
    pub fn render(&self, invocation: Invocation<'_>) -> Result<Json, Failure> {
        let envelope = value_of(invocation.json()?);
        self.0.render(invocation, &envelope)
    }
}

impl Part {
    fn read(node: &Node, events: &[Event]) -> Result<Self, TemplateError> {
        Ok(match &node.value {
            NodeValue::Text(text) => match expression_in(text) {
                Some(expression) => {
                    Self::Expression(Box::new(Expression::new(expression, events)?))
                }
                None if is_template(text) => {
                    let template = Template::strict(text)?;
                    template.check_names(events, &[ENVELOPE])?;
                    Self::Text(Box::new(template))
                }
                None => Self::Fixed(Json::String(text.clone())),
            },
            NodeValue::List(items) => {
                let parts = items.iter().map(|item| Self::read(item, events));
                Self::List(parts.collect::<Result<_, _>>()?)
            }
            NodeValue::Table(entries) => {
                let parts = entries
                    .iter()
                    .map(|entry| Ok((entry.key.clone(), Self::read(&entry.node, events)?)));
                Self::Table(parts.collect::<Result<_, _>>()?)
            }
            _ => Self::Fixed(node.to_json()),
        })
    }

    fn render(&self, invocation: Invocation<'_>, envelope: &Value) -> Result<Json, Failure> {
        Ok(match self {
            Self::Fixed(value) => value.clone(),
            Self::Text(template) => {
                let more = Value::from_pairs([(ENVELOPE, envelope.clone())]);
                Json::String(template.render_with(invocation, more)?)
            }
            Self::Expression(expression) => expression.evaluate(envelope)?,
            Self::List(parts) => {
                let items = parts.iter().map(|part| part.render(invocation, envelope));
                Json::Array(items.collect::<Result<_, _>>()?)
            }
            Self::Table(parts) => {
                let fields = parts
                    .iter()
                    .map(|(key, part)| Ok((key.clone(), part.render(invocation, envelope)?)));
                Json::Object(fields.collect::<Result<Map<_, _>, Failure>>()?)
            }
        })
    }
}

/// Returns the expression of a text that consists of one and nothing else.
fn expression_in(text: &str) -> Option<&str> {
    let inner = text.trim().strip_prefix("{{")?.strip_suffix("}}")?;
    let is_one = !inner.contains("{{") && !inner.contains("}}") && !inner.contains("{%");
    is_one.then(|| inner.trim().trim_start_matches('-').trim_end_matches('-').trim())
}

/// An expression. It is compiled at each evaluation, which takes microseconds: compiled, it would
/// borrow from its environment.
struct Expression {
    environment: Environment<'static>,
    source: String,
}

impl Expression {
    fn new(source: &str, events: &[Event]) -> Result<Self, TemplateError> {
        let environment = environment(UndefinedBehavior::Strict);
        let names = environment
            .compile_expression(source)
            .map_err(|error| TemplateError::Syntax(error.to_string()))?
            .undeclared_variables(false);
        check_names(&environment, names.into_iter().collect(), events, &[ENVELOPE])?;
        Ok(Self { environment, source: source.to_owned() })
    }

    fn evaluate(&self, envelope: &Value) -> Result<Json, Failure> {
        let whole = Value::from_pairs([(ENVELOPE, envelope.clone())]);
        let names = merge_maps([whole, envelope.clone()]);
        let compiled = self.environment.compile_expression(&self.source);
        let value = compiled.and_then(|expression| expression.eval(names));
        let value = value.map_err(|error| failure(&error, &self.source))?;
        if value.is_undefined() {
            let source = &self.source;
            return Err(malformed(format!("`{source}` has no value{NO_FIELD}")));
        }
        serde_json::to_value(&value)
            .map_err(|_| malformed(format!("the value of `{}` is not JSON", self.source)))
    }
}

impl fmt::Debug for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Expression").field(&self.source).finish()
    }
}

fn malformed(detail: String) -> Failure {
    Failure::new(FailureClass::Malformed, detail)
}

#[cfg(test)]
mod tests {
    use crate::payload::ToolCall;
    use crate::{Envelope, StepContext, StepId};
    use serde_json::json;

    use super::*;

    fn read(written: Json) -> Result<ValueTemplate, TemplateError> {
        ValueTemplate::read(&Node::from_json(&written), &[Event::PreToolUse])
    }

    fn rendered(written: Json, input: Json) -> Result<Json, Failure> {
        let call = ToolCall::new("Bash", input);
        let (context, id) = (StepContext::new("s"), StepId::new(Some("1"), String::new));
        let envelope = Envelope::new(&call, &context, &id, 1, 1 << 20);
        read(written).unwrap().render(Invocation::new("h", &envelope))
    }

    #[test]
    fn a_lone_expression_keeps_its_type_and_is_rendered_once() {
        let input = json!({"n": 9007199254740993_i64, "list": [1, "{{ session_id }}"], "f": 0.5});
        assert_eq!(rendered(json!("{{ tool_input }}"), input.clone()).unwrap(), input);
        let whole = rendered(json!(["{{- envelope.tool_input.list -}}"]), input.clone()).unwrap();
        assert_eq!(whole, json!([[1, "{{ session_id }}"]]));
        let text = rendered(json!("{{ session_id }}/{{ tool_input.n }}"), input).unwrap();
        assert_eq!(text, json!("s/9007199254740993"));
        assert_eq!(
            rendered(json!({"a": [1, true, "x"]}), json!({})).unwrap(),
            json!({"a": [1, true, "x"]})
        );
    }

    #[test]
    fn a_field_that_is_not_there_is_a_failure() {
        for written in ["{{ tool_input.path }}", "a {{ tool_input.path }}", "{{ tool_input.a.b }}"]
        {
            let failure = rendered(json!(written), json!({"secret": "s3cret"})).unwrap_err();
            assert_eq!(failure.class, FailureClass::Malformed, "{written}");
            assert!(failure.detail.contains("default"), "{failure}");
            assert!(!failure.detail.contains("s3cret"), "{failure}");
        }
        let given = rendered(json!("{{ tool_input.path | default(none) }}"), json!({})).unwrap();
        assert_eq!(given, json!(null));
    }

    #[test]
    fn names_are_checked_when_it_is_read() {
        for written in ["{{ tol_input }}", "x {{ prompt }}", "{{ tool_input"] {
            assert!(read(json!({"a": [written]})).is_err(), "{written}");
        }
        assert!(read(json!("{{ envelope.tool_input }}")).is_ok());
    }
}
