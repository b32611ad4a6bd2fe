//! What switches the hooks of an agent off without a word: keys of its settings, and variables. A table per agent.

use serde_json::Value;

use super::profile::Profile;

/// A key of settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Switch {
    agents: &'static [&'static str],
    /// Where it stands, as a JSON pointer.
    pub(crate) pointer: &'static str,
    /// The values that it takes.
    takes: Takes,
    /// Which of several files counts.
    pub(crate) counts: Counts,
}

/// The values of a switch, and which of them switches off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// `true` or `false`: this one switches off.
    Bool(bool),
    /// `true`, `false`, or a list of what is switched off.
    ListOf(&'static str),
    /// A list of names of hooks, which says nothing of all.
    Names,
}

/// Which of the files that say something counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counts {
    /// The strongest one.
    Strongest,
    /// Each.
    Each,
    /// Each of the administrator of the machine; others say nothing.
    OfMachine,
    /// Each but that of the user, which is told with what its user trusts.
    ButUser,
}

/// What a value of a switch means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Position {
    /// Hooks are called.
    On,
    /// They are not.
    Off,
    /// It is no value of this switch: what the agent makes of it is not known.
    Unknown,
}

const fn switch(
    agents: &'static [&'static str],
    pointer: &'static str,
    takes: Takes,
    counts: Counts,
) -> Switch {
    Switch { agents, pointer, takes, counts }
}

const SWITCHES: &[Switch] = &[
    switch(&["claude"], "/disableAllHooks", Takes::Bool(true), Counts::Strongest),
    switch(&["claude"], "/allowManagedHooksOnly", Takes::Bool(true), Counts::OfMachine),
    switch(
        &["claude"],
        "/strictPluginOnlyCustomization",
        Takes::ListOf("hooks"),
        Counts::OfMachine,
    ),
    switch(&["copilot", "qwen"], "/disableAllHooks", Takes::Bool(true), Counts::Each),
    switch(&["codex"], "/features/hooks", Takes::Bool(false), Counts::ButUser),
    switch(&["codex"], "/features/codex_hooks", Takes::Bool(false), Counts::ButUser),
    switch(&["gemini", "qwen"], "/hooksConfig/enabled", Takes::Bool(false), Counts::Strongest),
    switch(&["gemini", "qwen"], "/hooksConfig/disabled", Takes::Names, Counts::Each),
];

impl Switch {
    /// Returns those of an agent.
    pub(crate) fn of(profile: &Profile) -> impl Iterator<Item = &'static Self> {
        let name = profile.name;
        SWITCHES.iter().filter(move |switch| switch.agents.contains(&name))
    }

    /// Returns its name, as people write it.
    pub(crate) fn name(&self) -> String {
        self.pointer.trim_start_matches('/').replace('/', ".")
    }

    /// Says what a value means.
    pub(crate) fn position(&self, value: &Value) -> Position {
        match (self.takes, value) {
            (Takes::Bool(off), Value::Bool(value)) if *value == off => Position::Off,
            (Takes::ListOf(_), Value::Bool(true)) => Position::Off,
            (Takes::Bool(_) | Takes::ListOf(_), Value::Bool(_)) => Position::On,
            (Takes::ListOf(name), Value::Array(parts)) if parts.iter().any(|it| it == name) => {
                Position::Off
            }
            (Takes::ListOf(_) | Takes::Names, Value::Array(parts))
                if parts.iter().all(Value::is_string) =>
            {
                Position::On
            }
            _ => Position::Unknown,
        }
    }

    /// Says which values it takes.
    pub(crate) const fn values(&self) -> &'static str {
        match self.takes {
            Takes::Bool(_) => "true or false",
            Takes::ListOf(_) => "true, false or a list of texts",
            Takes::Names => "a list of texts",
        }
    }
}

/// What a variable does to the hooks of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VariableDoes {
    /// No hook is called if it is set to a word for "yes".
    SwitchesOff,
    /// The hooks and settings are read from elsewhere.
    MovesConfigs,
    /// The command lines of hooks are started by another program.
    StartsOtherwise,
}

use VariableDoes::{MovesConfigs, StartsOtherwise, SwitchesOff};

