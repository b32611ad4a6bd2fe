//! Promise: whatever the settings of an agent say, `doctor` says of them what a small model of that agent does.
//!
//! The models are written from sessions of these agents and from their documentation, not from what doctor knows. Each
//! answers one question: can the hook of hookgate at the event of a tool call still keep every tool from running?

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use hmac_sha256::Hash;
use hookgate_test_support::cases;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::install::machine::Machine;
use crate::support::run;

mod agents;

use agents::Change::{
    Beside, Event, File, Gone, Key, Line, Matcher, Mode, Texts, Top, Unreviewed, Variable,
};
use agents::{Change, MODELS, Model, OF_LINE};

const POLICY: &str = "[[hook]]\nid = \"no-push\"\nevent = \"pre_tool_use\"\nruns = [\"git push --force\"]\n\
                      builtin = { name = \"deny\", reason = \"not with force\" }\n";

/// What was drawn for an agent.
#[derive(Debug, Clone)]
struct Case {
    /// What each file says of each switch.
    switches: Vec<Vec<Option<Value>>>,
    /// The variable that each file sets.
    variables: Vec<Option<(&'static str, &'static str, bool)>>,
    of_hook: Option<(Change, bool)>,
    other: Option<(Change, bool)>,
}

fn said() -> impl Strategy<Value = Option<Value>> {
    prop_oneof![
        12 => Just(None),
        2 => Just(Some(json!(true))),
        2 => Just(Some(json!(false))),
        1 => proptest::sample::select(vec![json!("true"), json!(1), json!([])]).prop_map(Some),
    ]
}

fn case(model: &'static Model) -> impl Strategy<Value = Case> {
    let switches = model.switches.iter();
    let switches: Vec<_> =
        switches.map(|it| it.files.iter().map(|_| said()).collect::<Vec<_>>()).collect();
    let optional = |rows: &'static [(Change, bool)]| prop_oneof![1 => Just(None), 2 => proptest::sample::select(rows).prop_map(Some)];
    let rows = model.variables;
    let variable = (0..=2 * rows.len()).prop_map(|at| rows.get(at).copied());
    let variables = vec![variable; model.env.len()];
    (switches, variables, optional(model.of_hook), optional(model.others)).prop_map(
        |(switches, variables, of_hook, other)| Case { switches, variables, of_hook, other },
    )
}

impl Model {
    /// Whether a failure of its command line is a deny by its exit status alone.
    fn has_line(&self) -> bool {
        !["cline", "cursor", "opencode"].contains(&self.agent)
    }

    /// Whether the hook keeps tools from running.
    fn obeys(&self, case: &Case) -> bool {
        let is_on = self.switches.iter().zip(&case.switches).all(|(switch, said)| {
            // What the agent makes of another type is not known.
            let mut values = said.iter().flatten();
            values.clone().all(Value::is_boolean)
                && if switch.strongest {
                    values.next_back() != Some(&json!(switch.off))
                } else {
                    values.all(|value| *value != json!(switch.off))
                }
        });
        // Of a variable the strongest file counts.
        let set = case.variables.iter().flatten().map(|(name, _, calls)| (*name, *calls));
        let variables: BTreeMap<&str, bool> = set.collect();
        let mut changes = case.of_hook.iter().chain(&case.other);
        is_on && variables.into_values().all(|calls| calls) && changes.all(|(_, calls)| *calls)
    }

    /// Sets a value somewhere in a file, which may not be there yet.
    fn set(&self, machine: &Machine, file: &str, path: &[&str], value: Value) {
        edit(machine, file, |root| {
            let place = path.iter().fold(root, |place, key| &mut place[*key]);
            *place = value;
        });
    }

