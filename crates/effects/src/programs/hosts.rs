//! Hosts in words.

use crate::host::normal_host;
use crate::word::{Word, WordPart};

/// A host in a word.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct HostInWord {
    pub(crate) host: Word,
    pub(crate) port: Option<u16>,
}

/// Returns the scheme of an address in lower case: `https`.
pub(crate) fn scheme(word: &Word) -> Option<String> {
    let (scheme, _) = word.known_prefix().split_once("://")?;
    let is_scheme = !scheme.is_empty()
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    is_scheme.then(|| scheme.to_ascii_lowercase())
}

/// Returns the host of an address, with or without a scheme. `None` if it has none.
pub(crate) fn of_url(word: &Word) -> Option<HostInWord> {
    let scheme = scheme(word);
    let skip = scheme.as_ref().map_or(0, |scheme| scheme.len() + 3);
    let port = match scheme.as_deref() {
        Some("http" | "ws") => Some(80),
        Some("https" | "wss") => Some(443),
        Some("ftp") => Some(21),
        Some("ssh" | "sftp" | "git+ssh" | "scp" | "rsync+ssh") => Some(22),
        Some("git") => Some(9418),
        Some("file" | "data" | "s3" | "gs" | "unix") => return None,
        _ => None,
    };
    of_authority(&until(&word.without_start(skip), &['/', '?', '#']), port)
}

/// Returns the host that a word of a program names, with or without a scheme: the port is known only if it
/// is written.
pub(crate) fn of_host(word: &Word) -> Option<HostInWord> {
    let skip = scheme(word).map_or(0, |scheme| scheme.len() + 3);
    of_authority(&until(&word.without_start(skip), &['/']), None)
}

/// Returns the host before the colon of `[user@]host:path`. `None` if the word is a path of this machine.
pub(crate) fn of_copy(word: &Word) -> Option<HostInWord> {
    if scheme(word).is_some() {
        return of_url(word);
    }
    let before = until(word, &[':', '/']);
    let length = before.parts.len();
    let next = match (before.parts.last(), word.parts.get(length.saturating_sub(1))) {
        (Some(WordPart::Text(cut)), Some(WordPart::Text(whole))) if cut != whole => {
            whole.get(cut.len()..).unwrap_or_default()
        }
        _ => match word.parts.get(length) {
            Some(WordPart::Text(text)) => text,
            _ => return None,
        },
    };
    if !next.starts_with(':') || before.parts.is_empty() {
        return None;
    }
    of_authority(&before, Some(22))
}

/// Returns the host of `[user@]host[:port]`. `None` if it is empty.
pub(crate) fn of_authority(word: &Word, usual_port: Option<u16>) -> Option<HostInWord> {
    // What stands before the last `@` is a user, however much it looks like a host.
    let mut host = Word::default();
    for part in &word.parts {
        match part {
            WordPart::Text(text) | WordPart::Glob(text) => match text.rsplit_once('@') {
                Some((_, after)) => host = Word::text(after),
                None => host.push(WordPart::Text(text.clone())),
            },
            WordPart::Unknown { .. } => host.push(part.clone()),
        }
    }
    host.parts.retain(|part| !matches!(part, WordPart::Text(text) if text.is_empty()));
    let mut port = usual_port;
    // `localhost:300$((n))`: only the port is not known.
    if let [WordPart::Text(start), rest @ ..] = host.parts.as_slice()
        && let Some((before, digits)) = start.split_once(':')
        && digits.bytes().all(|sign| sign.is_ascii_digit())
        && !rest.is_empty()
        && rest.iter().all(WordPart::is_number)
    {
        host = Word::text(before);
        port = None;
    }
    if let Some(WordPart::Text(last)) = host.parts.last_mut() {
        let cut = last.rsplit_once(':').and_then(|(before, number)| {
            let is_six = before.contains(':') && !before.ends_with(']');
            let number: u16 = number.parse().ok()?;
            (!is_six).then(|| (before.to_owned(), number))
        });
        if let Some((before, number)) = cut {
            *last = before;
            port = Some(number);
        } else if last.matches(':').count() == 1 {
            // `sftp HOST:FILE`
            let host = last.split(':').next().unwrap_or_default().to_owned();
            *last = host;
        }
    }
    if let Some(known) = host.known() {
        host = Word::text(normal_host(&known));
    }
    let is_empty = host.known().is_some_and(|known| known.is_empty());
    (!is_empty).then_some(HostInWord { host, port })
}

/// Returns what stands before the first of the signs.
pub(crate) fn until(word: &Word, signs: &[char]) -> Word {
    let mut before = Word::default();
    for part in &word.parts {
        match part {
            WordPart::Text(text) | WordPart::Glob(text) => match text.split_once(signs) {
                Some((start, _)) => {
                    before.push(WordPart::Text(start.to_owned()));
                    break;
                }
                None => before.push(WordPart::Text(text.clone())),
            },
            WordPart::Unknown { .. } => before.push(part.clone()),
        }
    }
    before.parts.retain(|part| !matches!(part, WordPart::Text(text) if text.is_empty()));
    before
}

/// Returns what stands after the first of the signs; `None` if there is none.
pub(crate) fn after(word: &Word, sign: char) -> Option<Word> {
    let mut parts = word.parts.iter();
    let rest = parts.by_ref().find_map(|part| match part {
        WordPart::Text(text) => text.split_once(sign).map(|(_, after)| after.to_owned()),
        _ => None,
    })?;
    let mut after = Word::default();
    if !rest.is_empty() {
        after.push(WordPart::Text(rest));
    }
    parts.for_each(|part| after.push(part.clone()));
    Some(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Option<(String, Option<u16>)> {
        of_url(&Word::text(text)).map(|found| (found.host.written(), found.port))
    }

    fn copy(text: &str) -> Option<String> {
        of_copy(&Word::text(text)).map(|found| found.host.written())
    }

    #[test]
    fn hosts_of_addresses() {
        assert_eq!(url("https://Example.com/x"), Some(("example.com".into(), Some(443))));
        assert_eq!(url("example.com:8080/x"), Some(("example.com".into(), Some(8080))));
        assert_eq!(url("http://good.com@evil.com:1/x@y"), Some(("evil.com".into(), Some(1))));
        assert_eq!(url("http://2130706433"), Some(("127.0.0.1".into(), Some(80))));
        assert_eq!(url("http://[::1]:81/"), Some(("::1".into(), Some(81))));
        assert_eq!(url("example.com?q=http://other"), Some(("example.com".into(), None)));
        assert_eq!(url("file:///etc/passwd"), None);
        assert_eq!(url("/x"), None);
    }

    #[test]
    fn hosts_of_copies() {
        assert_eq!(copy("u@h.com:/x").as_deref(), Some("h.com"));
        assert_eq!(copy("h:"), Some("h".into()));
        assert_eq!(copy("./a:b"), None);
        assert_eq!(copy("a"), None);
        let mut word = Word::unknown("$H", false);
        word.push(WordPart::Text(":x".into()));
        assert_eq!(of_copy(&word).map(|found| found.host.written()), Some("$H".into()));
    }

    #[test]
    fn unknown_hosts() {
        let mut word = Word::text("https://api.");
        word.push(WordPart::Unknown { written: "$D".into(), splits: false, plain: false });
        word.push(WordPart::Text(":90/x".into()));
        let found = of_url(&word).unwrap();
        assert_eq!((found.host.written().as_str(), found.port), ("api.$D", Some(90)));
    }
}
