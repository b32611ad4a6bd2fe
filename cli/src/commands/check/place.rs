//! Files as programs that read reports know them: relative to the folder in which the check runs.

use std::path::{Path, PathBuf};

/// Returns the path of a file below the current folder, with `/` between its parts; another file as it
/// is.
pub(super) fn relative(file: &str) -> String {
    let path = Path::new(file);
    let below = std::env::current_dir().ok().and_then(|folder| {
        let absolute = std::path::absolute(path).ok()?;
        absolute.strip_prefix(&folder).ok().map(Path::to_path_buf)
    });
    let path: PathBuf = below.unwrap_or_else(|| path.to_owned());
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    match path.is_absolute() {
        true => path.display().to_string(),
        false => parts.join("/"),
    }
}

/// Returns the URI of a file: relative to the current folder, or with a scheme if it is not below it.
pub(super) fn uri(file: &str) -> String {
    let path = relative(file);
    let encoded: String = path.bytes().map(encode).collect();
    match encoded.starts_with('/') {
        true => format!("file://{encoded}"),
        false => encoded,
    }
}

/// Encodes a byte of a path unless it is a letter, a digit, or has no meaning of its own in a URI.
fn encode(byte: u8) -> String {
    match byte {
        b'/' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_is_relative_where_it_can_be() {
        assert_eq!(uri("a b/ü.toml"), "a%20b/%C3%BC.toml");
        assert_eq!(uri("./hooks.toml"), "hooks.toml");
        assert_eq!(uri("/etc/hookgate/hooks.toml"), "file:///etc/hookgate/hooks.toml");
        let here = std::env::current_dir().unwrap().join("x.toml");
        assert_eq!(uri(here.to_str().unwrap()), "x.toml");
    }
}
