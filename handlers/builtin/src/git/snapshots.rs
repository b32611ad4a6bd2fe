//! Snapshots of a work tree, as commits under hidden references.

mod index;
mod references;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use hookgate_contract::{Failure, FailureClass};
use tokio::sync::Mutex;

use self::index::TemporaryIndex;
use self::references::{Note, References, SessionName, Stored};
use super::program::{Git, GitError};

/// How many snapshots of a session are kept.
pub(super) const KEEP: usize = 50;

/// How large a file may be that git does not follow.
pub(super) const MAX_NEW_FILE: usize = 2 * 1024 * 1024;

/// The snapshots of work trees: takes them, lists them, and goes back to one.
///
/// ```no_run
/// # async fn example() -> Result<(), hookgate_contract::Failure> {
/// use std::path::Path;
/// use hookgate_builtin::Snapshots;
///
/// let Some(snapshots) = Snapshots::find() else { return Ok(()) };
/// let project = Path::new("/srv/ledger");
/// snapshots.take(project, "session-1", "before the migration").await?;
/// // … the agent works …
/// if let Some(undone) = snapshots.undo(project, "session-1").await? {
///     println!("{} files are as they were at {}", undone.files.len(), undone.snapshot.label);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Snapshots {
    git: Git,
    keep: usize,
    max_new_file: usize,
    /// Two at once would choose the same number.
    one_at_a_time: Mutex<()>,
}

/// One snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Snapshot {
    /// Its name in git: `refs/hookgate/snapshots/SESSION/NUMBER`.
    pub reference: String,
    /// When it was taken, in words.
    pub label: String,
}

/// A session and its snapshots.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SnapshotSession {
    /// Its name in the references: see [`Snapshots::session_name`].
    pub name: String,
    /// Its snapshots, the oldest first.
    pub snapshots: Vec<Snapshot>,
}

/// What an undo has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Undone {
    /// The snapshot whose state the files have now.
    pub snapshot: Snapshot,
    /// The files that were changed, made again or removed, relative to the work tree.
    pub files: Vec<String>,
    /// What stands in the way of the snapshot and is not in git, so that nothing could bring it back: it is ignored, too
    /// large for a snapshot, or a repository of its own. It stays as it is.
    pub left: Vec<String>,
    /// The state before the undo, in git.
    pub before: String,
}

impl Snapshots {
    /// Finds git; `None` if it is not in `PATH`.
    #[must_use]
    pub fn find() -> Option<Self> {
        let one_at_a_time = Mutex::new(());
        Some(Self { git: Git::find()?, keep: KEEP, max_new_file: MAX_NEW_FILE, one_at_a_time })
    }

    /// Sets how many snapshots of a session are kept.
    #[must_use]
    pub fn keep(self, keep: usize) -> Self {
        Self { keep, ..self }
    }

    /// Sets how large a file may be that git does not follow.
    #[must_use]
    pub fn max_new_file(self, bytes: usize) -> Self {
        Self { max_new_file: bytes, ..self }
    }

    /// Takes a snapshot of a work tree for a session, or returns the last one if nothing has changed since. `None`
    /// outside of a work tree.
    ///
    /// # Errors
    /// A failure of the class `spawn` or `exit` if git does not work.
    ///
    /// # Cancel safety
    /// Dropping the future leaves at most objects that nothing refers to, which git collects.
    pub async fn take(
        &self,
        folder: &Path,
        session: &str,
        label: &str,
    ) -> Result<Option<Snapshot>, Failure> {
        let _alone = self.one_at_a_time.lock().await;
        let Some(tree) = self.work_tree(folder).await? else { return Ok(None) };
        let state = self.state(&tree, self.max_new_file).await?;
        let references = self.references(&tree, &SessionName::of(session));
        let all = references.list().await?;
        let own: Vec<&Stored> = all.iter().filter(|stored| stored.is_of(&tree.name)).collect();
        if let Some(last) = own.last().filter(|last| last.tree == state) {
            return Ok(Some(last.snapshot()));
        }
        let note = tree.note(self.max_new_file);
        let reference = references.add(all.last(), &state, label, &note).await?;
        let too_many = (own.len() + 1).saturating_sub(self.keep);
        references.delete(own.get(..too_many).unwrap_or_default()).await?;
        Ok(Some(Snapshot { reference, label: label.to_owned() }))
    }

    /// Lists the snapshots of a session in this work tree, the oldest first.
    ///
    /// # Errors
    /// As [`Snapshots::take`].
    pub async fn list(&self, folder: &Path, session: &str) -> Result<Vec<Snapshot>, Failure> {
        let Some(tree) = self.work_tree(folder).await? else { return Ok(Vec::new()) };
        let stored = self.references(&tree, &SessionName::of(session)).list().await?;
        let own = stored.iter().filter(|stored| stored.is_of(&tree.name));
        Ok(own.map(Stored::snapshot).collect())
    }

