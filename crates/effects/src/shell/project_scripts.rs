//! Shell scripts of the project that a command runs by path: `bash x.sh`, `./x.sh`, `. ./x.sh`.
//!
//! What a script does is what the command does, so it is read when the command is judged. Only regular files below
//! the folder of the project are, and only so much of them; what else a shell runs is named and not seen. Each file is
//! read once a line: what it is walked with twice is the same text.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use super::walk::Walker;
use super::written_files::names_shell;
use crate::effects::{Effects, UnclearWhat};
use crate::paths::join;
use crate::programs::effects_of;
use crate::project::project_of;
use crate::run::Place;
use crate::word::Word;

/// How long a script may be.
const LIMIT: usize = 64 << 10;

/// How much of scripts is gone through for one line.
const MOST: usize = 256 << 10;

/// How deep scripts may run scripts.
const DEEPEST: usize = 4;

/// Programs that change a file's mode or owner, and nothing in it.
const MODES: &[&str] = &["chmod", "chown", "chgrp", "setfacl", "chattr"];

/// What is known of the scripts of a line.
#[derive(Debug, Default)]
pub(super) struct Scripts {
    read: Vec<(PathBuf, Content)>,
    /// Those that run at this point.
    active: Vec<PathBuf>,
    /// How much was gone through.
    amount: usize,
}

/// What is in a file.
#[derive(Debug, Clone)]
enum Content {
    Shell(String),
    /// A program, or a script in another language.
    Other,
    Unreadable(String),
}

/// How a script is run.
pub(super) enum Shell<'a> {
    /// In this shell: `. ./x.sh`.
    This,
    /// In one of its own, with these words and variables: `bash x.sh a b`, `./x.sh a b`.
    New(&'a [Word], &'a [(String, Word)]),
}

