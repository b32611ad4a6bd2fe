//! How far the hooks that judge windows are with a text.

use crate::table::EarlyHooks;

/// How far the hooks of each size of windows are.
#[derive(Debug)]
pub(super) struct Windows {
    /// Where the text begins that the hooks have not judged, for each size.
    at: Vec<usize>,
}

/// The next window of a text.
pub(super) struct Window {
    /// Which size it has.
    pub(super) size: usize,
    /// Where it begins, with its overlap.
    pub(super) from: usize,
    /// Where it ends.
    pub(super) to: usize,
}

impl Windows {
    pub(super) const fn new() -> Self {
        Self { at: Vec::new() }
    }

    /// Returns the next window that has come as a whole, of any size. It is the next one until it is
    /// [judged](Self::judged).
    pub(super) fn next(&mut self, hooks: &EarlyHooks, text: &str) -> Option<Window> {
        self.at.resize(hooks.windows.len(), 0);
        let mut sizes = self.at.iter().zip(&hooks.windows).enumerate();
        sizes.find_map(|(size, (&at, (window, _)))| {
            let to = at + window.end_in(text.get(at..)?)?;
            Some(Window { size, from: window.overlap_before(text, at), to })
        })
    }

    /// Notes that a window was judged.
    pub(super) fn judged(&mut self, window: &Window) {
        if let Some(at) = self.at.get_mut(window.size) {
            *at = window.to;
        }
    }

    /// Returns how many bytes all of them have judged; all there are if there are no windows.
    pub(super) fn settled(&self) -> usize {
        self.at.iter().copied().min().unwrap_or(usize::MAX)
    }
}