    fn apply(&self, machine: &Machine, change: Change) {
        let Self { file, event, .. } = self;
        let json = |text: &str| -> Value { serde_json::from_str(text).unwrap() };
        let path = machine.file(file);
        match change {
            Key(key, Some(value)) => self.with_hook(machine, |hook, _| hook[key] = json(value)),
            Key(key, None) => self.with_hook(machine, |hook, _| {
                hook.as_object_mut().unwrap().remove(key);
            }),
            Matcher(matcher) => self.with_hook(machine, |hook, group| {
                group.unwrap_or(hook)["matcher"] = json!(matcher);
            }),
            Event(name) => edit(machine, file, |root| match &mut root["hooks"] {
                Value::Object(events) => {
                    let hooks = events.remove(*event).unwrap();
                    events.insert(name.to_owned(), hooks);
                }
                tables => table_of(tables, event)["event"] = json!(name),
            }),
            Beside(hook) => edit(machine, file, |root| match &mut root["hooks"] {
                Value::Object(events) => {
                    let list = events[*event].as_array_mut().unwrap();
                    let is_grouped = list[0].get("hooks").is_some();
                    list.push(if is_grouped { json!({"hooks": [json(hook)]}) } else { json(hook) });
                }
                tables => tables.as_array_mut().unwrap().push(json(hook)),
            }),
            Top(key, value) => self.set(machine, file, &[key], json(value)),
            Line(texts) => self.with_hook(machine, |hook, _| {
                let key = ["bash", "command"].into_iter().find(|key| hook.get(key).is_some());
                let line = &mut hook[key.unwrap()];
                *line = json!(replaced(line.as_str().unwrap(), texts));
            }),
            Texts(texts) => drop(machine.write(file, &replaced(&machine.read(file), texts))),
            File(file, text) => drop(machine.write(file, text)),
            Gone => fs::remove_file(path).unwrap(),
            Mode(mode) => fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap(),
            Variable(..) | Unreviewed => {}
        }
    }

    /// Changes the hook of hookgate; it also gets the group of the hook, where there is one.
    fn with_hook(&self, machine: &Machine, change: impl FnOnce(&mut Value, Option<&mut Value>)) {
        edit(machine, self.file, |root| match &mut root["hooks"] {
            Value::Object(events) => {
                let place = &mut events[self.event][0];
                if place.get("hooks").is_none() {
                    return change(place, None);
                }
                let mut hook = place["hooks"][0].take();
                change(&mut hook, Some(place));
                place["hooks"][0] = hook;
            }
            tables => change(table_of(tables, self.event), None),
        });
    }

    /// Reviews the hooks of Codex as they are: their check sums stand in its config then.
    fn review(&self, machine: &Machine) {
        let Ok(root) = serde_json::from_str::<Value>(&machine.read(self.file)) else { return };
        let path = machine.file(self.file);
        for (event, groups) in root["hooks"].as_object().unwrap() {
            let mut name = String::new();
            for letter in event.chars() {
                let is_next_word = letter.is_ascii_uppercase() && !name.is_empty();
                name.extend(is_next_word.then_some('_'));
                name.push(letter.to_ascii_lowercase());
            }
            for (at, group) in groups.as_array().unwrap().iter().enumerate() {
                let hook = &group["hooks"][0];
                let mut reviewed = json!({"event_name": name, "hooks": [{
                    "async": false, "command": hook["command"], "type": "command",
                    "timeout": hook.get("timeout").unwrap_or(&json!(600)),
                }]});
                if let Some(matcher) = group.get("matcher") {
                    reviewed["matcher"] = matcher.clone();
                }
                let sum = Hash::hash(reviewed.to_string().as_bytes());
                let sum: String = sum.iter().map(|byte| format!("{byte:02x}")).collect();
                let key = format!("{}:{name}:{at}:0", path.display());
                let state = ["hooks", "state", &key, "trusted_hash"];
                let value = json!(format!("sha256:{sum}"));
                self.set(machine, "home/.codex/config.toml", &state, value);
            }
        }
    }
}

/// The table of an event.
fn table_of<'a>(tables: &'a mut Value, event: &str) -> &'a mut Value {
    let mut tables = tables.as_array_mut().unwrap().iter_mut();
    tables.find(|table| table["event"] == event).unwrap()
}

