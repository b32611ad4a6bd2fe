//! Colours, and the words that are said on stderr.

use std::io::Write;

use anstyle::{AnsiColor, Style};
use comfy_table::Color;
use hookgate::Outcome;

use crate::text;

/// How many characters of a place are shown.
const PLACE: usize = 300;

/// Bold.
pub(crate) const BOLD: Style = Style::new().bold();
/// What can be overlooked.
pub(crate) const DIM: Style = Style::new().dimmed();
/// Something is wrong.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// Something may be wrong.
pub(crate) const DOUBTFUL: Style = AnsiColor::Yellow.on_default().bold();
/// All is well.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
/// What to do next.
const HELP: Style = AnsiColor::Cyan.on_default();

/// The style of a decision in a text.
pub(crate) const fn style(outcome: Outcome) -> Style {
    match outcome {
        Outcome::Allow | Outcome::Answered => GOOD,
        Outcome::Ask => DOUBTFUL,
        Outcome::Deny | Outcome::Halt => BAD,
    }
}

/// The colour of a decision in a table.
pub(crate) const fn cell(outcome: Outcome) -> Color {
    match outcome {
        Outcome::Allow => Color::Green,
        Outcome::Answered => Color::Cyan,
        Outcome::Ask => Color::Yellow,
        Outcome::Deny | Outcome::Halt => Color::Red,
    }
}

/// Says on stderr what went wrong, and what to do next.
pub(crate) fn error(message: &str, help: Option<&str>) {
    say(BAD, "error", message);
    if let Some(text) = help {
        say(HELP, " help", text);
    }
}

/// Says on stderr what is wrong at a place: `file:line:column: message`, as compilers do.
pub(crate) fn error_at(place: &str, message: &str) {
    say(BOLD, &text::one_line(place, PLACE), message);
}

/// Says on stderr what may be wrong.
pub(crate) fn warning(message: &str) {
    say(DOUBTFUL, "warning", message);
}

/// Says something on stderr.
pub(crate) fn note(message: &str) {
    say(HELP, "hookgate", message);
}

fn say(style: Style, label: &str, message: &str) {
    // It may quote a step or a config: what stands there must not be taken for a line of ours.
    let message = text::line(message);
    // Where stderr is closed there is nobody left to tell.
    let _ = writeln!(anstream::stderr().lock(), "{style}{label}:{style:#} {message}");
}
