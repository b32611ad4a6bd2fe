//! What each setting is for, as data: the pages of reference and the JSON Schema of hooks.toml are made
//! from it.

use hookgate_contract::{SettingDoc, SettingType};

/// The settings of `cedar`.
pub const SETTINGS: &[SettingDoc] = &[
    SettingDoc::required(
        "policies",
        SettingType::OneOrMoreTexts,
        "the files with the policies; paths start at the folder of the config",
    ),
    SettingDoc::optional(
        "schema",
        SettingType::Path,
        "the file with the schema, in JSON if its name ends so: policies, entities and requests must \
         fit it",
    ),
    SettingDoc::optional("entities", SettingType::Path, "a JSON file with entities"),
    SettingDoc::optional("principal", SettingType::Template, "who acts; the id may be a template")
        .default(r#""Agent::\"{{ agent_type or agent_id or 'main' }}\"""#),
    SettingDoc::optional(
        "action",
        SettingType::Template,
        "what is done: by default `Action::` with the tool, or the event if there is none",
    ),
    SettingDoc::optional(
        "resource",
        SettingType::Template,
        "on what: by default `Resource::` with the path, command or address that the tool gets",
    ),
    SettingDoc::optional(
        "context",
        SettingType::Map(&SettingType::Pointer),
        "the fields of the context, each by a pointer into the envelope; by default all of it",
    ),
    SettingDoc::optional(
        "reason",
        SettingType::Text,
        "the reason of a deny that comes from no policy, because none permits the step",
    ),
];
