//! The folder of the former version, a sealed file for each session: it is taken over once, and then removed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use hookgate_contract::{StateError, StateKey, StateScope};
use rusqlite::Connection;
use serde::Deserialize;
use serde_json::Value;

use super::folder::Folder;
use super::ledger::{Ledger, now};
use super::values::Values;
use crate::key_file::{Key, Seal};
use crate::place;

/// Who held it read and wrote.
const LOCK: &str = "state.lock";

/// How often each file was written.
const LEDGER: &str = "state.ledger";

/// What a sealed file begins with; the seal in hexadecimal digits and a line feed follow.
const HEAD: &str = "hookgate-state 1 ";

/// How many bytes a file had at most.
const MOST_BYTES: u64 = 8 << 20;

/// The digest of a scope whose file was altered or removed: no values have it.
const BROKEN: Seal = [0; 32];

#[derive(Deserialize)]
struct FormerLedger {
    files: BTreeMap<String, Written>,
}

#[derive(Deserialize)]
struct Written {
    version: u64,
    at: u64,
}

#[derive(Deserialize)]
struct Document {
    version: u64,
    values: BTreeMap<String, BTreeMap<String, Value>>,
}

/// Tells whether a sealed file is here, of whatever part.
pub(super) fn is_here(folder: &Folder) -> Result<bool, StateError> {
    Ok(!sealed_files(folder)?.is_empty())
}

/// Takes over what is kept in files: what they are sealed with shows that they are whole, and the ledger that they are
/// the newest. A session whose file is not stays one of which it is not known what was kept.
pub(super) fn import(
    folder: &Folder,
    key: &Key,
    database: &Connection,
) -> Result<Ledger, StateError> {
    let _lock = lock(folder)?;
    let unusable = |name: &str, error: io::Error| folder.unusable(name, &error);
    let sealed = read(&folder.path(LEDGER)).map_err(|error| unusable(LEDGER, error))?;
    let sealed = sealed.ok_or_else(|| folder.lost(LEDGER))?;
    let known: FormerLedger = parse(key, LEDGER, &sealed).ok_or_else(|| folder.altered(LEDGER))?;
    let mut names: BTreeSet<String> = known.files.keys().cloned().collect();
    for file in sealed_files(folder)? {
        let name = file.strip_prefix(folder.root()).ok().and_then(Path::to_str);
        names.extend(name.filter(|name| name.ends_with(".json")).map(str::to_owned));
    }
    let mut ledger = Ledger::default();
    for name in &names {
        let written = known.files.get(name);
        let version = written.map_or(0, |written| written.version);
        // What cannot be read now can be read later: nothing is taken over then.
        let sealed = read(&folder.path(name)).map_err(|error| unusable(name, error))?;
        let document = sealed.and_then(|sealed| parse::<Document>(key, name, &sealed));
        let document = document.filter(|document| document.version >= version);
        let scope = name.strip_suffix(".json").unwrap_or(name);
        let digest = match document {
            Some(document) => keep(key, database, scope, ledger.next(), &document)
                .map_err(|error| folder.refused(&error))?,
            None => BROKEN,
        };
        ledger.note(scope, written.map_or_else(now, |written| written.at), digest);
        ledger.write_scope(database, scope).map_err(|error| folder.refused(&error))?;
    }
    ledger.write_head(database, key).map_err(|error| folder.refused(&error))?;
    Ok(ledger)
}

/// Writes the values of a file; returns their digest.
fn keep(
    key: &Key,
    database: &Connection,
    scope: &str,
    version: u64,
    document: &Document,
) -> rusqlite::Result<Seal> {
    let mut values = Values::read(database, scope)?;
    for (kind, of_owners) in &document.values {
        for (owner, value) in of_owners {
            // The name of the scope is what it was: that of the key is not asked for.
            let name = StateKey::new(StateScope::User, kind, owner);
            values.put(database, key, &name, version, Some(&value.to_string()))?;
        }
    }
    Ok(values.digest())
}

/// Removes the files, and the folders that are empty then. The ledger is the last: it says that they were there.
pub(super) fn remove(folder: &Folder) -> Result<(), StateError> {
    let _lock = lock(folder)?;
    let ledger = folder.path(LEDGER);
    for file in sealed_files(folder)?.into_iter().filter(|file| *file != ledger) {
        remove_file(&file).map_err(|error| folder.unusable(LEDGER, &error))?;
        let above = file.ancestors().skip(1).take_while(|above| *above != folder.root());
        // One that is not empty stays.
        above.for_each(|above| drop(fs::remove_dir(above)));
    }
    for name in [LEDGER, LOCK] {
        remove_file(&folder.path(name)).map_err(|error| folder.unusable(name, &error))?;
    }
    Ok(())
}

fn remove_file(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Waits until no process of the former version reads or writes. The lock goes when the file is dropped.
fn lock(folder: &Folder) -> Result<File, StateError> {
    let open = || {
        let path = folder.path(LOCK);
        place::check_plain(&path)?;
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true);
        place::for_owner_alone(&mut options);
        let file = options.open(path)?;
        file.lock()?;
        Ok(file)
    };
    open().map_err(|error: io::Error| folder.unusable(LOCK, &error))
}

/// Returns all files that begin as a sealed one does, whatever the key was.
fn sealed_files(folder: &Folder) -> Result<Vec<PathBuf>, StateError> {
    let problem = |error: io::Error| folder.unusable("", &error);
    let (mut sealed, mut folders) = (Vec::new(), vec![folder.root().to_owned()]);
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(problem(error)),
        };
        for entry in entries {
            let entry = entry.map_err(problem)?;
            let kind = entry.file_type().map_err(problem)?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() && is_sealed(&entry.path()).map_err(problem)? {
                sealed.push(entry.path());
            }
        }
    }
    Ok(sealed)
}

fn is_sealed(file: &Path) -> io::Result<bool> {
    let mut head = Vec::new();
    File::open(file)?.take(HEAD.len() as u64).read_to_end(&mut head)?;
    Ok(head == HEAD.as_bytes())
}

/// Reads a file; `None` if there is none, or if it is longer than any was.
fn read(file: &Path) -> io::Result<Option<Vec<u8>>> {
    place::check_plain(file)?;
    let mut bytes = Vec::new();
    match File::open(file) {
        Ok(open) => open.take(MOST_BYTES + 1).read_to_end(&mut bytes)?,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    Ok((bytes.len() as u64 <= MOST_BYTES).then_some(bytes))
}

/// Returns what a file of this name says; `None` if it was sealed with another key, for another name or other content.
fn parse<T: for<'a> Deserialize<'a>>(key: &Key, name: &str, sealed: &[u8]) -> Option<T> {
    let (seal, content) = sealed.strip_prefix(HEAD.as_bytes())?.split_at_checked(64)?;
    let content = content.strip_prefix(b"\n")?;
    let is_sealed = HEXLOWER.decode(seal).ok()? == key.former_seal(name, content);
    if is_sealed { serde_json::from_slice(content).ok() } else { None }
}
