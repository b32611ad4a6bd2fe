//! What each setting is for, as data: the pages of reference and the JSON Schema of hooks.toml are made
//! from it.

use hookgate_contract::{SettingDoc, SettingType};

use crate::meaning::Meaning;

/// The settings of `rego`.
pub const SETTINGS: &[SettingDoc] = &[
    SettingDoc::required(
        "file",
        SettingType::OneOrMoreTexts,
        "the files of the policy, in Rego; paths start at the folder of the config",
    ),
    SettingDoc::required(
        "query",
        SettingType::OneOrMoreTexts,
        "the rules that are asked, each by its whole path: `data.hookgate.deny`",
    ),
    SettingDoc::optional(
        "result",
        SettingType::Choice(Meaning::NAMES),
        "what the value of the rules means; by default the name of each rule says it",
    ),
    SettingDoc::optional(
        "data",
        SettingType::OneOrMoreTexts,
        "files with JSON objects, which the policy sees as `data`",
    ),
    SettingDoc::optional(
        "reason",
        SettingType::Text,
        "the reason of a decision for which the policy gives none",
    ),
    SettingDoc::optional(
        "max_time",
        SettingType::Duration,
        "how long an evaluation may take; one that takes longer fails with class `timeout`",
    )
    .default("\"500ms\""),
    SettingDoc::optional(
        "v0",
        SettingType::Flag,
        "the files are in the older Rego, without `if` and `contains`",
    )
    .default("false"),
];
