//! Where the effects of one run are put.

use std::path::Path;

use super::hosts::HostInWord;
use super::role::PathRole;
use crate::effects::{Effects, HostEffect, PathEffect, Unclear, UnclearWhat, VariableEffect};
use crate::paths::{absolute, climbing};
use crate::run::Run;
use crate::variables::variables_in;
use crate::word::{Word, WordPart};

/// Where the effects of one run are put.
pub(super) struct Sink<'a> {
    pub(super) run: &'a Run,
    pub(super) index: usize,
    pub(super) by: String,
    pub(super) home: Option<&'a str>,
    pub(super) out: &'a mut Effects,
    /// Whether the options make the program go into folders.
    pub(super) goes_below: bool,
    /// Whether the program only says what it would do: it changes nothing.
    pub(super) tries: bool,
}

impl Sink<'_> {
    /// A path that is read, written or deleted.
    pub(super) fn path(&mut self, word: &Word, role: PathRole) {
        if role.reads {
            self.read_as(word, role.below, !role.used);
        }
        if role.writes {
            self.write(word, role.below);
        }
        if role.deletes {
            self.delete(word, role.below);
            let empties = role.below || self.goes_below;
            if let Some(folder) = folder_of_star(word).filter(|_| empties) {
                self.delete(&folder, true);
            }
        }
        if role.access {
            self.access(word, role.below);
        }
    }

    pub(super) fn read(&mut self, word: &Word, below: bool) {
        self.read_as(word, below, true);
    }

    /// A path that is read; what stands in it is shown, or only used.
    pub(super) fn read_as(&mut self, word: &Word, below: bool, shown: bool) {
        let effects = self.effects(word, below, true);
        self.out.reads.extend(effects.map(|effect| PathEffect { shown, ..effect }));
    }

    /// A variable of the environment whose value is shown; `None` for all of them. `X=$TOKEN printenv X` shows `TOKEN`.
    pub(super) fn show_variable(&mut self, name: Option<String>) {
        let is_meant = |(set, _): &&(String, Word)| Some(set) == name.as_ref();
        match self.run.env.iter().rev().find(is_meant) {
            Some((_, value)) => variables_in(value).for_each(|name| self.show(name)),
            None => self.show(name),
        }
    }

    fn show(&mut self, name: Option<String>) {
        let by = self.by.clone();
        let effect = VariableEffect { name, is_part: false, by, run: Some(self.index) };
        if !self.out.shows_env.contains(&effect) {
            self.out.shows_env.push(effect);
        }
    }

    pub(super) fn write(&mut self, word: &Word, below: bool) {
        if self.tries {
            return;
        }
        let effects = self.effects(word, below, true);
        self.out.writes.extend(effects);
    }

    pub(super) fn delete(&mut self, word: &Word, below: bool) {
        if self.tries {
            return;
        }
        let effects = self.effects(word, below, enters_link(word));
        self.out.deletes.extend(effects);
    }

    fn access(&mut self, word: &Word, below: bool) {
        if self.tries {
            return;
        }
        let effects = self.effects(word, below, true);
        self.out.access.extend(effects);
    }

    /// A path of which one cannot tell what is done with it.
    pub(super) fn mention(&mut self, word: &Word) {
        let effects = self.effects(word, false, true);
        self.out.mentions.extend(effects);
    }

    pub(super) fn connect(&mut self, host: Option<HostInWord>) {
        let Some(HostInWord { host, port }) = host else { return };
        let by = self.by.clone();
        let effect = HostEffect { host, port, by, run: Some(self.index) };
        if !self.out.connects.contains(&effect) {
            self.out.connects.push(effect);
        }
    }

    pub(super) fn unclear(&mut self, what: UnclearWhat, why: impl Into<String>) {
        self.out.unclear.push(Unclear { what, why: why.into(), run: Some(self.index) });
    }

    /// The path that a word names, and the other places that it names because of links of the line.
    fn effects(
        &self,
        word: &Word,
        below: bool,
        follows: bool,
    ) -> impl Iterator<Item = PathEffect> + use<> {
        let cwd = self.run.cwd.as_deref();
        let is_told = |part: &WordPart| part.is_number() || part.is_plain();
        let has_told = word.parts.iter().any(is_told);
        let bare = if has_told { without_plain(word) } else { None };
        let named = has_told.then(|| with_told(word));
        let word = named.as_ref().unwrap_or(word);
        let is_path = !word.parts.is_empty() && !is_stream(word);
        let below = below || self.goes_below;
        let path = is_path
            .then(|| absolute(word, cwd))
            .filter(|path| !path.known().is_some_and(|known| is_device(&known)));
        let mut also = match path {
            Some(_) => self.run.files.also(word, cwd, follows, below),
            None => Vec::new(),
        };
        // A date that cannot be told is nothing.
        also.extend(bare.map(|bare| absolute(&bare, cwd)));
        if let Some(path) = &path {
            let there = self.folders_before().map(|folder| absolute(word, Some(&folder)));
            also.extend(there.filter(|there| there != path));
        }
        let (by, run) = (self.by.clone(), Some(self.index));
        let climbs = path.as_ref().and_then(|_| climbing(word, cwd));
        path.map(|path| (path, climbs))
            .into_iter()
            .chain(also.into_iter().map(|path| (path, None)))
            .map(move |(path, climbs)| PathEffect {
                path,
                below,
                shown: true,
                follows,
                climbs,
                by: by.clone(),
                run,
            })
    }

    /// The folders in which the program works if a `cd` before fails, which it does as far as the disk and the line say.
    pub(super) fn folders_before(&self) -> impl Iterator<Item = String> {
        let stayed = self.run.stays_in().into_iter().flatten();
        stayed.filter(|folder| Path::new(folder).is_dir() && !self.may_be_made())
    }

    /// Whether the line may have made the folder in which the program works.
    fn may_be_made(&self) -> bool {
        let Some(cwd) = self.run.cwd.as_deref() else { return true };
        self.out.writes.iter().any(|made| match made.path.known() {
            Some(path) => {
                Path::new(&*path).starts_with(cwd)
                    || Path::new(cwd).starts_with(&*path) && made.below
            }
            None => true,
        })
    }
}

