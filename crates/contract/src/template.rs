//! Templates over the envelope of a step, for the settings of handlers: `"the file {{ tool_input.path }}"`.
//!
//! The language is minijinja's. A name that no step of the hook's events has is an error of the config
//! ([`Template::check_names`]), and a template that loops for too long ends with a failure.
//!
//! ```
//! use hookgate_contract::payload::ToolCall;
//! use hookgate_contract::{Envelope, Invocation, StepContext, StepId};
//! use hookgate_contract::template::Template;
//!
//! let template = Template::strict("{{ tool_name }} of {{ session_id }}")?;
//! let call = ToolCall::new("Bash", serde_json::json!({"command": "ls"}));
//! let (context, id) = (StepContext::new("session-1"), StepId::new(Some("step-1"), String::new));
//! let envelope = Envelope::new(&call, &context, &id, 1, 1 << 20);
//! let text = template.render(Invocation::new("hook", &envelope));
//! assert_eq!(text.as_deref(), Ok("Bash of session-1"));
//! # Ok::<(), hookgate_contract::template::TemplateError>(())
//! ```

mod error;
mod text;
mod value;
mod value_template;

pub use error::TemplateError;
pub use text::{Template, is_template};
pub use value_template::ValueTemplate;
