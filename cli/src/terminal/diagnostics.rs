//! The mistakes in a config, on stderr, each with its position in the file.

use std::fmt::{self, Write as _};
use std::io::{self, IsTerminal};

use anstream::{AutoStream, ColorChoice};
use hookgate::config::ConfigError;
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, Severity};

use crate::terminal::table::{self, To};
use crate::terminal::{sanitize, stderr};

/// How many bytes of a file are drawn around a mistake.
const DRAWN: usize = 4096;

/// Prints mistakes: on a terminal drawn into the text of the file, otherwise one line each, as
/// compilers do.
pub(crate) fn print(errors: &[ConfigError], severity: Severity) {
    if errors.is_empty() {
        return;
    }
    let terminal = io::stderr().is_terminal();
    let mut text = String::new();
    for error in errors {
        let before = text.len();
        let drawn = terminal && is_drawable(error) && draw(error, severity, &mut text).is_ok();
        if !drawn {
            text.truncate(before);
            write_line(error, severity, &mut text);
        }
    }
    stderr::print(&text);
}

/// Whether the lines around a mistake are short enough to be drawn.
fn is_drawable(error: &ConfigError) -> bool {
    let span = error.labels().and_then(|mut labels| labels.next());
    let around = span.and_then(|span| error.source_code()?.read_span(span.inner(), 1, 1).ok());
    around.is_none_or(|around| around.data().len() <= DRAWN)
}

fn write_line(error: &ConfigError, severity: Severity, out: &mut String) {
    let label = if severity == Severity::Error { "" } else { "warning: " };
    // A message may have several lines; a diagnostic must not.
    let message = sanitize::line(&error.message());
    let (file, row, column) = (sanitize::line(error.file()), error.line(), error.column());
    // Writing to a string does not fail.
    let _ = writeln!(out, "{file}:{row}:{column}: {label}{message}");
    if let Some(help) = error.help() {
        let _ = writeln!(out, "  help: {}", sanitize::line(help));
    }
}

fn draw(error: &ConfigError, severity: Severity, out: &mut String) -> fmt::Result {
    let theme = if AutoStream::choice(&io::stderr()) == ColorChoice::Never {
        GraphicalTheme::unicode_nocolor()
    } else {
        GraphicalTheme::unicode()
    };
    let width = table::width(To::Stderr);
    let handler = GraphicalReportHandler::new_themed(theme).with_links(false).with_width(width);
    handler.render_report(out, &Graded { error, severity })?;
    out.push('\n');
    Ok(())
}

/// A mistake with the severity that it is shown with.
#[derive(Debug)]
struct Graded<'e> {
    error: &'e ConfigError,
    severity: Severity,
}

impl fmt::Display for Graded<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&sanitize::line(&self.error.to_string()))
    }
}

impl std::error::Error for Graded<'_> {}

impl Diagnostic for Graded<'_> {
    fn severity(&self) -> Option<Severity> {
        Some(self.severity)
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let help = Diagnostic::help(self.error)?.to_string();
        Some(Box::new(sanitize::line(&help)))
    }

    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        self.error.source_code()
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = miette::LabeledSpan> + '_>> {
        self.error.labels()
    }
}
