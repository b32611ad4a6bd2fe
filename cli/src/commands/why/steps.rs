//! The steps that are asked about: one JSON object over several lines, or one a line.

use std::path::Path;

use serde::de::IgnoredAny;

use crate::abort::Abort;
use crate::input::envelope::Unreadable;
use crate::input::lines::{LINE_LIMIT, Line, Lines};

/// The steps of a file or of stdin.
pub(super) struct Steps {
    lines: Lines,
    /// The lines that were read to find out what the file holds.
    first: Option<Read>,
}

/// A step as it was read.
pub(super) struct Read {
    /// The line on which it begins, from 1.
    pub(super) line: u64,
    /// Its bytes, or that there are too many.
    pub(super) bytes: Result<Vec<u8>, Unreadable>,
}

impl Steps {
    /// Opens a file, or stdin if the path is `-` or missing.
    pub(super) async fn open(path: Option<&Path>) -> Result<Self, Abort> {
        let mut lines = Lines::open(path)?;
        let first = next(&mut lines).await?;
        let Some(Read { line, bytes: Ok(mut text) }) = first else {
            return Ok(Self { lines, first });
        };
        // An object that does not end with its line goes on in the next ones.
        let goes_on = |text: &[u8]| {
            let read = serde_json::from_slice::<IgnoredAny>(text);
            read.is_err_and(|error| error.is_eof())
        };
        if goes_on(&text) {
            while let Some(Line { bytes: Some(more), .. }) = lines.next().await? {
                text.extend(more);
                if text.len() as u64 > LINE_LIMIT {
                    break;
                }
            }
        }
        let too_large = text.len() as u64 > LINE_LIMIT;
        let bytes = if too_large { Err(too_long()) } else { Ok(text) };
        Ok(Self { lines, first: Some(Read { line, bytes }) })
    }

    /// Returns the name for messages.
    pub(super) fn name(&self) -> &str {
        self.lines.name()
    }

    /// Returns the next step, or `None` at the end.
    pub(super) async fn next(&mut self) -> Result<Option<Read>, Abort> {
        match self.first.take() {
            Some(first) => Ok(Some(first)),
            None => next(&mut self.lines).await,
        }
    }
}

/// Returns the next line that is not blank.
async fn next(lines: &mut Lines) -> Result<Option<Read>, Abort> {
    while let Some(Line { number, bytes, .. }) = lines.next().await? {
        match bytes {
            Some(bytes) if bytes.trim_ascii().is_empty() => {}
            Some(bytes) => return Ok(Some(Read { line: number, bytes: Ok(bytes.into()) })),
            None => return Ok(Some(Read { line: number, bytes: Err(too_long()) })),
        }
    }
    Ok(None)
}

fn too_long() -> Unreadable {
    Unreadable::at_start("it is longer than 16 MiB")
}
