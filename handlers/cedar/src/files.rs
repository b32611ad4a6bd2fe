//! The files that make up a policy.

use std::path::{Path, PathBuf};

use hmac_sha256::Hash;
use hookgate_contract::file;

/// Reads the files of a hook, and keeps what identifies them.
pub(crate) struct Files<'a> {
    base: &'a Path,
    hash: Hash,
    paths: Vec<PathBuf>,
}

impl<'a> Files<'a> {
    /// Makes a reader of files whose relative paths start at a folder.
    pub(crate) fn at(base: &'a Path) -> Self {
        Self { base, hash: Hash::new(), paths: Vec::new() }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// A sentence for the config.
    pub(crate) fn read(&mut self, name: &str) -> Result<String, String> {
        let path = self.base.join(name);
        self.paths.push(std::path::absolute(&path).unwrap_or_else(|_| path.clone()));
        let text = file::read_text(&path, file::LIMIT)
            .map_err(|error| format!("`{name}` cannot be read: {error}"))?;
        // The length keeps two files apart that were cut at another point.
        self.hash.update(text.len().to_le_bytes());
        self.hash.update(text.as_bytes());
        Ok(text)
    }

    /// Returns a hash of all that was read, and the paths.
    pub(crate) fn finish(self) -> (String, Vec<PathBuf>) {
        let hash = self.hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        (hash, self.paths)
    }
}
