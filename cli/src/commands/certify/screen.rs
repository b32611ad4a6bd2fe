//! A certificate for people.

use comfy_table::{Cell, Color};
use hookgate::certify::{Proof, State};

use super::certificate::{Certificate, Problem};
use crate::terminal::phrase::count;
use crate::terminal::sanitize::line;
use crate::terminal::style::{BAD, GOOD};
use crate::terminal::table::{self, To, cell, dim, trimmed};

/// Returns a row for each hook, and the sum.
pub(super) fn text(certificate: &Certificate) -> String {
    let mut rows = table::new(To::Stdout, &["", "hook", "kind", "how"]);
    for proof in &certificate.hooks {
        let colour = match proof.state {
            State::Proved => Color::Green,
            State::Dead => Color::Red,
            State::Untested => Color::Yellow,
        };
        let state = Cell::new(proof.state.name()).fg(colour);
        rows.add_row([state, cell(&proof.id), dim(&proof.kind), cell(how(proof))]);
    }
    table::keep_whole(&mut rows, &[0, 1, 2]);
    let rows: String = rows.to_string().lines().map(|row| trimmed(row) + "\n").collect();
    let of = |state| certificate.ids(state).len();
    format!(
        "{rows}{}: {} proved, {} dead, {} untested; good until {}\n",
        count(certificate.hooks.len(), "hook"),
        of(State::Proved),
        of(State::Dead),
        of(State::Untested),
        certificate.expires
    )
}

fn how(proof: &Proof) -> String {
    match (&proof.how, &proof.detail) {
        (Some(how), Some(detail)) => format!("{how}: {detail}"),
        (Some(how), None) => how.clone(),
        _ => {
            let outcomes = proof.canaries.iter().filter_map(|sent| sent.got);
            outcomes.map(|outcome| outcome.name()).collect::<Vec<_>>().join(", ")
        }
    }
}

/// Returns what is wrong with a certificate, or that nothing is.
pub(super) fn checked(certificate: &Certificate, problems: &[Problem]) -> String {
    if problems.is_empty() {
        return format!("{GOOD}valid{GOOD:#} until {}\n", certificate.expires);
    }
    let wrong = |problem: &Problem| format!("{BAD}not valid{BAD:#} {}\n", line(&problem.message));
    problems.iter().map(wrong).collect()
}
