//! Whether a journal is what was written: the chain, the bodies, what is derived from both, and heads from elsewhere.

use std::fmt;

use rusqlite::{Connection, Row};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::database::JOURNAL;
use crate::error::StoreError;
use crate::head::{Head, HeadKey};
use crate::reader::Reader;
use crate::row::{Keys, chained, hex, sha256};

/// After how many faults nothing more is looked for.
const FAULTS: usize = 100;

/// What came of looking through a journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Verification {
    /// How many entries there are.
    pub entries: u64,
    /// How many of them have lost their body to retention, which is no fault.
    pub without_body: u64,
    /// How many entries come after the last head that was given and fits; `None` if no head was given.
    pub after_heads: Option<u64>,
    /// The entries that have lost their body, and only an entry after the last head says that retention took it: who can
    /// write the file could have added that. They are not among [`without_body`](Self::without_body). With a key they
    /// are faults, and not here.
    pub in_doubt: Vec<u64>,
    /// What is wrong, the first entry first; at most 100 faults.
    pub faults: Vec<Fault>,
    /// The last entry.
    pub head: Head,
}

impl Verification {
    /// Returns whether nothing is wrong.
    #[must_use]
    pub const fn is_whole(&self) -> bool {
        self.faults.is_empty()
    }
}

/// Something that is wrong with a journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "fault", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Fault {
    /// An entry, or the one before it, is not what it was: changed, put in or put elsewhere.
    Changed {
        /// Its number.
        seq: u64,
    },
    /// Entries were removed.
    Removed {
        /// The first one.
        seq: u64,
        /// The last one.
        through: u64,
    },
    /// The body of an entry is not what it was.
    BodyChanged {
        /// Its number.
        seq: u64,
    },
    /// The body of an entry is gone, and no retention has said so.
    BodyRemoved {
        /// Its number.
        seq: u64,
    },
    /// The body of an entry is gone, and only an entry after the last signed head says that retention took it.
    BodyInDoubt {
        /// Its number.
        seq: u64,
    },
    /// There is a body that belongs to no entry.
    BodyAdded {
        /// Its number.
        seq: u64,
    },
    /// An entry is not found by what it says, such as its session or a hook.
    Index {
        /// The number of the entry.
        seq: u64,
    },
    /// The file is damaged, or its schema is another one.
    Damaged {
        /// What is.
        what: String,
    },
    /// A head from elsewhere is of an entry that is not there: the end was cut off.
    Cut {
        /// The number of the entry.
        seq: u64,
    },
    /// A head from elsewhere has another hash for its entry: the chain was made anew.
    OtherHead {
        /// The number of the entry.
        seq: u64,
    },
    /// A head from elsewhere is not signed with the key.
    Signature {
        /// The number of its entry.
        seq: u64,
    },
}

impl Fault {
    /// Returns the number of the entry, if it is about one.
    #[must_use]
    pub const fn seq(&self) -> Option<u64> {
        match self {
            Self::Changed { seq }
            | Self::Removed { seq, .. }
            | Self::BodyChanged { seq }
            | Self::BodyRemoved { seq }
            | Self::BodyInDoubt { seq }
            | Self::BodyAdded { seq }
            | Self::Index { seq }
            | Self::Cut { seq }
            | Self::OtherHead { seq }
            | Self::Signature { seq } => Some(*seq),
            Self::Damaged { .. } => None,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed { seq } => write!(f, "entry {seq} was changed, or what was before it"),
            Self::Removed { seq, through } if seq == through => {
                write!(f, "entry {seq} was removed")
            }
            Self::Removed { seq, through } => {
                write!(f, "the entries {seq} to {through} were removed")
            }
            Self::BodyChanged { seq } => write!(f, "the body of entry {seq} was changed"),
            Self::BodyRemoved { seq } => write!(f, "the body of entry {seq} was removed"),
            Self::BodyInDoubt { seq } => write!(
                f,
                "the body of entry {seq} was removed, and only an entry after the last signed head says that retention did it"
            ),
            Self::BodyAdded { seq } => write!(f, "there is a body {seq} that no entry has"),
            Self::Index { seq } => write!(f, "entry {seq} is not found by what it says"),
            Self::Damaged { what } => write!(f, "the file is damaged: {what}"),
            Self::Cut { seq } => {
                write!(f, "a head is of entry {seq}, which is not there: the end was cut off")
            }
            Self::OtherHead { seq } => {
                write!(f, "a head has another hash for entry {seq}: the chain was made anew")
            }
            Self::Signature { seq } => {
                write!(f, "the head of entry {seq} is not signed with the key")
            }
        }
    }
}

