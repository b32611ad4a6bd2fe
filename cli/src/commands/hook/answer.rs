//! From the record of a dispatch to the answer of the agent, and out.

use std::io::{self, Write};

use hookgate::contract::VerdictDecision;
use hookgate::contract::dialect::{Dialect, HostAnswer, HostDecision, HostStep};
use hookgate::{HandlerTable, Outcome, Report};

use crate::exit_code::Exit;
use crate::terminal::sanitize::line;

/// Says the decision of a report in the form of the agent.
pub(in crate::commands) fn answer(
    dialect: &dyn Dialect,
    step: &HostStep,
    report: &Report,
    table: &HandlerTable,
) -> HostAnswer {
    let decision = match report.decision {
        Outcome::Allow if approves(report, table) => Some(VerdictDecision::Allow),
        Outcome::Allow | Outcome::Answered => None,
        Outcome::Ask => Some(VerdictDecision::Ask),
        Outcome::Cancelled | Outcome::Deny => Some(VerdictDecision::Deny),
        Outcome::Halt => Some(VerdictDecision::Halt),
    };
    let decided = HostDecision::new(decision, report.reason.as_deref(), &report.final_fields)
        .answer(report.answer.as_ref())
        .texts(&report.context, &report.messages);
    dialect.answer(step, &decided)
}

/// Adds a note for people to an answer that lets the step pass; a refusal has its reason on stderr.
pub(super) fn with_note(answer: HostAnswer, note: Option<String>) -> HostAnswer {
    match note {
        Some(note) if answer.exit == 0 && answer.stderr.is_empty() => answer.note(note),
        _ => answer,
    }
}

/// Whether a hook has allowed the step that may: to many agents an allow is an approval, which spares
/// their users a question, and not merely no objection.
fn approves(report: &Report, table: &HandlerTable) -> bool {
    let may = |id: &str| table.specs().any(|hook| hook.id().as_str() == id && hook.may_allow());
    report.by.iter().any(|id| may(id.as_str()))
}

/// Returns all that an answer says on stderr.
pub(super) fn notes(answer: &HostAnswer) -> String {
    let mut notes = answer.stderr.clone();
    if answer.exit == 0 {
        for loss in &answer.losses {
            let note =
                format!("\nhookgate: `{}` is not possible here: {}", loss.effect, loss.instead);
            notes.push_str(&note);
        }
    }
    notes.trim().to_owned()
}

/// Prints an answer, and returns how the process ends: agents understand two codes alike.
pub(crate) fn print(answer: &HostAnswer) -> Exit {
    // A closed stderr leaves nowhere to say anything.
    let _ = say(io::stderr().lock(), &notes(answer));
    match say(io::stdout().lock(), &answer.stdout) {
        Ok(()) if answer.exit == 0 => Exit::Ok,
        Ok(()) => Exit::Deny,
        Err(error) => {
            let text = format!("hookgate could not write its answer to stdout: {error}");
            let _ = say(io::stderr().lock(), &line(&text));
            Exit::Deny
        }
    }
}

fn say(mut stream: impl Write, text: &str) -> io::Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    // One write, so that no other process can come between.
    stream.write_all(format!("{text}\n").as_bytes())?;
    stream.flush()
}
