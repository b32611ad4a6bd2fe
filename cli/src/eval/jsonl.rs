//! Files of JSON lines.

use std::path::Path;

use hookgate::contract::file;
use serde::de::DeserializeOwned;

use crate::eval::error::EvalError;

/// How many bytes such a file may have.
const LIMIT: u64 = 256 << 20;

/// Reads a whole file.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, EvalError> {
    file::read(path, LIMIT).map_err(|error| EvalError::File {
        action: "read",
        path: path.to_owned(),
        error,
    })
}

/// Returns the lines that are not blank, with their numbers from 1.
pub(crate) fn numbered_lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let lines = bytes.split(|&byte| byte == b'\n').enumerate();
    lines.map(|(index, line)| (index + 1, line.trim_ascii())).filter(|(_, line)| !line.is_empty())
}

/// Reads a value from parsed JSON; the error is a message.
pub(crate) fn from_value<T: DeserializeOwned>(
    value: serde_json::Result<serde_json::Value>,
) -> Result<T, String> {
    value.and_then(serde_json::from_value).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    #[test]
    fn blank_lines_are_counted_and_left_out() {
        let lines: Vec<_> = super::numbered_lines(b"a\r\n\n b").collect();
        assert_eq!(lines, [(1, &b"a"[..]), (3, &b"b"[..])]);
    }
}
