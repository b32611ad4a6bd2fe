//! Where a text that still comes can be cut, so that its secrets are found in the pieces as in the whole.
//!
//! What is held back is what may still become a secret, or a part of one, by what follows. A place to cut is
//!
//! * the beginning of a line, unless something goes on over its end: a key in PEM or PuTTY's format, a name whose value
//!   is on the next line, an open tag, a table under a head that names a secret, a token that is broken in two;
//! * the end of a part of a sentence (`word, `), if nothing before it on its line is a sign of anything that a scanner or
//!   a pattern looks for.
//!
//! Each rule looks at what stands before the place, and at most at three bytes behind it, so a place stays one whatever
//! comes later. The rules say "no" too often: then text is held back for longer than it had to be. A test cuts texts
//! that are full of secrets at every place, and compares.
//!
//! The rule of `-----END … PRIVATE KEY-----` is the reason why a line that ends in a word may wait for the next one: an
//! end whose beginning is missing takes all words before it that could be lines of base64.

use memchr::{memchr, memmem, memrchr};

use crate::field_name::{self, NameHint};
use crate::finder::Finder;
use crate::scan::{MAX_NAME, MAX_QUOTED, OwnKey};
use crate::{assignment, broken_token, pem, table};

/// What ends a part of a sentence.
const STOPS: &[u8] = b",.;!?)";

/// How far back an entry of .netrc can begin.
const MAX_NETRC: usize = 640;

/// What begins a key in PuTTY's format.
const PRIVATE_LINES: &[u8] = b"Private-Lines:";

impl Finder {
    /// Returns the last place, at most `most`, at which a text that still comes can be cut, so that
    /// [`redact`](Self::redact) finds in the two pieces what it finds in the whole; 0 if there is none, as for every
    /// text if the finder has patterns of its own.
    ///
    /// ```
    /// use hookgate_secrets::Finder;
    ///
    /// let finder = Finder::catalogue();
    /// let cut = |text: &str| text.split_at(finder.last_cut(text, text.len())).1.to_owned();
    /// assert_eq!(cut("Here it is, and my to"), ", and my to");
    /// assert_eq!(cut("All is well.\ntoken: abc"), "token: abc");
    /// let key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq.\n";
    /// assert_eq!(cut(key), key, "the key has not ended");
    /// ```
    #[must_use]
    pub fn last_cut(&self, text: &str, most: usize) -> usize {
        if self.has_own_patterns() {
            return 0;
        }
        let own = |key: &str| self.is_own_key(key);
        let lines = Lines::new(self, text, &own);
        // From the last line on: most texts can be cut near their end.
        let mut start = most.min(text.len());
        loop {
            start = line_start(text.as_bytes(), start);
            if lines.is_closed(start)
                && let Some(cut) = lines.cut_in_line(start, most)
            {
                return cut;
            }
            match start.checked_sub(1) {
                Some(before) => start = before,
                None => return 0,
            }
        }
    }
}

/// Returns where the line of a place begins.
fn line_start(bytes: &[u8], at: usize) -> usize {
    memrchr(b'\n', bytes.get(..at).unwrap_or_default()).map_or(0, |end| end + 1)
}

/// A text, with what one look at the whole of it says.
struct Lines<'t> {
    finder: &'t Finder,
    text: &'t str,
    own: OwnKey<'t>,
    /// The lines above which a table goes on.
    in_tables: Vec<usize>,
    keys: pem::Marks,
    has_private_lines: bool,
}

impl<'t> Lines<'t> {
    fn new(finder: &'t Finder, text: &'t str, own: OwnKey<'t>) -> Self {
        let has_private_lines = memmem::find(text.as_bytes(), PRIVATE_LINES).is_some();
        let in_tables = table::lines_of_tables(text, own);
        Self { finder, text, own, in_tables, keys: pem::Marks::of(text), has_private_lines }
    }

