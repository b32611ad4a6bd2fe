//! What each kind says of itself: its line, its example, and the schema of its value.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

mod common;

use std::time::SystemTime;

use common::{build, kinds_at};
use serde_json::{Value, json};

#[test]
fn every_kind_has_a_line_and_an_example_that_it_reads() {
    for kind in kinds_at(SystemTime::now()) {
        let name = kind.name();
        assert!(!kind.about_text().is_empty() && !kind.about_text().ends_with('.'), "{name}");
        let example: Value = toml::from_str(kind.example_line()).unwrap();
        let value =
            example.get(name).unwrap_or_else(|| panic!("the example of {name} is of another key"));
        build(std::slice::from_ref(&kind), name, value).unwrap();
        assert!(jsonschema::is_valid(&kind.value_schema(), value), "{name}: {value}");
    }
}

#[test]
fn a_schema_takes_what_the_kind_takes() {
    let kinds = kinds_at(SystemTime::now());
    for (name, value, taken) in [
        ("when", json!({"days": "mon"}), true),
        (
            "when",
            json!({"days": ["Mon-Fri", "sunday"], "hours": ["9:00 - 12:00", "22:00-06:00"]}),
            true,
        ),
        ("when", json!({"from": "2026-12-20", "until": "2027-01-02T06:00"}), true),
        ("when", json!({"days": ["mon-fry"]}), false),
        ("when", json!({"hours": "9-17"}), false),
        ("when", json!({"zone": "UTC"}), false),
        ("when", json!({"day": "mon"}), false),
        ("when", json!({}), false),
        ("git_branch", json!("main"), true),
        ("git_branch", json!(["main", "!release/*"]), true),
        ("git_branch", json!([]), false),
        ("git_branch", json!("my branch"), false),
        ("mark", json!("tested-1"), true),
        ("mark", json!("was tested"), false),
        ("mark", json!(["a"]), false),
        ("marked", json!("tested"), true),
        ("marked", json!({"edited": {"after": "tested", "within": "10m"}}), true),
        ("marked", json!({"edited": {}}), false),
        ("marked", json!({"edited": {"afer": "tested"}}), false),
        ("marked", json!({}), false),
        ("marked", json!(["a", "b"]), false),
        ("count", json!({"over": 0}), true),
        ("count", json!({"of": "x", "over": 20, "per": "1h"}), true),
        ("count", json!({"over": 20, "per": "trun"}), false),
        ("count", json!({"over": -1}), false),
        ("count", json!({"of": "x"}), false),
    ] {
        let kind = kinds.iter().find(|kind| kind.name() == name).unwrap();
        assert_eq!(build(&kinds, name, &value).is_ok(), taken, "{name} = {value}");
        assert_eq!(
            jsonschema::is_valid(&kind.value_schema(), &value),
            taken,
            "schema of {name}: {value}"
        );
    }
}
