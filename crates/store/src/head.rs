//! The head of the chain: the last entry and its hash. A chain alone does not show that its end was cut off, so
//! heads can be kept elsewhere.

use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::Path;

use hmac_sha256::HMAC;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::row::hex;

/// What stands before a head among other lines.
const MARK: &str = "hookgate head ";

/// The last entry of a chain at a time, as a line of a file of heads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Head {
    /// When it was the head, in milliseconds since 1970.
    pub time: u64,
    /// The number of the entry; 0 if there is none.
    pub seq: u64,
    /// Its hash, in hexadecimal digits.
    pub hash: String,
    /// The signature with the key of the owner, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

/// The key by which heads are signed.
#[derive(Clone)]
pub struct HeadKey(Vec<u8>);

impl fmt::Debug for HeadKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HeadKey")
    }
}

impl HeadKey {
    /// Makes a key of these bytes.
    pub fn new(key: impl Into<Vec<u8>>) -> Self {
        Self(key.into())
    }

    /// Returns the key in an environment variable; `None` if it is not set, or empty.
    #[must_use]
    pub fn of_variable(name: &str) -> Option<Self> {
        let key = std::env::var_os(name)?.into_encoded_bytes();
        (!key.is_empty()).then_some(Self(key))
    }
}

impl Head {
    pub(crate) fn new(time: u64, seq: u64, hash: &[u8; 32]) -> Self {
        Self { time, seq, hash: hex(hash), signature: None }
    }

    /// Signs it.
    #[must_use]
    pub fn signed(mut self, key: &HeadKey) -> Self {
        self.signature = Some(hex(&HMAC::mac(self.signed_text(), &key.0)));
        self
    }

    /// Returns whether its signature was made with this key.
    #[must_use]
    pub fn is_signed_with(&self, key: &HeadKey) -> bool {
        let decode = |text: &String| data_encoding::HEXLOWER.decode(text.as_bytes()).ok();
        let given = self.signature.as_ref().and_then(decode);
        let given = given.and_then(|given| <[u8; 32]>::try_from(given).ok());
        given.is_some_and(|given| HMAC::verify(self.signed_text(), &key.0, &given))
    }

    /// What a signature is made of.
    fn signed_text(&self) -> String {
        format!("hookgate head {} {} {}", self.time, self.seq, self.hash)
    }

    /// Returns it as a line among others, such as those of stderr or of a log.
    ///
    /// ```
    /// use hookgate_store::Head;
    ///
    /// let lines = "booted\n2026-12-24 hookgate head {\"time\":1,\"seq\":2,\"hash\":\"03\"}\n";
    /// let heads = Head::read_lines(lines, "stderr")?;
    /// assert_eq!((heads.len(), heads[0].seq), (1, 2));
    /// assert_eq!(heads[0].marked(), "hookgate head {\"time\":1,\"seq\":2,\"hash\":\"03\"}");
    /// # Ok::<_, std::io::Error>(())
    /// ```
    #[must_use]
    pub fn marked(&self) -> String {
        format!("{MARK}{}", self.line())
    }

    fn line(&self) -> String {
        // A struct of texts and numbers is always JSON.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads the heads of a file.
    ///
    /// # Errors
    /// As [`read_lines`](Self::read_lines); or the file cannot be read.
    pub fn read_all(file: &Path) -> io::Result<Vec<Self>> {
        Self::read_lines(&std::fs::read_to_string(file)?, &file.display().to_string())
    }

    /// Reads heads, one a line. If any line has a [marked](Self::marked) one, the text is what a program has said or a
    /// log has kept, and its other lines are left out.
    ///
    /// # Errors
    /// A line is no head; it is named with `name`, the place of the text.
    pub fn read_lines(text: &str, name: &str) -> io::Result<Vec<Self>> {
        let lines = || text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let wrong = |index: usize, error: &serde_json::Error| {
            let message = format!("{name}:{}: no head: {error}", index + 1);
            io::Error::new(io::ErrorKind::InvalidData, message)
        };
        let marked: Vec<(usize, String)> = lines()
            .flat_map(|(index, line)| marked_in(line).into_iter().map(move |head| (index, head)))
            .collect();
        if !marked.is_empty() {
            let read = marked.iter().map(|(index, head)| {
                // What comes after it in the line is not its own.
                let mut values = serde_json::Deserializer::from_str(head).into_iter();
                values
                    .next()
                    .unwrap_or_else(|| serde_json::from_str(""))
                    .map_err(|error| wrong(*index, &error))
            });
            return read.collect();
        }
        lines()
            .map(|(index, line)| serde_json::from_str(line).map_err(|error| wrong(index, &error)))
            .collect()
    }

    /// Adds it to a file of heads.
    pub(crate) fn append(&self, file: &Path) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt as _;
            options.mode(0o600);
        }
        // In one write: several processes add to the file.
        options.open(file)?.write_all(format!("{}\n", self.line()).as_bytes())
    }

    /// Says it on stderr.
    pub(crate) fn print(&self) -> io::Result<()> {
        io::stderr().write_all(format!("{}\n", self.marked()).as_bytes())
    }
}

/// Returns what comes after each mark of a line; of JSON, as a log writes it, in each of its texts.
fn marked_in(line: &str) -> Vec<String> {
    let after = |text: &str| text.split_once(MARK).map(|(_, head)| head.to_owned());
    let Ok(value @ Value::Object(_)) = serde_json::from_str(line) else {
        return after(line).into_iter().collect();
    };
    let (mut found, mut open) = (Vec::new(), vec![&value]);
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => found.extend(after(text)),
            Value::Array(items) => open.extend(items.iter().rev()),
            Value::Object(map) => open.extend(map.values().rev()),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_holds_for_its_head_and_key_only() {
        let (key, other) = (HeadKey::new(*b"one"), HeadKey::new(*b"two"));
        let head = Head::new(1, 2, &[3; 32]).signed(&key);
        assert!(head.is_signed_with(&key) && !head.is_signed_with(&other));
        let later = Head { seq: 3, ..head.clone() };
        assert!(!later.is_signed_with(&key));
        assert!(!Head { signature: None, ..head }.is_signed_with(&key));
    }

    #[test]
    fn heads_are_found_among_other_lines_and_in_logs() {
        let (one, two) = (Head::new(1, 2, &[3; 32]), Head::new(4, 5, &[6; 32]));
        let log = serde_json::json!({"logs": [{"body": one.marked()}, {"body": two.marked()}]});
        let text = format!("warning: x\n[12:00] {} (app)\n{{\"a\":1}}\n\n{log}\n", one.marked());
        let read = Head::read_lines(&text, "-").unwrap();
        assert_eq!(read, [one.clone(), one.clone(), two.clone()]);
        // A file of nothing but heads has no other lines.
        let plain = format!("{}\n{}\n", one.line(), two.line());
        assert_eq!(Head::read_lines(&plain, "-").unwrap(), [one.clone(), two]);
        let damaged = format!("{}\nx\n", one.line());
        assert!(
            Head::read_lines(&damaged, "-").unwrap_err().to_string().starts_with("-:2: no head")
        );
        let damaged = format!("\n{}\n", one.marked().replace(':', ";"));
        assert!(
            Head::read_lines(&damaged, "-").unwrap_err().to_string().starts_with("-:2: no head")
        );
    }
}
