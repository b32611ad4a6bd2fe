//! Asks whether to go on.

use std::io::{self, BufRead as _, IsTerminal as _};

use crate::abort::Abort;
use crate::terminal::stderr;
use crate::terminal::style::BOLD;

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
