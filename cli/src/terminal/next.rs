//! The command to try next, on a terminal.

use std::io::{self, IsTerminal as _};
use std::path::PathBuf;

use crate::shell_word::quoted;
use crate::terminal::sanitize::line;
use crate::terminal::style::{DIM, HELP};

/// Returns a line with the command to try next, with the configs that this one was given; nothing if stdout is no
/// terminal.
pub(crate) fn hint(verb: &str, configs: &[PathBuf], rest: &str) -> String {
    if !io::stdout().is_terminal() {
        return String::new();
    }
    let configs: String =
        configs.iter().map(|file| format!(" -c {}", quoted(&file.display().to_string()))).collect();
    let command = line(format!("hookgate {verb}{configs} {rest}").trim_end());
    format!("{DIM}next:{DIM:#} {HELP}{command}{HELP:#}\n")
}
