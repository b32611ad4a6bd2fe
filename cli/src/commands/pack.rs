//! `hookgate pack`: makes shared packs of hooks, and fetches those that configs extend.

mod fetch;
mod make;

use std::path::{Path, PathBuf};

use miette::Severity;
use serde_json::json;

use crate::abort::Abort;
use crate::exit_code::Exit;
use crate::packs::{ENDING, hash_of};
use crate::replace_file;
use crate::terminal::phrase::count;
use crate::terminal::stdout::{self, OutputArgs};
use crate::terminal::{diagnostics, stderr};
use make::{MakeError, make};

/// The names of a config in a folder.
const CONFIGS: [&str; 2] = ["hooks.toml", ".hookgate/hooks.toml"];

/// Make a pack of hooks that others can share, known by its hash
///
/// A pack is one file: a config, the files that it includes, and every script, prompt and other file that its
/// hooks name. The same files always give the same bytes. Whoever wants its hooks writes the line that this
/// prints at the top of a hooks.toml:
///
///   extends = "guards.pack@sha256:…"
///
/// The pack is compared with the hash before anything in it is read, at every load. It may also be at an https
/// URL: `hookgate pack fetch` gets such a pack once, and no other command ever does.
///
/// What a script itself loads is not known here: --add puts further files in. Programs of the system stay
/// outside.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "\
Exit codes: 0 it was made, or all are there · 1 it cannot be made or fetched · 3 invalid config.

Examples:
  hookgate pack -o guards.pack                          the hooks.toml of this folder
  hookgate pack policies/shell.toml -o shell.pack       another config
  hookgate pack -o guards.pack --add lib                with all files of a folder
  hookgate pack fetch                                   get the packs that the configs here extend"
)]
pub struct Args {
    #[command(subcommand)]
    verb: Option<Verb>,
    /// The config, or a folder with a hooks.toml
    #[arg(value_name = "PATH", default_value = ".")]
    path: PathBuf,
    /// The pack; its name without the ending is the name of the pack
    #[arg(short = 'o', long, value_name = "FILE", required = true)]
    output: Option<PathBuf>,
    /// A file, or all files of a folder, to put in as well
    #[arg(long, value_name = "PATH")]
    add: Vec<PathBuf>,
    #[command(flatten)]
    print: OutputArgs,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Fetch(fetch::Args),
}

/// Runs the verb.
///
/// # Errors
/// The pack cannot be made or fetched, or a config is not valid.
pub async fn run(args: Args) -> Result<Exit, Abort> {
    match (&args.verb, &args.output) {
        (Some(Verb::Fetch(args)), _) => fetch::run(args).await,
        (None, Some(output)) => write(&args, output),
        (None, None) => Err(Abort::usage("name the pack: `-o guards.pack`")),
    }
}

fn write(args: &Args, output: &Path) -> Result<Exit, Abort> {
    let config = config_in(&args.path)?;
    let name = output.file_stem().unwrap_or_default().to_string_lossy();
    let (archive, making) = make(&config, &args.add, &name).map_err(refused)?;
    let bytes = archive.to_bytes().map_err(|error| Abort::file("write", output, &error))?;
    let text = String::from_utf8_lossy(&bytes);
    replace_file::replace(output, &text, 0o644)
        .map_err(|error| Abort::file("write", output, &error))?;
    if output.extension().is_none_or(|ending| ending != ENDING) {
        stderr::note(&format!("the name of a pack mostly ends with `.{ENDING}`"));
    }
    let hash = hash_of(&bytes);
    let extends = format!("{}@sha256:{hash}", output.display());
    if args.print.wants_json() {
        stdout::json_line(&json!({
            "file": output,
            "name": archive.name,
            "hash": format!("sha256:{hash}"),
            "extends": extends,
            "config": archive.config,
            "files": archive.files.keys().collect::<Vec<_>>(),
            "programs": making.programs,
        }))?;
        return Ok(Exit::Ok);
    }
    let mut shown = String::new();
    for (path, file) in &archive.files {
        let what = if file.is_executable { "  (a program)" } else { "" };
        shown.push_str(&format!("  {path}{what}\n"));
    }
    stderr::print(&format!("{} in the pack:\n{shown}", count(archive.files.len(), "file")));
    if !making.programs.is_empty() {
        let programs: Vec<String> =
            making.programs.iter().map(|program| program.display().to_string()).collect();
        stderr::note(&format!("who extends it must have {}", programs.join(", ")));
    }
    // A string of JSON is one of TOML.
    stdout::print(&format!("extends = {}\n", json!(extends)))?;
    Ok(Exit::Ok)
}

/// Returns the config that is meant.
fn config_in(path: &Path) -> Result<PathBuf, Abort> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    let found = CONFIGS.iter().map(|name| path.join(name)).find(|config| config.is_file());
    found.ok_or_else(|| {
        Abort::failure(format!("there is no hooks.toml in `{}`", path.display()))
            .help("name the config: `hookgate pack FILE -o NAME.pack`")
    })
}

fn refused(error: MakeError) -> Abort {
    match &error {
        MakeError::Config(errors) => {
            diagnostics::print(errors.errors(), Severity::Error);
            Abort::invalid_config(format!("{error}: no pack was made"))
        }
        _ => Abort::failure(format!("no pack was made: {error}")),
    }
}
