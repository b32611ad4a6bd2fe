//! `hookgate approvals grants`, `revoke`: what somebody has agreed to for longer than once.

use std::time::Duration;

use comfy_table::Cell;
use hookgate_store::{Grant, GrantScope};
use serde_json::{Map, Value};

use super::{AnswerArgs, failure, open, whole_id};
use crate::abort::Abort;
use crate::exit_code::Exit;
use crate::journal::JournalArgs;
use crate::terminal::sanitize::one_line;
use crate::terminal::stdout::{self, JsonLines, OutputArgs};
use crate::terminal::style::DIM;
use crate::terminal::table::{self, cell, dim};
use crate::terminal::time::time;

const HEAD: [&str; 6] = ["grant", "until (UTC)", "given by", "holds in", "used", "what for"];

/// How many characters of a question are shown.
const QUESTION: usize = 100;

/// List what somebody has agreed to for longer than once, with `approve --always`
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    journal: JournalArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// End a grant: the next time it is asked again
#[derive(Debug, clap::Args)]
pub(super) struct RevokeArgs {
    /// The number of the grant, as `hookgate approvals grants` shows it
    #[arg(value_name = "GRANT")]
    grant: u64,
    #[command(flatten)]
    journal: JournalArgs,
}

/// Gives a grant for what a question is about.
pub(super) fn give(
    args: &AnswerArgs,
    scope: GrantScope,
    person: &str,
    good_for: Duration,
    within: Option<&Map<String, Value>>,
) -> Result<u64, Abort> {
    let approvals = open(&args.journal)?;
    let id = whole_id(&approvals, &args.id)?;
    let request = approvals.request(&id).map_err(|error| failure(&error))?;
    let grant = match within {
        None => approvals.grant(&request, scope, person, good_for),
        Some(at_most) => {
            let at_most = Value::Object(at_most.clone());
            approvals.grant_within(&request, scope, person, good_for, &at_most)
        }
    };
    Ok(grant.map_err(|error| failure(&error))?.id)
}

/// Lists all.
pub(super) fn run(args: &Args) -> Result<Exit, Abort> {
    let grants = open(&args.journal)?.grants().map_err(|error| failure(&error))?;
    if args.output.wants_json() {
        let mut lines = JsonLines::default();
        for grant in &grants {
            lines.add(grant)?;
        }
        lines.flush()?;
    } else if grants.is_empty() {
        stdout::print(&format!("{DIM}nothing is granted{DIM:#}\n"))?;
    } else {
        let rows = grants.iter().map(row).collect();
        stdout::print(&format!("{}\n", table::part(&HEAD, rows, true, &[0, 1, 2, 4])))?;
    }
    Ok(Exit::Ok)
}

fn row(grant: &Grant) -> [Cell; 6] {
    let until = match grant.revoked {
        Some(at) => format!("revoked {}", time(at)),
        None => time(grant.until),
    };
    let of = [&grant.session, &grant.folder].map(|of| of.clone().unwrap_or_default());
    let what = match &grant.within {
        Some(within) => format!("at most {within}"),
        None => grant.question.clone(),
    };
    let place = format!("{} {}", grant.scope, of.join(" "));
    [
        dim(grant.id),
        dim(until),
        cell(&grant.person),
        cell(place.trim_end()),
        dim(grant.uses),
        cell(one_line(&what, QUESTION)),
    ]
}

/// Revokes one.
pub(super) fn revoke(args: &RevokeArgs) -> Result<Exit, Abort> {
    open(&args.journal)?.revoke(args.grant).map_err(|error| failure(&error))?;
    stdout::print(&format!("grant {} is revoked\n", args.grant))?;
    Ok(Exit::Ok)
}