    /// Lists the sessions with snapshots of a work tree, the one with the newest last; of those with one of the same
    /// second, by name.
    ///
    /// # Errors
    /// As [`Snapshots::take`].
    pub async fn sessions(&self, folder: &Path) -> Result<Vec<SnapshotSession>, Failure> {
        let Some(tree) = self.work_tree(folder).await? else { return Ok(Vec::new()) };
        let mut sessions: Vec<SnapshotSession> = Vec::new();
        let all = References::of_all_sessions(&self.git, &tree.top).await?;
        for (SessionName(name), stored) in
            all.into_iter().filter(|(_, stored)| stored.is_of(&tree.name))
        {
            let known = sessions.iter().position(|session| session.name == name);
            let mut session = match known {
                Some(at) => sessions.remove(at),
                None => SnapshotSession { name, snapshots: Vec::new() },
            };
            session.snapshots.push(stored.snapshot());
            sessions.push(session);
        }
        Ok(sessions)
    }

    /// Returns the name that a session has in its references, and in [`SnapshotSession`].
    #[must_use]
    pub fn session_name(session: &str) -> String {
        SessionName::of(session).0
    }

    /// Makes the files what they were at the last snapshot that differs from them, and forgets that one
    /// and the later ones: another undo goes back further. The state before is kept under
    /// `refs/hookgate/undone`. `None` if there is nothing to go back to.
    ///
    /// Files that git ignores, and new ones that are too large for a snapshot, stay as they are; so do
    /// the index and the branch.
    ///
    /// # Errors
    /// As [`Snapshots::take`]; and of the class `exit` if a file cannot be removed.
    pub async fn undo(&self, folder: &Path, session: &str) -> Result<Option<Undone>, Failure> {
        self.undo_session(folder, &Self::session_name(session)).await
    }

    /// As [`Snapshots::undo`], for a session by the [name](Self::session_name) that its references have.
    ///
    /// # Errors
    /// As [`Snapshots::undo`].
    pub async fn undo_session(&self, folder: &Path, name: &str) -> Result<Option<Undone>, Failure> {
        self.go_back(folder, name, |stored, now| stored.tree != now).await
    }

    /// Makes the files what they were at a snapshot, and forgets it and the later ones of its session; else as
    /// [`Snapshots::undo`]. `None` if there is no such snapshot, or the files are as they were.
    ///
    /// # Errors
    /// As [`Snapshots::undo`].
    pub async fn reset(&self, folder: &Path, reference: &str) -> Result<Option<Undone>, Failure> {
        let name = reference.rsplit('/').nth(1).unwrap_or_default();
        self.go_back(folder, name, |stored, now| {
            stored.reference == reference && stored.tree != now
        })
        .await
    }

    /// Goes back to the last snapshot that is meant; it is asked about each and the tree of the present files.
    async fn go_back(
        &self,
        folder: &Path,
        name: &str,
        is_meant: impl Fn(&Stored, &str) -> bool,
    ) -> Result<Option<Undone>, Failure> {
        let _alone = self.one_at_a_time.lock().await;
        let Some(tree) = self.work_tree(folder).await? else { return Ok(None) };
        let session = SessionName(name.to_owned());
        let references = self.references(&tree, &session);
        let all = references.list().await?;
        let own: Vec<&Stored> = all.iter().filter(|stored| stored.is_of(&tree.name)).collect();
        // The present files, by the size up to which a snapshot has new ones: else those that it never had would go.
        let mut states: HashMap<usize, String> = HashMap::new();
        let mut found = None;
        for (at, stored) in own.iter().enumerate().rev() {
            let limit = stored.max_new_file().unwrap_or(self.max_new_file);
            let now = match states.get(&limit) {
                Some(now) => now.clone(),
                None => self.state(&tree, limit).await?,
            };
            states.insert(limit, now.clone());
            if is_meant(stored, &now) {
                found = Some((at, *stored, limit, now));
                break;
            }
        }
        let Some((at, target, limit, now)) = found else { return Ok(None) };
        let later = own.get(at..).unwrap_or_default();
        let undone = References::undone(&self.git, &tree.top, &session);
        let before = undone.list().await?;
        let (label, note) = (format!("before {}", target.label), tree.note(limit));
        let before = undone.add(before.last(), &now, &label, &note).await?;
        let (files, left) = self.restore(&tree, &now, &target.tree).await?;
        references.delete(later).await?;
        Ok(Some(Undone { snapshot: target.snapshot(), files, left, before }))
    }

    fn references(&self, tree: &WorkTree, session: &SessionName) -> References {
        References::snapshots(&self.git, &tree.top, session)
    }

