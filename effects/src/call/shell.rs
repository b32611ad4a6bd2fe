//! The effects of a command line.

use super::Call;
use crate::effects::UnclearWhat;

impl Call<'_> {
    /// Adds what a shell would do with a text.
    pub(super) fn shell_text(&mut self, text: &str, folder: Option<&str>) {
        let _ = (text, folder);
        self.unclear(UnclearWhat::Anything, "shell text is not read yet".to_owned());
    }

    /// Adds what a program would do that is started with these words, without a shell.
    pub(super) fn shell_words(&mut self, words: &[&str], folder: Option<&str>) {
        let _ = (words, folder);
        self.unclear(UnclearWhat::Anything, "shell text is not read yet".to_owned());
    }
}
