//! What a command line itself has made of its files before a run: links, mounts, moved files and copies.
//!
//! `ln -s /opt l; echo x > l/app/conf` writes `/opt/app/conf`, although no link is on the disk when the line
//! is judged. The walker notes each such name in the order of the line, and a run keeps those that were there
//! when it began. That a name was made is not certain (`test -e x && ln -s …`), nor that it still is as it
//! was made: a path keeps its own meaning beside those that the names give it.

use std::sync::Arc;

use crate::paths::absolute;
use crate::word::{Word, WordPart};

/// The most names that are remembered.
const MOST_NAMES: usize = 32;

/// The most places of one path.
const MOST_PLACES: usize = 8;

/// How a name leads to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leads {
    /// A symbolic link: who removes the name removes the link.
    Link,
    /// Another name of the same file: what is written to it is written to both.
    Same,
    /// A folder that is mounted there: what is removed there is removed.
    Mounted,
    /// It was moved there, with the links that are in it.
    Moved,
    /// A file with the same content: it is the same program.
    Copy,
}

/// One name of a path.
pub(crate) type Segment = Vec<WordPart>;

/// A name that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Name {
    path: Word,
    segments: Vec<Segment>,
    target: Word,
    leads: Leads,
}

/// The names that a command line had made when a run of it began.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LineFiles(Option<Arc<Vec<Name>>>);

impl LineFiles {
    /// Notes that a name leads to a file. Both are absolute.
    pub(crate) fn add(&mut self, path: Word, target: Word, leads: Leads) {
        let segments = segments(&path);
        let name = Name { path, segments, target, leads };
        let names = Arc::make_mut(self.0.get_or_insert_default());
        if names.len() < MOST_NAMES && name.path != name.target && !names.contains(&name) {
            names.push(name);
        }
    }

    /// Gives everything that is below one path the same meaning below another one: it was copied or moved.
    pub(crate) fn repeat_below(&mut self, from: &Word, to: &Word) {
        let from = segments(from);
        let below: Vec<(Word, Word, Leads)> = self
            .names()
            .iter()
            .filter_map(|name| {
                let rest = rest_after(&from, &name.segments)?;
                Some((joined(to, rest), name.target.clone(), name.leads))
            })
            .collect();
        for (path, target, leads) in below {
            self.add(path, target, leads);
        }
    }

    fn names(&self) -> &[Name] {
        self.0.as_ref().map_or(&[], |names| names.as_slice())
    }

    /// Whether no more names are remembered.
    pub(crate) fn is_full(&self) -> bool {
        self.names().len() >= MOST_NAMES
    }

    /// Whether no name was made.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Returns the other places that a word names in a folder. `follows` says whether the name itself is
    /// followed if it is a link, `below` whether everything below it is meant.
    pub(crate) fn also(
        &self,
        word: &Word,
        cwd: Option<&str>,
        follows: bool,
        below: bool,
    ) -> Vec<Word> {
        // Most lines that make names make copies, which are no other places.
        if self.names().iter().all(|name| name.leads == Leads::Copy) {
            return Vec::new();
        }
        let path = absolute(word, cwd);
        let mut found = vec![path];
        // A `..` behind a link leaves the folder that the link leads to.
        if let Some(climbed) = self.climbed(word, cwd) {
            found.push(climbed);
        }
        let mut at = 0;
        while let Some(path) = found.get(at).cloned() {
            at += 1;
            let path = segments(&path);
            for name in self.names().iter().filter(|name| name.leads != Leads::Copy) {
                let other = if let Some(rest) = rest_after(&name.segments, &path) {
                    let itself = match name.leads {
                        Leads::Mounted => true,
                        Leads::Link | Leads::Same | Leads::Moved => follows,
                        Leads::Copy => false,
                    };
                    (!rest.is_empty() || itself).then(|| joined(&name.target, rest))
                } else {
                    let is_inside = below && name.leads == Leads::Mounted;
                    (is_inside && rest_after(&path, &name.segments).is_some())
                        .then(|| name.target.clone())
                };
                if let Some(other) = other
                    && found.len() < MOST_PLACES
                    && !found.contains(&other)
                {
                    found.push(other);
                }
            }
        }
        found.remove(0);
        found
    }

    /// Returns the file that a name stands for as a program, if that is another one.
    pub(crate) fn program(&self, path: &Word) -> Option<Word> {
        let mut found = path.clone();
        // The names may lead in a circle.
        for _ in 0..8 {
            let path = segments(&found);
            let next = self.names().iter().rev().find_map(|name| {
                let rest = rest_after(&name.segments, &path)?;
                (rest.is_empty() || name.leads != Leads::Copy).then(|| joined(&name.target, rest))
            });
            match next {
                Some(next) if next != found => found = next,
                _ => break,
            }
        }
        (found != *path).then_some(found)
    }

    /// Walks a word as the system does, where a name of the line stands before a `..`.
    pub(crate) fn climbed(&self, word: &Word, cwd: Option<&str>) -> Option<Word> {
        let known = word.known()?;
        let whole = match known.strip_prefix('/') {
            Some(_) => known.into_owned(),
            None => format!("{}/{known}", cwd?),
        };
        let mut path = Word::text("");
        let mut climbed = false;
        for name in whole.split('/').filter(|name| !matches!(*name, "" | ".")) {
            if name == ".." {
                if let Some(target) = self.target(&path) {
                    (path, climbed) = (target, true);
                }
                path.push(WordPart::Text("/..".to_owned()));
                path = absolute(&path, None);
            } else {
                path.push(WordPart::Text(format!("/{name}")));
            }
        }
        climbed.then(|| absolute(&path, None))
    }

