//! Private keys as PEM.

use std::ops::Range;

use memchr::memmem;

const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"-----END ";

/// A key and all that stands between its first and its last line is so long at most; the largest
/// in use (RSA with 16384 bits) have 13 KiB.
const LONGEST: usize = 16 << 10;

/// The first line of a key that is cut off has so many characters of base64 at least.
const LINE: usize = 16;

/// Finds keys in the order of the text. It looks for each mark once, so it is linear.
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
            Some(end) if end.start - at <= LONGEST => end.end,
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

/// Where the line of a mark ends, if it is that of a private key.
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

/// Where the lines behind a first line end; none where no line of a key follows.
fn body(bytes: &[u8], head: usize) -> Option<usize> {
    let (mut at, mut end) = (head, None);
    while at - head <= LONGEST {
        let gap = blanks(bytes, at);
        let start = at + gap;
        let length = base64(bytes, start);
        if length < LINE {
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

/// A key whose beginning is cut off: the lines of base64 before its end.
fn tail(
    bytes: &[u8],
    from: usize,
    end: &Range<usize>,
    found: &mut dyn FnMut(Range<usize>) -> bool,
) -> bool {
    let from = from.max(end.start.saturating_sub(LONGEST));
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
        // The `n` of an escaped line end is no part of the key.
        if line.get(..start).is_some_and(|rest| rest.ends_with(b"\\")) {
            start += 1;
            if length == 1 {
                break;
            }
        }
    }
    longest < LINE || found(from + start..end.end)
}

/// White space, and line ends that a program wrote as two characters.
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
        .take(LONGEST)
        .take_while(|byte| is_base64(**byte))
        .count()
}

const fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<&str> {
        let mut all = Vec::new();
        find(text, &mut |range| {
            all.push(text.get(range).unwrap());
            true
        });
        all
    }

    #[test]
    fn a_key_is_found_whole_without_its_end_and_without_its_beginning() {
        let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC";
        let begin = "-----BEGIN RSA PRIVATE KEY-----";
        let end = "-----END RSA PRIVATE KEY-----";
        let whole = format!("{begin}\n{line}\n{line}\n{end}");
        assert_eq!(pieces(&format!("a\n{whole}\nb\n{whole}")), [whole.as_str(), whole.as_str()]);
        let open = format!("{begin}\n{line}\n{line}\nAb3=");
        assert_eq!(pieces(&format!("{open}\n\nand then, more")), [open.as_str()]);
        let tail = format!("{line}\n{line}\n{end}");
        assert_eq!(pieces(&format!("cut off: \n{tail} b")), [tail.as_str()]);
        let escaped = format!("{line}\\n{line}\\n{end}");
        assert_eq!(pieces(&format!("cut off: \\n{escaped}\\n")), [escaped.as_str()]);
        for text in
            [begin, end, "-----BEGIN CERTIFICATE-----\nMIIEvQIBADANBgkqhkiG9w0B", "PRIVATE KEY"]
        {
            assert!(pieces(text).is_empty(), "{text}");
        }
    }
}
