//! The step on stdin, read until a moment.

use std::io::{self, ErrorKind, Read as _};
use std::time::{Duration, Instant};

use crate::commands::hook::LIMIT;

/// How many bytes are read at once: as many as a pipe holds.
const CHUNK: usize = 64 << 10;

/// Reads stdin to its end. Of more than a step may have, so much is kept that whoever judges it sees that; the
/// rest is read all the same, since some agents fail a hook that does not read all that they write.
///
/// Returns `None` if the end has not come until that moment, or stdin cannot be read.
pub(super) fn read(end: Instant) -> Option<Vec<u8>> {
    let mut stdin = Stdin::open()?;
    let most = usize::try_from(LIMIT).ok()? + 1;
    let mut text = Vec::new();
    loop {
        let chunk = match stdin.next(end.checked_duration_since(Instant::now())?)? {
            Ok(chunk) => chunk,
            Err(error) if is_passing(&error) => continue,
            Err(_) => return None,
        };
        if chunk.is_empty() {
            return Some(text);
        }
        let room = most.saturating_sub(text.len());
        text.extend_from_slice(chunk.get(..room.min(chunk.len()))?);
    }
}

fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock)
}

/// Stdin, without the buffer that that of Rust has: what is in there would not be waited for.
#[cfg(unix)]
struct Stdin {
    file: std::fs::File,
    chunk: Vec<u8>,
}

#[cfg(unix)]
impl Stdin {
    fn open() -> Option<Self> {
        use std::os::fd::AsFd as _;

        let file = io::stdin().as_fd().try_clone_to_owned().ok()?.into();
        Some(Self { file, chunk: vec![0; CHUNK] })
    }

    /// Returns what comes next, nothing at the end; `None` if it has not come in this time.
    fn next(&mut self, time: Duration) -> Option<io::Result<&[u8]>> {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};

        let time = Timespec::try_from(time).ok()?;
        match poll(&mut [PollFd::new(&self.file, PollFlags::IN)], Some(&time)) {
            Ok(0) => return None,
            Ok(_) => {}
            Err(error) => return Some(Err(error.into())),
        }
        match self.file.read(&mut self.chunk) {
            Ok(read) => self.chunk.get(..read).map(Ok),
            Err(error) => Some(Err(error)),
        }
    }
}

/// Stdin, read by a thread: nothing else waits for it on Windows for some time only. The thread ends with the process.
#[cfg(windows)]
struct Stdin(std::sync::mpsc::Receiver<io::Result<Vec<u8>>>);

#[cfg(windows)]
impl Stdin {
    fn open() -> Option<Self> {
        let (chunks, received) = std::sync::mpsc::sync_channel(1);
        let read = move || {
            let mut chunk = vec![0; CHUNK];
            loop {
                let read = io::stdin().lock().read(&mut chunk);
                let is_over = matches!(read, Ok(0));
                let read = read.map(|read| chunk.get(..read).unwrap_or_default().to_vec());
                if chunks.send(read).is_err() || is_over {
                    break;
                }
            }
        };
        std::thread::Builder::new().spawn(read).ok()?;
        Some(Self(received))
    }

    /// Returns what comes next, nothing at the end; `None` if it has not come in this time.
    fn next(&mut self, time: Duration) -> Option<io::Result<Vec<u8>>> {
        self.0.recv_timeout(time).ok()
    }
}
