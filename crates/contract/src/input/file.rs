//! Reading the files that a config is made of, so that none of them can hold up or fill the reader.

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;

/// How many bytes a config, or a file that it names, may have: 8 MiB.
pub const LIMIT: u64 = 8 << 20;

/// Reads a regular file of at most `limit` bytes.
///
/// Reading a named pipe would wait for a writer, and a device might never end. Both are refused without
/// waiting, even if one has replaced the file a moment ago: the file is opened first and then checked.
///
/// ```
/// use std::path::Path;
/// use hookgate_contract::file;
///
/// let refused = file::read(Path::new("/dev/zero"), file::LIMIT).unwrap_err();
/// assert_eq!(refused.to_string(), "it is a device, not a regular file");
/// ```
///
/// # Errors
/// The error of the system; or what the file is, if it is not a regular one or too large.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let found = file.metadata()?;
    if !found.is_file() {
        let what = format!("it is {}, not a regular file", kind_of(&found));
        return Err(io::Error::new(ErrorKind::InvalidInput, what));
    }
    let too_large = || {
        let what = format!("it is larger than {limit} bytes");
        io::Error::new(ErrorKind::FileTooLarge, what)
    };
    if found.len() > limit {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    // It may grow while it is read.
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(too_large()) } else { Ok(bytes) }
}

/// Reads a regular file of at most `limit` bytes as text.
///
/// # Errors
/// As [`read`], and if it is not UTF-8.
pub fn read_text(path: &Path, limit: u64) -> io::Result<String> {
    let not_text = |_| io::Error::new(ErrorKind::InvalidData, "it is not UTF-8");
    String::from_utf8(read(path, limit)?).map_err(not_text)
}

#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    // Opening a pipe without a writer would wait otherwise.
    File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

#[cfg(unix)]
fn kind_of(found: &Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt as _;
    let kind = found.file_type();
    if kind.is_dir() {
        "a folder"
    } else if kind.is_fifo() {
        "a named pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
fn kind_of(found: &Metadata) -> &'static str {
    if found.is_dir() { "a folder" } else { "something else" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_of_a_bounded_size_are_read() {
        let refused = |path: &Path, limit| read(path, limit).unwrap_err().to_string();
        assert_eq!(refused(Path::new("/dev/zero"), 9), "it is a device, not a regular file");
        assert_eq!(refused(Path::new("/"), 9), "it is a folder, not a regular file");
        let this = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/input/file.rs");
        let whole = read(&this, LIMIT).unwrap();
        let size = whole.len() as u64;
        assert_eq!(read(&this, size).unwrap(), whole);
        assert_eq!(refused(&this, size - 1), format!("it is larger than {} bytes", size - 1));
        assert_eq!(read_text(&this, size).unwrap().into_bytes(), whole);
    }
}