    fn before(&self, at: usize) -> &'t str {
        self.text.get(..at).unwrap_or_default()
    }

    /// Whether nothing goes on over the beginning of a line, a key without a beginning aside.
    fn is_closed(&self, start: usize) -> bool {
        if start == 0 {
            return true;
        }
        let before = self.before(start);
        self.in_tables.binary_search(&start).is_err()
            && !self.keys.are_open(self.text, start)
            && !broken_token::is_open(before.as_bytes())
            && !assignment::waits_for_next_line(before, self.own)
            && !has_open_tag(before, self.own)
            && !has_open_pair(before, self.own)
            && !has_open_list(before.as_bytes())
            && !has_open_netrc(before)
            && !(self.has_private_lines && has_open_lines(before.as_bytes()))
    }

    /// Returns the last place to cut in a line, or at its beginning, where nothing goes on over that.
    fn cut_in_line(&self, start: usize, most: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let end = memchr(b'\n', bytes.get(start..)?).map_or(bytes.len(), |at| start + at);
        let stops: Vec<usize> =
            (start + 1..=end.min(most)).filter(|at| is_stop(bytes, *at)).collect();
        // A sign that is there does not go away: so the first of the places are without one.
        let plain = stops.partition_point(|at| self.is_plain(start, *at));
        let stops = stops.get(..plain).unwrap_or_default();
        let cut = stops.iter().rev().find(|at| !has_open_netrc(self.before(**at)));
        cut.copied()
            .or_else(|| (start > 0 && start <= most && is_apart(bytes, start)).then_some(start))
    }

    /// Whether nothing in a piece of a line is a sign of a secret.
    fn is_plain(&self, start: usize, end: usize) -> bool {
        let Some(piece) = self.text.get(start..end) else { return false };
        let is_sign = |byte: &u8| b":=>".contains(byte);
        let after = piece.bytes().skip_while(|byte| !is_sign(byte));
        // A value in quotes may go on over a stop.
        !self.finder.has_sign(piece) && !after.into_iter().any(|byte| b"\"'`".contains(&byte))
    }
}

/// Whether a part of a sentence ends here, before a stop that another part follows.
fn is_stop(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    let stands_alone = before.is_some_and(|byte| !byte.is_ascii_whitespace() && *byte != b'\\');
    stands_alone
        && bytes.get(at).is_some_and(|byte| STOPS.contains(byte))
        && match bytes.get(at + 1..) {
            // A full stop at the end of a line may belong to a token that is broken there: `SG.`.
            Some([b'\n', ..]) => bytes.get(at) != Some(&b'.'),
            // A sign further on would have its name before the stop.
            Some([b' ', next, ..]) => !next.is_ascii_whitespace() && !b":=>".contains(next),
            _ => false,
        }
}

/// Whether the words before the beginning of a line cannot be lines of a key whose end follows.
fn is_apart(bytes: &[u8], start: usize) -> bool {
    let before = bytes.get(..start).unwrap_or_default().iter().rfind(|b| !b.is_ascii_whitespace());
    let ends = before.is_some_and(|byte| !pem::is_base64(*byte));
    let begins = match bytes.get(start..) {
        // It may be the end itself.
        Some([b'-', next, ..]) => *next != b'-',
        Some([b'-' | b'\\']) | Some([b'\\', ..]) | Some([]) | None => false,
        Some([byte, ..]) => !pem::is_base64(*byte) && !byte.is_ascii_whitespace(),
    };
    ends || begins
}

/// Whether a text ends with the name of a secret.
fn ends_with_name(text: &str, own: OwnKey<'_>) -> bool {
    let mut from = text.len().saturating_sub(MAX_NAME);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let tail = text.get(from..).unwrap_or_default();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.$-".contains(byte);
    let length = tail.bytes().rev().take_while(is_part).count();
    let word = tail.get(tail.len() - length..).unwrap_or_default();
    let names = |name| own(name) || field_name::name_hint(name) == NameHint::Secret;
    names(word) || names(tail)
}

/// Whether the content of a tag has begun that may be a secret.
fn has_open_tag(before: &str, own: OwnKey<'_>) -> bool {
    let bytes = before.as_bytes();
    let Some(last) = memrchr(b'>', bytes) else { return false };
    // The content may have such a sign itself.
    let from = memrchr(b'<', bytes).unwrap_or_default();
    let first = bytes.get(from..).and_then(|tag| memchr(b'>', tag)).map(|at| from + at);
    opens_at(before, last, own) || first.is_some_and(|first| opens_at(before, first, own))
}