impl Walker<'_> {
    /// Notes a file of shell code that runs, and goes through it if it is one of the project.
    pub(super) fn script_of_shell(&mut self, file: &Word, by: usize, shell: Shell<'_>) {
        let before = self.complete;
        self.script(file, by);
        let unseen = std::mem::replace(&mut self.complete, before);
        if !self.project_script(file, by, shell) {
            self.complete = unseen;
        }
    }

    /// Goes through a script of the project; returns whether it is one, and was read.
    pub(super) fn project_script(&mut self, file: &Word, by: usize, shell: Shell<'_>) -> bool {
        let Some(path) = self.path_in_project(file) else { return false };
        let text = match self.content(&path) {
            None | Some(Content::Other) => return false,
            Some(Content::Shell(text)) => text,
            Some(Content::Unreadable(why)) => {
                let why = format!("the script `{}` {why}", file.written());
                self.unclear(UnclearWhat::Program, why, Some(by));
                return false;
            }
        };
        if self.is_changed_before(&path, by) {
            let why = format!("the line changes the script `{}` before it runs", file.written());
            self.unclear(UnclearWhat::Program, why, Some(by));
            return false;
        }
        // It runs itself: nothing new.
        if self.scripts.active.contains(&path) {
            return true;
        }
        self.scripts.amount += text.len();
        if self.scripts.amount > MOST || self.scripts.active.len() >= DEEPEST {
            let why = format!("the script `{}` is one of too many", file.written());
            self.unclear(UnclearWhat::Program, why, Some(by));
            return false;
        }
        self.scripts.active.push(path);
        self.refuel(text.len());
        let name = self.name_of(by);
        let code = Word::text(text);
        self.run_by(&name, |walker| match shell {
            Shell::This => walker.code(&code, by),
            Shell::New(words, env) => {
                let known = !words.iter().any(Word::splits);
                let positional = known.then(|| words.to_vec());
                walker.code_in_new_shell(&code, by, Some(file.clone()), positional, env);
            }
        });
        self.scripts.active.pop();
        true
    }

    /// The texts that the line has written to a file, or the text of a file of the project. A file that is neither
    /// has none; one of the project that cannot be read is an error.
    pub(super) fn text_in_project(&mut self, file: &Word) -> Result<Vec<Word>, String> {
        let written = self.script_texts(file);
        if !written.is_empty() {
            return Ok(written);
        }
        let content = self.path_in_project(file).and_then(|path| self.content(&path));
        match content {
            Some(Content::Shell(text)) => Ok(vec![Word::text(text)]),
            Some(Content::Unreadable(why)) => Err(why),
            Some(Content::Other) | None => Ok(Vec::new()),
        }
    }

    /// The real path of a file, if it lies in the project and is not written by the line itself.
    fn path_in_project(&self, file: &Word) -> Option<PathBuf> {
        if self.place != Place::Local
            || self.script_source(file).is_some()
            || !self.script_texts(file).is_empty()
        {
            return None;
        }
        let path = join(self.state.cwd.as_deref(), &file.known()?)?;
        // It may have been copied, linked or moved by the line.
        let behind = self.names.program(&Word::text(path.clone()));
        let path = behind.and_then(|behind| Some(behind.known()?.into_owned())).unwrap_or(path);
        let session = self.around.cwd.as_deref()?;
        let project = project_of(session).unwrap_or_else(|| session.to_owned());
        let (path, project) = (Path::new(&path), Path::new(&project));
        if !path.starts_with(project) {
            return None;
        }
        let real = path.canonicalize().ok()?;
        real.starts_with(project.canonicalize().ok()?).then_some(real)
    }

    fn content(&mut self, path: &Path) -> Option<Content> {
        if let Some((_, content)) = self.scripts.read.iter().find(|(read, _)| read == path) {
            return Some(content.clone());
        }
        let content = read(path)?;
        self.scripts.read.push((path.to_owned(), content.clone()));
        Some(content)
    }

    /// Whether a command of the line before may have written the file. A file with another mode or owner is the same.
    fn is_changed_before(&self, path: &Path, by: usize) -> bool {
        let mut effects = Effects::default();
        for (at, run) in self.runs.iter().enumerate().take(by) {
            effects_of(run, at, self.around, &mut effects);
        }
        let changes = effects.writes.iter().filter(|write| !MODES.contains(&write.by.as_str()));
        changes.into_iter().any(|write| {
            let known = write.path.known();
            known.is_some_and(|known| {
                let written = Path::new(known.as_ref());
                let real = written.canonicalize();
                let written = real.as_deref().unwrap_or(written);
                written == path || (write.below && path.starts_with(written))
            })
        })
    }
}

fn read(path: &Path) -> Option<Content> {
    let unreadable = |error: &std::io::Error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => None,
        _ => Some(Content::Unreadable(format!("cannot be read: {error}"))),
    };
    match path.metadata() {
        Ok(found) if found.is_file() => {}
        Ok(found) if found.is_dir() => return None,
        Ok(_) => return Some(Content::Unreadable("is no regular file".to_owned())),
        Err(error) => return unreadable(&error),
    }
    let mut bytes = Vec::new();
    let limit = u64::try_from(LIMIT).unwrap_or_default();
    let read = File::open(path).and_then(|file| file.take(limit + 1).read_to_end(&mut bytes));
    if let Err(error) = read {
        return unreadable(&error);
    }
    let is_long = bytes.len() > LIMIT;
    // As shells do: a NUL in the first line is a sign of a program.
    let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if first.contains(&0) {
        return Some(Content::Other);
    }
    let start = String::from_utf8_lossy(first).into_owned();
    if !names_shell(&Word::text(start)) {
        return Some(Content::Other);
    }
    if is_long {
        return Some(Content::Unreadable(format!("is longer than {} KiB", LIMIT >> 10)));
    }
    Some(match String::from_utf8(bytes) {
        Ok(text) => Content::Shell(text),
        Err(_) => Content::Unreadable("is not text".to_owned()),
    })
}