fn replaced(text: &str, texts: &[(&str, &str)]) -> String {
    let replace = |text: String, (old, new): &(&str, &str)| {
        assert!(text.contains(old), "{old} is not in {text}");
        text.replacen(old, new, 1)
    };
    texts.iter().fold(text.to_owned(), replace)
}

/// Changes a file of JSON or TOML, which may not be there yet.
fn edit(machine: &Machine, file: &str, change: impl FnOnce(&mut Value)) {
    let is_toml = file.ends_with(".toml");
    let text = fs::read_to_string(machine.file(file)).unwrap_or_default();
    let mut root: Value = match is_toml {
        _ if text.is_empty() => json!({}),
        true => toml::from_str(&text).unwrap(),
        false => serde_json::from_str(&text).unwrap(),
    };
    change(&mut root);
    let text = if is_toml { toml::to_string(&root).unwrap() } else { root.to_string() };
    machine.write(file, &text);
}

/// Makes a machine as drawn, and returns what doctor says on it, and its code.
fn doctor(model: &'static Model, case: &Case) -> (String, i32) {
    let machine = Machine::new();
    machine.write("home/.config/hookgate/hooks.toml", POLICY);
    machine.install_in(model.agent, &[]);
    // What replaces or breaks a file comes last but for what is added to it.
    let mut changes: Vec<Change> = case.other.iter().chain(&case.of_hook).map(|it| it.0).collect();
    for change in changes.iter().filter(|change| matches!(change, File(..))) {
        model.apply(&machine, *change);
    }
    for (switch, said) in model.switches.iter().zip(&case.switches) {
        for (file, value) in switch.files.iter().zip(said) {
            if let Some(value) = value {
                model.set(&machine, file, switch.path, value.clone());
            }
        }
    }
    for (file, (name, value, _)) in
        model.env.iter().zip(&case.variables).filter_map(|(file, it)| Some((file, (*it)?)))
    {
        if file.ends_with(".env") {
            machine.write(file, &format!("{name}={value}\n"));
        } else {
            model.set(&machine, file, &["env", name], json!(value));
        }
    }
    // A hook stands behind the one that is changed, and a text is replaced in what was written last.
    changes.sort_by_key(|change| (matches!(change, Texts(_)), matches!(change, Event(_))));
    for change in changes.iter().filter(|change| !matches!(change, File(..))) {
        model.apply(&machine, *change);
    }
    if model.agent == "codex" && !changes.iter().any(|change| matches!(change, Unreviewed)) {
        model.review(&machine);
    }
    let mut command = machine.command(&["doctor", "--agent", model.agent, "--json"]);
    for change in changes {
        if let Variable(name, value) = change {
            command.env(name, value);
        }
    }
    let done = run(command, b"");
    (done.out().to_owned(), done.code())
}

fn agrees(model: &'static Model) {
    let cases = cases(8, 100);
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let check = |case: Case| {
        let (said, code) = doctor(model, &case);
        let expected = if model.obeys(&case) { 0 } else { 2 };
        prop_assert_eq!(code, expected, "{}: {}", model.agent, said);
        Ok(())
    };
    TestRunner::new(config).run(&case(model), check).unwrap();
}

#[test]
fn doctor_says_what_a_model_of_the_agent_does() {
    MODELS.iter().for_each(agrees);
}

/// Each change alone, so that none is left to chance.
#[test]
fn doctor_knows_each_change_of_what_was_installed() {
    let mut wrong = Vec::new();
    for model in MODELS {
        let switches = model.switches.iter().map(|it| vec![None; it.files.len()]).collect();
        let variables = vec![None; model.env.len()];
        let none = Case { switches, variables, of_hook: None, other: None };
        let lines = OF_LINE.iter().filter(|_| model.has_line());
        let changes = model.of_hook.iter().chain(model.others).chain(lines);
        let alone = changes.map(|change| Case { of_hook: Some(*change), ..none.clone() });
        for case in alone.chain([none.clone()]) {
            let (said, code) = doctor(model, &case);
            if code != if model.obeys(&case) { 0 } else { 2 } {
                wrong.push(format!("{} {:?} {code}: {said}", model.agent, case.of_hook));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