/// Whether a sign `>` opens content that may be a secret, and that has not ended.
fn opens_at(before: &str, sign: usize, own: OwnKey<'_>) -> bool {
    let bytes = before.as_bytes();
    let content = bytes.get(sign + 1..).unwrap_or_default();
    let is_blank = content.iter().all(u8::is_ascii_whitespace);
    if memchr(b'<', content).is_some() || content.len() > MAX_QUOTED && !is_blank {
        return false;
    }
    let tag = bytes.get(..=sign).unwrap_or_default();
    let line = before.get(..sign).unwrap_or_default();
    let names_key = || ends_with_name(line.trim_end_matches(['"', '\'']), own);
    let after_key = || {
        let near = tag.get(tag.len().saturating_sub(2 * MAX_NAME)..).unwrap_or_default();
        memmem::find(&near.to_ascii_lowercase(), b"<key>").is_some()
    };
    assignment::opens_tag(before, sign, own)
        || names_key()
        || is_blank && after_key()
        || tag.ends_with(b"<string>") && after_key()
}

/// Whether the name of a pair stands at the end: `name: DB_PASSWORD` before a line `value: …`.
fn has_open_pair(before: &str, own: OwnKey<'_>) -> bool {
    let is_between = |c: char| c.is_ascii_whitespace() || ",;\"'{}-\\".contains(c);
    let name = before.trim_end_matches(is_between);
    if ends_with_name(name, own) {
        return true;
    }
    // A line end that is written as two characters.
    let name = name.strip_suffix(['n', 'r', 't']).filter(|name| name.ends_with('\\'));
    name.is_some_and(|name| ends_with_name(name.trim_end_matches(is_between), own))
}

/// Whether a flag stands at the end of a line of a list: `"--token",`.
fn has_open_list(before: &[u8]) -> bool {
    let [flag @ .., b'"' | b'\'', b','] = before.trim_ascii_end() else { return false };
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
    let length = flag.iter().rev().take_while(is_part).count();
    flag.get(flag.len() - length) == Some(&b'-')
}

/// Whether an entry of .netrc has begun: `machine example.com login me`.
fn has_open_netrc(before: &str) -> bool {
    let mut from = before.len().saturating_sub(MAX_NETRC);
    while !before.is_char_boundary(from) {
        from += 1;
    }
    let near = before.get(from..).unwrap_or_default().to_ascii_lowercase();
    let begins = |word: &str, host: &[&str]| {
        near.match_indices(word)
            .any(|(at, _)| near.get(at + word.len()..).is_some_and(|rest| can_be_netrc(rest, host)))
    };
    begins("machine", &["", "login", "", "password", ""])
        || begins("default", &["login", "", "password", ""])
}

/// Whether what follows may still become the rest of an entry, in which "" stands for any word.
fn can_be_netrc(rest: &str, words: &[&str]) -> bool {
    if !rest.is_empty() && !rest.starts_with(|c: char| c.is_whitespace()) {
        return false;
    }
    let ends = rest.ends_with(|c: char| c.is_whitespace());
    let mut found = rest.split_whitespace().peekable();
    for word in words {
        let Some(next) = found.next() else { return true };
        let is_whole = ends || found.peek().is_some();
        if !word.is_empty() && !(if is_whole { next == *word } else { word.starts_with(next) }) {
            return false;
        }
        if !is_whole {
            return true;
        }
    }
    false
}

/// Whether the lines of a key in PuTTY's format have begun, and may go on.
fn has_open_lines(before: &[u8]) -> bool {
    let Some(at) = memmem::rfind(before, PRIVATE_LINES) else { return false };
    let lines = before.get(at + PRIVATE_LINES.len()..).unwrap_or_default();
    let mut lines = lines.split(|byte| *byte == b'\n');
    lines.next();
    lines.all(|line| line.trim_ascii_end().iter().all(|byte| pem::is_base64(*byte)))
}

#[cfg(test)]
mod tests;