/// The agents, and what variables do to their hooks.
const VARIABLES: &[(&str, &[(&str, VariableDoes)])] = &[
    (
        "claude",
        &[
            ("CLAUDE_CODE_SIMPLE", SwitchesOff),
            ("CLAUDE_CODE_SAFE_MODE", SwitchesOff),
            ("CLAUDE_CONFIG_DIR", MovesConfigs),
            ("CLAUDE_CODE_SHELL", StartsOtherwise),
            ("CLAUDE_CODE_SHELL_PREFIX", StartsOtherwise),
        ],
    ),
    ("codex", &[("CODEX_HOME", MovesConfigs)]),
    ("copilot", &[("COPILOT_HOME", MovesConfigs)]),
    (
        "gemini",
        &[
            ("GEMINI_CLI_HOME", MovesConfigs),
            ("GEMINI_CLI_SYSTEM_SETTINGS_PATH", MovesConfigs),
            ("GEMINI_CLI_SYSTEM_DEFAULTS_PATH", MovesConfigs),
        ],
    ),
    ("kimi", &[("KIMI_CODE_HOME", MovesConfigs)]),
    (
        "opencode",
        &[
            ("OPENCODE_PURE", SwitchesOff),
            ("OPENCODE_CONFIG", MovesConfigs),
            ("OPENCODE_CONFIG_DIR", MovesConfigs),
            ("OPENCODE_CONFIG_CONTENT", MovesConfigs),
        ],
    ),
    (
        "qwen",
        &[
            ("QWEN_CODE_SIMPLE", SwitchesOff),
            ("QWEN_CODE_SAFE_MODE", SwitchesOff),
            ("QWEN_HOME", MovesConfigs),
            ("QWEN_CODE_SYSTEM_SETTINGS_PATH", MovesConfigs),
            ("QWEN_CODE_SYSTEM_DEFAULTS_PATH", MovesConfigs),
        ],
    ),
];

/// Words for "no", as agents read a variable that is a switch.
const NO: [&str; 5] = ["", "0", "false", "no", "off"];

/// Returns the variables that do something to the hooks of an agent.
pub(crate) fn variables(profile: &Profile) -> &'static [(&'static str, VariableDoes)] {
    let of = VARIABLES.iter().find(|(agent, _)| *agent == profile.name);
    of.map_or(&[], |(_, variables)| variables)
}

/// Says what a variable with a value does to the hooks of an agent, if it does something.
pub(crate) fn variable_does(profile: &Profile, name: &str, value: &str) -> Option<VariableDoes> {
    let (_, does) = variables(profile).iter().find(|(known, _)| *known == name)?;
    let is_no = NO.contains(&value.trim().to_lowercase().as_str());
    let does_nothing = if *does == SwitchesOff { is_no } else { value.is_empty() };
    (!does_nothing).then_some(*does)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::agents::PROFILES;

    #[test]
    fn every_agent_of_the_tables_is_known() {
        let is_known = |name: &str| PROFILES.iter().any(|profile| profile.name == name);
        assert!(SWITCHES.iter().flat_map(|switch| switch.agents).all(|name| is_known(name)));
        assert!(VARIABLES.iter().all(|(name, _)| is_known(name)));
        for profile in PROFILES {
            // What moves the folder that is known here moves the configs.
            let Some(folder) = profile.folder.0 else { continue };
            assert_eq!(variable_does(profile, folder, "/elsewhere"), Some(MovesConfigs));
        }
    }

    #[test]
    fn only_values_of_a_switch_mean_something() {
        let claude = Profile::find("claude").unwrap();
        let [all, _, strict] = Switch::of(claude).collect::<Vec<_>>().try_into().unwrap();
        for (switch, value, position) in [
            (all, json!(true), Position::Off),
            (all, json!(false), Position::On),
            (all, json!("true"), Position::Unknown),
            (all, json!(1), Position::Unknown),
            (all, json!(null), Position::Unknown),
            (strict, json!(true), Position::Off),
            (strict, json!(["skills", "hooks"]), Position::Off),
            (strict, json!(["skills"]), Position::On),
            (strict, json!([1]), Position::Unknown),
            (strict, json!({}), Position::Unknown),
        ] {
            assert_eq!(switch.position(&value), position, "{} {value}", switch.name());
        }
        for (value, does) in [("1", Some(SwitchesOff)), ("0", None), ("", None), ("False", None)] {
            assert_eq!(variable_does(claude, "CLAUDE_CODE_SIMPLE", value), does, "{value}");
        }
    }
}
