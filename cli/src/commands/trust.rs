//! `hookgate trust`: the user says that the hooks of a folder are right.

mod screen;

use std::path::PathBuf;

use miette::Severity;
use serde_json::{Value, json};

use crate::abort::Abort;
use crate::ask;
use crate::exit_code::Exit;
use crate::terminal::stdout::{self, OutputArgs};
use crate::terminal::{diagnostics, stderr};
use crate::trust::{
    Difference, Examined, Record, State, Store, StoreError, differences, examine_all, examine_path,
};

/// Put the hooks of a project in force that you have read
///
/// A folder that was cloned starts nothing, sends nothing and changes nothing through its hooks until its user
/// trusts it: `hookgate hook` refuses the steps that such hooks are about. This shows what would run (command
/// lines, addresses, models, files), asks, and remembers it.
///
/// A project is known by its path and by a hash of its configs (.hookgate/hooks.toml or hooks.toml, hooks.d,
/// .hookgate/hooks.local.toml) and of the scripts, prompts and other files that their hooks name. If one of them
/// changes, the project is not trusted until you say so again; --diff shows what has changed. What a script
/// itself loads is not covered: keep a hook in one file, or look at all of them.
///
/// Nothing is trusted that others can change: a file or folder of another user, one that others can write, a
/// link out of the project, a hard link.
///
/// The list is in hookgate/trust in the folder of what programs keep (XDG_STATE_HOME, or ~/.local/state).
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes: 0 it is trusted, or revoked · 1 it cannot be · 2 --show or --diff: something is not trusted as it is ·
3 invalid config.

Examples:
  hookgate trust                        show what the hooks of this folder run, and ask
  hookgate trust ~/src/ledger --diff    what has changed since it was trusted
  hookgate trust --show --all           every project that was ever trusted
  hookgate trust --revoke               take it back

Where nobody can be asked, as in CI, name the content that was reviewed:
  hookgate trust --show --json | jq -r .hash
  HOOKGATE_TRUST_HASH=sha256:… hookgate hook --agent claude")]
