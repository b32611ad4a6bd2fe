//! The step on stdin, read until a moment.

use std::fs::File;
use std::io::{self, ErrorKind, Read as _};
use std::os::fd::AsFd as _;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::commands::hook::LIMIT;

/// How many bytes are read at once: as many as a pipe holds.
const CHUNK: usize = 64 << 10;

/// Reads stdin to its end. Of more than a step may have, so much is kept that whoever judges it sees that; the
/// rest is read all the same, since some agents fail a hook that does not read all that they write.
///
/// Returns `None` if the end has not come until that moment, or stdin cannot be read.
pub(super) fn read(end: Instant) -> Option<Vec<u8>> {
    // Not by way of the buffer that `Stdin` has: what is in there would not be waited for.
    let mut stdin = File::from(io::stdin().as_fd().try_clone_to_owned().ok()?);
    let most = usize::try_from(LIMIT).ok()? + 1;
    let mut text = Vec::new();
    let mut chunk = vec![0; CHUNK];
    loop {
        wait(&stdin, end)?;
        let read = match stdin.read(&mut chunk) {
            Ok(0) => return Some(text),
            Ok(read) => chunk.get(..read)?,
            Err(error) if is_passing(&error) => continue,
            Err(_) => return None,
        };
        let room = most.saturating_sub(text.len());
        text.extend_from_slice(read.get(..room.min(read.len()))?);
    }
}

/// Waits until there is something to read, or the end.
fn wait(stdin: &File, end: Instant) -> Option<()> {
    let rest: Duration = end.checked_duration_since(Instant::now())?;
    let rest = Timespec::try_from(rest).ok()?;
    match poll(&mut [PollFd::new(stdin, PollFlags::IN)], Some(&rest)) {
        Ok(0) => None,
        Ok(_) => Some(()),
        Err(error) if is_passing(&error.into()) => Some(()),
        Err(_) => None,
    }
}

fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock)
}
