//! Paths of words, absolute and normalized.
//!
//! Everything here is lexical: `.`, `..` and `//` are resolved without a look at the disk, and the case
//! of letters stays. [`real`] alone follows links.

use std::path::{Component, Path, PathBuf};

use crate::word::{Word, WordPart};

/// The longest path of a folder that is followed.
const LONGEST_FOLDER: usize = 1024;

/// Puts the home folder in the place of a `~` at the start of a text, for paths of tools that know it.
/// The words of a shell have no such `~` any more: the shell reader resolves it, since it knows the
/// quotes. The home of another user (`~user/x`) is not known.
#[must_use]
pub fn expand_home(text: &str, home: Option<&str>) -> Word {
    let Some(rest) = text.strip_prefix('~') else { return Word::text(text) };
    let (user, rest) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    match home {
        Some(home) if user.is_empty() => {
            Word::text(format!("{}{rest}", home.trim_end_matches('/')))
        }
        _ => Word {
            parts: vec![
                WordPart::Unknown { written: format!("~{user}"), splits: false, plain: false },
                WordPart::Text(rest.to_owned()),
            ],
        },
    }
}

/// Makes a word an absolute and normalized path: joined with the folder if it is relative, without `.`,
/// `..`, `//` and a slash at the end. Globs and unknown parts stay where they are. A relative path in
/// a folder that is not known begins with an unknown part.
///
/// A `..` after an unknown part takes nothing away that is known, so that the part before it becomes one
/// unknown part, and so it is with the part before an unknown one in which `..` is written: `target/${x:-../..}`. What is
/// not written is not thought of: `target/$x` is below `target`.
#[must_use]
pub fn absolute(word: &Word, cwd: Option<&str>) -> Word {
    let mut path = Segments::default();
    match word.parts.first() {
        Some(WordPart::Text(text)) if text.starts_with('/') => {}
        // The whole path may be in the unknown part.
        Some(WordPart::Unknown { .. }) => path.rooted = false,
        _ => match cwd {
            Some(cwd) => path.text(cwd),
            None => {
                path.rooted = false;
                path.open.push(WordPart::Unknown {
                    written: "the folder".into(),
                    splits: false,
                    plain: false,
                });
            }
        },
    }
    if !matches!(word.parts.first(), Some(WordPart::Unknown { .. })) {
        path.end_segment();
    }
    for part in &word.parts {
        match part {
            WordPart::Text(text) => path.text(text),
            WordPart::Glob(_) => path.open.push(part.clone()),
            WordPart::Unknown { written, .. } => {
                if path.rooted && written.contains("..") {
                    path.leave();
                }
                path.open.push(part.clone());
            }
        }
    }
    path.end_segment();
    path.into_word(cwd)
}

/// The segments of a path that is being read.
struct Segments {
    /// Whether it begins at the root; else its first segment begins with an unknown part.
    rooted: bool,
    done: Vec<Vec<WordPart>>,
    open: Vec<WordPart>,
}

impl Default for Segments {
    fn default() -> Self {
        Self { rooted: true, done: Vec::new(), open: Vec::new() }
    }
}

impl Segments {
    fn text(&mut self, text: &str) {
        let mut pieces = text.split('/');
        self.push_text(pieces.next().unwrap_or_default());
        for piece in pieces {
            self.end_segment();
            self.push_text(piece);
        }
    }

