//! `hookgate approvals`: questions that wait for a person.

mod grants;
pub(super) mod show;
mod watch;

use std::path::{Path, PathBuf};
use std::time::Duration;

use comfy_table::{Cell, Color};
use hookgate_store::{
    Approval, ApprovalError, ApprovalState, Approvals, GrantScope, PersonAnswer, RunSettings,
    RunStore,
};
use serde_json::{Map, Value};

use crate::abort::Abort;
use crate::exit_code::Exit;
use crate::journal::JournalArgs;
use crate::terminal::sanitize::one_line;
use crate::terminal::stdout::{self, JsonLines, OutputArgs};
use crate::terminal::style::DIM;
use crate::terminal::table::{self, cell, dim};
use crate::terminal::time::time;

/// The columns.
const HEAD: [&str; 6] =
    ["question", "asked (UTC)", "asked by", "event", "state", "why it is asked"];

/// How many characters of a question are shown.
const QUESTION: usize = 120;

/// Show and answer questions that wait for a person
///
/// A runtime that embeds hookgate parks what a hook asks about in a file beside the journal, so that somebody else, or the
/// same user after a restart, can answer. The step happens only if the runtime takes the answer, and what was changed is
/// judged again. docs/approvals.md says how.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    List(ListArgs),
    Show(show::Args),
    Approve(ApproveArgs),
    Reject(RejectArgs),
    Watch(watch::Args),
    Grants(grants::Args),
    Revoke(grants::RevokeArgs),
}

/// List questions: those that wait, or all; on a terminal a table, piped or with --json an object a line
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate approvals list
  hookgate approvals list --state approved,rejected --json | jq .answers")]
struct ListArgs {
    #[command(flatten)]
    journal: JournalArgs,
    #[command(flatten)]
    output: OutputArgs,
    /// In one of these states: pending, approved, rejected, expired, withdrawn
    #[arg(
        long,
        value_name = "STATE",
        value_delimiter = ',',
        default_value = "pending",
        conflicts_with = "all"
    )]
    state: Vec<ApprovalState>,
    /// In whatever state
    #[arg(long)]
    all: bool,
}

/// Which question is answered, and by whom.
#[derive(Debug, clap::Args)]
struct AnswerArgs {
    /// The question, as `hookgate approvals list` shows it; its first characters are enough if no other begins so
    #[arg(value_name = "ID")]
    id: String,
    /// Who answers. Without it: the user of this system
    #[arg(long = "as", value_name = "NAME")]
    person: Option<String>,
    #[command(flatten)]
    journal: JournalArgs,
}

/// Agree that the step happens
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate approvals approve 3f2a
  hookgate approvals approve 3f2a --always session --within '{\"runs\": \"cargo test\", \"writes\": \"target/**\"}'
  hookgate approvals approve 3f2a --edit '{\"tool_input\": {\"command\": \"make -n deploy\"}}'")]
struct ApproveArgs {
    #[command(flatten)]
    answer: AnswerArgs,
    /// Other values of fields of the step, as a JSON object. What comes of it is judged again before it happens
    #[arg(long, value_name = "JSON", value_parser = object)]
    edit: Option<Map<String, Value>>,
    /// Why
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// Agree to the same action from now on, in this session, project or everywhere: until it ends, is revoked, or the hook
    /// that asks is changed
    #[arg(long, value_name = "WHERE", conflicts_with = "edit")]
    always: Option<GrantScope>,
    /// Agree to whatever does no more than this, by the same tool and asked about by the same hooks: an object of runs, reads,
    /// writes, deletes, connects, shows_env, pushes, each a pattern, a list of them or true
    #[arg(long, value_name = "JSON", value_parser = object, requires = "always")]
    within: Option<Map<String, Value>>,
    /// How long that holds
    #[arg(long = "for", value_name = "TIME", value_parser = humantime::parse_duration, default_value = "8h", requires = "always")]
    good_for: Duration,
}

/// Refuse the step: it does not happen
#[derive(Debug, clap::Args)]
struct RejectArgs {
    #[command(flatten)]
    answer: AnswerArgs,
    /// Why; the model reads it
    #[arg(long, value_name = "TEXT", default_value = "not now")]
    reason: String,
}

/// Runs the verb.
///
/// # Errors
/// There are no questions, or they cannot be read or answered, or stdout takes no more.
pub fn run(args: &Args) -> Result<Exit, Abort> {
    match &args.verb {
        Verb::List(args) => list(args),
        Verb::Show(args) => show::run(args),
        Verb::Approve(ApproveArgs { answer, edit, note, always, within, good_for }) => {
            let person = person(answer)?;
            let granted = match always {
                Some(scope) => {
                    let given = grants::give(answer, *scope, &person, *good_for, within.as_ref())?;
                    Some((*scope, given))
                }
                None => None,
            };
            let said = match edit {
                Some(edit) => PersonAnswer::approve_with(&person, edit.clone()),
                None => PersonAnswer::approve(&person),
            };
            let said = say(answer, &note.iter().fold(said, |said, note| said.note(note)));
            let Some((scope, grant)) = granted else { return tell(&said?) };
            match said {
                Ok(told) => {
                    let what =
                        if within.is_some() { "no more than that" } else { "the same again" };
                    let granted = format!("grant {grant}: {what}, for this {scope}\n");
                    stdout::print(&granted)?;
                    tell(&told)
                }
                // Somebody was quicker: what is not agreed to once is not agreed to for longer.
                Err(refused) => {
                    let revoked = open(&answer.journal)?.revoke(grant);
                    Err(revoked.map_or_else(|error| failure(&error), |()| refused))
                }
            }
        }
        Verb::Reject(RejectArgs { answer, reason }) => {
            tell(&say(answer, &PersonAnswer::reject(person(answer)?, reason))?)
        }
        Verb::Watch(args) => watch::run(args),
        Verb::Grants(args) => grants::run(args),
        Verb::Revoke(args) => grants::revoke(args),
    }
}

