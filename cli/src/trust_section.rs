//! The section `[trust]`, which only the config of the machine may have.

use std::path::Path;

use hookgate::contract::ConfigSection;
use hookgate::contract::settings::Settings;
use serde_json::{Value, json};

/// The key at the top of the file.
pub(crate) const NAME: &str = "trust";

/// Returns the section, which only the config of the machine may have.
pub(crate) fn section() -> ConfigSection {
    ConfigSection::new(NAME, |settings, _| {
        let mut table = settings.table(NAME)?;
        table.flag("users");
        check(&mut table, "paths", |path| {
            Path::new(path).is_absolute().then_some(()).ok_or("it is an absolute path of a folder")
        });
        check(&mut table, "hashes", |hash| {
            let digits = hash.strip_prefix("sha256:").filter(|digits| digits.len() == 64);
            let is_hash = digits.is_some_and(|digits| digits.bytes().all(|c| c.is_ascii_hexdigit()));
            is_hash.then_some(()).ok_or("it is what `hookgate trust --show --json` prints as `hash`")
        });
        let errors = table.finish();
        let is_right = errors.is_empty();
        settings.absorb(errors);
        is_right.then_some(())
    })
    .of_machine()
    .about(
        "in the config of the machine only: which projects are trusted without a question, and whether users may \
         trust others",
    )
    .schema(schema)
}

fn check(
    table: &mut Settings<'_>,
    key: &'static str,
    is_right: impl Fn(&str) -> Result<(), &'static str>,
) {
    let all = table.one_or_more(key).unwrap_or_default();
    if let Some(wrong) = all.into_iter().find_map(|text| is_right(text).err()) {
        table.invalid(key, wrong);
    }
}

fn schema() -> Value {
    let list = |about: &str| {
        let item = json!({"type": "string"});
        json!({"description": about, "anyOf": [item, {"type": "array", "items": item}]})
    };
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "users": {
                "type": "boolean",
                "default": true,
                "description": "Whether users may say which projects they trust.",
            },
            "paths": list("Folders: the projects in them are trusted without a question."),
            "hashes": list("Contents that are trusted wherever they are, as `hookgate trust --show --json` prints them."),
        },
    })
}
