//! The files that the globs of a step name on the disk: `cat src/*` reads those that are there.
//!
//! They count only where a pattern may or may not mean what a glob names. What cannot be listed with certainty stays as it is
//! written: a folder that is not there, a glob that names nothing yet, files that the same step makes.

use std::fs;
use std::path::Path;

use crate::effects::{Effects, PathEffect};
use crate::line_files::{Segment, segments};
use crate::patterns::names_with;
use crate::word::{Word, WordPart};

/// The most names on the disk that are looked at for one step.
const MOST_NAMES: usize = 10_000;

/// Returns the effects with the files that are there in place of the globs that name what is read; `None` if none could be listed.
pub(super) fn listed(effects: &Effects) -> Option<Effects> {
    let mut left = MOST_NAMES;
    let mut changed = false;
    let mut list = |read: &PathEffect| -> Vec<PathEffect> {
        let files = GlobPath::of(&read.path)
            .filter(|path| !may_make_files(effects, read, &path.folder))
            .and_then(|path| path.on_disk(&mut left));
        let Some(files) = files else { return vec![read.clone()] };
        changed = true;
        let one =
            |path: String| PathEffect { path: Word::text(path), climbs: None, ..read.clone() };
        files.into_iter().map(one).collect()
    };
    let reads = effects.reads.iter().flat_map(&mut list).collect();
    // A shell names files that are there to a program that changes them, too.
    let writes = effects.writes.iter().flat_map(&mut list).collect();
    changed.then(|| Effects { reads, writes, ..effects.clone() })
}

/// Returns the effects with names that end alike in place of the globs that say nothing but an ending: `*.json`;
/// `None` if there are none. For a folder on another machine, which cannot be listed: that one of the files is that
/// which a pattern names is as little likely as with `grep -r`. What is changed below it may be `*` as well.
pub(super) fn named_by_ending(effects: &Effects, cwd: &str) -> Option<Effects> {
    let mut changed = false;
    let mut name = |path: &PathEffect, takes_all: bool| -> PathEffect {
        let is_little = GlobPath::of(&path.path).is_some_and(|glob| {
            let [name] = glob.rest.as_slice() else { return false };
            let below = glob.folder.strip_prefix(cwd);
            let is_ordinary = below.is_some_and(|below| !below.contains("/."))
                && !(takes_all && below == Some(""));
            is_ordinary
                && says_only_ending(name, takes_all)
                && !may_make_files(effects, path, &glob.folder)
        });
        if !is_little {
            return path.clone();
        }
        changed = true;
        PathEffect { path: Word::text(path.path.written()), ..path.clone() }
    };
    let reads = effects.reads.iter().map(|read| name(read, false)).collect();
    let writes = effects.writes.iter().map(|write| name(write, true)).collect();
    changed.then(|| Effects { reads, writes, ..effects.clone() })
}

/// Whether a name is a star with an ending, or without one if that is enough.
fn says_only_ending(name: &[WordPart], takes_all: bool) -> bool {
    match name {
        [WordPart::Glob(star)] => takes_all && star == "*",
        [WordPart::Glob(star), WordPart::Text(ending)] => {
            let letters = ending.strip_prefix('.').unwrap_or_default();
            let is_plain = |sign: u8| sign.is_ascii_alphanumeric();
            star == "*" && !letters.is_empty() && letters.bytes().all(is_plain)
        }
        _ => false,
    }
}

/// Whether the step may make files where a glob looks for them.
fn may_make_files(effects: &Effects, read: &PathEffect, folder: &str) -> bool {
    let is_in = |path: &str, folder: &str| {
        path.strip_prefix(folder.trim_end_matches('/'))
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let others = |made: &&PathEffect| made.run != read.run && made.path != read.path;
    effects.writes.iter().chain(&effects.mentions).filter(others).any(|made| {
        made.path.known().is_none_or(|path| is_in(&path, folder) || is_in(folder, &path))
    })
}

/// A path with globs.
struct GlobPath {
    /// The folder in which the first name with a glob is.
    folder: String,
    rest: Vec<Segment>,
}

impl GlobPath {
    /// Reads a path; `None` if it has no globs, or parts that are not known.
    fn of(path: &Word) -> Option<Self> {
        let mut names = segments(path);
        let is_glob = |part: &WordPart| matches!(part, WordPart::Glob(_)) || is_below(part);
        let is_known = |part: &WordPart| matches!(part, WordPart::Text(_)) || is_glob(part);
        if !path.known_prefix().starts_with('/') || !names.iter().flatten().all(is_known) {
            return None;
        }
        let first = names.iter().position(|name| name.iter().any(is_glob))?;
        let rest = names.split_off(first);
        let folder = names.into_iter().map(|parts| format!("/{}", Word { parts }.written()));
        Some(Self { folder: folder.collect(), rest })
    }

    /// Returns the paths that are there; `None` if there are none, or too many to look at, or links to other folders.
    fn on_disk(&self, left: &mut usize) -> Option<Vec<String>> {
        let mut found = vec![self.folder.clone()];
        for (at, name) in self.rest.iter().enumerate() {
            let is_last = at + 1 == self.rest.len();
            let mut next = Vec::new();
            let is_below_all = |name: &Segment| matches!(name.as_slice(), [part] if is_below(part));
            let after_below =
                at.checked_sub(1).and_then(|at| self.rest.get(at)).is_some_and(is_below_all);
            let is_meant = names_with(name, after_below);
            for folder in &found {
                if is_below_all(name) {
                    below(folder, is_last, left, &mut next)?;
                    continue;
                }
                let names = entries(folder, left)?.into_iter().filter(|entry| is_meant(entry));
                next.extend(names.map(|entry| format!("{folder}/{entry}")));
            }
            found = next;
        }
        (!found.is_empty()).then_some(found)
    }
}

/// `**`: any folders, also those that begin with a dot.
fn is_below(part: &WordPart) -> bool {
    matches!(part, WordPart::Glob(written) | WordPart::Unknown { written, .. } if written == "**")
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
