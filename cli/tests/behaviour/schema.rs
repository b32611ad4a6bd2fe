//! Promise: the records satisfy the schemas that `schema` prints.

use serde_json::Value;

use crate::support::{Folder, HOOKS, bash};

fn schema(folder: &Folder, format: &str) -> Value {
    let ended = folder.run(&["schema", format], "");
    assert_eq!(ended.code(), 0, "{}", ended.err());
    serde_json::from_str(ended.out()).unwrap()
}

#[test]
fn every_format_has_a_schema() {
    let folder = Folder::new();
    for format in ["envelope", "verdict", "config", "decision"] {
        let schema = schema(&folder, format);
        assert!(schema.is_object() && schema.get("$schema").is_some(), "{format}: {schema}");
    }
    assert_eq!(folder.run(&["schema", "everything"], "").code(), 64);
}

#[test]
fn what_is_printed_keeps_to_the_schema() {
    let folder = Folder::with_hooks(HOOKS);
    let validator = jsonschema::validator_for(&schema(&folder, "decision")).unwrap();
    let steps = [bash("ls"), bash("date"), bash("git push --force"), "broken".into()].join("\n");
    for args in [&["run"][..], &["run", "--stable"]] {
        for record in folder.run(args, &steps).lines() {
            assert!(
                validator.is_valid(&record),
                "{record}: {:?}",
                validator.validate(&record).err()
            );
        }
    }
}
