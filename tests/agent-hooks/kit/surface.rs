//! The declared surface: which vectors apply, and why the others do not.

use agent_hooks::{CompositionConfig, CompositionProfile, OnApproval};
use hookgate_agent_hooks::Profile;
use serde_json::Value;

/// What a host can do, as the kit names it.
pub(crate) type Capabilities = &'static [&'static str];

/// The engine in a process: contexts are values there.
pub(crate) const IN_PROCESS: Capabilities = &["model_calls", "tool_calls", "int64_json"];

/// The program: contexts are texts, so that a number is met as it was written.
pub(crate) const PROGRAM: Capabilities =
    &["model_calls", "tool_calls", "int64_json", "bigint_json"];

/// What the host cannot do, and why.
const NOT_OFFERED: [(&str, &str); 3] = [
    ("host_declaration", "a table is hookgate's own declaration, and it can be swapped"),
    ("incremental_output", "the engine judges whole answers, not parts of a stream"),
    ("bigint_json", "a value cannot hold such a number; over the program it is run"),
];

/// Returns why a vector does not apply; `None` if it does.
pub(crate) fn left_out(vector: &Value, capabilities: Capabilities) -> Option<String> {
    let needed = vector["capabilities"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let mut missing = needed.filter(|needed| !capabilities.contains(needed));
    if let Some(needed) = missing.next() {
        let why = NOT_OFFERED.iter().find(|(name, _)| *name == needed);
        let why = why.map_or("it is not known here", |(_, why)| why);
        return Some(format!("{needed} is not offered: {why}"));
    }
    let composition = vector.get("composition").cloned();
    let composition: CompositionConfig = composition
        .map_or_else(CompositionConfig::default, |own| serde_json::from_value(own).unwrap());
    match (profile(composition), composition.profile) {
        (Some(_), _) => None,
        (None, CompositionProfile::SequentialFirstDeny) => {
            Some("on_approval resume is not offered: the engine asks once, for all that ask".into())
        }
        (None, profile) => Some(format!(
            "{} is not offered: rewriters see what earlier ones wrote",
            profile.as_str()
        )),
    }
}

/// Returns our profile for one of the kit, if it is offered.
pub(crate) fn profile(composition: CompositionConfig) -> Option<Profile> {
    match (composition.profile, composition.on_approval) {
        (CompositionProfile::SequentialFirstDeny, None | Some(OnApproval::Stop)) => {
            Some(Profile::FirstDeny)
        }
        (CompositionProfile::SequentialRunAll, _) => Some(Profile::RunAll),
        _ => None,
    }
}
