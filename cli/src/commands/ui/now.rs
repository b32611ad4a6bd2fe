//! What is on: the hooks of the configs that count here, and whether the last decision was made by them.

use hookgate::config::{ConfigError, Loaded};
use hookgate::{ConfigHash, HandlerTable, Report};
use hookgate_store::{Filter, Reader};
use serde_json::Value;

use super::site::Site;
use crate::abort::Abort;
use crate::certified;
use crate::commands::list;
use crate::config::{Configs, registry};
use crate::html::{Cell, Table, View};
use crate::terminal::phrase::count;
use crate::terminal::time::time;

/// How many of the newest entries are looked at for the last decision.
const NEWEST: u64 = 50;

/// Returns the view.
pub(super) fn view(site: &Site) -> View {
    let mut view = View { title: "What is on".to_owned(), ..View::default() };
    let last = site.open().and_then(|reader| last_decision(&reader));
    let configs = match site.config.find() {
        Ok(configs) => configs,
        Err(abort) => {
            view.is_wrong = true;
            view.lead = Some(abort.into_text());
            return with_facts(view, site, None, last);
        }
    };
    view.tables.push(layers(&configs));
    match configs.look_in_part(&registry()) {
        Ok(loaded) => {
            let hash = loaded.table.config_hash();
            (view.is_wrong, view.lead) = lead(&loaded, last.as_ref().ok().and_then(Option::as_ref));
            view = with_facts(view, site, Some(hash), last);
            view.tables.extend(mistakes("Mistakes", &loaded.set_aside));
            view.tables.push(hooks(&configs, &loaded.table));
            view.tables.extend(certificates(&loaded.table));
            view.tables.extend(mistakes("Warnings", &loaded.warnings));
            view
        }
        Err(errors) => {
            view.is_wrong = true;
            view.lead = Some("no hook is in force: a config cannot be used".to_owned());
            view.tables.extend(mistakes("Mistakes", errors.errors()));
            with_facts(view, site, None, last)
        }
    }
}

fn lead(loaded: &Loaded, last: Option<&Report>) -> (bool, Option<String>) {
    let hooks = count(loaded.table.len(), "hook");
    if !loaded.set_aside.is_empty() {
        let mistakes = count(loaded.set_aside.len(), "mistake");
        return (
            true,
            Some(format!("{hooks} in force, and {mistakes}: those hooks are set aside")),
        );
    }
    let is_other = last
        .and_then(|report| report.config_hash)
        .is_some_and(|hash| hash != loaded.table.config_hash());
    let lead = match is_other {
        true => format!(
            "{hooks} in force from here; the last decision in the journal was made by another config"
        ),
        false => format!("{hooks} in force"),
    };
    (false, Some(lead))
}

fn with_facts(
    mut view: View,
    site: &Site,
    hash: Option<ConfigHash>,
    last: Result<Option<Report>, Abort>,
) -> View {
    view.facts.extend(hash.map(|hash| ("config", hash.to_string())));
    view.facts.push(("journal", site.journal.display().to_string()));
    match last {
        Ok(Some(report)) => {
            let hash = report.config_hash.map(|hash| hash.to_string()).unwrap_or_default();
            view.facts
                .push(("last decision by", format!("{hash}, generation {}", report.generation)));
        }
        Ok(None) => view.facts.push(("last decision by", "the journal has none".to_owned())),
        Err(abort) => view.facts.push(("last decision by", abort.into_text())),
    }
    view.facts.push(("hookgate", env!("CARGO_PKG_VERSION").to_owned()));
    view
}

fn last_decision(reader: &Reader) -> Result<Option<Report>, Abort> {
    let newest = reader.entries(&Filter::default().newest(NEWEST));
    let newest = newest.map_err(|error| crate::journal::failure(&error))?;
    let last = newest.into_iter().rev().find_map(|entry| entry.record().cloned());
    Ok(last.map(|record| record.report))
}