pub struct Args {
    /// A folder of the project; that of this process by default
    #[arg(value_name = "PATH", conflicts_with = "all")]
    path: Option<PathBuf>,
    /// Only show what would be trusted, and whether it is
    #[arg(long, conflicts_with_all = ["diff", "revoke", "yes"])]
    show: bool,
    /// Only show what has changed since it was trusted
    #[arg(long, conflicts_with_all = ["revoke", "yes"])]
    diff: bool,
    /// Take it back: the project is not trusted any more
    #[arg(long, conflicts_with = "yes")]
    revoke: bool,
    /// With --show, --diff or --revoke: every project that was ever trusted
    #[arg(long)]
    all: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the verb.
///
/// # Errors
/// There is no project, it cannot be trusted, or the list of trusted projects cannot be used.
pub fn run(args: &Args) -> Result<Exit, Abort> {
    if args.all && !(args.show || args.diff || args.revoke) {
        return Err(Abort::usage("--all goes with --show, --diff or --revoke")
            .help("trust one project after the other: each must be read"));
    }
    let store = Store::of_user().map_err(unusable)?;
    if args.revoke {
        return revoke(args, &store);
    }
    let found = find(args, &store)?;
    if args.show || args.diff {
        return look(args, &found);
    }
    trust(args, &store, &found)
}

/// Looks at the projects that the command line is about.
fn find(args: &Args, store: &Store) -> Result<Vec<Examined>, Abort> {
    if args.all {
        let (found, broken) = examine_all(store).map_err(unusable)?;
        for error in broken {
            stderr::warning(&error.to_string());
        }
        return Ok(found);
    }
    let folder = folder(args)?;
    let found = examine_path(&folder);
    if found.is_empty() {
        let shown = folder.display();
        return Err(Abort::failure(format!("there is no config of a project in `{shown}` or above"))
            .help("a project has its hooks in .hookgate/hooks.toml or hooks.toml: `hookgate init` writes one"));
    }
    Ok(found)
}

/// Returns the folder that is meant. A config in it may be named as well.
fn folder(args: &Args) -> Result<PathBuf, Abort> {
    let path = args.path.clone().unwrap_or_else(|| PathBuf::from("."));
    let path = path.canonicalize().map_err(|error| Abort::file("find", &path, &error))?;
    Ok(if path.is_dir() { path } else { path.parent().map(Into::into).unwrap_or(path) })
}

fn look(args: &Args, found: &[Examined]) -> Result<Exit, Abort> {
    for project in found {
        if args.output.wants_json() {
            stdout::json_line(&to_json(project, args.diff))?;
        } else if args.diff {
            stdout::print(&screen::difference(project, &changes(project)))?;
        } else {
            stdout::print(&screen::project(project))?;
        }
        print_mistakes(project);
    }
    if found.is_empty() && !args.output.wants_json() {
        stdout::print("no project is trusted\n")?;
    }
    let all = found.iter().all(|project| project.state == State::Trusted);
    Ok(if all { Exit::Ok } else { Exit::Deny })
}

fn trust(args: &Args, store: &Store, found: &[Examined]) -> Result<Exit, Abort> {
    let wants_json = args.output.wants_json();
    if let Some(broken) = found.iter().find(|project| project.content.is_none()) {
        print_mistakes(broken);
        let why = broken.why.as_deref().unwrap_or_default();
        return Err(Abort::invalid_config(format!(
            "`{}` cannot be trusted: {why}",
            broken.root.display()
        )));
    }
    let shown: String = found.iter().map(screen::to_be_trusted).collect();
    if args.yes && !wants_json {
        stdout::print(&shown)?;
    } else if !args.yes {
        // Whoever is asked sees it, whatever becomes of stdout.
        stderr::print(&shown);
    }
    if let Some(refused) = found.iter().find(|project| project.state == State::Refused) {
        let why = refused.why.as_deref().unwrap_or_default();
        return Err(Abort::failure(format!(
            "`{}` cannot be trusted: {why}",
            refused.root.display()
        )));
    }
    // One that a hash in the environment trusts is not remembered yet.
    let is_remembered = |project: &&Examined| {
        let now = project.content.as_ref().map(|content| &content.hash);
        project.record.as_ref().map(|record| &record.hash) == now
    };
    let open: Vec<&Examined> = found.iter().filter(|project| !is_remembered(project)).collect();
    if !open.is_empty() && !args.yes {
        ask::agree("Trust this?", "--show")?;
    }
    // What was shown is what is remembered, whatever the files are by now.
    for content in open.iter().filter_map(|project| project.content.as_ref()) {
        store.write(&Record::new(content)).map_err(unusable)?;
    }
    for project in found {
        if wants_json {
            let mut line = to_json(project, false);
            if let Some(line) = line.as_object_mut() {
                line.insert("state".to_owned(), json!(State::Trusted));
                line.insert("why".to_owned(), Value::Null);
            }
            stdout::json_line(&line)?;
        } else {
            stdout::print(&screen::done(project))?;
        }
    }
    Ok(Exit::Ok)
}

fn revoke(args: &Args, store: &Store) -> Result<Exit, Abort> {
    let roots: Vec<PathBuf> = if args.all {
        let records = store.all().map_err(unusable)?;
        let (records, broken): (Vec<_>, Vec<_>) = records.into_iter().partition(Result::is_ok);
        for error in broken.into_iter().filter_map(Result::err) {
            stderr::warning(&error.to_string());
        }
        records.into_iter().flatten().map(|record| record.root).collect()
    } else {
        let folder = folder(args);
        let here = folder.as_ref().map(|folder| examine_path(folder)).unwrap_or_default();
        match (here.as_slice(), folder) {
            // The configs may be gone, and the folder as well.
            ([], Ok(folder)) => vec![folder],
            ([], Err(gone)) => {
                let path = args.path.as_deref().and_then(|path| std::path::absolute(path).ok());
                vec![path.ok_or(gone)?]
            }
            (here, _) => here.iter().map(|project| project.root.clone()).collect(),
        }
    };
    let mut removed = 0;
    for root in &roots {
        let was_there = store.remove(root).map_err(unusable)?;
        removed += usize::from(was_there);
        if args.output.wants_json() {
            stdout::json_line(&json!({"root": root, "revoked": was_there}))?;
        } else {
            stdout::print(&screen::revoked(root, was_there))?;
        }
    }
    if args.all && removed == 0 && !args.output.wants_json() {
        stdout::print("no project was trusted\n")?;
    }
    Ok(Exit::Ok)
}

fn changes(project: &Examined) -> Vec<Difference> {
    match (&project.record, &project.content) {
        (Some(record), Some(content)) => differences(record, content),
        _ => Vec::new(),
    }
}

fn to_json(project: &Examined, with_changes: bool) -> Value {
    let content = project.content.as_ref();
    let mut line = json!({
        "root": project.root,
        "state": project.state,
        "why": project.why,
        "hash": content.map(|content| &content.hash),
        "trusted_hash": project.record.as_ref().map(|record| &record.hash),
        "trusted_at": project.record.as_ref().map(|record| &record.trusted_at),
    });
    let Some(keys) = line.as_object_mut() else { return line };
    if with_changes {
        keys.insert("changes".to_owned(), json!(changes(project)));
    } else {
        keys.insert("faults".to_owned(), json!(content.map(|content| &content.faults)));
        keys.insert("files".to_owned(), json!(content.map(|content| &content.files)));
        keys.insert("hooks".to_owned(), json!(content.map(|content| &content.hooks)));
    }
    line
}

fn print_mistakes(project: &Examined) {
    if let Some(errors) = &project.errors {
        diagnostics::print(errors.errors(), Severity::Error);
    }
}

fn unusable(error: StoreError) -> Abort {
    Abort::failure(format!("the list of trusted projects cannot be used: {error}"))
}