    async fn work_tree(&self, folder: &Path) -> Result<Option<WorkTree>, Failure> {
        let args = ["rev-parse", "--show-toplevel", "--absolute-git-dir"];
        match self.git.call(folder).args(args).run().await {
            Ok(output) => Ok(output
                .line()
                .split_once('\n')
                .map(|(top, git_folder)| WorkTree::new(top.into(), git_folder.into()))),
            Err(GitError::Nothing) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes the present files into git, new ones up to a size, and returns the hash of their tree.
    async fn state(&self, tree: &WorkTree, max_new_file: usize) -> Result<String, Failure> {
        // A copy of the index of the user, so that only changed files are read.
        let index = TemporaryIndex::copied(&tree.git_folder)?;
        let call = || self.git.call(&tree.top).env("GIT_INDEX_FILE", index.path());
        call().args(["add", "--update"]).run().await?;
        let args = ["ls-files", "-z", "--others", "--exclude-standard"];
        let new_files = call().args(args).run().await?;
        let mut small = Vec::new();
        for name in new_files.fields() {
            if is_kept(&tree.top, name, max_new_file) {
                small.extend_from_slice(name);
                small.push(0);
            }
        }
        if !small.is_empty() {
            let args = ["update-index", "-z", "--add", "--stdin"];
            call().args(args).input(small).run().await?;
        }
        Ok(call().args(["write-tree"]).run().await?.line())
    }

    /// Makes the files those of another tree. Returns the names of those that differed, and of what stays because git
    /// does not have it.
    async fn restore(
        &self,
        tree: &WorkTree,
        now: &str,
        then: &str,
    ) -> Result<(Vec<String>, Vec<String>), Failure> {
        let index = TemporaryIndex::empty(&tree.git_folder);
        let call = || self.git.call(&tree.top).env("GIT_INDEX_FILE", index.path());
        let args = ["diff-tree", "-r", "-z", "--no-renames", "--name-status", now, then];
        let differences = call().args(args).run().await?;
        let fields = differences.fields();
        let (mut made, mut names, mut left) = (Vec::new(), Vec::new(), Vec::new());
        let mut wanted = Vec::new();
        // What goes is no obstacle to what comes.
        for pair in fields.chunks_exact(2) {
            let [status, name] = pair else { continue };
            if *status == b"D" {
                remove(&tree.top, &path_of(name))?;
                names.push(String::from_utf8_lossy(name).into_owned());
            } else {
                wanted.push((*status == b"A", *name));
            }
        }
        for (is_new, name) in wanted {
            let list = if is_lost(&tree.top, &path_of(name), is_new) {
                &mut left
            } else {
                made.extend_from_slice(name);
                made.push(0);
                &mut names
            };
            list.push(String::from_utf8_lossy(name).into_owned());
        }
        if !made.is_empty() {
            call().args(["read-tree", then]).run().await?;
            let args = ["checkout-index", "--force", "-z", "--stdin"];
            call().args(args).input(made).run().await?;
        }
        Ok((names, left))
    }
}

/// A repository with files.
struct WorkTree {
    top: PathBuf,
    git_folder: PathBuf,
    /// How the repository names it among its work trees. It stays when a folder is moved.
    name: String,
}

impl WorkTree {
    fn new(top: PathBuf, git_folder: PathBuf) -> Self {
        // Only a further work tree of a repository has this file.
        let is_further = git_folder.join("commondir").exists();
        let name = git_folder.file_name().filter(|_| is_further);
        let name = name.map(|name| format!("worktrees/{}", name.to_string_lossy()));
        Self { top, git_folder, name: name.unwrap_or_else(|| "main".to_owned()) }
    }

    fn note(&self, max_new_file: usize) -> Note {
        Note { work_tree: self.name.clone(), max_new_file }
    }
}

/// Tells whether a new file belongs to a snapshot: it is small, and no repository of its own.
fn is_kept(top: &Path, name: &[u8], max_new_file: usize) -> bool {
    let is_small = |file: fs::Metadata| {
        !file.is_dir() && usize::try_from(file.len()).is_ok_and(|bytes| bytes <= max_new_file)
    };
    !name.ends_with(b"/") && fs::symlink_metadata(top.join(path_of(name))).is_ok_and(is_small)
}

/// Tells whether a file could only be written over something that is not in the tree of the present files: git removes
/// a whole folder for it. `is_new` says that the tree has no such file.
fn is_lost(top: &Path, name: &Path, is_new: bool) -> bool {
    let there = |name: &Path| fs::symlink_metadata(top.join(name)).ok();
    let mut folders = name.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
    there(name).is_some_and(|there| is_new || there.is_dir())
        || folders.any(|folder| there(folder).is_some_and(|there| !there.is_dir()))
}

/// Removes a file, and the folders that are empty without it.
fn remove(top: &Path, name: &Path) -> Result<(), Failure> {
    let path = top.join(name);
    fs::remove_file(&path).map_err(|error| {
        let problem = format!("{} cannot be removed: {error}", path.display());
        Failure::new(FailureClass::Exit, problem)
    })?;
    for folder in name.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty()) {
        if fs::remove_dir(top.join(folder)).is_err() {
            break;
        }
    }
    Ok(())
}

#[cfg(unix)]
fn path_of(name: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    std::ffi::OsStr::from_bytes(name).into()
}

#[cfg(not(unix))]
fn path_of(name: &[u8]) -> PathBuf {
    String::from_utf8_lossy(name).into_owned().into()
}
