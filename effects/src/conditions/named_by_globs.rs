//! The files that the globs of a step name on the disk: `cat src/*` reads those that are there.
//!
//! They count only where a pattern may or may not mean what a glob names. What cannot be listed with certainty stays as it is
//! written: a folder that is not there, a glob that names nothing yet, files that the same step makes.

use std::fs;
use std::path::Path;

use crate::effects::{Effects, PathEffect};
use crate::patterns::names_with;
use crate::word::{Word, WordPart};

/// The most names on the disk that are looked at for one step.
const MOST_NAMES: usize = 10_000;

/// Returns the effects with the files that are there in place of the globs that name what is read; `None` if none could be listed.
pub(super) fn listed(effects: &Effects) -> Option<Effects> {
    let mut left = MOST_NAMES;
    let mut changed = false;
    let list = |read: &PathEffect| -> Vec<PathEffect> {
        let files = Names::of(&read.path)
            .filter(|names| !may_make_files(effects, read, &names.folder))
            .and_then(|names| names.on_disk(&mut left));
        let Some(files) = files else { return vec![read.clone()] };
        changed = true;
        let one =
            |path: String| PathEffect { path: Word::text(path), climbs: None, ..read.clone() };
        files.into_iter().map(one).collect()
    };
    let reads = effects.reads.iter().flat_map(list).collect();
    changed.then(|| Effects { reads, ..effects.clone() })
}

/// Whether the step may make files where a glob looks for them.
fn may_make_files(effects: &Effects, read: &PathEffect, folder: &str) -> bool {
    let is_in = |path: &str, folder: &str| {
        path.strip_prefix(folder.trim_end_matches('/'))
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let others = |made: &&PathEffect| made.run != read.run;
    effects.writes.iter().chain(&effects.mentions).filter(others).any(|made| {
        made.path.known().is_none_or(|path| is_in(&path, folder) || is_in(folder, &path))
    })
}

/// What a glob names, name by name.
struct Names {
    /// The folder in which the first name with a glob is.
    folder: String,
    rest: Vec<Name>,
}

enum Name {
    /// `**`: any folders, also those that begin with a dot.
    Folders,
    Glob(Vec<WordPart>),
}

impl Names {
    /// Reads a path with globs; `None` if it has none, or parts that are not known.
    fn of(path: &Word) -> Option<Self> {
        let mut names: Vec<Vec<WordPart>> = vec![Vec::new()];
        for part in &path.parts {
            match part {
                WordPart::Text(text) => {
                    for (place, piece) in text.split('/').enumerate() {
                        if place > 0 {
                            names.push(Vec::new());
                        }
                        if let (false, Some(last)) = (piece.is_empty(), names.last_mut()) {
                            last.push(WordPart::Text(piece.to_owned()));
                        }
                    }
                }
                WordPart::Glob(_) => names.last_mut()?.push(part.clone()),
                WordPart::Unknown { written, .. } if written == "**" => {
                    names.last_mut()?.push(WordPart::Glob(written.clone()));
                }
                WordPart::Unknown { .. } => return None,
            }
        }
        let has_glob =
            |name: &Vec<WordPart>| name.iter().any(|part| matches!(part, WordPart::Glob(_)));
        let first = names.iter().position(has_glob)?;
        let rest = names.split_off(first);
        let folder: Vec<String> = names.into_iter().map(|parts| Word { parts }.written()).collect();
        let name = |parts: Vec<WordPart>| match parts.as_slice() {
            [WordPart::Glob(glob)] if glob == "**" => Name::Folders,
            _ => Name::Glob(parts),
        };
        let folder = folder.join("/");
        // `absolute` has made it begin with the root.
        (folder.is_empty() || folder.starts_with('/'))
            .then(|| Self { folder, rest: rest.into_iter().map(name).collect() })
    }

    /// Returns the paths that are there; `None` if there are none, or too many to look at, or links to other folders.
    fn on_disk(&self, left: &mut usize) -> Option<Vec<String>> {
        let mut found = vec![self.folder.clone()];
        for (at, name) in self.rest.iter().enumerate() {
            let is_last = at + 1 == self.rest.len();
            let mut next = Vec::new();
            for folder in &found {
                match name {
                    Name::Folders => below(folder, is_last, left, &mut next)?,
                    Name::Glob(glob) => {
                        let after_folders =
                            at > 0 && matches!(self.rest.get(at - 1), Some(Name::Folders));
                        let is_meant = names_with(glob, after_folders);
                        for entry in entries(folder, left)? {
                            if is_meant(&entry) {
                                next.push(format!("{folder}/{entry}"));
                            }
                        }
                    }
                }
            }
            found = next;
        }
        (!found.is_empty()).then_some(found)
    }
}

/// The names in a folder; none if it is no folder.
fn entries(folder: &str, left: &mut usize) -> Option<Vec<String>> {
    let path = if folder.is_empty() { Path::new("/") } else { Path::new(folder) };
    if !path.is_dir() {
        return Some(Vec::new());
    }
    let mut names = Vec::new();
    for entry in fs::read_dir(path).ok()? {
        *left = left.checked_sub(1)?;
        names.push(entry.ok()?.file_name().into_string().ok()?);
    }
    Some(names)
}

/// Adds a folder and all folders below it, with their files if these are meant.
fn below(folder: &str, with_files: bool, left: &mut usize, into: &mut Vec<String>) -> Option<()> {
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in entries(&folder, left)? {
            let path = format!("{folder}/{entry}");
            let kind = fs::symlink_metadata(&path).ok()?;
            // Some programs go where it leads.
            if kind.is_symlink() && Path::new(&path).is_dir() {
                return None;
            }
            if kind.is_dir() {
                open.push(path);
            } else if with_files {
                into.push(path);
            }
        }
        into.push(folder);
    }
    Some(())
}
