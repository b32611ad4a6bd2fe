//! References under `refs/hookgate`, by session and number.

use std::path::{Path, PathBuf};

use hookgate_contract::Failure;

use super::Snapshot;
use crate::git::program::{Git, GitCall};
use crate::hash::hex_hash;

/// Whose commits they are.
const NAME: &str = "hookgate";
const MAIL: &str = "hookgate@localhost";

/// Where the snapshots are.
const SNAPSHOTS: &str = "refs/hookgate/snapshots";

/// In the message of a commit: of which work tree it is. A reference of its own for each work tree (`refs/worktree`) is not
/// safe: `git gc` in one of them deletes what those of another refer to.
const WORK_TREE: &str = "Work-tree: ";

/// In the message: how large a file was allowed to be that git does not follow.
const MAX_NEW_FILE: &str = "New-files-up-to: ";

/// What a commit notes of the state that it keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Note {
    /// The work tree, as the repository names it.
    pub(super) work_tree: String,
    /// How large a file may be that git does not follow.
    pub(super) max_new_file: usize,
}

impl Note {
    fn text(&self) -> String {
        format!("{WORK_TREE}{}\n{MAX_NEW_FILE}{}", self.work_tree, self.max_new_file)
    }

    /// Reads it; commits of earlier versions have none.
    fn read(body: &str) -> Option<Self> {
        let value = |key: &str| body.lines().find_map(|line| line.strip_prefix(key));
        let max_new_file = value(MAX_NEW_FILE)?.parse().ok()?;
        Some(Self { work_tree: value(WORK_TREE)?.to_owned(), max_new_file })
    }
}

/// A session, as its references name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SessionName(pub(super) String);

/// The references of a session.
pub(super) struct References {
    git: Git,
    top: PathBuf,
    folder: String,
}

/// A commit, and the reference to it.
#[derive(Debug)]
pub(super) struct Stored {
    pub(super) reference: String,
    pub(super) tree: String,
    pub(super) label: String,
    note: Option<Note>,
}

impl Stored {
    /// Whether it is of this work tree. One of an earlier version may be.
    pub(super) fn is_of(&self, work_tree: &str) -> bool {
        self.note.as_ref().is_none_or(|note| note.work_tree == work_tree)
    }

    /// How large a file was allowed to be that git does not follow, if that is known.
    pub(super) fn max_new_file(&self) -> Option<usize> {
        self.note.as_ref().map(|note| note.max_new_file)
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot { reference: self.reference.clone(), label: self.label.clone() }
    }

    /// The session that it is of.
    fn session(&self) -> Option<SessionName> {
        let (folder, _) = self.reference.rsplit_once('/')?;
        let name = folder.strip_prefix(SNAPSHOTS)?.strip_prefix('/')?;
        Some(SessionName(name.to_owned()))
    }

    fn number(&self) -> u64 {
        let (_, number) = self.reference.rsplit_once('/').unwrap_or_default();
        number.parse().unwrap_or(0)
    }
}

impl References {
    /// Returns those of the snapshots.
    pub(super) fn snapshots(git: &Git, top: &Path, session: &SessionName) -> Self {
        Self::below(SNAPSHOTS, git, top, session)
    }

    /// Returns those of the states before an undo.
    pub(super) fn undone(git: &Git, top: &Path, session: &SessionName) -> Self {
        Self::below("refs/hookgate/undone", git, top, session)
    }

    fn below(root: &str, git: &Git, top: &Path, session: &SessionName) -> Self {
        let folder = format!("{root}/{}", session.0);
        Self { git: git.clone(), top: top.to_path_buf(), folder }
    }

    /// Lists the snapshots of all sessions, the oldest first: whose they are, and what they are.
    pub(super) async fn of_all_sessions(
        git: &Git,
        top: &Path,
    ) -> Result<Vec<(SessionName, Stored)>, Failure> {
        let all = Self { git: git.clone(), top: top.to_path_buf(), folder: SNAPSHOTS.to_owned() };
        // The last key is the first that counts. git knows the second of a commit, and no more.
        let stored = all.read(&["--sort=refname", "--sort=committerdate"]).await?;
        Ok(stored.into_iter().filter_map(|stored| Some((stored.session()?, stored))).collect())
    }

    fn call(&self) -> GitCall {
        self.git.call(&self.top)
    }

    /// Lists them, the oldest first.
    pub(super) async fn list(&self) -> Result<Vec<Stored>, Failure> {
        let mut stored = self.read(&[]).await?;
        stored.sort_by_key(Stored::number);
        Ok(stored)
    }

    async fn read(&self, order: &[&str]) -> Result<Vec<Stored>, Failure> {
        let format = "--format=%(refname)%00%(tree)%00%(contents:subject)%00%(contents:body)%00";
        let args = [&["for-each-ref", format], order, &[self.folder.as_str()]].concat();
        let output = self.call().args(args).run().await?;
        let text = String::from_utf8_lossy(&output.bytes);
        let fields: Vec<&str> = text.split('\0').collect();
        let stored = fields.chunks_exact(4).filter_map(|fields| {
            let [reference, tree, label, body] = fields else { return None };
            Some(Stored {
                // The line end of the entry before.
                reference: reference.trim_start().to_owned(),
                tree: (*tree).to_owned(),
                label: (*label).to_owned(),
                note: Note::read(body),
            })
        });
        Ok(stored.collect())
    }

    /// Makes a commit of a tree and a reference behind the last one. Returns the reference.
    pub(super) async fn add(
        &self,
        last: Option<&Stored>,
        tree: &str,
        label: &str,
        note: &Note,
    ) -> Result<String, Failure> {
        let mut call = self.call();
        for who in ["AUTHOR", "COMMITTER"] {
            call =
                call.env(&format!("GIT_{who}_NAME"), NAME).env(&format!("GIT_{who}_EMAIL"), MAIL);
        }
        // One line, whatever a tool is called.
        let label = label.replace(char::is_control, " ");
        let args = ["commit-tree", "--no-gpg-sign", "-m", &label, "-m", &note.text(), tree];
        let commit = call.args(args).run().await?.line();
        let number = last.map_or(1, |last| last.number().saturating_add(1));
        let reference = format!("{}/{number:08}", self.folder);
        // Only if there is none of this name: another process may have been faster.
        let absent = "0".repeat(commit.len());
        self.call().args(["update-ref", &reference, &commit, &absent]).run().await?;
        Ok(reference)
    }

    /// Deletes references.
    pub(super) async fn delete(&self, stored: &[&Stored]) -> Result<(), Failure> {
        if stored.is_empty() {
            return Ok(());
        }
        let lines: String =
            stored.iter().map(|stored| format!("delete {}\n", stored.reference)).collect();
        self.call().args(["update-ref", "--stdin"]).input(lines.into_bytes()).run().await?;
        Ok(())
    }
}

impl SessionName {
    /// Makes a session a part of a reference: readable, and different for each session.
    pub(super) fn of(session: &str) -> Self {
        let plain = |sign: char| if sign.is_ascii_alphanumeric() { sign } else { '-' };
        let readable: String = session.chars().take(32).map(plain).collect();
        let hash: String = hex_hash(session.as_bytes()).chars().take(12).collect();
        Self(format!("{}-{hash}", readable.trim_matches('-')))
    }
}
