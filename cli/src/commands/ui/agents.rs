//! Which guards are enforced in the agents of this machine, as `hookgate doctor` finds out.

use serde_json::Value;

use crate::abort::Abort;
use crate::commands::doctor;
use crate::html::{Cell, Table, View};

/// Returns the view: it runs the command lines that the agents have, each with a step that must be denied.
pub(super) fn view() -> Result<View, Abort> {
    let all = doctor::look()?;
    let (machine, agents): (Vec<Value>, Vec<Value>) =
        all.into_iter().partition(|report| text(report, "type") == "machine");
    let mut view = View { title: "Agents".to_owned(), ..View::default() };
    let findings: usize =
        machine.iter().chain(&agents).map(|report| list(report, "findings").len()).sum();
    view.is_wrong = findings > 0;
    view.lead = Some(match (agents.len(), findings) {
        (0, _) => "no agent was found on this machine".to_owned(),
        (_, 0) => "the guards of all agents that are here are enforced".to_owned(),
        (_, findings) => format!("{findings} to look at"),
    });
    view.tables.extend(machine.iter().filter_map(|report| findings_of("This machine", report)));
    for agent in &agents {
        let name = [text(agent, "title"), text(agent, "version")].join(" ");
        let guard = |guard: &Value| {
            let state = text(guard, "state");
            let class = match state.as_str() {
                "enforced" => "good",
                "untried" => "dim",
                _ => "refused",
            };
            vec![
                text(guard, "event").into(),
                Cell { class, ..state.into() },
                text(guard, "detail").into(),
            ]
        };
        view.tables.push(Table {
            title: name.trim().to_owned(),
            note: files(agent),
            head: vec!["event", "guard", "what the hook answered"],
            rows: list(agent, "guards").iter().map(guard).collect(),
        });
        view.tables.extend(findings_of("", agent));
    }
    Ok(view)
}

fn files(agent: &Value) -> Option<String> {
    let files: Vec<String> = list(agent, "files").iter().map(|file| text(file, "path")).collect();
    Some(files.join(", ")).filter(|files| !files.is_empty())
}

fn findings_of(title: &str, report: &Value) -> Option<Table> {
    let row = |finding: &Value| {
        let level = text(finding, "level");
        let class = if level == "doubt" || level == "idle" { "ask" } else { "refused" };
        vec![
            Cell { class, ..level.into() },
            text(finding, "about").into(),
            Cell::dim(text(finding, "cure")),
            Cell::code(text(finding, "file")),
        ]
    };
    let rows: Vec<Vec<Cell>> = list(report, "findings").iter().map(row).collect();
    (!rows.is_empty()).then(|| Table {
        title: title.to_owned(),
        head: vec!["level", "what is wrong", "what to do", "file"],
        rows,
        ..Table::default()
    })
}

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}
