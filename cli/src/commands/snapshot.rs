//! `hookgate snapshot`: the files that the builtin `snapshot` keeps, and the way back to them.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use hookgate::Failure;
use hookgate::builtin::{SnapshotSession, Snapshots, Undone};
use serde_json::json;

use crate::abort::Abort;
use crate::exit_code::Exit;
use crate::terminal::sanitize::line;
use crate::terminal::stdout::{self, OutputArgs};
use crate::terminal::table::{self, To, dim};

/// List the snapshots of a project, and go back to one
///
/// The builtin `snapshot` takes them. Going back changes the files that git follows and the new ones that it does not
/// ignore; the index, the branch and ignored files stay as they are. The state before is kept in git, under
/// refs/hookgate/undone.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate snapshot list               all snapshots of this project
  hookgate snapshot undo               take back what was changed since the last one
  hookgate snapshot undo --session ID  the same, for another session than the latest
  hookgate snapshot reset refs/hookgate/snapshots/my-session-0f3c…/00000002")]
pub struct Args {
    #[command(subcommand)]
    what: What,
    /// The project; by default that of the current folder
    #[arg(long, global = true, value_name = "DIR")]
    cwd: Option<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Subcommand)]
enum What {
    /// List the snapshots, the newest last
    List {
        /// Only those of this session
        #[arg(long, value_name = "ID")]
        session: Option<String>,
    },
    /// Make the files what they were at the last snapshot that differs from them, and forget it
    Undo {
        /// The session whose changes are taken back; by default the one with the latest snapshot
        #[arg(long, value_name = "ID")]
        session: Option<String>,
    },
    /// Make the files what they were at this snapshot, and forget it and the later ones of its session
    Reset {
        /// The snapshot, as `hookgate snapshot list` names it
        #[arg(value_name = "REFERENCE")]
        reference: String,
    },
}

/// Runs the verb.
///
/// # Errors
/// There is no git or no such session or snapshot, git does not work, or stdout takes no more.
pub async fn run(args: Args) -> Result<Exit, Abort> {
    let Some(snapshots) = Snapshots::find() else {
        return Err(Abort::failure("git is not in PATH, and snapshots are kept in git"));
    };
    let folder = match &args.cwd {
        Some(folder) => folder.clone(),
        None => std::env::current_dir()?,
    };
    let json = args.output.wants_json();
    let sessions = snapshots.sessions(&folder).await.map_err(|failure| failed(&failure))?;
    match args.what {
        What::List { session: None } => list(&sessions, json),
        What::List { session: Some(id) } => list(&[named(&sessions, &id)?.clone()], json),
        What::Undo { session } => {
            let session = match session {
                Some(id) => named(&sessions, &id)?,
                None => sessions.last().ok_or_else(|| none_here(&folder))?,
            };
            let undone = snapshots.undo_session(&folder, &session.name).await;
            told(undone.map_err(|failure| failed(&failure))?, json)
        }
        What::Reset { reference } => {
            let all = sessions.iter().flat_map(|session| &session.snapshots);
            let known: Vec<&str> = all.map(|snapshot| &*snapshot.reference).collect();
            if !known.contains(&reference.as_str()) {
                return Err(Abort::usage(format!("there is no snapshot `{reference}` here"))
                    .help("`hookgate snapshot list` names all of them"));
            }
            let undone = snapshots.reset(&folder, &reference).await;
            told(undone.map_err(|failure| failed(&failure))?, json)
        }
    }
}

fn failed(failure: &Failure) -> Abort {
    Abort::failure(failure.detail.clone())
}

fn none_here(folder: &Path) -> Abort {
    Abort::failure(format!("there is no snapshot of {}", folder.display()))
        .help("a hook with `builtin = \"snapshot\"` at `turn_start` or `pre_tool_use` takes them")
}

/// Finds a session by its id, or by the name that its references have.
fn named<'s>(sessions: &'s [SnapshotSession], id: &str) -> Result<&'s SnapshotSession, Abort> {
    let name = Snapshots::session_name(id);
    let found = sessions.iter().find(|session| session.name == name || session.name == id);
    let known: Vec<&str> = sessions.iter().map(|session| &*session.name).collect();
    found.ok_or_else(|| Abort::unknown_name("session", id, &known))
}

fn list(sessions: &[SnapshotSession], json: bool) -> Result<Exit, Abort> {
    let all = || {
        sessions.iter().flat_map(|session| session.snapshots.iter().map(move |one| (session, one)))
    };
    if json {
        for (session, snapshot) in all() {
            let found = json!({
                "session": session.name, "reference": snapshot.reference, "label": snapshot.label,
            });
            stdout::json_line(&found)?;
        }
        return Ok(Exit::Ok);
    }
    if sessions.is_empty() {
        stdout::print("there is no snapshot here\n")?;
        return Ok(Exit::Ok);
    }
    let mut rows = table::new(To::Stdout, &["snapshot", "when it was taken"]);
    for (_, snapshot) in all() {
        rows.add_row([dim(&snapshot.reference), table::cell(&snapshot.label)]);
    }
    table::keep_whole(&mut rows, &[0]);
    stdout::print(&format!("{rows}\n"))?;
    Ok(Exit::Ok)
}

/// Tells what was changed.
fn told(undone: Option<Undone>, json: bool) -> Result<Exit, Abort> {
    if json {
        let told = undone.map_or(
            json!({"snapshot": null, "files": []}),
            |undone| json!({"snapshot": undone.snapshot.reference, "label": undone.snapshot.label, "files": undone.files, "before": undone.before}),
        );
        stdout::json_line(&told)?;
        return Ok(Exit::Ok);
    }
    let text = match undone {
        None => "nothing to take back: the files are as they were\n".to_owned(),
        Some(undone) => {
            let files: String =
                undone.files.iter().map(|file| format!("  {}\n", line(file))).collect();
            let (count, label, before) = (undone.files.len(), undone.snapshot.label, undone.before);
            format!(
                "{count} files are as they were at: {label}\n{files}what they were before is in {before}\n"
            )
        }
    };
    stdout::print(&text)?;
    Ok(Exit::Ok)
}
