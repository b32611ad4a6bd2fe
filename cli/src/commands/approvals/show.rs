//! `hookgate approvals show`: one question, with the step that would happen.

use std::fmt::Write as _;

use hookgate::approval::ApprovalRequest;
use hookgate_store::Approval;
use serde_json::{Map, Value, json};

use super::{failure, open, whole_id};
use crate::abort::Abort;
use crate::exit_code::Exit;
use crate::journal::JournalArgs;
use crate::terminal::sanitize::lines;
use crate::terminal::stdout::{self, OutputArgs};
use crate::terminal::style::{BOLD, DIM};
use crate::terminal::table::{self, To};
use crate::terminal::time::time;

/// Show one question with the step that would happen, and what persons have said
///
/// The step is shown as it would run, with whatever secrets it has; characters that cannot be seen are marked. It is there
/// until the answer was taken.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The question, as `hookgate approvals list` shows it; its first characters are enough if no other begins so
    #[arg(value_name = "ID")]
    id: String,
    #[command(flatten)]
    journal: JournalArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the verb. It ends as the question has: 0 if it is approved, 4 while it waits, else 2.
pub(super) fn run(args: &Args) -> Result<Exit, Abort> {
    let approvals = open(&args.journal)?;
    let id = whole_id(&approvals, &args.id)?;
    let approval = approvals.approval(&id).map_err(|error| failure(&error))?;
    // It was taken, or cannot be read: the rest can be shown.
    let request = approvals.request(&id).ok();
    let edit = approvals.edit_of(&id).ok().flatten();
    if args.output.wants_json() {
        stdout::json_line(&json!({"approval": approval, "request": request, "edit": edit}))?;
    } else {
        stdout::print(&screen(&approval, request.as_ref(), edit))?;
    }
    Ok(super::exit(approval.state))
}

pub(super) fn screen(
    approval: &Approval,
    request: Option<&ApprovalRequest>,
    edit: Option<Map<String, Value>>,
) -> String {
    let mut text = format!("{BOLD}{}{BOLD:#} {}\n", approval.id, approval.state);
    // Writing to a text does not fail.
    let _ = writeln!(text, "{}", table::facts(To::Stdout, &facts(approval, request)));
    let Some(request) = request else {
        let _ = writeln!(text, "\n{DIM}the step was forgotten when the answer was taken{DIM:#}");
        return text;
    };
    let mut request = request.clone();
    let by = match edit.is_some() {
        true => ", as it was changed by who agrees",
        false => "",
    };
    request.step.extend(edit.unwrap_or_default());
    let _ = writeln!(text, "\n{DIM}what would happen{by}:{DIM:#}");
    for line in request.shown() {
        let _ = writeln!(text, "  {}", lines(&line));
    }
    text
}

/// Returns what is known of a question beside its step.
pub(in crate::commands) fn facts(
    approval: &Approval,
    request: Option<&ApprovalRequest>,
) -> Vec<(&'static str, String)> {
    let at = |at: u64| format!("{} UTC", time(at));
    let by: Vec<&str> = approval.by.iter().map(|by| by.as_str()).collect();
    let answers = approval.answers.iter().map(|answer| {
        let says = if answer.approves { "agrees" } else { "refuses" };
        let note = answer.note.as_ref().map(|note| format!(": {note}")).unwrap_or_default();
        format!("{} {says}{note}", answer.person)
    });
    let answers: Vec<String> = answers.collect();
    let from = match approval.from.as_slice() {
        [] => String::new(),
        names => format!(" of {}", names.join(", ")),
    };
    let facts = [
        ("why", Some(approval.question.clone())),
        ("asked by", Some(by.join(", "))),
        ("session", Some(approval.session.clone())),
        ("event", Some(approval.event.clone())),
        ("folder", request.and_then(|request| request.cwd.clone())),
        ("agent", request.and_then(|request| request.agent_id.clone())),
        ("asked", Some(at(approval.asked))),
        ("until", Some(at(approval.expires))),
        ("needs", Some(format!("{}{from}", approval.need)).filter(|needs| needs != "1")),
        ("said", Some(answers.join("\n"))),
        ("withdrawn", approval.why.clone()),
        ("digest", request.map(|request| request.digest.clone())),
    ];
    let facts = facts.into_iter().filter_map(|(name, fact)| Some((name, fact?)));
    facts.filter(|(_, fact)| !fact.is_empty()).collect()
}
