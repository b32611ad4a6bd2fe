//! Finds private keys in PEM: whole, without their end, or without their beginning.
//!
//! A key in a log is often cut off, and half a key is still worth hiding. A regular expression would
//! have to look ahead over many lines for the end of each beginning, which is not linear; the scanner
//! looks for every mark once:
//!
//! * from `BEGIN … PRIVATE KEY` to the next `END`, if it is at most 16 KiB away;
//! * from a `BEGIN` without an `END`, all lines of base64 that follow;
//! * before an `END` without a `BEGIN`, all lines of base64 that precede it.
//!
//! Certificates and public keys stay: their marks do not name a private key.

use std::ops::Range;

use memchr::memmem;

const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"-----END ";

/// The most bytes from the first to the last line of a key. The largest keys in use (RSA with 16384
/// bits) have 13 KiB.
const MAX_KEY: usize = 16 << 10;

/// The fewest characters of base64 in the first line of a key that is cut off.
const MIN_LINE: usize = 16;

/// Finds the keys in the order of the text; returns whether it came to the end.
pub(crate) fn find(text: &str, found: &mut dyn FnMut(Range<usize>) -> bool) -> bool {
    let bytes = text.as_bytes();
    let mut ends = memmem::find_iter(bytes, END).filter_map(|at| Some(at..mark(bytes, at, END)?));
    let mut end = ends.next();
    // Nothing before it is looked at again.
    let mut done = 0;
    for at in memmem::find_iter(bytes, BEGIN) {
        if at < done {
            continue;
        }
        let Some(head) = mark(bytes, at, BEGIN) else { continue };
        // Ends before this beginning belong to keys whose beginning is cut off.
        while let Some(lost) = end.take_if(|end| end.start < at) {
            if lost.start >= done && !tail(bytes, done, &lost, found) {
                return false;
            }
            done = done.max(lost.end);
            end = ends.next();
        }
        let close = match &end {
            Some(end) if end.start - at <= MAX_KEY => end.end,
            _ => match body(bytes, head) {
                Some(close) => close,
                None => continue,
            },
        };
        if !found(at..close) {
            return false;
        }
        done = close;
    }
    while let Some(lost) = end.take() {
        if lost.start >= done && !tail(bytes, done, &lost, found) {
            return false;
        }
        done = done.max(lost.end);
        end = ends.next();
    }
    true
}

/// Where the marks of private keys are in a text.
pub(crate) struct Marks {
    begins: Vec<usize>,
    ends: Vec<usize>,
}

impl Marks {
    pub(crate) fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let all = |word: &[u8]| {
            memmem::find_iter(bytes, word).filter(|at| mark(bytes, *at, word).is_some()).collect()
        };
        Self { begins: all(BEGIN), ends: all(END) }
    }

    /// Returns whether a key has begun before a line and may go on there.
    pub(crate) fn are_open(&self, text: &str, line: usize) -> bool {
        let last = |marks: &[usize]| {
            let before = marks.partition_point(|at| *at < line);
            before.checked_sub(1).and_then(|last| marks.get(last)).copied()
        };
        let Some(begin) = last(&self.begins) else { return false };
        if last(&self.ends).is_some_and(|end| end > begin) {
            return false;
        }
        let bytes = text.as_bytes();
        let close = mark(bytes, begin, BEGIN).and_then(|head| body(bytes, head));
        line - begin <= MAX_KEY || close.is_some_and(|close| close >= line)
    }
}

/// Returns where the line of a mark ends, if it is that of a private key.
fn mark(bytes: &[u8], at: usize, mark: &[u8]) -> Option<usize> {
    let start = at + mark.len();
    let line = bytes.get(start..)?;
    let length = line
        .iter()
        .take(48)
        .take_while(|byte| matches!(byte, b'0'..=b'9' | b'A'..=b'Z' | b' '))
        .count();
    let name = line.get(..length)?;
    let key = memmem::find(name, b"PRIVATE KEY").is_some();
    (key && line.get(length..)?.starts_with(b"-----")).then_some(start + length + 5)
}

/// Returns where the lines after a first line end, or `None` if no line of a key follows.
fn body(bytes: &[u8], head: usize) -> Option<usize> {
    let (mut at, mut end) = (head, None);
    while at - head <= MAX_KEY {
        let gap = blanks(bytes, at);
        let start = at + gap;
        let length = base64(bytes, start);
        if length < MIN_LINE {
            // The last line of a key is a short one, and nothing follows on it.
            let follows =
                bytes.get(at..start).is_some_and(|gap| matches!(gap, b"\n" | b"\r\n" | b"\\n"));
            let whole = matches!(
                bytes.get(start + length..),
                None | Some([] | [b'\r' | b'\n' | b'\\' | b'"' | b'\'', ..])
            );
            return end
                .map(|end| if length > 0 && follows && whole { start + length } else { end });
        }
        at = start + length;
        end = Some(at);
    }
    end
}

/// Reports a key whose beginning is cut off: the lines of base64 before its end.
fn tail(
    bytes: &[u8],
    from: usize,
    end: &Range<usize>,
    found: &mut dyn FnMut(Range<usize>) -> bool,
) -> bool {
    let from = from.max(end.start.saturating_sub(MAX_KEY));
    let Some(before) = bytes.get(from..end.start) else { return true };
    let mut start = before.len();
    let mut longest = 0;
    loop {
        let line = before.get(..start).unwrap_or_default();
        let gap = blanks_back(line);
        let line = line.get(..line.len() - gap).unwrap_or_default();
        let length = line.iter().rev().take_while(|byte| is_base64(**byte)).count();
        if length == 0 || gap == 0 {
            break;
        }
        start = line.len() - length;
        longest = longest.max(length);
        // The `n` of an escaped line end is not a part of the key.
        if line.get(..start).is_some_and(|rest| rest.ends_with(b"\\")) {
            start += 1;
            if length == 1 {
                break;
            }
        }
    }
    longest < MIN_LINE || found(from + start..end.end)
}

/// Counts white space, and line ends that are written as two characters.
fn blanks(bytes: &[u8], at: usize) -> usize {
    let mut end = at;
    loop {
        match bytes.get(end..).unwrap_or_default() {
            [b' ' | b'\t' | b'\r' | b'\n', ..] => end += 1,
            [b'\\', b'n' | b'r', ..] => end += 2,
            _ => return end - at,
        }
        if end - at > 64 {
            return end - at;
        }
    }
}

fn blanks_back(bytes: &[u8]) -> usize {
    let mut rest = bytes;
    loop {
        rest = match rest {
            [before @ .., b' ' | b'\t' | b'\r' | b'\n'] | [before @ .., b'\\', b'n' | b'r'] => {
                before
            }
            _ => break,
        };
        if bytes.len() - rest.len() > 64 {
            break;
        }
    }
    bytes.len() - rest.len()
}

fn base64(bytes: &[u8], at: usize) -> usize {
    bytes
        .get(at..)
        .unwrap_or_default()
        .iter()
        .take(MAX_KEY)
        .take_while(|byte| is_base64(**byte))
        .count()
}

pub(crate) const fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

#[cfg(test)]
mod tests;