impl Reader {
    /// Looks through the whole journal, and compares it with heads from elsewhere. With a key, each of them must be
    /// signed with it.
    ///
    /// # Errors
    /// The file cannot be read at all.
    pub fn verify(
        &self,
        heads: &[Head],
        key: Option<&HeadKey>,
    ) -> Result<Verification, StoreError> {
        let refuse = |error| self.refused(error);
        // All of it is of one moment, although others write.
        let read = self.database.unchecked_transaction().map_err(refuse)?;
        let mut found = Found::default();
        let damaged = check_file(&read, &mut found).and_then(|()| check_chain(&read, &mut found));
        match damaged {
            Ok(()) => {}
            Err(error) if is_damage(&error) => {
                found.add(Fault::Damaged { what: error.to_string() })
            }
            Err(error) => return Err(refuse(error)),
        }
        let covered = check_heads(&read, heads, key, &mut found).map_err(refuse)?;
        let covered = (!heads.is_empty()).then_some(covered);
        found.judge_missing(covered, key.is_some());
        let head = Head::new(crate::clock::unix_ms(), found.last, &found.hash);
        Ok(Verification {
            entries: found.entries,
            without_body: found.without_body,
            after_heads: covered.map(|covered| found.last.saturating_sub(covered)),
            in_doubt: found.in_doubt,
            faults: found.faults,
            head,
        })
    }
}

#[derive(Default)]
struct Found {
    faults: Vec<Fault>,
    entries: u64,
    without_body: u64,
    in_doubt: Vec<u64>,
    /// The entries without the body that they had.
    missing: Vec<u64>,
    /// The entries of retention, and up to which entry it took the bodies.
    retained: Vec<(u64, u64)>,
    last: u64,
    hash: [u8; 32],
}

impl Found {
    fn add(&mut self, fault: Fault) {
        if self.faults.len() < FAULTS {
            self.faults.push(fault);
        }
    }

    /// Tells of each body that is missing whether retention has taken it. With heads, an entry of retention after the
    /// last of them does not prove it: anybody can add one.
    fn judge_missing(&mut self, covered: Option<u64>, is_signed: bool) {
        let through = |last: u64| {
            let those = self.retained.iter().filter(|(seq, _)| *seq <= last);
            those.map(|(_, through)| *through).max().unwrap_or_default()
        };
        let (proven, said) = (through(covered.unwrap_or(u64::MAX)), through(u64::MAX));
        for seq in std::mem::take(&mut self.missing) {
            if seq <= proven {
                self.without_body += 1;
            } else if seq > said {
                self.add(Fault::BodyRemoved { seq });
            } else if is_signed {
                self.add(Fault::BodyInDoubt { seq });
            } else {
                self.in_doubt.push(seq);
            }
        }
    }
}

/// Whether SQLite has found the file to be something else than it wrote, or a value of another type.
fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
    match error {
        rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::Utf8Error(..) => true,
        error => match error.sqlite_error_code() {
            Some(DatabaseCorrupt | NotADatabase) => true,
            // A text that is no JSON any more, or a schema that names something else.
            Some(rusqlite::ErrorCode::Unknown) => true,
            _ => false,
        },
    }
}

/// Checks what SQLite knows by itself: pages, and indexes against what they are of.
fn check_file(read: &Connection, found: &mut Found) -> rusqlite::Result<()> {
    let mut check = read.prepare("PRAGMA integrity_check(10)")?;
    for what in check.query_map((), |row| row.get::<_, String>(0))? {
        let what = what?;
        if what != "ok" {
            found.add(Fault::Damaged { what });
        }
    }
    if schema(read)? != expected_schema()? {
        found.add(Fault::Damaged { what: "its schema is another one".to_owned() });
    }
    Ok(())
}