fn layers(configs: &Configs) -> Table {
    let row = |source: &crate::sources::Source| {
        vec![source.layer.name().to_owned().into(), Cell::code(source.file.display().to_string())]
    };
    Table {
        title: "Layers".to_owned(),
        note: Some("those that bind most come first".to_owned()),
        head: vec!["layer", "file"],
        rows: configs.sources().iter().map(row).collect(),
    }
}

fn hooks(configs: &Configs, table: &HandlerTable) -> Table {
    let row = |hook: &Value| {
        let text = |key: &str| match hook.get(key) {
            Some(Value::String(text)) => text.clone(),
            None | Some(Value::Null) => String::new(),
            Some(other) => other.to_string(),
        };
        let mode = text("mode");
        let trust = text("trust");
        let mut notes: Vec<String> = Vec::new();
        notes.extend((mode != "enforce").then_some(mode));
        notes.extend((text("background") == "true").then(|| "background".to_owned()));
        notes.extend((trust != "in_force").then(|| trust.replace('_', " ")));
        notes.extend(hook.get("set_aside").and_then(Value::as_str).map(str::to_owned));
        let mut on_failure: Vec<&str> = Vec::new();
        for posture in hook.get("postures").and_then(Value::as_object).into_iter().flatten() {
            on_failure.extend(posture.1.as_str().filter(|name| !on_failure.contains(name)));
        }
        let is_off = hook.get("place").is_some_and(Value::is_null);
        vec![
            text("place").into(),
            Cell { class: if is_off { "dim" } else { "" }, ..text("id").into() },
            Cell::dim(text("event")),
            Cell::dim(text("kind")),
            Cell::dim(text("role")),
            on_failure.join(", ").into(),
            Cell { class: if notes.is_empty() { "dim" } else { "ask" }, ..notes.join(", ").into() },
            Cell::code(text("matcher")),
            Cell::dim(origin(hook)),
        ]
    };
    Table {
        title: "Hooks".to_owned(),
        note: Some("event by event, in the order in which they are called".to_owned()),
        head: vec![
            "#",
            "hook",
            "event",
            "kind",
            "role",
            "on failure",
            "note",
            "called for",
            "from",
        ],
        rows: list::hooks(configs, table).iter().map(row).collect(),
    }
}

/// Returns where a hook is written.
fn origin(hook: &Value) -> String {
    let of = |key: &str| hook.get("origin").and_then(|origin| origin.get(key));
    let file = of("file").and_then(Value::as_str).unwrap_or_default();
    match of("line").and_then(Value::as_u64) {
        Some(line) => format!("{file}:{line}"),
        None => file.to_owned(),
    }
}

fn certificates(table: &HandlerTable) -> Option<Table> {
    let known = certified::known(table)?;
    let row = |(since, proof): &(u64, hookgate::certify::Proof)| {
        let class = match proof.state {
            hookgate::certify::State::Proved => "good",
            hookgate::certify::State::Dead => "refused",
            hookgate::certify::State::Untested => "ask",
        };
        vec![
            proof.id.clone().into(),
            Cell { class, ..proof.state.name().to_owned().into() },
            Cell::dim(time(*since)),
            proof.detail.clone().unwrap_or_default().into(),
        ]
    };
    let none = "`[certify]` has proved no hook yet: it does with the next call of `hookgate hook`";
    Some(Table {
        title: "Certificates".to_owned(),
        note: known.is_empty().then(|| none.to_owned()),
        head: vec!["hook", "state", "found (UTC)", "why"],
        rows: known.iter().map(row).collect(),
    })
}

fn mistakes(title: &str, errors: &[ConfigError]) -> Option<Table> {
    let row = |error: &ConfigError| {
        let place = format!("{}:{}:{}", error.file(), error.line(), error.column());
        let help = error.help().unwrap_or_default();
        vec![Cell::code(place), error.message().into(), Cell::dim(help)]
    };
    (!errors.is_empty()).then(|| Table {
        title: title.to_owned(),
        head: vec!["where", "what", "what to do"],
        rows: errors.iter().map(row).collect(),
        ..Table::default()
    })
}
