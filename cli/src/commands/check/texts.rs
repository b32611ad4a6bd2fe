//! The texts of configs, in which the places of hooks are found.

use std::collections::HashMap;
use std::path::Path;

use hookgate::table::Origin;

/// The texts that were read so far.
#[derive(Debug, Default)]
pub(in crate::commands) struct Texts(HashMap<String, String>);

impl Texts {
    /// Begins with the text of a file that may not be saved.
    pub(super) fn with(file: &Path, text: &str) -> Self {
        Self(HashMap::from([(file.display().to_string(), text.to_owned())]))
    }

    /// Returns the file of a hook and its text; without one, or if it cannot be read, both are empty.
    pub(super) fn of(&mut self, origin: &Origin) -> (String, &str) {
        let name = origin.file_name().unwrap_or_default().to_owned();
        let text = self.0.entry(name.clone());
        let text = text.or_insert_with(|| std::fs::read_to_string(&name).unwrap_or_default());
        (name, text)
    }
}
