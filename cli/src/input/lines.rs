//! Lines of a file or of stdin, one envelope each.

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, Read};
use std::mem::take;
use std::path::Path;

use bytes::Bytes;
use memchr::{memchr, memrchr};
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

/// How many bytes are read at once: the lines that end in them are handed over together, as one block.
const BUFFER: usize = 1 << 17;

/// How many blocks are read ahead.
const AHEAD: usize = 2;

/// One line.
#[derive(Debug)]
pub(crate) struct Line {
    /// Its number, from 1.
    pub(crate) number: u64,
    /// How many bytes were read for it, the line end included.
    pub(crate) size: u64,
    /// Its bytes; `None` if it is too long.
    pub(crate) bytes: Option<Bytes>,
}

/// What is handed over at once.
#[derive(Debug)]
enum Block {
    /// Lines, the last of a file perhaps without its end.
    Lines(Bytes),
    /// One line that is too long, with the number of its bytes.
    TooLong(u64),
}

/// The lines of a file or of stdin. A thread of their own reads them, so that nothing else waits for
/// the next one.
pub(crate) struct Lines {
    name: String,
    /// The number of the last line that was returned.
    number: u64,
    /// The lines that were read and not returned yet.
    ready: Bytes,
    receiver: mpsc::Receiver<io::Result<Block>>,
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
        Ok(Self { name, number: 0, ready: Bytes::new(), receiver })
    }

    /// Returns the name for messages.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the next line if it has been read already.
    pub(crate) fn next_ready(&mut self) -> Option<Line> {
        let last = self.ready.len().checked_sub(1)?;
        let end = memchr(b'\n', &self.ready);
        let bytes = self.ready.split_to(end.unwrap_or(last) + 1);
        let length = end.unwrap_or(bytes.len()) as u64;
        Some(self.line(bytes.len() as u64, (length <= LINE_LIMIT).then_some(bytes)))
    }

    /// Returns the next line, or `None` at the end. No line is lost if the future is dropped.
    pub(crate) async fn next(&mut self) -> Result<Option<Line>, Abort> {
        if self.ready.is_empty() {
            let block = self.receiver.recv().await.transpose();
            match block.map_err(|error| Abort::file("read", Path::new(&self.name), &error))? {
                Some(Block::Lines(lines)) => self.ready = lines,
                Some(Block::TooLong(size)) => return Ok(Some(self.line(size, None))),
                None => return Ok(None),
            }
        }
        Ok(self.next_ready())
    }

    fn line(&mut self, size: u64, bytes: Option<Bytes>) -> Line {
        self.number += 1;
        Line { number: self.number, size, bytes }
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

/// Reads block by block, up to the end or the first error. Ends early if the verb is done.
fn send_all(mut input: impl BufRead, sender: &mpsc::Sender<io::Result<Block>>) {
    let mut begun = Vec::new();
    while let Some(block) = next_block(&mut input, &mut begun).transpose() {
        let failed = block.is_err();
        if sender.blocking_send(block).is_err() || failed {
            return;
        }
    }
}

/// Returns all lines that can be read without waiting once there is one. `begun` is the beginning of the
/// line after them.
fn next_block(input: &mut impl BufRead, begun: &mut Vec<u8>) -> io::Result<Option<Block>> {
    loop {
        if !has_more(input)? {
            return Ok((!begun.is_empty()).then(|| Block::Lines(take(begun).into())));
        }
        let buffer = input.fill_buf()?;
        let end = memrchr(b'\n', buffer).map(|at| at + 1);
        let used = end.unwrap_or(buffer.len());
        begun.extend_from_slice(buffer.get(..used).unwrap_or_default());
        input.consume(used);
        if end.is_some() {
            return Ok(Some(Block::Lines(take(begun).into())));
        }
        if begun.len() as u64 > LINE_LIMIT {
            return Ok(Some(Block::TooLong(take(begun).len() as u64 + skip_line(input)?)));
        }
    }
}

/// Waits for input, and returns whether there is more. A signal does not end the input.
fn has_more(input: &mut impl BufRead) -> io::Result<bool> {
    loop {
        match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            buffer => return Ok(!buffer?.is_empty()),
        }
    }
}

