//! The files that the settings of a hook name, and what identifies them together.

use std::fmt;
use std::path::{Path, PathBuf};

use hmac_sha256::Hash;

use crate::file;

/// Reads the files of a hook, and keeps what identifies them.
///
/// ```
/// use hookgate_contract::files::Files;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = std::env::temp_dir().join(format!("hookgate-files-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// std::fs::write(folder.join("policy.rego"), "package a")?;
/// let mut files = Files::at(&folder);
/// assert_eq!(files.read("policy.rego")?, "package a");
/// assert!(files.read("missing").unwrap_err().starts_with("`missing` cannot be read: "));
/// let (hash, paths) = files.finish();
/// assert_eq!((hash.len(), paths), (64, vec![folder.join("policy.rego"), folder.join("missing")]));
/// # Ok(())
/// # }
/// ```
pub struct Files<'a> {
    base: &'a Path,
    hash: Hash,
    paths: Vec<PathBuf>,
}

impl<'a> Files<'a> {
    /// Makes a reader of files whose relative paths start at a folder.
    #[must_use]
    pub fn at(base: &'a Path) -> Self {
        Self { base, hash: Hash::new(), paths: Vec::new() }
    }

    /// Reads a file of at most [`file::LIMIT`] bytes. Its path is kept even if that fails: it may come later.
    ///
    /// # Errors
    /// A sentence for the config.
    pub fn read(&mut self, name: &str) -> Result<String, String> {
        let path = self.base.join(name);
        self.paths.push(std::path::absolute(&path).unwrap_or_else(|_| path.clone()));
        let text = file::read_text(&path, file::LIMIT)
            .map_err(|error| format!("`{name}` cannot be read: {error}"))?;
        // The length keeps two files apart that were cut at another point.
        self.hash.update(text.len().to_le_bytes());
        self.hash.update(text.as_bytes());
        Ok(text)
    }

    /// Returns a hash of all that was read, in hexadecimal digits, and the paths.
    #[must_use]
    pub fn finish(self) -> (String, Vec<PathBuf>) {
        let hash = self.hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        (hash, self.paths)
    }
}

impl fmt::Debug for Files<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Files")
            .field("base", &self.base)
            .field("paths", &self.paths)
            .finish_non_exhaustive()
    }
}
