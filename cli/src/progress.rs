//! A progress bar on stderr that other messages do not tear.

use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

const TEMPLATE: &str = "{wide_bar} {bytes}/{total_bytes} {msg} {elapsed}";
const COUNTED: &str = "{wide_bar} {pos}/{len} {elapsed}";

/// The bar, or nothing where there can be none.
#[derive(Debug, Clone)]
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// No bar.
    pub(crate) fn none() -> Self {
        Self(ProgressBar::hidden())
    }

    /// A bar over so many bytes. There is none where their number is not known, or where the lines
    /// on stdout would tear it.
    pub(crate) fn over(bytes: Option<u64>) -> Self {
        let fits = io::stderr().is_terminal() && !io::stdout().is_terminal();
        let Some(bytes) = bytes.filter(|_| fits) else { return Self(ProgressBar::hidden()) };
        // Ten times a second is enough for eyes.
        let bar =
            ProgressBar::with_draw_target(Some(bytes), ProgressDrawTarget::stderr_with_hz(10));
        let style = ProgressStyle::with_template(TEMPLATE);
        Self(bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())))
    }

    /// A bar over so many things, for a verb that prints nothing on stdout meanwhile.
    pub(crate) fn of(things: usize) -> Self {
        if !io::stderr().is_terminal() {
            return Self(ProgressBar::hidden());
        }
        let style = ProgressStyle::with_template(COUNTED);
        let bar = ProgressBar::new(things as u64)
            .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        // The first of them may take long: the bar is there before.
        bar.tick();
        Self(bar)
    }

    /// One of the things is done.
    pub(crate) fn one_more(&self) {
        self.0.inc(1);
    }

    /// Goes on by so many bytes; so many steps are done.
    pub(crate) fn advance(&self, bytes: u64, steps: u64) {
        self.0.inc(bytes);
        if !self.0.is_hidden() {
            self.0.set_message(format!("{steps} steps"));
        }
    }

    /// Says something on stderr meanwhile.
    pub(crate) fn aside<T>(&self, say: impl FnOnce() -> T) -> T {
        self.0.suspend(say)
    }

    /// Takes the bar away.
    pub(crate) fn end(&self) {
        self.0.finish_and_clear();
    }
}
