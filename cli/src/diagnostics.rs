//! What is wrong with a config, on stderr: with the place in the file.

use std::fmt::{self, Write as _};
use std::io::{self, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use hookgate::config::ConfigError;
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, Severity};

/// Prints mistakes: drawn into the text of the file on a terminal, else one line each, as compilers
/// do.
pub(crate) fn print(errors: &[ConfigError], severity: Severity) {
    if errors.is_empty() {
        return;
    }
    let stderr = io::stderr();
    let mut text = String::new();
    let drawn = stderr.is_terminal() && draw(errors, severity, &mut text).is_ok();
    if !drawn {
        text.clear();
        for error in errors {
            line(error, severity, &mut text);
        }
    }
    // Where stderr is closed there is nobody left to tell.
    let _ = stderr.lock().write_all(text.as_bytes());
}

fn line(error: &ConfigError, severity: Severity, out: &mut String) {
    let label = if severity == Severity::Error { "" } else { "warning: " };
    // A message may have several lines; a diagnostic must not.
    let message = error.message().replace('\n', " ");
    let place = (error.file(), error.line(), error.column());
    // Writing to a string does not fail.
    let _ = writeln!(out, "{}:{}:{}: {label}{message}", place.0, place.1, place.2);
    if let Some(help) = error.help() {
        let _ = writeln!(out, "  help: {help}");
    }
}

fn draw(errors: &[ConfigError], severity: Severity, out: &mut String) -> fmt::Result {
    let theme = if AutoStream::choice(&io::stderr()) == ColorChoice::Never {
        GraphicalTheme::unicode_nocolor()
    } else {
        GraphicalTheme::unicode()
    };
    let handler = GraphicalReportHandler::new_themed(theme).with_links(false);
    for error in errors {
        handler.render_report(out, &Graded { error, severity })?;
        out.push('\n');
    }
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
        self.error.fmt(f)
    }
}

impl std::error::Error for Graded<'_> {}

impl Diagnostic for Graded<'_> {
    fn severity(&self) -> Option<Severity> {
        Some(self.severity)
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Diagnostic::help(self.error)
    }

    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        self.error.source_code()
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = miette::LabeledSpan> + '_>> {
        self.error.labels()
    }
}
