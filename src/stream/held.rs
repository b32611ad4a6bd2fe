//! The text that is held back until it is settled.

use std::sync::Arc;

use hookgate_contract::TextCuts;

use crate::panic_boundary::catch;

/// How many bytes come at least between two looks at a held text.
const STEP: usize = 16;

/// How often the handlers are asked for a cut that all of them can make.
const MOST_ROUNDS: usize = 8;

/// The text behind the last cut.
///
/// It is looked at when it has so many bytes, whatever the parts are in which they came; so the cuts depend on the text
/// alone. The longer it is held, the more has to come before it is looked at again, so all looks together take time that
/// is linear in the text.
#[derive(Debug)]
pub(super) struct HeldText {
    text: String,
    /// Where the text behind the last cut begins.
    start: usize,
    /// How many bytes behind the last cut the next look is at.
    next_look: usize,
    /// How many bytes are settled, once a look has found a cut; 0 before.
    settled: usize,
}

impl HeldText {
    pub(super) const fn new() -> Self {
        Self { text: String::new(), start: 0, next_look: STEP, settled: 0 }
    }

    pub(super) fn push(&mut self, part: &str) {
        self.text.push_str(part);
    }

    pub(super) const fn len(&self) -> usize {
        self.text.len() - self.start
    }

    fn held(&self) -> &str {
        self.text.get(self.start..).unwrap_or_default()
    }

    /// Returns the next piece that is settled. It stays until it is [dropped](Self::drop_piece).
    pub(super) fn piece(&mut self, cuts: &[Arc<dyn TextCuts>]) -> Option<&str> {
        while self.settled == 0 {
            let held = self.held();
            let mut end = self.next_look;
            if end > held.len() {
                return None;
            }
            while !held.is_char_boundary(end) {
                end += 1;
            }
            let settled = last_cut(cuts, held.get(..end)?);
            let rest = end - settled;
            self.next_look = rest + STEP.max(rest / 4);
            self.settled = settled;
        }
        self.held().get(..self.settled)
    }

    /// Drops the piece that was judged.
    pub(super) fn drop_piece(&mut self) {
        self.start += std::mem::take(&mut self.settled);
        // What is dropped is moved over when it is more than what is left, so that each byte is moved once.
        if self.start > self.len() {
            self.text.drain(..self.start);
            self.start = 0;
        }
    }

    /// Takes all that is held.
    pub(super) fn take_all(&mut self) -> String {
        let mut all = std::mem::replace(self, Self::new());
        all.text.split_off(all.start)
    }
}

/// Returns the last place at which all handlers can cut a text; 0 if there is none.
fn last_cut(cuts: &[Arc<dyn TextCuts>], text: &str) -> usize {
    let mut most = text.len();
    for _ in 0..MOST_ROUNDS {
        let before = most;
        for cut in cuts {
            // A handler that cannot say it holds the text.
            let at = catch("the cuts of a handler", || cut.last_cut(text, most)).unwrap_or(0);
            if at == 0 || at > most || !text.is_char_boundary(at) {
                return 0;
            }
            most = at;
        }
        if most == before || cuts.len() == 1 {
            return most;
        }
    }
    0
}
