//! Who acts, what is done, and on what: entities whose ids come from the step.

use std::str::FromStr;

use cedar_policy::{EntityId, EntityTypeName, EntityUid};
use hookgate_contract::payload::ToolCall;
use hookgate_contract::template::{Template, is_template};
use hookgate_contract::{Event, Failure, Invocation};

/// How an entity is made of a step. The type is always that of the config: nothing in a step can name
/// another one.
#[derive(Debug)]
pub(crate) enum UidSource {
    /// Always the same.
    Fixed(EntityUid),
    /// With an id from a template.
    Rendered(EntityTypeName, Box<Template>),
    /// With the kind of the agent as its id.
    Agent(EntityTypeName),
    /// With the tool, or else the event, as its id.
    ToolOrEvent(EntityTypeName),
    /// With what the tool works on as its id.
    Subject(EntityTypeName),
}

/// Names of arguments that say what a tool works on, the most telling first.
const SUBJECTS: [&str; 8] =
    ["file_path", "notebook_path", "path", "command", "url", "uri", "query", "pattern"];

impl UidSource {
    /// Reads an entity such as `Agent::"{{ agent_id }}"`.
    ///
    /// # Errors
    /// A sentence for the config.
    pub(crate) fn read(text: &str, events: &[Event]) -> Result<Self, String> {
        if !is_template(text) {
            let uid = EntityUid::from_str(text.trim());
            return uid.map(Self::Fixed).map_err(|_| not_an_entity(text));
        }
        let (name, id) = text.trim().split_once("::\"").ok_or_else(|| not_an_entity(text))?;
        let id = id.strip_suffix('"').ok_or_else(|| not_an_entity(text))?;
        let template = Template::strict(id).and_then(|template| {
            template.check_names(events, &[])?;
            Ok(template)
        });
        let template = template.map_err(|error| error.to_string())?;
        Ok(Self::Rendered(type_name(name).ok_or_else(|| not_an_entity(text))?, Box::new(template)))
    }

    /// Returns the entity of a step.
    ///
    /// # Errors
    /// If the template cannot be rendered.
    pub(crate) fn uid(&self, invocation: Invocation<'_>) -> Result<EntityUid, Failure> {
        let (name, id) = match self {
            Self::Fixed(uid) => return Ok(uid.clone()),
            Self::Rendered(name, template) => (name, template.render(invocation)?),
            Self::Agent(name) => {
                let context = invocation.context();
                let id = context.agent_type.or(context.agent_id).unwrap_or("main");
                (name, id.to_owned())
            }
            Self::ToolOrEvent(name) => {
                let tool = invocation.tool().map(|call| call.tool_name.as_str());
                (name, tool.unwrap_or_else(|| invocation.payload().event_name()).to_owned())
            }
            Self::Subject(name) => {
                let subject = invocation.tool().map(subject);
                (name, subject.unwrap_or_else(|| invocation.payload().event_name()).to_owned())
            }
        };
        Ok(EntityUid::from_type_name_and_id(name.clone(), EntityId::new(id)))
    }
}

/// Returns the type of entities of a name; `None` if it is not the name of one.
pub(crate) fn type_name(name: &str) -> Option<EntityTypeName> {
    EntityTypeName::from_str(name.trim()).ok()
}

/// Returns what a call works on: a path, a command, an address, or the tool itself.
fn subject(call: &ToolCall) -> &str {
    let named = SUBJECTS.iter().find_map(|key| call.tool_input.get(key)?.as_str());
    named.unwrap_or(&call.tool_name)
}

fn not_an_entity(text: &str) -> String {
    format!(
        "`{text}` is not an entity such as `Agent::\"main\"` or `Agent::\"{{{{ agent_id }}}}\"`"
    )
}
