//! `hookgate man`: the pages of the manual, made from the help texts.

use std::fs;
use std::path::PathBuf;

use clap::Command;
use clap_mangen::Man;

use crate::abort::Abort;
use crate::exit_code::Exit;
use crate::terminal::phrase::count;
use crate::terminal::stdout;

/// Print the manual page of this command, or write the pages of all verbs
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate man | man -l -
  hookgate man --dir ~/.local/share/man/man1 && man hookgate-check")]
pub struct Args {
    /// Write hookgate.1 and one page for each verb into this folder, which is made if it is not there
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
}

/// Runs the verb for the command line of the program.
///
/// # Errors
/// A page cannot be written, or stdout takes no more.
pub fn run(args: &Args, command: Command) -> Result<Exit, Abort> {
    let pages = pages(command).map_err(|error| Abort::failure(format!("no page: {error}")))?;
    let Some(dir) = &args.dir else {
        let first = pages.first().map(|(_, page)| page.as_str());
        stdout::file(first.unwrap_or_default())?;
        return Ok(Exit::Ok);
    };
    fs::create_dir_all(dir).map_err(|error| Abort::file("make", dir, &error))?;
    for (name, page) in &pages {
        let path = dir.join(name);
        fs::write(&path, page).map_err(|error| Abort::file("write", &path, &error))?;
    }
    let written = count(pages.len(), "page");
    stdout::print(&format!("{written} in {}\n", dir.display()))?;
    Ok(Exit::Ok)
}

/// Returns the pages, each with the name of its file; first that of the command itself.
fn pages(command: Command) -> std::io::Result<Vec<(String, String)>> {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    let mut commands = vec![command];
    while let Some(command) = commands.pop() {
        commands.extend(command.get_subcommands().filter(|verb| !verb.is_hide_set()).cloned());
        let man = Man::new(command);
        let mut page = Vec::new();
        man.render(&mut page)?;
        pages.push((man.get_filename(), plain(&String::from_utf8_lossy(&page))));
    }
    Ok(pages)
}

/// Writes letters beyond ASCII by their number, so that the page needs no encoding.
fn plain(page: &str) -> String {
    let mut plain = String::with_capacity(page.len());
    for c in page.chars() {
        if c.is_ascii() {
            plain.push(c);
        } else {
            plain.push_str(&format!("\\[u{:04X}]", u32::from(c)));
        }
    }
    plain
}
