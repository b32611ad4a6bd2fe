//! The token without which nothing is answered. It stands in a file that only its user can read, never on a command line,
//! and is printed nowhere.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::SocketAddr;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::super::http_error::HttpError;
use super::super::own_file::OwnFile;
use crate::bearer_token::BearerToken;
use crate::daemon::run_folder;
use crate::private_folder;

/// How many characters a token has at least. It is not typed, so it can be long enough that nobody guesses it.
const SHORTEST: usize = 32;

/// How many it has at most.
const LONGEST: u64 = 1024;

/// A link is not followed to what it leads to, and nobody is waited for who writes into a pipe.
const NO_LINK: i32 = OFlags::NOFOLLOW.union(OFlags::NONBLOCK).bits().cast_signed();

/// Reads the token of a file that only its user can read.
///
/// # Errors
/// Others can read it, or it is no token.
pub(super) fn read(path: &Path) -> Result<BearerToken, HttpError> {
    let wrong = |why: String| HttpError::Token { path: path.to_owned(), why };
    let unread = |error: io::Error| wrong(format!("cannot be read: {error}"));
    let file = File::options().read(true).custom_flags(NO_LINK).open(path).map_err(unread)?;
    let found = file.metadata().map_err(unread)?;
    if !found.is_file() || found.uid() != rustix::process::geteuid().as_raw() {
        return Err(wrong("is no file of this user".to_owned()));
    }
    if found.mode() & 0o077 != 0 {
        return Err(wrong("is open to others: `chmod 600` it, and make a new token".to_owned()));
    }
    let mut text = Vec::new();
    file.take(LONGEST + 1).read_to_end(&mut text).map_err(unread)?;
    let text = text.trim_ascii_end();
    let is_plain = text.iter().all(u8::is_ascii_graphic);
    if !is_plain || text.len() < SHORTEST || text.len() as u64 > LONGEST {
        return Err(wrong(format!(
            "holds no token: it has {SHORTEST} to {LONGEST} characters, without spaces"
        )));
    }
    BearerToken::of(String::from_utf8_lossy(text).into_owned()).map_err(unread)
}

/// Draws a token, and writes it to a file in the folder of this user's programs. The file goes with the server.
///
/// # Errors
/// The file cannot be written where only its user can read it.
pub(super) fn draw(address: SocketAddr) -> Result<(BearerToken, OwnFile), HttpError> {
    let folder = run_folder().ok_or_else(|| {
        HttpError::System(
            "neither XDG_RUNTIME_DIR, XDG_STATE_HOME nor HOME is set: name a file with `--token-file`".to_owned(),
        )
    })?;
    let name = address.to_string().replace(|c: char| !c.is_ascii_alphanumeric() && c != '.', "-");
    let path = folder.join(format!("serve-{name}.token"));
    write(&folder, path.clone())
        .map_err(|error| HttpError::Token { path, why: format!("cannot be written: {error}") })
}

fn write(folder: &Path, path: PathBuf) -> io::Result<(BearerToken, OwnFile)> {
    private_folder::prepare_closed(folder)?;
    // One that was left by a server that was killed: who listens at the address is alone.
    fs::remove_file(&path).or_else(|error| match error.kind() {
        ErrorKind::NotFound => Ok(()),
        _ => Err(error),
    })?;
    let token = BearerToken::random()?;
    let mut file = File::options().write(true).create_new(true).mode(0o600).open(&path)?;
    let own = OwnFile::new(path)?;
    writeln!(file, "{}", token.text())?;
    Ok((token, own))
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn a_file_that_others_can_read_holds_no_token() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        let write = |text: &str, mode: u32| {
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            read(&path).map(drop)
        };
        let text = "0123456789abcdef0123456789abcdef";
        write(&format!("{text}\n"), 0o600).unwrap();
        write(text, 0o400).unwrap();
        for mode in [0o640, 0o604, 0o660, 0o644, 0o620, 0o610] {
            assert!(write(text, mode).unwrap_err().to_string().contains("chmod 600"), "{mode:o}");
        }
        for wrong in
            ["", "\n", "short", &text.replace('a', " "), &text.replace('a', "ä"), &text.repeat(40)]
        {
            let error = write(wrong, 0o600).unwrap_err().to_string();
            assert!(error.contains("32 to 1024") && !error.contains(text), "{error}");
        }
        write(text, 0o600).unwrap();
        let link = folder.path().join("link");
        symlink(&path, &link).unwrap();
        assert!(read(&link).is_err() && read(folder.path()).is_err());
    }
}
