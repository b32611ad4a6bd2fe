//! Replaces a file as a whole: whoever reads it sees the old text or the new one.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

/// Returns the mode of a file, to be given to another one; Windows has none.
pub(crate) fn mode_of(found: &fs::Metadata) -> u32 {
    #[cfg(unix)]
    return std::os::unix::fs::PermissionsExt::mode(&found.permissions());
    #[cfg(not(unix))]
    u32::from(found.permissions().readonly())
}

/// Writes the text beside the file and moves it there. The permissions of a file that is there stay; a new
/// file gets `mode`, without what the user's mask takes away. A missing folder is made.
///
/// # Errors
/// The folder cannot be made, or the file cannot be written or moved; the old one stays then.
#[cfg_attr(not(unix), allow(unused_variables, reason = "there are no modes"))]
pub(crate) fn replace(path: &Path, text: &str, mode: u32) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let kept = fs::metadata(path).ok().map(|found| found.permissions());
    let mut builder = tempfile::Builder::new();
    builder.prefix(".hookgate-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;

        let new = || fs::Permissions::from_mode(mode);
        builder.permissions(kept.clone().unwrap_or_else(new));
    }
    let mut file = builder.tempfile_in(folder)?;
    if let Some(kept) = kept {
        // The mask has no say in what was there.
        file.as_file().set_permissions(kept)?;
    }
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}
