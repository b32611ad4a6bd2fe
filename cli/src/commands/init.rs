//! `hookgate init`: files to begin with.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::abort::Abort;
use crate::exit_code::Exit;
use crate::terminal::stdout;
use crate::terminal::style::{BOLD, GOOD};

const FILES: [(&str, &str); 2] =
    [("hooks.toml", include_str!("init/hooks.toml")), ("guard.py", include_str!("init/guard.py"))];

/// Write a hooks.toml and a guard in Python to begin with
///
/// Files that are there are not overwritten, unless --force is given.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate init --dir policy && hookgate check -c policy/hooks.toml
  hookgate init --dir policy --sdk python    a hook is a function, and replies in microseconds")]
pub struct Args {
    /// The folder; it is created if it is missing
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    dir: PathBuf,
    /// Write an SDK as well: one file with which a script becomes a hook and a worker
    #[arg(long, value_name = "LANGUAGE")]
    sdk: Vec<Sdk>,
    /// Overwrite files that are there
    #[arg(short, long)]
    force: bool,
}

/// The languages that have an SDK.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Sdk {
    Python,
    Node,
}

impl Sdk {
    /// Returns the name and the text of its file.
    const fn file(self) -> (&'static str, &'static str) {
        match self {
            Self::Python => ("hookgate.py", hookgate::command::PYTHON_SDK),
            Self::Node => ("hookgate.mjs", hookgate::command::NODE_SDK),
        }
    }
}

/// Runs the verb.
///
/// # Errors
/// A file is there already, or cannot be written.
pub fn run(args: &Args) -> Result<Exit, Abort> {
    fs::create_dir_all(&args.dir).map_err(|error| Abort::file("create", &args.dir, &error))?;
    let files = FILES.into_iter().chain(args.sdk.iter().map(|sdk| sdk.file()));
    let paths: Vec<_> = files.map(|(name, text)| (args.dir.join(name), text)).collect();
    if !args.force {
        // All or nothing: half of the files would be a config without its guard.
        let existing: Vec<_> = paths
            .iter()
            .filter(|(path, _)| path.symlink_metadata().is_ok())
            .map(|(path, _)| format!("`{}`", path.display()))
            .collect();
        if !existing.is_empty() {
            return Err(Abort::failure(format!("already there: {}", existing.join(", ")))
                .help("name another folder with --dir, or overwrite with --force"));
        }
    }
    let mut text = String::new();
    for (path, content) in &paths {
        write(path, content, args.force).map_err(|error| Abort::file("write", path, &error))?;
        text.push_str(&format!("{GOOD}wrote{GOOD:#} {}\n", path.display()));
    }
    let config = args.dir.join("hooks.toml");
    let config = config.display();
    text.push_str(&format!(
        "\n{BOLD}Next{BOLD:#}\n  \
         hookgate check -c {config}      find everything that is wrong with it\n  \
         hookgate list -c {config}       see the hooks in the order of their calls\n  \
         hookgate run -c {config} FILE   evaluate recorded steps, one JSON object a line\n"
    ));
    stdout::print(&text)?;
    Ok(Exit::Ok)
}

fn write(path: &Path, content: &str, force: bool) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true);
    if force {
        options.create(true).truncate(true);
    } else {
        // The file may have been created since the check above.
        options.create_new(true);
    }
    options.open(path)?.write_all(content.as_bytes())
}
