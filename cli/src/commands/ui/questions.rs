//! Questions that wait for a person, and the answers.

use hookgate_store::{Approval, ApprovalState, PersonAnswer, RunSettings};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::site::Site;
use crate::abort::Abort;
use crate::commands::approvals::show::facts;
use crate::commands::approvals::{failure, object, open_beside, short, user};
use crate::html::{Cell, Lines, Table, View};
use crate::terminal::phrase::count;
use crate::terminal::time::time;

/// How many questions are shown that were answered.
const ANSWERED: usize = 50;

/// The field of a step that persons change most.
const EDITED: &str = "tool_input";

/// What a person says on the page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    says: Says,
    #[serde(default)]
    note: String,
    /// Other values of fields of the step, as JSON.
    #[serde(default)]
    edit: String,
    /// What the person has seen, see [`seen`].
    seen: String,
}

#[derive(Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum Says {
    Approve,
    /// With the edit.
    ApproveChanged,
    Reject,
}

/// Returns the list.
pub(super) fn view(site: &Site) -> Result<View, Abort> {
    let all = all(site)?;
    let (waiting, mut ended): (Vec<Approval>, Vec<Approval>) =
        all.into_iter().partition(|approval| approval.state == ApprovalState::Pending);
    ended.reverse();
    ended.truncate(ANSWERED);
    let lead = match waiting.len() {
        0 => "no question waits".to_owned(),
        waiting => format!("{} for a person", count(waiting, "waiting question")),
    };
    let table = |title: &str, questions: &[Approval]| Table {
        title: title.to_owned(),
        head: vec!["question", "asked (UTC)", "asked by", "event", "state", "why it is asked"],
        rows: questions.iter().map(row).collect(),
        ..Table::default()
    };
    let mut tables = Vec::new();
    tables.extend((!waiting.is_empty()).then(|| table("Waiting", &waiting)));
    tables.extend((!ended.is_empty()).then(|| table("Answered, or over", &ended)));
    Ok(View { title: "Questions".to_owned(), lead: Some(lead), tables, ..View::default() })
}

/// Returns one question with the step that would happen, and the form that answers it.
pub(super) fn page(site: &Site, id: &str) -> Result<String, Abort> {
    let approvals = open_beside(&site.journal)?;
    let approval = approvals.approval(id).map_err(|error| failure(&error))?;
    // It was taken, or cannot be read: the rest can be shown.
    let request = approvals.request(id).ok();
    let edit = approvals.edit_of(id).ok().flatten();
    let mut view = View {
        title: format!("{} is {}", short(id), approval.state),
        lead: Some(approval.question.clone()),
        facts: facts(&approval, request.as_ref()),
        ..View::default()
    };
    let is_edited = edit.is_some();
    let mut editable = None;
    if let Some(mut request) = request {
        request.step.extend(edit.clone().unwrap_or_default());
        let title = match is_edited {
            true => "What would happen, as it was changed by who agrees",
            false => "What would happen",
        };
        view.texts.push(Lines::plain(title, &request.shown().join("\n")));
        editable = request.step.get(EDITED).map(|input| json!({ EDITED: input }));
    }
    let page = site.view(view)?;
    if approval.state != ApprovalState::Pending {
        return Ok(page);
    }
    let editable = editable.map(|edit| crate::commands::log::show::pretty(&edit));
    let form = json!({
        "id": approval.id,
        "seen": seen(&approval, edit.as_ref()),
        "edit": editable,
        "person": user(),
    });
    Ok(page + &site.answer(form)?)
}

/// Answers a question as the user of this system, and returns it as it is then.
pub(super) fn answer(site: &Site, id: &str, body: &[u8]) -> Result<String, Abort> {
    let read = serde_json::from_slice(body);
    let Answer { says, note, edit, seen: has_seen } =
        read.map_err(|error| Abort::usage(format!("the answer cannot be read: {error}")))?;
    let person = user().filter(|name| !name.is_empty());
    let person = person.ok_or_else(|| Abort::usage("nobody says who answers: set USER"))?;
    let approvals = open_beside(&site.journal)?;
    let approval = approvals.approval(id).map_err(|error| failure(&error))?;
    let known = approvals.edit_of(id).ok().flatten();
    // Who was quicker has changed what is answered: the person is to see that first. What happens between this and the
    // answer is refused where it is kept.
    if approval.state == ApprovalState::Pending && seen(&approval, known.as_ref()) != has_seen {
        let why = "somebody else has answered meanwhile";
        return Err(Abort::failure(why).help("look at the question again"));
    }
    let note = note.trim();
    let said = match (says, known) {
        (Says::Reject, _) => {
            PersonAnswer::reject(person, if note.is_empty() { "not now" } else { note })
        }
        (Says::ApproveChanged, _) => {
            PersonAnswer::approve_with(person, object(&edit).map_err(Abort::usage)?)
        }
        // What was shown is what is agreed to.
        (Says::Approve, Some(known)) => PersonAnswer::approve_with(person, known),
        (Says::Approve, None) => PersonAnswer::approve(person),
    };
    let said = if note.is_empty() { said } else { said.note(note) };
    approvals.answer(id, &said).map_err(|error| failure(&error))?;
    page(site, id)
}

/// Returns what changes when something has happened: the number of the last entry, and what became of the questions.
pub(super) fn live(site: &Site) -> String {
    let seq = site.open().ok().and_then(|reader| Some(reader.head().ok()?.seq)).unwrap_or_default();
    let all = all(site).unwrap_or_default();
    let waiting = all.iter().filter(|approval| approval.state == ApprovalState::Pending).count();
    let said: usize = all.iter().map(|approval| 1 + approval.answers.len()).sum();
    let ended = all.len() - waiting;
    json!({ "seq": seq, "waiting": waiting, "questions": format!("{waiting} {ended} {said}") })
        .to_string()
}

/// Returns all questions; none if nobody has asked one.
fn all(site: &Site) -> Result<Vec<Approval>, Abort> {
    if !RunSettings::beside(&site.journal).file.exists() {
        return Ok(Vec::new());
    }
    open_beside(&site.journal)?.list(&[]).map_err(|error| failure(&error))
}

/// Returns what an answer depends on: how many persons have said something, and what the step was changed to.
fn seen(approval: &Approval, edit: Option<&Map<String, Value>>) -> String {
    let edit = edit.map(|edit| Value::Object(edit.clone()).to_string()).unwrap_or_default();
    format!("{} {edit}", approval.answers.len())
}

fn row(approval: &Approval) -> Vec<Cell> {
    let by: Vec<&str> = approval.by.iter().map(|by| by.as_str()).collect();
    let class = match approval.state {
        ApprovalState::Pending => "ask",
        ApprovalState::Approved => "good",
        ApprovalState::Rejected | ApprovalState::Expired => "refused",
        ApprovalState::Withdrawn => "dim",
    };
    vec![
        Cell::from(short(&approval.id)).to(format!("/question/{}", approval.id)),
        Cell::dim(time(approval.asked)),
        by.join(", ").into(),
        Cell::dim(approval.event.clone()),
        Cell { class, ..approval.state.name().to_owned().into() },
        approval.question.clone().into(),
    ]
}
