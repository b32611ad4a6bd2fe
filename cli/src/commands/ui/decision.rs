//! One decision whole: why, what the step would do, what was changed of it.

use hookgate::Report;
use hookgate::decision::Vote;
use serde_json::Value;

use super::site::Site;
use crate::abort::Abort;
use crate::commands::effects;
use crate::commands::log::entries::other;
use crate::commands::log::show::{facts, pretty};
use crate::html::{Cell, Lines, Table, View, rewritten, said};
use crate::journal::failure;
use crate::terminal::time::{time, took};

/// Returns the view.
pub(super) fn view(site: &Site, seq: &str) -> Result<View, Abort> {
    let missing = || Abort::failure(format!("the journal has no entry {seq}"));
    let number = seq.parse().map_err(|_| missing())?;
    let entry = site.open()?.entry(number).map_err(|error| failure(&error))?;
    let entry = entry.ok_or_else(missing)?;
    let Some(record) = entry.record() else {
        let (kind, says) = other(&entry);
        let facts = vec![("time", format!("{} UTC", time(entry.time())))];
        let title = format!("{seq}: {kind}");
        return Ok(View { title, lead: Some(says), facts, ..View::default() });
    };
    let report = &record.report;
    let event = report.event.as_deref().unwrap_or("unreadable");
    let mut view = View {
        title: format!("{seq}: {event} {}", report.decision.name()),
        lead: report.reason.clone(),
        is_wrong: report.decision >= hookgate::Outcome::Ask,
        facts: facts(&entry, record),
        ..View::default()
    };
    view.tables.push(votes(report));
    let step = report.envelope.as_ref();
    view.tables.extend(step.and_then(effects));
    view.texts.extend(rewritten(step, &report.final_fields));
    for (name, value) in [("step, as the journal has it", step), ("data", report.payload.as_ref())]
    {
        view.texts.extend(value.map(|value| Lines::plain(name, &pretty(value))));
    }
    Ok(view)
}

fn votes(report: &Report) -> Table {
    let row = |vote: &Vote| {
        let why = [vote.reason.clone(), vote.detail.clone()];
        let why: Vec<String> = why.into_iter().flatten().collect();
        vec![
            vote.hook.to_string().into(),
            Cell::dim(vote.duration_us.map(took).unwrap_or_default()),
            Cell::dim(vote.kind.clone()),
            said(vote).into(),
            why.join("; ").into(),
        ]
    };
    Table {
        title: "Hooks that were asked".to_owned(),
        note: report.votes.is_empty().then(|| "none".to_owned()),
        head: vec!["hook", "took", "kind", "said", "why"],
        rows: report.votes.iter().map(row).collect(),
    }
}

/// Returns what the step would do, if it is about a tool.
fn effects(step: &Value) -> Option<Table> {
    let tool = step.get("tool_name")?.as_str()?;
    let cwd = step.get("cwd").and_then(Value::as_str);
    let rows = effects::rows(tool, step.get("tool_input")?, cwd);
    let row = |(kind, what, how): (&str, String, String)| {
        vec![kind.to_owned().into(), Cell::code(what), Cell::dim(how)]
    };
    Some(Table {
        title: "What it would do".to_owned(),
        note: rows
            .is_empty()
            .then(|| "it runs no program, touches no file and connects to no host".to_owned()),
        head: vec!["it", "what", "how"],
        rows: rows.into_iter().map(row).collect(),
    })
}
