//! An assessment as text and as an HTML page.

mod html;
mod rows;
mod svg;
mod text;

use anstyle::{AnsiColor, Style};

use crate::eval::assessment::Assessment;
use crate::eval::error::EvalError;

/// How many characters of a reason are shown.
const REASON: usize = 200;

/// The styles of a report in text.
///
/// ```
/// use hookgate_cli::eval::Theme;
///
/// assert_ne!(Theme::coloured(), Theme::plain());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Theme {
    /// Headings.
    pub heading: Style,
    /// What can be overlooked.
    pub dim: Style,
    /// What is right.
    pub good: Style,
    /// What is wrong.
    pub bad: Style,
}

impl Theme {
    /// Returns no styles, for a file or a log.
    #[must_use]
    pub const fn plain() -> Self {
        let none = Style::new();
        Self { heading: none, dim: none, good: none, bad: none }
    }

    /// Returns the styles of a terminal: bold, dim, green and red.
    #[must_use]
    pub const fn coloured() -> Self {
        Self {
            heading: Style::new().bold(),
            dim: Style::new().dimmed(),
            good: AnsiColor::Green.on_default().bold(),
            bad: AnsiColor::Red.on_default().bold(),
        }
    }
}

/// Which steps a report in text names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Cases {
    /// The first of those that came to something other than their label.
    #[default]
    Misjudged,
    /// All of them, with the reason of each.
    All,
}

impl Assessment {
    /// Returns the report as text: verdict, metrics, confusion matrix, thresholds and steps.
    #[must_use]
    pub fn to_text(&self, theme: &Theme, cases: Cases) -> String {
        text::render(self, theme, cases)
    }

    /// Returns the report as one HTML page with plots and all steps, which needs no font or network. Its
    /// one script sorts and filters the steps.
    ///
    /// # Errors
    /// [`EvalError::Internal`] if the template of the page is damaged.
    pub fn to_html(&self) -> Result<String, EvalError> {
        html::render(self)
            .map_err(|error| EvalError::Internal(format!("the report cannot be made: {error:#}")))
    }
}