    fn push_text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        match self.open.last_mut() {
            Some(WordPart::Text(last)) => last.push_str(text),
            _ => self.open.push(WordPart::Text(text.to_owned())),
        }
    }

    fn end_segment(&mut self) {
        let segment = std::mem::take(&mut self.open);
        match segment.as_slice() {
            [] => {}
            [WordPart::Text(text)] if text == "." => {}
            [WordPart::Text(text)] if text == ".." => self.up(),
            _ => self.done.push(segment),
        }
    }

    fn up(&mut self) {
        let unknown = |part: &WordPart| matches!(part, WordPart::Unknown { .. });
        match self.done.last() {
            None => {}
            Some(last) if last.iter().any(unknown) => {
                // How many folders the unknown part names is not known, so neither is what is left.
                self.leave();
            }
            Some(_) => {
                self.done.pop();
            }
        }
    }

    /// Forgets which folder the path is in.
    fn leave(&mut self) {
        self.rooted = false;
        self.open.clear();
        self.done =
            vec![vec![WordPart::Unknown { written: "..".into(), splits: false, plain: false }]];
    }

    fn into_word(mut self, cwd: Option<&str>) -> Word {
        self.resolve_proc(cwd);
        let mut word = Word::default();
        for (at, segment) in self.done.into_iter().enumerate() {
            if at > 0 || self.rooted {
                word.push(WordPart::Text("/".into()));
            }
            for part in segment {
                word.push(part);
            }
        }
        if word.parts.is_empty() {
            word.push(WordPart::Text("/".into()));
        }
        word
    }

    /// `/proc/self/cwd/x` is `x` in the folder of the program, `/proc/self/root/x` is `/x`.
    fn resolve_proc(&mut self, cwd: Option<&str>) {
        let is = |at: usize, name: &str| {
            self.done.get(at).is_some_and(
                |segment| matches!(segment.as_slice(), [WordPart::Text(text)] if text == name),
            )
        };
        if !self.rooted || !is(0, "proc") || !(is(1, "self") || is(1, "thread-self")) {
            return;
        }
        if is(2, "root") {
            self.done.drain(..3);
        } else if is(2, "cwd")
            && let Some(cwd) = cwd
        {
            let rest = self.done.split_off(3);
            let mut base = Self::default();
            base.text(cwd);
            base.end_segment();
            self.done = base.done;
            self.done.extend(rest);
        }
    }
}

/// Resolves the links of a path: of its longest part that exists, the rest stays. Of a path with globs or
/// unknown parts the folders before them are resolved. With `follows` the last name is followed as well.
/// `None` if nothing of it changes. This looks at the disk, so it is right only where the file system is that
/// of the session, and is for the paths that a condition asks about.
#[must_use]
pub fn real(path: &Word, follows: bool) -> Option<Word> {
    let Some(known) = path.known() else {
        let (WordPart::Text(start), rest) = path.parts.split_first()? else { return None };
        let (folder, name) = start.rsplit_once('/')?;
        let mut whole = real(&Word::text(folder), true)?;
        whole.push(WordPart::Text(format!("/{name}")));
        rest.iter().for_each(|part| whole.push(part.clone()));
        return Some(whole);
    };
    let (folder, name) = match known.rsplit_once('/') {
        Some((folder, name)) if !follows && !folder.is_empty() => (folder, name),
        _ => (known.as_ref(), ""),
    };
    let mut rest = PathBuf::from(name);
    let mut existing = Path::new(folder);
    loop {
        if let Ok(found) = existing.canonicalize() {
            let mut whole = found;
            whole.extend(rest.components());
            let whole = whole.to_str()?.to_owned();
            return (whole != known).then(|| Word::text(whole));
        }
        let Some(Component::Normal(name)) = existing.components().next_back() else { return None };
        rest = Path::new(name).join(&rest);
        existing = existing.parent()?;
    }
}

/// The whole word with its dots, if a `..` stands behind a name.
pub(crate) fn climbing(word: &Word, cwd: Option<&str>) -> Option<Word> {
    let known = word.known()?;
    if !known.contains("..") {
        return None;
    }
    Some(Word::text(match known.strip_prefix('/') {
        Some(_) => known.into_owned(),
        None => format!("{}/{known}", cwd?),
    }))
}