/// Skips to the next line, and returns how many bytes were skipped.
fn skip_line(input: &mut impl BufRead) -> io::Result<u64> {
    let mut skipped = 0;
    while has_more(input)? {
        let buffer = input.fill_buf()?;
        let end = memchr(b'\n', buffer);
        let used = end.map_or(buffer.len(), |at| at + 1);
        input.consume(used);
        skipped += used as u64;
        if skipped > ENDLESS {
            let what = format!("a line of more than {} MiB", ENDLESS >> 20);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, what));
        }
        if end.is_some() {
            break;
        }
    }
    Ok(skipped)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    /// Returns the lines of a file that holds a text.
    fn lines_of(text: &[u8]) -> Vec<Line> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text).unwrap();
        let mut lines = Lines::open(Some(file.path())).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let mut all = Vec::new();
            while let Some(line) = lines.next().await.unwrap() {
                all.push(line);
            }
            all
        })
    }

    /// Each second read is interrupted by a signal. At the end reading fails.
    struct Interrupted<'t>(&'t [u8], bool);

    impl Read for Interrupted<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(io::ErrorKind::Interrupted.into());
            }
            match self.0.read(buffer)? {
                0 => Err(io::ErrorKind::BrokenPipe.into()),
                read => Ok(read),
            }
        }
    }

    #[test]
    fn a_signal_does_not_end_the_input_and_a_line_cut_off_by_a_failure_is_no_line() {
        let long = vec![b'x'; LINE_LIMIT as usize + 3 * BUFFER];
        let text = [b"first\n", long.as_slice(), b"\nnext\ncut o"].concat();
        let (sender, mut receiver) = mpsc::channel(10);
        send_all(BufReader::with_capacity(BUFFER, Interrupted(&text, false)), &sender);
        drop(sender);
        let mut shown = Vec::new();
        while let Some(block) = receiver.blocking_recv() {
            shown.push(match block {
                Ok(Block::Lines(lines)) => String::from_utf8(lines.to_vec()).unwrap(),
                Ok(Block::TooLong(size)) => size.to_string(),
                Err(error) => error.kind().to_string(),
            });
        }
        let size = (long.len() + 1).to_string();
        assert_eq!(shown, ["first\n", &size, "next\n", "broken pipe"]);
    }

    #[test]
    fn one_end_is_enough_at_a_terminal() {
        // After an end, a terminal can be read again.
        let mut ended = false;
        let mut terminal = BufReader::new(ReadOnce(&b"line\n"[..], &mut ended));
        assert!(next_block(&mut terminal, &mut Vec::new()).unwrap().is_some());
        assert!(next_block(&mut terminal, &mut Vec::new()).unwrap().is_none());
    }

    /// Says that it has ended, and fails if it is read once more.
    struct ReadOnce<'t>(&'t [u8], &'t mut bool);

    impl Read for ReadOnce<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            assert!(!*self.1, "it was read after its end");
            *self.1 = self.0.is_empty();
            self.0.read(buffer)
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_skipped_and_the_next_one_is_read() {
        // The end of the second one is in the block in which it becomes too long.
        for more in [5, 5 * BUFFER] {
            let long = LINE_LIMIT as usize + more;
            let text = [b"first\n", vec![b'x'; long].as_slice(), b"\nnext\nlast"].concat();
            let lines = lines_of(&text);
            let shown =
                |line: &Line| (line.number, line.size, line.bytes.as_deref().map(<[u8]>::to_vec));
            let expected = [
                (1, 6, Some(b"first\n".to_vec())),
                (2, long as u64 + 1, None),
                (3, 5, Some(b"next\n".to_vec())),
                (4, 4, Some(b"last".to_vec())),
            ];
            assert_eq!(lines.iter().map(shown).collect::<Vec<_>>(), expected);
        }
        let longest = vec![b'x'; LINE_LIMIT as usize];
        for text in [longest.clone(), [longest.as_slice(), b"\n"].concat()] {
            assert_eq!(lines_of(&text).pop().unwrap().bytes.unwrap(), text);
        }
    }

    #[test]
    fn lines_are_whole_wherever_a_block_ends() {
        for around in [BUFFER - 2, BUFFER - 1, BUFFER, BUFFER + 1, 3 * BUFFER] {
            let text = [&*vec![b'a'; around], b"\n\n", &*vec![b'b'; around], b"\nend"].concat();
            let lines = lines_of(&text);
            assert_eq!(lines.len(), 4);
            let bytes: Vec<u8> =
                lines.iter().flat_map(|line| line.bytes.clone().unwrap()).collect();
            assert!(bytes == text, "a line was cut at {around}");
            assert!((1..).zip(&lines).all(|(number, line)| line.number == number));
        }
        assert!(lines_of(b"").is_empty());
    }
}
