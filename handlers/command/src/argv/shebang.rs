//! The first line of a script: `#!/usr/bin/env python3`.
//!
//! The kernel reads it, and a relative path in it means another file in each session. Only the first
//! 256 bytes are read, as the kernel does.

use std::io::Read;
use std::path::Path;

/// Returns what follows `#!` in the first line of a file; `None` for a file without such a line.
pub(crate) fn first_line(program: &Path) -> Option<String> {
    let mut beginning = [0; 256];
    let mut file = std::fs::File::open(program).ok()?;
    let count = file.read(&mut beginning).ok()?;
    let line = beginning.get(..count)?.strip_prefix(b"#!")?;
    let line = line.split(|byte| *byte == b'\n').next()?;
    Some(std::str::from_utf8(line).ok()?.trim().to_owned()).filter(|line| !line.is_empty())
}

/// Splits a first line into the interpreter and its one argument, which is empty if there is none.
/// The kernel does not split the argument any further.
pub(super) fn split_line(line: &str) -> (&str, &str) {
    match line.split_once([' ', '\t']) {
        Some((interpreter, argument)) => (interpreter, argument.trim()),
        None => (line, ""),
    }
}
