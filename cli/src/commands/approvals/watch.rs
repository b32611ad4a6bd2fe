//! `hookgate approvals watch`: waits for questions, or for the answer to one.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use hookgate_store::ApprovalState;

use super::{failure, open, show, whole_id};
use crate::abort::Abort;
use crate::exit_code::Exit;
use crate::journal::JournalArgs;
use crate::terminal::stdout::{self, OutputArgs};

/// How often the file is looked at.
const EACH: Duration = Duration::from_millis(250);

/// Show each question as it is asked, until it is interrupted; or wait for the answer to one
///
/// With an ID it ends as the question does: 0 if it is approved, 2 if it is rejected, expired or withdrawn, and 4 if it
/// still waits when the time is over.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The question that is waited for
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// How many seconds at most
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u64>,
    #[command(flatten)]
    journal: JournalArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the verb.
pub(super) fn run(args: &Args) -> Result<Exit, Abort> {
    let approvals = open(&args.journal)?;
    let id = args.id.as_deref().map(|given| whole_id(&approvals, given)).transpose()?;
    let end = args.timeout.and_then(|s| Instant::now().checked_add(Duration::from_secs(s)));
    let mut seen: HashSet<String> = HashSet::new();
    loop {
        let state = match &id {
            Some(id) => approvals.approval(id).map_err(|error| failure(&error))?.state,
            None => ApprovalState::Pending,
        };
        if state != ApprovalState::Pending {
            let id = id.as_deref().unwrap_or_default();
            stdout::print(&format!("{} is {state}\n", super::short(id)))?;
            return Ok(super::exit(state));
        }
        if id.is_none() {
            let waiting = approvals.list(&[ApprovalState::Pending]);
            for approval in waiting.map_err(|error| failure(&error))? {
                if !seen.insert(approval.id.clone()) {
                    continue;
                }
                if args.output.wants_json() {
                    stdout::json_line(&approval)?;
                } else {
                    let request = approvals.request(&approval.id).ok();
                    let edit = approvals.edit_of(&approval.id).ok().flatten();
                    stdout::print(&show::screen(&approval, request.as_ref(), edit))?;
                }
            }
        }
        if end.is_some_and(|end| Instant::now() >= end) {
            return Ok(if id.is_some() { Exit::Ask } else { Exit::Ok });
        }
        std::thread::sleep(EACH);
    }
}