/// Whether a removal of the word goes through a link: `rm -r link/`.
fn enters_link(word: &Word) -> bool {
    match word.parts.last() {
        Some(WordPart::Text(text)) => text.ends_with('/') || text.ends_with("/."),
        _ => false,
    }
}

/// Standard input or output, or what another program writes or reads: `-`, `<(…)`.
fn is_stream(word: &Word) -> bool {
    match word.parts.as_slice() {
        [WordPart::Text(text)] => text == "-" || text.is_empty(),
        [WordPart::Unknown { written, .. }] => {
            written.starts_with("<(") || written.starts_with(">(")
        }
        _ => false,
    }
}

/// Files that stand for no file: `/dev/null`, the open files of the program, the terminal.
fn is_device(path: &str) -> bool {
    if path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/") {
        return true;
    }
    matches!(
        path,
        "/dev/null"
            | "/dev/zero"
            | "/dev/full"
            | "/dev/random"
            | "/dev/urandom"
            | "/dev/tty"
            | "/dev/stdin"
            | "/dev/stdout"
            | "/dev/stderr"
    ) || path.starts_with("/dev/fd/")
        || path.starts_with("/proc/self/fd/")
}

/// The host of `/dev/tcp/HOST/PORT`, which a shell connects to.
pub(super) fn network_device(word: &Word) -> Option<HostInWord> {
    let prefix = word.known_prefix();
    let start = ["/dev/tcp/", "/dev/udp/"].into_iter().find(|start| prefix.starts_with(start))?;
    let rest = word.without_start(start.len());
    let host = super::hosts::until(&rest, &['/']);
    let port = super::hosts::after(&rest, '/');
    let port = port.and_then(|port| port.known()?.parse().ok());
    super::hosts::of_authority(&host, port)
}

/// The folder of which `FOLDER/*` means all names, but for those with a dot.
pub(super) fn folder_of_star(word: &Word) -> Option<Word> {
    let parts = match word.parts.as_slice() {
        [before @ .., star, WordPart::Text(end)] if takes_all(star) && end == "/" => before,
        [before @ .., star] if takes_all(star) => before,
        _ => return None,
    };
    let ([.., WordPart::Text(last)], Some((_, before))) = (parts, parts.split_last()) else {
        return parts.is_empty().then(|| Word::text("."));
    };
    let folder = last.strip_suffix('/')?;
    let mut parts = before.to_vec();
    // `/` and `$FOLDER/` stay what they are.
    let text = if folder.is_empty() { last.as_str() } else { folder };
    parts.push(WordPart::Text(text.to_owned()));
    Some(Word { parts })
}

/// Whether a part of a word stands for each name in a folder: `*`, `?*`, `[!.]*`.
fn takes_all(part: &WordPart) -> bool {
    let WordPart::Glob(glob) = part else { return false };
    let glob = glob.strip_prefix("[!.]").or_else(|| glob.strip_prefix("[^.]")).unwrap_or(glob);
    glob.contains('*') && glob.chars().all(|c| matches!(c, '*' | '?'))
}

/// The word with what is one plain word, or a number, as a part of its text.
fn with_told(word: &Word) -> Word {
    let mut named = Word::default();
    for part in &word.parts {
        named.push(match part {
            WordPart::Unknown { written, .. } if part.is_number() || part.is_plain() => {
                WordPart::Text(written.replace('/', "_"))
            }
            part => part.clone(),
        });
    }
    named
}

/// The word as it is if its plain parts are nothing; `None` if it has none of them, or nothing else.
fn without_plain(word: &Word) -> Option<Word> {
    let mut rest = Word::default();
    let others = word.parts.iter().filter(|part| !part.is_plain());
    others.for_each(|part| rest.push(part.clone()));
    let has_them = word.parts.iter().any(WordPart::is_plain);
    (has_them && !rest.parts.is_empty()).then_some(rest)
}
