//! Asks whether to go on, and what is wanted.

use std::io::{self, BufRead as _, IsTerminal as _};

use crate::abort::Abort;
use crate::terminal::stderr;
use crate::terminal::style::{BOLD, DIM};

/// Asks on the terminal. Everything but a yes is a no. `look` is the option that only shows what would change.
pub(crate) fn agree(question: &str, look: &str) -> Result<(), Abort> {
    if !io::stdin().is_terminal() {
        return Err(Abort::usage("nobody can be asked: this is not a terminal")
            .help(format!("look at it with {look}, then add --yes")));
    }
    stderr::print(&format!("{BOLD}{question}{BOLD:#} [y/N] "));
    let mut answer = String::new();
    io::stdin()
        .lock()
        .read_line(&mut answer)
        .map_err(|error| Abort::failure(format!("cannot read the answer: {error}")))?;
    if ["y", "yes"].contains(&answer.trim().to_lowercase().as_str()) {
        return Ok(());
    }
    Err(Abort::failure("nothing was changed"))
}

/// Whether somebody can be asked: both stdin and stdout are a terminal.
pub(crate) fn is_possible() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Asks on the terminal which of some names is meant, each with what it stands for. The answer is its number or
/// name; the first one is taken if the line is empty.
///
/// # Errors
/// There is no such one, or no answer.
pub(crate) fn choose<'n>(question: &str, names: &[(&'n str, String)]) -> Result<&'n str, Abort> {
    let mut text = format!("{BOLD}{question}{BOLD:#}\n");
    for (number, (name, about)) in (1..).zip(names) {
        text.push_str(&format!("  {number}  {BOLD}{name:<8}{BOLD:#} {DIM}{about}{DIM:#}\n"));
    }
    let first = names.first().map_or("", |(name, _)| *name);
    stderr::print(&format!("{text}Number or name [{first}]: "));
    let mut answer = String::new();
    let read = io::stdin().lock().read_line(&mut answer);
    let read = read.map_err(|error| Abort::failure(format!("cannot read the answer: {error}")))?;
    let is_meant = |number: usize, name: &str| match answer.trim() {
        "" => number == 1 && read > 0,
        answer => answer == name || answer.parse() == Ok(number),
    };
    let found = (1..).zip(names).find(|(number, (name, _))| is_meant(*number, name));
    let known: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
    match found {
        Some((_, (name, _))) => Ok(name),
        None if read == 0 => Err(Abort::failure("there was no answer: nothing was written")),
        None => Err(Abort::unknown_name("example", answer.trim(), &known)),
    }
}
