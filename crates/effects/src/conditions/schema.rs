//! The JSON Schemas of the conditions and of `[[tool]]`.

use serde_json::{Map, Value, json};

use crate::programs::ModeBit;

/// A text or a list of texts.
fn texts_schema() -> Value {
    json!({"anyOf": [
        {"type": "string", "minLength": 1},
        {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1}},
    ]})
}

/// The same with a description.
fn texts_for(meaning: &str) -> Value {
    described(texts_schema(), meaning)
}

/// Adds a description to a schema.
fn described(mut schema: Value, meaning: &str) -> Value {
    if let Some(object) = schema.as_object_mut() {
        object.insert("description".to_owned(), meaning.into());
    }
    schema
}

/// A table that has exactly one of some keys, each with its meaning.
fn one_of_schema(keys: &[(&str, &str)]) -> Value {
    table_schema(keys, None)
}

/// A table that has exactly one of some keys, and beside it perhaps another.
fn table_schema(keys: &[(&str, &str)], beside: Option<(&str, Value)>) -> Value {
    let most = if beside.is_some() { 2 } else { 1 };
    let properties: Map<String, Value> = keys
        .iter()
        .map(|(key, meaning)| ((*key).to_owned(), texts_for(meaning)))
        .chain(beside.map(|(key, schema)| (key.to_owned(), schema)))
        .collect();
    json!({
        "type": "object",
        "properties": properties,
        "minProperties": 1,
        "maxProperties": most,
        "additionalProperties": false,
    })
}

pub(super) fn paths_schema() -> Value {
    json!({"anyOf": [texts_schema(), one_of_schema(PATHS)]})
}

/// The same for files that are read, of which one can ask whether they are shown.
pub(super) fn read_paths_schema() -> Value {
    let meaning = "Of a file that is read: whether its content may be shown, copied or sent; `false` is one that is only listed, or used by a program for itself.";
    let shown = described(json!({"type": "boolean"}), meaning);
    json!({"anyOf": [texts_schema(), table_schema(PATHS, Some(("shown", shown)))]})
}

/// The keys of a table of paths, each with its meaning.
const PATHS: &[(&str, &str)] = &[
    ("paths", "Patterns of files, as without a table."),
    ("within", "Folders: the file is in one of them."),
    ("outside", "Folders: the file is in none of them."),
];

pub(super) fn variables_schema() -> Value {
    texts_schema()
}

pub(super) fn hosts_schema() -> Value {
    json!({"anyOf": [texts_schema(), one_of_schema(&[(
        "outside",
        "Hosts: the call connects to one that is none of these.",
    )])]})
}

pub(super) fn pushes_schema() -> Value {
    let flag = |meaning: &str| described(json!({"type": "boolean"}), meaning);
    let table = json!({
        "type": "object",
        "properties": {
            "to": texts_for("Branches of the remote: names or globs, or whole refs as `refs/tags/*`; `!x` takes out."),
            "remote": texts_for("Names or addresses of remotes, or globs of these; `!x` takes out."),
            "force": flag("Whether commits may be taken away: --force, --force-with-lease, `+`, --mirror."),
            "delete": flag("Whether the branch is deleted."),
        },
        "additionalProperties": false,
    });
    json!({"anyOf": [texts_schema(), table]})
}

pub(super) fn runs_schema() -> Value {
    let code = json!({"enum": ["network", "decoded", "stdin"]});
    let mode = json!({"enum": ModeBit::NAMES.map(|(name, _)| name)});
    let table = json!({
        "type": "object",
        "properties": {
            "program": texts_for("Names of programs of which one is meant; without it any."),
            "words": texts_for("Words that follow in this order: `push`, `origin main`."),
            "flags": texts_for("Options of which one must be there; `-r -f` asks for both."),
            "no_flags": texts_for("Options of which none may be there."),
            "operand": texts_for("Globs of which one must match an operand."),
            "last": texts_for("Globs of which one must match the last operand: where `cp`, `scp` and `rsync` write to."),
            "verb": texts_for("Globs of which one must match the verb of a program of a service, or of one that is not known: `delete` of `rpk topic delete x`."),
            "trial": described(json!({"type": "boolean"}), "Whether it must be a run that only tries or tells (`--dry-run`, `--help`), or must not be one."),
            "discards": described(json!({"const": true}), "It throws away work of git that is not committed."),
            "env": texts_for("Variables of which one must be set for the run: `NAME` or `NAME=glob`."),
            "via": texts_for("Programs of which one must start it: `sudo`, `xargs`."),
            "mode": {
                "description": "What it gives to a file: by a mode in its words, or that of a file which it copies.",
                "anyOf": [mode, {"type": "array", "minItems": 1, "items": mode}],
            },
            "where": {"description": "On this machine, or on another one.", "enum": ["local", "remote"]},
            "status": {
                "description": "Whether the call can only succeed if the program ran and succeeded: not in `x || true`, `x; y`, `x &`, `x | y`, `x --help`.",
                "enum": ["counted", "thrown away"],
            },
            "written_in_session": described(json!({"type": "boolean"}), "Whether the script or program that it runs by path was written in this session."),
            "code_from": {
                "description": "Where the code comes from that an interpreter runs.",
                "anyOf": [code, {"type": "array", "minItems": 1, "items": code}],
            },
        },
        "minProperties": 1,
        "additionalProperties": false,
    });
    let one = json!({"anyOf": [{"type": "string", "minLength": 1}, table]});
    json!({"anyOf": [one, {"type": "array", "minItems": 1, "items": one}]})
}

