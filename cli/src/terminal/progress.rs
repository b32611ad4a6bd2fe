//! A progress bar on stderr, which is hidden while a message is printed.

use std::io::{self, IsTerminal};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

const BYTES: &str = "{wide_bar} {bytes}/{total_bytes} {msg} {elapsed}";
const ITEMS: &str = "{wide_bar} {pos}/{len} {elapsed}, {eta} to go";

/// How often a bar is drawn: often enough for eyes.
const DRAWS_PER_SECOND: u8 = 10;

/// How often the clock of a bar moves although nothing is done.
const TICK: Duration = Duration::from_millis(500);

/// A bar, which may be hidden.
#[derive(Debug, Clone)]
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// Returns a bar that is never shown.
    pub(crate) fn hidden() -> Self {
        Self(ProgressBar::hidden())
    }

    /// Returns a bar over a number of bytes. It is hidden if the number is not known, and if lines
    /// on stdout would tear it; a verb that hides the bar while it prints there can have it.
    pub(crate) fn over_bytes(bytes: Option<u64>, hides_it: bool) -> Self {
        let fits = io::stderr().is_terminal() && (hides_it || !io::stdout().is_terminal());
        bytes.filter(|_| fits).map_or_else(Self::hidden, |bytes| Self::shown(bytes, BYTES))
    }

    /// Returns a bar over a number of items, for a verb that prints nothing on stdout meanwhile.
    pub(crate) fn over_items(items: u64) -> Self {
        if !io::stderr().is_terminal() {
            return Self::hidden();
        }
        let bar = Self::shown(items, ITEMS);
        // The first item may take long: the bar is there from the start, and its clock moves.
        bar.0.enable_steady_tick(TICK);
        bar
    }

    fn shown(length: u64, template: &str) -> Self {
        let target = ProgressDrawTarget::stderr_with_hz(DRAWS_PER_SECOND);
        let style = ProgressStyle::with_template(template);
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        Self(ProgressBar::with_draw_target(Some(length), target).with_style(style))
    }

    /// Counts an item that is done.
    pub(crate) fn advance_item(&self) {
        self.0.inc(1);
    }

    /// Counts bytes that were read, and shows how many steps are done in all.
    pub(crate) fn advance_bytes(&self, bytes: u64, steps: u64) {
        self.0.inc(bytes);
        if !self.0.is_hidden() {
            self.0.set_message(format!("{steps} steps"));
        }
    }

    /// Hides the bar while something else is printed on stderr.
    pub(crate) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.0.suspend(print)
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        self.0.finish_and_clear();
    }
}