fn list(args: &ListArgs) -> Result<Exit, Abort> {
    let states: &[ApprovalState] = if args.all { &[] } else { &args.state };
    let found = open(&args.journal)?.list(states).map_err(|error| failure(&error))?;
    if args.output.wants_json() {
        let mut lines = JsonLines::default();
        for approval in &found {
            lines.add(approval)?;
        }
        lines.flush()?;
    } else if found.is_empty() {
        stdout::print(&format!("{DIM}no question waits{DIM:#}\n"))?;
    } else {
        let rows = found.iter().map(row).collect();
        stdout::print(&format!("{}\n", table::part(&HEAD, rows, true, &[0, 1, 3, 4])))?;
    }
    Ok(Exit::Ok)
}

fn row(approval: &Approval) -> [Cell; 6] {
    let by: Vec<&str> = approval.by.iter().map(|by| by.as_str()).collect();
    [
        dim(short(&approval.id)),
        dim(time(approval.asked)),
        cell(by.join(", ")),
        cell(&approval.event),
        Cell::new(approval.state.name()).fg(colour(approval.state)),
        cell(one_line(&approval.question, QUESTION)),
    ]
}

/// Returns as much of an id as a person needs to name it.
pub(super) fn short(id: &str) -> String {
    id.chars().take(12).collect()
}

const fn colour(state: ApprovalState) -> Color {
    match state {
        ApprovalState::Pending => Color::Cyan,
        ApprovalState::Approved => Color::Green,
        ApprovalState::Withdrawn => Color::Yellow,
        ApprovalState::Rejected | ApprovalState::Expired => Color::Red,
    }
}

fn say(args: &AnswerArgs, answer: &PersonAnswer) -> Result<Approval, Abort> {
    let approvals = open(&args.journal)?;
    let id = whole_id(&approvals, &args.id)?;
    approvals.answer(&id, answer).map_err(|error| failure(&error))
}

/// Prints what has become of a question.
fn tell(approval: &Approval) -> Result<Exit, Abort> {
    let agreed = approval.answers.iter().filter(|answer| answer.approves).count();
    let waits = match approval.state {
        ApprovalState::Pending => format!(", with {agreed} of {} who have to agree", approval.need),
        _ => String::new(),
    };
    stdout::print(&format!("{} is {}{waits}\n", short(&approval.id), approval.state))?;
    Ok(Exit::Ok)
}

/// Returns the name of who answers.
fn person(args: &AnswerArgs) -> Result<String, Abort> {
    args.person
        .clone()
        .or_else(user)
        .filter(|name| !name.is_empty())
        .ok_or_else(|| Abort::usage("nobody says who answers").help("name a person with --as NAME"))
}

/// Returns the name of the user of this system.
pub(super) fn user() -> Option<String> {
    std::env::var("USER").or_else(|_| std::env::var("LOGNAME")).ok()
}

/// Returns how the process ends for a question in a state.
const fn exit(state: ApprovalState) -> Exit {
    match state {
        ApprovalState::Approved => Exit::Ok,
        ApprovalState::Pending => Exit::Ask,
        ApprovalState::Rejected | ApprovalState::Expired | ApprovalState::Withdrawn => Exit::Deny,
    }
}

/// Returns the id that begins with some characters.
fn whole_id(approvals: &Approvals, given: &str) -> Result<String, Abort> {
    // Each begins with nothing, and a variable of a script that is not set names none of them.
    let all = match given.is_empty() {
        true => Vec::new(),
        false => approvals.list(&[]).map_err(|error| failure(&error))?,
    };
    let mut found = all.into_iter().map(|approval| approval.id).filter(|id| id.starts_with(given));
    match (found.next(), found.next()) {
        (Some(id), None) => Ok(id),
        (None, _) => Err(failure(&ApprovalError::Unknown(given.to_owned()))),
        (Some(_), Some(_)) => Err(Abort::usage(format!("several questions begin with `{given}`"))
            .help("write more of the id: `hookgate approvals list --json` has it whole")),
    }
}

fn open(journal: &JournalArgs) -> Result<Approvals, Abort> {
    open_beside(&journal.file()?)
}

/// Opens the questions that are beside a journal.
pub(super) fn open_beside(journal: &Path) -> Result<Approvals, Abort> {
    let file: PathBuf = RunSettings::beside(journal).file;
    // What is not there is not made.
    if !file.exists() {
        let none = Abort::failure(format!("there are no questions `{}`", file.display()));
        return Err(
            none.help("a runtime parks them beside its journal: docs/approvals.md says how")
        );
    }
    let store = RunStore::open(RunSettings::new(file));
    store.map(|store| store.approvals()).map_err(|error| failure(&error.into()))
}

/// Returns the error of a verb for one of a question.
pub(super) fn failure(error: &ApprovalError) -> Abort {
    Abort::failure(error.to_string())
}

/// Reads an edit.
pub(super) fn object(text: &str) -> Result<Map<String, Value>, String> {
    match hookgate::contract::json::parse(text.as_bytes()) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err("an edit is a JSON object of fields and their values".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}
