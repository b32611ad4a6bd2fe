//! `hookgate reference`: writes the documents that are made from the tables of this program. It is for
//! those who work on hookgate, and help does not list it.

use std::fs;
use std::path::PathBuf;

use crate::abort::Abort;
use crate::exit_code::Exit;
use crate::reference::documents;
use crate::terminal::stdout;

/// Write the generated documents of the repository
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder of the repository
    #[arg(long, value_name = "FOLDER")]
    write: PathBuf,
}

/// Runs the verb.
///
/// # Errors
/// A document cannot be written, or stdout takes no more.
pub fn run(args: &Args) -> Result<Exit, Abort> {
    for (name, text) in documents::all() {
        let path = args.write.join(&name);
        if fs::read_to_string(&path).is_ok_and(|found| found == text) {
            continue;
        }
        let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
        folder
            .and_then(|()| fs::write(&path, text))
            .map_err(|error| Abort::file("write", &path, &error))?;
        stdout::print(&format!("{name}\n"))?;
    }
    Ok(Exit::Ok)
}
