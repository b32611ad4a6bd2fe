//! The settings of a hook, and where they come from.

use hookgate::contract::settings::SettingEntry;
use hookgate::table::Layer;
use hookgate::{HandlerTable, HookSpec, Mode};
use serde_json::{Value, json};

use super::fact::{Fact, Overruled};
use super::limits;
use crate::abort::Abort;
use crate::commands::config::written::{WrittenFile, entries, entry_at};
use crate::terminal::phrase::duration;

/// Returns the hook of a key, and the setting after its id: `no-push.builtin.reason` is one of `no-push`.
pub(super) fn find<'t>(
    table: &'t HandlerTable,
    key: &str,
) -> Option<(&'t HookSpec, Option<String>)> {
    let setting = |spec: &HookSpec| {
        let rest = key.strip_prefix(spec.id().as_str())?;
        if rest.is_empty() { Some(None) } else { Some(Some(rest.strip_prefix('.')?.to_owned())) }
    };
    // An id can have dots, too.
    let found = table.specs().filter_map(|spec| Some((spec, setting(spec)?)));
    found.max_by_key(|(spec, _)| spec.id().len())
}

/// Returns what is to be said of a hook, or of one of its settings.
pub(super) fn facts(
    table: &HandlerTable,
    files: &[WrittenFile],
    spec: &HookSpec,
    setting: Option<String>,
) -> Result<Vec<Fact>, Abort> {
    let id = spec.id().as_str();
    let mut facts = Vec::new();
    let of_file = files.iter().filter(|file| spec.origin().file_name() == Some(file.name.as_str()));
    let written =
        of_file.filter_map(|file| Some((file, file.with_id("hook", id).next()?.0))).next();
    let name = |key: &str| format!("{id}.{key}");
    let fact = |file: &WrittenFile, key: &str, entry: &SettingEntry| {
        Fact::written(name(key), entry.node.to_json(), file.place(&entry.key_span))
    };
    match (&setting, written) {
        (None, Some((file, node))) => {
            facts.extend(entries(node).iter().map(|entry| fact(file, &entry.key, entry)));
        }
        (Some(key), Some((file, node))) => {
            facts.extend(entry_at(node, key).map(|entry| fact(file, key, entry)));
        }
        (_, None) => {}
    }
    let wanted = |key: &str| setting.as_deref().is_none_or(|setting| setting == key);
    for (key, value, why) in defaults(table, spec) {
        if wanted(key) && !facts.iter().any(|fact| fact.key == name(key)) {
            let mut default = Fact::unwritten(name(key), value, &why);
            if key == "timeout" {
                default.from = limits::timeout_place(files, spec.kind());
            }
            facts.push(default);
        }
    }
    for fact in &mut facts {
        match fact.key.strip_prefix(id).unwrap_or_default() {
            ".mode" => explain_mode(fact, files, spec),
            ".priority" if fact.value != json!(spec.priority()) => {
                let why = "hooks of a layer are called after those of the layers above";
                fact.overrule(json!(spec.priority()), None, why);
                fact.why = Some("that of the last hook of the layers above".to_owned());
            }
            ".may_allow" if fact.value == json!(true) && !spec.may_allow() => {
                fact.overrule(json!(false), None, "a layer can only tighten what is above it");
                fact.why = Some("there is a layer above".to_owned());
            }
            ".id" => fact.overruled.extend(same_elsewhere(files, spec)),
            _ => {}
        }
    }
    if facts.is_empty() {
        return Err(unknown(table, spec, written.map(|(_, node)| entries(node)), setting));
    }
    Ok(facts)
}

/// Returns the settings that have a value although nobody has written them, with the reason.
fn defaults(table: &HandlerTable, spec: &HookSpec) -> Vec<(&'static str, Value, String)> {
    let usual = || "the default".to_owned();
    let (kind, origin) = (spec.kind(), spec.origin());
    let mut defaults = vec![
        ("mode", json!(Mode::Enforce), usual()),
        ("priority", json!(100), usual()),
        ("may_allow", json!(false), usual()),
        ("background", json!(false), usual()),
        (
            "timeout",
            json!(duration(table.limits().timeout_of(kind))),
            format!("the deadline of kind `{kind}`"),
        ),
    ];
    if origin.is_translated() {
        let from = format!("translated from {origin}");
        defaults.insert(0, ("id", json!(spec.id()), from));
    }
    defaults
}

/// Says which `[[disable]]` have switched a hook off, and which could not.
fn explain_mode(fact: &mut Fact, files: &[WrittenFile], spec: &HookSpec) {
    let layer: Layer = spec.origin().layer();
    for file in files {
        for (_, id) in file.with_id("disable", spec.id().as_str()) {
            let place = file.place(&id.node.span);
            if file.layer > layer {
                fact.overruled.push(Overruled {
                    value: json!(Mode::Off),
                    from: Some(place),
                    why: format!(
                        "a layer cannot switch off a hook of the layer `{layer}`, which binds more"
                    ),
                });
            } else if fact.value != json!(Mode::Off) {
                fact.overrule(
                    json!(Mode::Off),
                    Some(place),
                    "a `[[disable]]` switches the hook off",
                );
                fact.why = Some("`[[disable]]`".to_owned());
            }
        }
    }
}

/// Returns the same hook in other files.
fn same_elsewhere(files: &[WrittenFile], spec: &HookSpec) -> Vec<Overruled> {
    let own = spec.origin().file_name();
    let others = files.iter().filter(|file| own != Some(file.name.as_str()));
    let same = others
        .flat_map(|file| file.with_id("hook", spec.id().as_str()).map(move |(_, id)| (file, id)));
    same.map(|(file, id)| Overruled {
        value: json!(spec.id()),
        from: Some(file.place(&id.node.span)),
        why: "the same hook: it counts once".to_owned(),
    })
    .collect()
}

fn unknown(
    table: &HandlerTable,
    spec: &HookSpec,
    written: Option<&[SettingEntry]>,
    setting: Option<String>,
) -> Abort {
    let mut known: Vec<&str> =
        written.unwrap_or_default().iter().map(|entry| entry.key.as_str()).collect();
    known.extend(defaults(table, spec).iter().map(|(key, _, _)| *key));
    known.sort_unstable();
    known.dedup();
    Abort::unknown_name("setting", &setting.unwrap_or_default(), &known)
}