/// Joins a folder and a path, and resolves `.` and `..` by their text.
pub(crate) fn join(folder: Option<&str>, path: &str) -> Option<String> {
    let base = if path.starts_with('/') { "" } else { folder? };
    let mut names: Vec<&str> = Vec::new();
    for name in base.split('/').chain(path.split('/')) {
        match name {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name => names.push(name),
        }
    }
    let path = format!("/{}", names.join("/"));
    (path.len() <= LONGEST_FOLDER).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(word: &Word) -> String {
        word.parts
            .iter()
            .map(|part| match part {
                WordPart::Text(text) => text.clone(),
                WordPart::Glob(glob) => format!("<{glob}>"),
                WordPart::Unknown { written, .. } => format!("{{{written}}}"),
            })
            .collect()
    }

    fn at(cwd: &str, text: &str) -> String {
        show(&absolute(&Word::text(text), Some(cwd)))
    }

    fn word(parts: &[&str]) -> Word {
        let mut word = Word::default();
        for part in parts {
            word.push(if let Some(written) = part.strip_prefix('$') {
                WordPart::Unknown { written: format!("${written}"), splits: false, plain: false }
            } else if part.contains(['*', '?']) {
                WordPart::Glob((*part).to_owned())
            } else {
                WordPart::Text((*part).to_owned())
            });
        }
        word
    }

    #[test]
    fn relative_paths_are_joined_and_dots_resolved() {
        assert_eq!(at("/w", "a"), "/w/a");
        assert_eq!(at("/w", "./a//b/"), "/w/a/b");
        assert_eq!(at("/w/x", "../a/./.."), "/w");
        assert_eq!(at("/w", "../../../etc"), "/etc");
        assert_eq!(at("/w", "/"), "/");
        assert_eq!(at("/", "a"), "/a");
        assert_eq!(at("/w/", "."), "/w");
        assert_eq!(at("/w", "//etc///passwd"), "/etc/passwd");
        assert_eq!(at("/w", "..."), "/w/...");
    }

    #[test]
    fn the_folder_of_the_process_is_known() {
        assert_eq!(at("/w", "/proc/self/cwd/.env"), "/w/.env");
        assert_eq!(at("/w", "/proc/thread-self/cwd"), "/w");
        assert_eq!(at("/w", "/proc/self/root/etc/passwd"), "/etc/passwd");
        assert_eq!(at("/w", "/proc/self/environ"), "/proc/self/environ");
    }

    #[test]
    fn the_home_folder_is_expanded_for_this_user_only() {
        assert_eq!(show(&expand_home("~", Some("/home/u"))), "/home/u");
        assert_eq!(show(&expand_home("~/a", Some("/home/u/"))), "/home/u/a");
        assert_eq!(show(&expand_home("a~", Some("/home/u"))), "a~");
        assert_eq!(show(&expand_home("~root/a", Some("/home/u"))), "{~root}/a");
        assert_eq!(show(&expand_home("~/a", None)), "{~}/a");
        assert_eq!(show(&absolute(&expand_home("~root/../a", Some("/h")), Some("/w"))), "{..}/a");
    }

    #[test]
    fn unknown_parts_and_globs_stay() {
        let cwd = Some("/w");
        assert_eq!(show(&absolute(&word(&["src/", "$X", ".rs"]), cwd)), "/w/src/{$X}.rs");
        assert_eq!(show(&absolute(&word(&["$X", "/a/../b"]), cwd)), "{$X}/b");
        assert_eq!(show(&absolute(&word(&["a/", "$X", "/../b"]), cwd)), "{..}/b");
        assert_eq!(show(&absolute(&word(&["/et", "*", "/../x"]), cwd)), "/x");
        assert_eq!(show(&absolute(&word(&["a/b", "$(x ..)", "/c"]), cwd)), "{..}/{$(x ..)}/c");
        assert_eq!(show(&absolute(&word(&["$(x ..)", "/c"]), cwd)), "{$(x ..)}/c");
        assert_eq!(show(&absolute(&word(&["*", ".rs"]), cwd)), "/w/<*>.rs");
        assert_eq!(show(&absolute(&Word::text("a/b"), None)), "{the folder}/a/b");
        assert_eq!(show(&absolute(&Word::text("/a/../b"), None)), "/b");
        assert_eq!(show(&absolute(&Word::text("../a"), None)), "{..}/a");
    }

    #[test]
    fn links_are_followed_as_far_as_the_path_exists() {
        let folder = std::env::temp_dir().join(format!("hookgate-paths-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("target")).unwrap();
        let link = folder.join("link");
        #[cfg(unix)]
        {
            let _ = std::fs::remove_file(&link);
            std::os::unix::fs::symlink(folder.join("target"), &link).unwrap();
            let asked = Word::text(link.join("new/file").to_str().unwrap());
            let found = real(&asked, true).unwrap();
            let wanted = folder.join("target").canonicalize().unwrap().join("new/file");
            assert_eq!(found.known().unwrap(), wanted.to_str().unwrap());
            let mut glob = Word::text(format!("{}/", link.to_str().unwrap()));
            glob.push(WordPart::Glob("*".into()));
            let wanted = folder.join("target").canonicalize().unwrap().join("*");
            assert_eq!(real(&glob, true).unwrap().written(), wanted.to_str().unwrap());
            let itself = Word::text(link.to_str().unwrap());
            let found = real(&itself, false);
            assert!(found.is_none_or(|found| found.written().ends_with("/link")));
        }
        assert_eq!(real(&Word::unknown("$X", false), true), None);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
