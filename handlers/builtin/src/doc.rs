//! What a builtin is, as data: its name, its role, its settings and an example.
//!
//! Each builtin has one [`BuiltinDoc`] beside its code. The kind `builtin`, the reference pages, the
//! command line and the JSON Schema of hooks.toml are made from it, so they cannot differ; a test
//! proves that the parser of each builtin reads exactly the settings that are listed.

use hookgate_contract::settings::Settings;
use hookgate_contract::{BuildContext, BuiltHandler, Event, Factory, Role, Supports};
pub use hookgate_contract::{SettingDoc, SettingType};
use serde_json::{Value, json};

use crate::host::Host;

/// The description of a builtin, from which its handlers are built too.
///
/// ```
/// let deny = hookgate_builtin::builtin("deny").unwrap();
/// assert_eq!(deny.role.name(), "guard");
/// assert!(deny.events().contains(&"pre_tool_use") && !deny.events().contains(&"session_end"));
/// assert_eq!(deny.settings[0].name, "reason");
/// assert_eq!(deny.schema()["properties"]["reason"]["type"], "string");
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct BuiltinDoc {
    /// The name that a config uses.
    pub name: &'static str,
    /// The role of a hook that names none.
    pub role: Role,
    /// What it does, as a clause without a full stop.
    pub about: &'static str,
    /// Refuses the events at which it could do nothing, whatever its settings are; `None` if it can be
    /// used at all.
    pub supports: Option<Supports>,
    /// The settings, the required ones first.
    pub settings: &'static [SettingDoc],
    /// A hook in TOML that uses it.
    pub example: &'static str,
    /// Whether it uses a part of the [`Host`].
    pub(crate) build: Build,
}

/// How the handlers of a builtin are built.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Build {
    /// From their settings alone.
    Alone(Factory),
    /// With what the host knows.
    WithHost(fn(&mut Settings<'_>, &BuildContext<'_>, &Host) -> Option<BuiltHandler>),
}

impl BuiltinDoc {
    /// Builds a handler from its settings. If it cannot, it has noted the reason in the settings.
    pub fn build(
        &self,
        settings: &mut Settings<'_>,
        context: &BuildContext<'_>,
        host: &Host,
    ) -> Option<BuiltHandler> {
        let built = match self.build {
            Build::Alone(build) => build(settings, context),
            Build::WithHost(build) => build(settings, context, host),
        };
        if self.only_adds() { built.map(BuiltHandler::never_refuses) } else { built }
    }

    /// Tells whether it only adds to a step, or shortens a result.
    fn only_adds(&self) -> bool {
        const OTHERS: [&str; 5] = [
            "elide_repeated_tool_results",
            "limit_large_tool_results",
            "safer_shell",
            "skill_manifest",
            "snapshot",
        ];
        self.name.starts_with("add_") || OTHERS.contains(&self.name)
    }

    /// Returns the names of the events at which it can be used.
    #[must_use]
    pub fn events(&self) -> Vec<&'static str> {
        let fits = |event: &Event| {
            let contract = event.contract();
            contract.takes_role(self.role)
                && self.supports.is_none_or(|supports| supports(contract).is_ok())
        };
        Event::NAMED.into_iter().filter(fits).map(Event::name).collect()
    }

    /// Returns the JSON Schema of the table that a config has below `builtin`.
    #[must_use]
    pub fn schema(&self) -> Value {
        let mut schema = SettingDoc::table_schema(self.settings);
        let name = json!({"const": self.name, "description": self.about});
        let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
        if let Some(properties) = properties {
            properties.insert("name".into(), name);
        }
        if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
            required.insert(0, "name".into());
        }
        if let Some(object) = schema.as_object_mut() {
            object.insert("description".into(), self.about.into());
        }
        schema
    }
}
