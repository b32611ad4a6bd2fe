//! What is wrong with a config, on stderr: with the place in the file.

use std::fmt::{self, Write as _};
use std::io::{self, IsTerminal};

use anstream::{AutoStream, ColorChoice};
use hookgate::config::ConfigError;
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, Severity};

use crate::{output, text};

/// How many bytes of a file are drawn around a mistake.
const DRAWN: usize = 4096;

/// Prints mistakes: drawn into the text of the file on a terminal, else one line each, as compilers
/// do.
pub(crate) fn print(errors: &[ConfigError], severity: Severity) {
    if errors.is_empty() {
        return;
    }
    let terminal = io::stderr().is_terminal();
    let mut text = String::new();
    for error in errors {
        let before = text.len();
        let drawn = terminal && fits(error) && draw(error, severity, &mut text).is_ok();
        if !drawn {
            text.truncate(before);
            line(error, severity, &mut text);
        }
    }
    output::aside(&text);
}

/// Whether the lines around a mistake are short enough to be drawn.
fn fits(error: &ConfigError) -> bool {
    let span = error.labels().and_then(|mut labels| labels.next());
    let around = span.and_then(|span| error.source_code()?.read_span(span.inner(), 1, 1).ok());
    around.is_none_or(|around| around.data().len() <= DRAWN)
}

fn line(error: &ConfigError, severity: Severity, out: &mut String) {
    let label = if severity == Severity::Error { "" } else { "warning: " };
    // A message may have several lines; a diagnostic must not.
    let message = text::line(&error.message());
    let place = (text::line(error.file()), error.line(), error.column());
    // Writing to a string does not fail.
    let _ = writeln!(out, "{}:{}:{}: {label}{message}", place.0, place.1, place.2);
    if let Some(help) = error.help() {
        let _ = writeln!(out, "  help: {}", text::line(help));
    }
}

fn draw(error: &ConfigError, severity: Severity, out: &mut String) -> fmt::Result {
    let theme = if AutoStream::choice(&io::stderr()) == ColorChoice::Never {
        GraphicalTheme::unicode_nocolor()
    } else {
        GraphicalTheme::unicode()
    };
    let handler = GraphicalReportHandler::new_themed(theme).with_links(false);
    handler.render_report(out, &Graded { error, severity })?;
    out.push('\n');
    Ok(())
}

/// A mistake, or what is only worth knowing.
#[derive(Debug)]
struct Graded<'e> {
    error: &'e ConfigError,
    severity: Severity,
}

impl fmt::Display for Graded<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text::line(&self.error.to_string()))
    }
}

impl std::error::Error for Graded<'_> {}

impl Diagnostic for Graded<'_> {
    fn severity(&self) -> Option<Severity> {
        Some(self.severity)
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let help = Diagnostic::help(self.error)?.to_string();
        Some(Box::new(text::line(&help)))
    }

    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        self.error.source_code()
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = miette::LabeledSpan> + '_>> {
        self.error.labels()
    }
}
