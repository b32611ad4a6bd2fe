//! A history in files, one for each session: for hosts that run for one step only.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::session::Session;
use super::{Counted, History, Marked, Moment, Period};

/// How many sessions are kept; those whose files were not written for the longest time are removed.
const SESSIONS: usize = 1024;

/// How many bytes the file of a session may have.
const BYTES: u64 = 1 << 20;

/// The longest name of a file that is made of the id of a session as it is.
const LONGEST_NAME: usize = 120;

/// A history in files. Several processes can use it at the same time: each change is made under a lock.
///
/// Its methods cannot say that a file could not be read or written; [`FileHistory::problem`] does. A host
/// that enforces asks it after each step: what could not be counted is not known to be within its limit.
///
/// ```
/// use std::time::SystemTime;
/// use hookgate_conditions::{FileHistory, History, Moment};
///
/// let folder = tempfile::tempdir()?;
/// let step = |id| Moment::new("session-1", id, SystemTime::now());
/// FileHistory::new(folder.path()).mark(&step("step-1"), "tested");
/// // Another process, later.
/// let later = FileHistory::new(folder.path());
/// assert!(later.marked(&step("step-2"), "tested").is_some());
/// assert_eq!(later.problem(), None);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct FileHistory {
    folder: PathBuf,
    problem: Mutex<Option<String>>,
}

/// The content of a file.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    session: Session,
    #[serde(default)]
    numbers: BTreeMap<String, u64>,
}

impl FileHistory {
    /// Makes a history in a folder, which is created when something is kept. Nobody else should be able
    /// to read or write it.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), problem: Mutex::default() }
    }

    /// Returns what went wrong first, if something could not be read or kept.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        self.problem.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns a number that the host keeps of a session; 0 if it was never set.
    #[must_use]
    pub fn number(&self, session: &str, name: &str) -> u64 {
        self.look(session, |kept| kept.numbers.get(name).copied()).flatten().unwrap_or_default()
    }

    /// Keeps a number of a session.
    pub fn set_number(&self, session: &str, name: &str, number: u64) {
        self.change(session, |kept| {
            kept.numbers.insert(name.to_owned(), number);
        });
    }

    fn look<T>(&self, session: &str, look: impl FnOnce(&Kept) -> T) -> Option<T> {
        let file = self.folder.join(file_name(session));
        if !file.exists() {
            return None;
        }
        let kept = Lock::of(&file).and_then(|_lock| read(&file));
        self.noted(kept).flatten().as_ref().map(look)
    }

    fn change(&self, session: &str, change: impl FnOnce(&mut Kept)) {
        let changed = || -> io::Result<()> {
            create(&self.folder)?;
            let file = self.folder.join(file_name(session));
            let _lock = Lock::of(&file)?;
            let found = read(&file)?;
            let is_new = found.is_none();
            let mut kept = found.unwrap_or_else(|| Kept {
                session: Session::new(session),
                numbers: BTreeMap::new(),
            });
            change(&mut kept);
            write(&file, &kept)?;
            if is_new { remove_old(&self.folder) } else { Ok(()) }
        };
        self.noted(changed());
    }

    fn noted<T>(&self, result: io::Result<T>) -> Option<T> {
        result
            .map_err(|error| {
                let text = format!("`{}`: {error}", self.folder.display());
                let mut problem = self.problem.lock().unwrap_or_else(PoisonError::into_inner);
                problem.get_or_insert(text);
            })
            .ok()
    }
}

impl History for FileHistory {
    fn mark(&self, moment: &Moment<'_>, name: &str) {
        self.change(moment.session, |kept| kept.session.mark(moment, name));
    }

    fn marked(&self, moment: &Moment<'_>, name: &str) -> Option<Marked> {
        self.look(moment.session, |kept| kept.session.marked(moment, name)).flatten()
    }

    fn count(&self, moment: &Moment<'_>, counter: &str, keep: usize) {
        self.change(moment.session, |kept| kept.session.count(moment, counter, keep));
    }

    fn counted(&self, moment: &Moment<'_>, counter: &str, period: Period) -> Counted {
        let counted =
            self.look(moment.session, |kept| kept.session.counted(moment, counter, period));
        counted.unwrap_or_default()
    }
}

/// The lock of a session, held until it is dropped. It is a file of its own: that of the session is
/// replaced by each change.
struct Lock {
    _file: File,
}

impl Lock {
    fn of(file: &Path) -> io::Result<Self> {
        let lock = open_private(&file.with_extension("lock"))?;
        lock.lock()?;
        Ok(Self { _file: lock })
    }
}

fn open_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options.open(path)
}

fn create(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(folder)
}

fn read(file: &Path) -> io::Result<Option<Kept>> {
    let mut bytes = Vec::new();
    match File::open(file) {
        Ok(open) => open.take(BYTES + 1).read_to_end(&mut bytes)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let damaged = |error| io::Error::new(io::ErrorKind::InvalidData, error);
    serde_json::from_slice(&bytes).map(Some).map_err(damaged)
}

fn write(file: &Path, kept: &Kept) -> io::Result<()> {
    let bytes = serde_json::to_vec(kept)?;
    if bytes.len() as u64 > BYTES {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "the session has too many marks"));
    }
    let new = file.with_extension("new");
    let mut open = open_private(&new)?;
    open.set_len(0)?;
    open.write_all(&bytes)?;
    fs::rename(new, file)
}

/// Returns the name of the file of a session. Two sessions never share one.
fn file_name(session: &str) -> String {
    let mut name = String::from("s-");
    for byte in session.bytes() {
        match byte {
            // Capitals are written out: some file systems do not tell them apart.
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => name.push(byte.into()),
            other => name.push_str(&format!("%{other:02x}")),
        }
    }
    if name.len() > LONGEST_NAME {
        let hash = fnv(session.as_bytes());
        name = format!("{}~{hash:032x}", name.get(..64).unwrap_or_default());
    }
    name + ".json"
}

/// The hash FNV-1a with 128 bits: long ids differ in more than their beginning.
fn fnv(bytes: &[u8]) -> u128 {
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    bytes.iter().fold(BASIS, |hash, byte| (hash ^ u128::from(*byte)).wrapping_mul(PRIME))
}

/// Removes the files of the sessions that were not written for the longest time.
fn remove_old(folder: &Path) -> io::Result<()> {
    let mut sessions: Vec<(SystemTime, PathBuf)> = fs::read_dir(folder)?
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .filter_map(|path| Some((path.metadata().ok()?.modified().ok()?, path)))
        .collect();
    if sessions.len() <= SESSIONS {
        return Ok(());
    }
    sessions.sort();
    for (_, path) in sessions.iter().take(sessions.len() - SESSIONS) {
        // Another process may have removed it.
        let _ = fs::remove_file(path);
        let _ = fs::remove_file(path.with_extension("lock"));
    }
    Ok(())
}
