//! Lines of a file or of stdin, one envelope each.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, Read};
use std::path::Path;

use tokio::sync::mpsc;

use crate::abort::Abort;
use crate::terminal::stderr;

/// What messages call stdin.
pub(crate) const STDIN: &str = "<stdin>";

/// How many bytes a line may have, so that a file without line ends cannot fill the memory. The
/// largest payload that a config can take is far smaller.
pub(crate) const LINE_LIMIT: u64 = 16 << 20;

/// After how many bytes a skipped line counts as one without an end, such as a device.
const ENDLESS: u64 = 1 << 30;

/// How many bytes are read at once: the lines that are in them are handed over together.
const BUFFER: usize = 1 << 16;

/// How often that is done ahead.
const AHEAD: usize = 2;

/// One line.
#[derive(Debug)]
pub(crate) struct Line {
    /// Its number, from 1.
    pub(crate) number: u64,
    /// How many bytes were read for it, the line end included.
    pub(crate) size: u64,
    /// Its bytes; `None` if it is too long.
    pub(crate) bytes: Option<Vec<u8>>,
}

/// The lines of a file or of stdin. A thread of their own reads them, so that nothing else waits for
/// the next one.
pub(crate) struct Lines {
    name: String,
    ready: VecDeque<Line>,
    receiver: mpsc::Receiver<io::Result<Vec<Line>>>,
}

impl Lines {
    /// Opens a file, or stdin if the path is `-` or missing.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self, Abort> {
        let (sender, receiver) = mpsc::channel(AHEAD);
        let name = name(path);
        let input = source(path)?;
        std::thread::Builder::new()
            .name("input".to_owned())
            .spawn(move || send_all(BufReader::with_capacity(BUFFER, input), &sender))
            .map_err(|error| Abort::failure(format!("a thread cannot be started: {error}")))?;
        Ok(Self { name, ready: VecDeque::new(), receiver })
    }

    /// Returns the name for messages.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the next line if it has been read already.
    pub(crate) fn next_ready(&mut self) -> Option<Line> {
        self.ready.pop_front()
    }

    /// Returns the next line, or `None` at the end. No line is lost if the future is dropped.
    pub(crate) async fn next(&mut self) -> Result<Option<Line>, Abort> {
        if self.ready.is_empty() {
            let lines = self.receiver.recv().await.transpose();
            let lines =
                lines.map_err(|error| Abort::file("read", Path::new(&self.name), &error))?;
            self.ready.extend(lines.unwrap_or_default());
        }
        Ok(self.ready.pop_front())
    }
}

/// Reads a whole file or stdin, and returns its name and its bytes: at most one more than
/// [`LINE_LIMIT`], by which a larger input is known.
pub(crate) fn read_whole(path: Option<&Path>) -> Result<(String, Vec<u8>), Abort> {
    let name = name(path);
    let mut bytes = Vec::new();
    source(path)?
        .take(LINE_LIMIT + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Abort::file("read", Path::new(&name), &error))?;
    Ok((name, bytes))
}

fn is_stdin(path: Option<&Path>) -> bool {
    path.is_none_or(|path| path == Path::new("-"))
}

fn name(path: Option<&Path>) -> String {
    match path {
        Some(path) if !is_stdin(Some(path)) => path.display().to_string(),
        _ => STDIN.to_owned(),
    }
}

fn source(path: Option<&Path>) -> Result<Box<dyn Read + Send>, Abort> {
    match path {
        Some(path) if !is_stdin(Some(path)) => {
            let file = File::open(path).map_err(|error| {
                Abort::file("read", path, &error)
                    .help("name a file of envelopes, one JSON object a line, or `-` for stdin")
            })?;
            Ok(Box::new(file))
        }
        _ => {
            if io::stdin().is_terminal() {
                stderr::note("reading steps from the terminal; end them with Ctrl-D");
            }
            Ok(Box::new(io::stdin()))
        }
    }
}

fn send_all(mut input: BufReader<impl Read>, sender: &mpsc::Sender<io::Result<Vec<Line>>>) {
    let (mut lines, mut number) = (Vec::new(), 1);
    loop {
        let read = read_line(&mut input, number).transpose();
        let is_last = !matches!(read, Some(Ok(_)));
        let error = match read {
            Some(Ok(line)) => {
                lines.push(line);
                None
            }
            Some(Err(error)) => Some(error),
            None => None,
        };
        number += 1;
        // To wait for the rest of a line would hold back those before it.
        if (is_last || !input.buffer().contains(&b'\n')) && !lines.is_empty() {
            // The send fails if the verb is done.
            if sender.blocking_send(Ok(std::mem::take(&mut lines))).is_err() {
                return;
            }
        }
        if let Some(error) = error {
            let _ = sender.blocking_send(Err(error));
        }
        if is_last {
            return;
        }
    }
}

fn read_line(input: &mut impl BufRead, number: u64) -> io::Result<Option<Line>> {
    let mut bytes = Vec::new();
    let mut size = input.take(LINE_LIMIT + 1).read_until(b'\n', &mut bytes)? as u64;
    if size == 0 {
        return Ok(None);
    }
    let whole = bytes.ends_with(b"\n") || size <= LINE_LIMIT;
    if !whole {
        size += skip_line(input)?;
    }
    Ok(Some(Line { number, size, bytes: whole.then_some(bytes) }))
}

/// Skips to the next line, and returns how many bytes were skipped.
fn skip_line(input: &mut impl BufRead) -> io::Result<u64> {
    let mut skipped = 0;
    loop {
        let buffer = input.fill_buf()?;
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let used = end.map_or(buffer.len(), |at| at + 1);
        input.consume(used);
        skipped += used as u64;
        if skipped > ENDLESS {
            let what = format!("a line of more than {} MiB", ENDLESS >> 20);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, what));
        }
        if end.is_some() || used == 0 {
            return Ok(skipped);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_too_long_is_skipped_and_the_next_one_is_read() {
        let mut text = vec![b'x'; LINE_LIMIT as usize + 5];
        text.extend(b"\nnext\nlast");
        let mut input = BufReader::new(text.as_slice());
        let mut next = |number| read_line(&mut input, number).unwrap();
        let long = next(1).unwrap();
        assert_eq!((long.bytes, long.size), (None, LINE_LIMIT + 6));
        assert_eq!(next(2).unwrap().bytes.unwrap(), b"next\n");
        assert_eq!(next(3).unwrap().bytes.unwrap(), b"last");
        assert!(next(4).is_none());
    }
}