pub(super) fn tool_schema() -> Value {
    let pointer = json!({"type": "string", "pattern": "^(/.*)?$"});
    let flag = json!({"type": "boolean"});
    let table = |keys: &[(&str, &Value, &str)]| {
        let mut properties = Map::new();
        let own = [
            ("pointer", &pointer, "Where the value is in the input of the tool."),
            ("optional", &flag, "Whether the value may be missing."),
        ];
        let all = own.iter().chain(keys);
        properties.extend(all.map(|(key, schema, meaning)| {
            ((*key).to_owned(), described((*schema).clone(), meaning))
        }));
        json!({"type": "object", "properties": properties, "additionalProperties": false})
    };
    let arguments = |table: Value| {
        let one = json!({"anyOf": [pointer, table]});
        json!({"anyOf": [one, {"type": "array", "minItems": 1, "items": one}]})
    };
    let text = json!({"type": "string"});
    let path = arguments(table(&[
        ("path", &text, "A path that is always the same, instead of `pointer`."),
        ("default", &text, "The path that a missing value stands for."),
        ("below", &flag, "Whether everything below the path is meant too."),
        ("glob", &flag, "Whether the value is a glob."),
        ("names", &flag, "For a glob: whether only the names of the files are told."),
        ("folder", &pointer, "Where the folder is that the path is relative to."),
        ("files", &pointer, "Where a glob is that says which files below are meant."),
    ]));
    let code = arguments(table(&[(
        "folder",
        &pointer,
        "Where the folder is that paths are relative to.",
    )]));
    let word = json!({
        "type": "object",
        "properties": {
            "pointer": described(pointer.clone(), "Where the word is in the input of the tool."),
            "optional": described(flag.clone(), "Whether the value may be missing."),
        },
        "required": ["pointer"],
        "additionalProperties": false,
    });
    let hosts = arguments(table(&[
        ("host", &text, "A host that is always the same, instead of `pointer`."),
        ("urls", &flag, "Whether the value is a text with URLs in it."),
    ]));
    json!({"type": "array", "items": {
        "type": "object",
        "properties": {
            "name": texts_for("The tools that are meant: a name, a glob, alternatives as `a|b`."),
            "reads": described(path.clone(), "Where a path is that it reads."),
            "writes": described(path.clone(), "Where a path is that it writes or makes."),
            "deletes": described(path, "Where a path is that it deletes."),
            "connects": described(hosts, "Where a host or a URL is that it connects to."),
            "shell": described(code.clone(), "Where a text is that it gives to a shell."),
            "powershell": described(code.clone(), "Where a text is that it gives to PowerShell."),
            "sql": described(
                code.clone(),
                "Where a text is that it gives to a database; of a list or an object each text below is meant.",
            ),
            "patch": described(code, "Where a patch is that it applies."),
            "runs": {
                "description": "The words of a program that the tool stands for.",
                "type": "array",
                "minItems": 1,
                "items": {"anyOf": [text, word]},
            },
            "effects": {
                "description": "Instead of arguments: it does nothing, or it cannot be told.",
                "enum": ["none", "unclear"],
            },
            "why": described(text, "With `effects = \"unclear\"`: why it cannot be told."),
        },
        "required": ["name"],
        "minProperties": 2,
        "additionalProperties": false,
    }})
}