    /// Where a name leads.
    fn target(&self, path: &Word) -> Option<Word> {
        let path = segments(&absolute(path, None));
        let ways = self.names().iter().rev().filter(|name| name.leads != Leads::Copy);
        let mut targets =
            ways.filter_map(|name| Some(joined(&name.target, rest_after(&name.segments, &path)?)));
        targets.next()
    }
}

/// Joins a path and what is below it.
fn joined(path: &Word, rest: &[Segment]) -> Word {
    let mut whole = path.clone();
    for segment in rest {
        whole.push(WordPart::Text("/".to_owned()));
        segment.iter().for_each(|part| whole.push(part.clone()));
    }
    absolute(&whole, None)
}

/// Returns what of a path is left behind another one; `None` if it does not begin with that. A glob takes the
/// place of each name that begins as it does.
fn rest_after<'p>(start: &[Segment], path: &'p [Segment]) -> Option<&'p [Segment]> {
    let rest = path.get(start.len()..)?;
    // Names differ at their ends more often than at their beginnings.
    start
        .iter()
        .rev()
        .zip(path.get(..start.len())?.iter().rev())
        .all(|(one, other)| is_same(one, other))
        .then_some(rest)
}

/// Splits a path at its slashes.
pub(crate) fn segments(path: &Word) -> Vec<Segment> {
    let mut done = Vec::new();
    let mut open = Segment::new();
    for part in &path.parts {
        let WordPart::Text(text) = part else {
            open.push(part.clone());
            continue;
        };
        for (place, piece) in text.split('/').enumerate() {
            if place > 0 && !open.is_empty() {
                done.push(std::mem::take(&mut open));
            }
            if !piece.is_empty() {
                open.push(WordPart::Text(piece.to_owned()));
            }
        }
    }
    if !open.is_empty() {
        done.push(open);
    }
    done
}

/// Whether a name of a path is one that was made, or may be it.
fn is_same(made: &[WordPart], asked: &[WordPart]) -> bool {
    if made == asked {
        return true;
    }
    let has_glob = asked.iter().any(|part| matches!(part, WordPart::Glob(_)));
    let ([WordPart::Text(made)], true) = (made, has_glob) else { return false };
    match asked.first() {
        Some(WordPart::Text(start)) => made.starts_with(start.as_str()),
        // No glob takes the dot at the beginning of a name.
        _ => !made.starts_with('.'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(names: &[(&str, &str, Leads)]) -> LineFiles {
        let mut files = LineFiles::default();
        for (path, target, leads) in names {
            files.add(Word::text(*path), Word::text(*target), *leads);
        }
        files
    }

    fn also(files: &LineFiles, text: &str, follows: bool) -> Vec<String> {
        let found = files.also(&Word::text(text), Some("/p"), follows, true);
        found.iter().map(Word::written).collect()
    }

    #[test]
    fn a_link_leads_elsewhere_and_is_removed_alone() {
        let files = files(&[("/p/l", "/opt", Leads::Link)]);
        assert_eq!(also(&files, "l/app", true), ["/opt/app"]);
        assert_eq!(also(&files, "./l", true), ["/opt"]);
        assert_eq!(also(&files, "l", false), [""; 0]);
        assert_eq!(also(&files, "l2/app", true), [""; 0]);
        assert_eq!(also(&LineFiles::default(), "l/app", true), [""; 0]);
    }

    #[test]
    fn names_lead_on_to_names_and_circles_end() {
        let both = files(&[("/p/a", "/p/b", Leads::Link), ("/p/b", "/opt", Leads::Mounted)]);
        assert_eq!(also(&both, "a/x", true), ["/p/b/x", "/opt/x"]);
        assert_eq!(also(&both, "b", false), ["/opt"], "what is mounted there is removed");
        assert_eq!(also(&both, "/p", false), ["/opt"], "and below a folder");
        let circle = files(&[("/p/a", "/p/b", Leads::Link), ("/p/b", "/p/a", Leads::Link)]);
        assert_eq!(also(&circle, "a/x", true), ["/p/b/x"]);
        assert_eq!(circle.program(&Word::text("/p/a")), None);
    }

    #[test]
    fn dots_behind_a_link_leave_its_target() {
        let files = files(&[("/p/l", "/opt/app", Leads::Link)]);
        assert_eq!(also(&files, "l/../conf", true), ["/opt/conf"]);
        assert_eq!(also(&files, "l/../../conf", true), ["/conf"]);
        assert_eq!(also(&files, "m/../conf", true), [""; 0]);
    }

    #[test]
    fn what_is_moved_takes_its_links_along() {
        let mut files = files(&[("/p/d/l", "/opt", Leads::Link)]);
        files.repeat_below(&Word::text("/p/d"), &Word::text("/p/e"));
        assert_eq!(also(&files, "e/l/app", true), ["/opt/app"]);
    }

    #[test]
    fn a_copy_is_the_same_program_and_no_other_place() {
        let files = files(&[("/p/ok", "/bin/rm", Leads::Copy)]);
        assert_eq!(also(&files, "ok", true), [""; 0]);
        assert_eq!(files.program(&Word::text("/p/ok")).unwrap().written(), "/bin/rm");
        assert_eq!(files.program(&Word::text("/p/other")), None);
    }
}
