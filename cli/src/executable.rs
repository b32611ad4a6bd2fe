//! Whether a file is a program.

use std::fs::Metadata;

/// Tells whether a file may be started.
#[cfg(unix)]
pub(crate) fn is_executable(found: &Metadata, _content: &[u8]) -> bool {
    use std::os::unix::fs::PermissionsExt as _;

    found.permissions().mode() & 0o111 != 0
}

/// Tells whether a file could be started where scripts can: Windows has no mode that says so.
#[cfg(not(unix))]
pub(crate) fn is_executable(_found: &Metadata, content: &[u8]) -> bool {
    content.starts_with(b"#!")
}
