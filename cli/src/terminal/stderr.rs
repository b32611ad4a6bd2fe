//! Messages on stderr.

use std::io::Write;

use anstyle::Style;

use crate::terminal::sanitize::{for_terminal, line, one_line};
use crate::terminal::style::{BAD, BOLD, DOUBTFUL, HELP};

/// How many characters of a position are shown: it begins with the path of a file.
const POSITION: usize = 300;

/// Reports what went wrong, and what to do next.
pub(crate) fn error(message: &str, help: Option<&str>) {
    write_line(BAD, "error", message);
    if let Some(text) = help {
        write_line(HELP, " help", text);
    }
}

/// Reports what is wrong at a position of a file: `file:line:column: message`, as compilers do.
pub(crate) fn error_at(position: &str, message: &str) {
    write_line(BOLD, &one_line(position, POSITION), message);
}

/// Reports what may be wrong.
pub(crate) fn warning(message: &str) {
    write_line(DOUBTFUL, "warning", message);
}

/// Reports what is worth knowing.
pub(crate) fn note(message: &str) {
    write_line(HELP, "hookgate", message);
}

fn write_line(style: Style, label: &str, message: &str) {
    // The message may quote a step or a config: a line end in it must not look like a new message.
    let message = line(message);
    // A closed stderr leaves nowhere to report that it is closed.
    let _ = writeln!(anstream::stderr().lock(), "{style}{label}:{style:#} {message}");
}

/// Prints a text, with its colours only if stderr takes colours.
pub(crate) fn print(text: &str) {
    // A closed stderr leaves nowhere to report that it is closed.
    let _ = anstream::stderr().lock().write_all(for_terminal(text).as_bytes());
}
