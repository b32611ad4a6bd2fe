//! Colours and weights of what is printed.

use anstyle::{AnsiColor, Style};
use comfy_table::Color;
use hookgate::Outcome;

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
pub(crate) const HELP: Style = AnsiColor::Cyan.on_default();

/// Returns the style of a decision in a text.
pub(crate) const fn outcome_style(outcome: Outcome) -> Style {
    match outcome {
        Outcome::Allow | Outcome::Answered => GOOD,
        Outcome::Ask | Outcome::Cancelled => DOUBTFUL,
        Outcome::Deny | Outcome::Halt => BAD,
    }
}

/// Returns the colour of a decision in a table.
pub(crate) const fn outcome_colour(outcome: Outcome) -> Color {
    match outcome {
        Outcome::Allow => Color::Green,
        Outcome::Answered => Color::Cyan,
        Outcome::Ask | Outcome::Cancelled => Color::Yellow,
        Outcome::Deny | Outcome::Halt => Color::Red,
    }
}
