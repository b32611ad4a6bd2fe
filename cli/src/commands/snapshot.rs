//! `hookgate snapshot`: the files that the builtin `snapshot` keeps, and the way back to them.

use std::path::{Path, PathBuf};

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
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    List(ListArgs),
    Undo(UndoArgs),
    Reset(ResetArgs),
}

/// List the snapshots, the newest last
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate snapshot list
  hookgate snapshot list --session my-session --json")]
struct ListArgs {
    /// Only those of this session
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    #[command(flatten)]
    project: ProjectArgs,
}

/// Make the files what they were at the last snapshot that differs from them, and forget it
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate snapshot undo
  hookgate snapshot undo --session my-session")]
struct UndoArgs {
    /// The session whose changes are taken back; by default the one with the latest snapshot
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    #[command(flatten)]
    project: ProjectArgs,
}

/// Make the files what they were at this snapshot, and forget it and the later ones of its session
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate snapshot reset refs/hookgate/snapshots/my-session-0f3c5a9d1b2e/00000002")]
struct ResetArgs {
    /// The snapshot, as `hookgate snapshot list` names it
    #[arg(value_name = "REFERENCE")]
    reference: String,
    #[command(flatten)]
    project: ProjectArgs,
}

/// The project, and how it is printed.
#[derive(Debug, clap::Args)]
struct ProjectArgs {
    /// The project; by default that of the current folder
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the verb.
///
/// # Errors
/// There is no git or no such session or snapshot, git does not work, or stdout takes no more.
pub async fn run(args: Args) -> Result<Exit, Abort> {
    let Some(snapshots) = Snapshots::find() else {
        return Err(Abort::failure("git is not in PATH, and snapshots are kept in git"));
    };
    let (Verb::List(ListArgs { project, .. })
    | Verb::Undo(UndoArgs { project, .. })
    | Verb::Reset(ResetArgs { project, .. })) = &args.verb;
    let folder = match &project.cwd {
        Some(folder) => folder.clone(),
        None => std::env::current_dir()?,
    };
    let json = project.output.wants_json();
    let sessions = snapshots.sessions(&folder).await.map_err(|failure| failed(&failure))?;
    match &args.verb {
        Verb::List(ListArgs { session: None, .. }) => list(&sessions, json),
        Verb::List(ListArgs { session: Some(id), .. }) => {
            list(&[named(&sessions, id)?.clone()], json)
        }
        Verb::Undo(UndoArgs { session, .. }) => {
            let session = match session {
                Some(id) => named(&sessions, id)?,
                None => sessions.last().ok_or_else(|| none_here(&folder))?,
            };
            let undone = snapshots.undo_session(&folder, &session.name).await;
            told(undone.map_err(|failure| failed(&failure))?, json)
        }
        Verb::Reset(ResetArgs { reference, .. }) => {
            let all = sessions.iter().flat_map(|session| &session.snapshots);
            if !all.into_iter().any(|snapshot| snapshot.reference == *reference) {
                return Err(Abort::usage(format!("there is no snapshot `{reference}` here"))
                    .help("`hookgate snapshot list` names all of them"));
            }
            let undone = snapshots.reset(&folder, reference).await;
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
            json!({"snapshot": null, "files": [], "left": []}),
            |undone| json!({"snapshot": undone.snapshot.reference, "label": undone.snapshot.label, "files": undone.files, "left": undone.left, "before": undone.before}),
        );
        stdout::json_line(&told)?;
        return Ok(Exit::Ok);
    }
    let text = match undone {
        None => "nothing to take back: the files are as they were\n".to_owned(),
        Some(undone) => {
            let files: String =
                undone.files.iter().map(|file| format!("  {}\n", line(file))).collect();
            let left: String = undone
                .left
                .iter()
                .map(|file| format!("  {} stays: git does not have what is there\n", line(file)))
                .collect();
            let (count, label, before) = (undone.files.len(), undone.snapshot.label, undone.before);
            format!(
                "{count} files are as they were at: {label}\n{files}{left}what they were before is in {before}\n"
            )
        }
    };
    stdout::print(&text)?;
    Ok(Exit::Ok)
}