fn schema(read: &Connection) -> rusqlite::Result<Vec<(String, Option<String>)>> {
    let all = "SELECT type || ' ' || name || ' ' || tbl_name, sql FROM sqlite_schema
               WHERE type <> 'table' OR name NOT IN ('sqlite_stat1', 'sqlite_stat4') ORDER BY type, name";
    let mut all = read.prepare(all)?;
    all.query_map((), |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

fn expected_schema() -> rusqlite::Result<Vec<(String, Option<String>)>> {
    let fresh = Connection::open_in_memory()?;
    for migration in JOURNAL.migrations {
        fresh.execute_batch(migration)?;
    }
    schema(&fresh)
}

fn check_chain(read: &Connection, found: &mut Found) -> rusqlite::Result<()> {
    let mut is_indexed = read.prepare("SELECT 1 FROM spoke WHERE hook = ?1 AND seq = ?2")?;
    let mut names = 0_u64;
    let mut all = read.prepare(
        "SELECT record.seq, record.text, body_digest, hash, body.text, time, kind, session, step, event, ending,
         attempt, tool, decision, config FROM record LEFT JOIN body USING (seq) ORDER BY record.seq",
    )?;
    let mut rows = all.query(())?;
    while let Some(row) = rows.next()? {
        let seq: u64 = row.get(0)?;
        let text: String = row.get(1)?;
        let digest: Option<[u8; 32]> = row.get(2)?;
        let hash: [u8; 32] = row.get(3)?;
        let body: Option<String> = row.get(4)?;
        if seq != found.last + 1 {
            found.add(Fault::Removed { seq: found.last + 1, through: seq.saturating_sub(1) });
        }
        if chained(&found.hash, seq, &text, digest.as_ref()) != hash {
            found.add(Fault::Changed { seq });
        }
        match (&body, digest) {
            (Some(body), Some(digest)) if sha256(body) == digest => {}
            (Some(_), _) => found.add(Fault::BodyChanged { seq }),
            (None, Some(_)) => found.missing.push(seq),
            (None, None) => {}
        }
        let text: Map<String, Value> = serde_json::from_str(&text).unwrap_or_default();
        let keys = Keys::of(&text);
        let mut is_found = is_found_by(row, &keys)?;
        for hook in &keys.spoke {
            names += 1;
            is_found &= is_indexed.exists((hook, seq))?;
        }
        if !is_found {
            found.add(Fault::Index { seq });
        }
        if text.get("kind") == Some(&"retention".into()) {
            let through = text.get("through").and_then(Value::as_u64).unwrap_or_default();
            // It cannot have taken what came later.
            found.retained.push((seq, through.min(seq.saturating_sub(1))));
        }
        found.entries += 1;
        (found.last, found.hash) = (seq, hash);
    }
    let indexed: u64 = read.query_row("SELECT count(*) FROM spoke", (), |row| row.get(0))?;
    if indexed > names {
        let what = format!("{} entries of its index of hooks are of no record", indexed - names);
        found.add(Fault::Damaged { what });
    }
    let mut alone = read.prepare(
        "SELECT seq FROM body WHERE NOT EXISTS (SELECT 1 FROM record WHERE record.seq = body.seq)",
    )?;
    for seq in alone.query_map((), |row| row.get(0))? {
        found.add(Fault::BodyAdded { seq: seq? });
    }
    Ok(())
}

/// Whether the columns of a row, from the sixth on, are what its text says.
fn is_found_by(row: &Row<'_>, keys: &Keys) -> rusqlite::Result<bool> {
    let word = |column| row.get::<_, Option<String>>(column);
    Ok(row.get::<_, u64>(5)? == keys.time
        && row.get::<_, String>(6)? == keys.kind
        && word(7)? == keys.session
        && word(8)? == keys.step
        && word(9)? == keys.event
        && word(10)? == keys.ending
        && row.get::<_, u64>(11)? == keys.attempt
        && word(12)? == keys.tool
        && word(13)? == keys.decision
        && word(14)? == keys.config)
}

/// Returns the last entry of which there is a head that fits; 0 if there is none.
fn check_heads(
    read: &Connection,
    heads: &[Head],
    key: Option<&HeadKey>,
    found: &mut Found,
) -> rusqlite::Result<u64> {
    let mut covered = 0;
    let mut hash_of = read.prepare("SELECT hash FROM record WHERE seq = ?1")?;
    for head in heads {
        let seq = head.seq;
        if key.is_some_and(|key| !head.is_signed_with(key)) {
            found.add(Fault::Signature { seq });
            continue;
        }
        if seq > found.last {
            found.add(Fault::Cut { seq });
            continue;
        }
        let is_same = match seq {
            0 => true,
            seq => {
                let mut rows = hash_of.query_map([seq], |row| row.get::<_, Vec<u8>>(0))?;
                rows.next().transpose()?.is_some_and(|hash| hex(&hash) == head.hash)
            }
        };
        match is_same {
            true => covered = seq.max(covered),
            false => found.add(Fault::OtherHead { seq }),
        }
    }
    Ok(covered)
}
