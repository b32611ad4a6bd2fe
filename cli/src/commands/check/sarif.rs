//! Entries as SARIF 2.1.0, the format in which code scanners report.

use std::collections::BTreeMap;

use hookgate::analysis::FindingCode;
use serde_json::{Value, json};

use super::entry::Entry;
use super::place::uri;

/// Where the format is defined.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Returns the log of one run.
pub(super) fn log(entries: &[Entry]) -> Value {
    let mut codes: Vec<&str> = entries.iter().map(|entry| entry.code).collect();
    codes.sort_unstable();
    codes.dedup();
    let places: BTreeMap<&str, usize> = codes.iter().copied().zip(0..).collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "hookgate",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": codes.iter().map(|code| rule(code)).collect::<Vec<_>>(),
            } },
            // Columns count characters.
            "columnKind": "unicodeCodePoints",
            "results": entries.iter().map(|entry| result(entry, &places)).collect::<Vec<_>>(),
        }],
    })
}

fn rule(code: &str) -> Value {
    let about = FindingCode::ALL.into_iter().find(|known| known.name() == code);
    let about = match about {
        Some(known) => known.about().to_owned(),
        None => code.replace('_', " "),
    };
    json!({ "id": code, "shortDescription": { "text": about } })
}

fn result(entry: &Entry, places: &BTreeMap<&str, usize>) -> Value {
    let (line, column) = entry.position();
    let help = entry.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
    json!({
        "ruleId": entry.code,
        "ruleIndex": places.get(entry.code),
        "level": entry.level.name(),
        "message": { "text": format!("{}{help}", entry.message) },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": uri(&entry.file) },
            "region": { "startLine": line, "startColumn": column },
        } }],
    })
}
