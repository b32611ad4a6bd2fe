//! Files that the command line itself writes before it runs them.

use super::walk::{Input, Walker};
use crate::paths::join;
use crate::run::{CodeFrom, RedirectKind};
use crate::word::Word;

/// The most files that are remembered.
const MOST_FILES: usize = 64;

/// A file that was written, and what is in it.
#[derive(Debug, Clone)]
pub(super) struct WrittenFile {
    name: String,
    /// The absolute path, if the folder was known.
    path: Option<String>,
    content: Content,
}

#[derive(Debug, Clone)]
enum Content {
    /// It comes from the network or a decoder.
    From(CodeFrom),
    Text(Word),
}

impl WrittenFile {
    fn is(&self, name: &str, path: Option<&str>) -> bool {
        match (self.path.as_deref(), path) {
            (Some(one), Some(other)) => one == other,
            _ => self.name.trim_start_matches("./") == name.trim_start_matches("./"),
        }
    }
}

impl Walker<'_> {
    /// Remembers the files that a program writes: those of its first `redirects`, since others are opened by its
    /// code. `input` is what it reads.
    pub(super) fn note_written(&mut self, by: usize, redirects: usize, input: &Input) {
        let Some(run) = self.runs.get(by) else { return };
        let own = run.redirects.iter().take(redirects);
        let targets = own.filter(|redirect| redirect.kind == RedirectKind::Write);
        let mut files: Vec<String> =
            targets.filter_map(|redirect| redirect.target.known().map(Into::into)).collect();
        let is_tee = run.name().is_some_and(|name| name == "tee");
        if is_tee {
            let operands = run.args.iter().filter_map(Word::known);
            files.extend(operands.filter(|word| !word.starts_with('-')).map(Into::into));
        }
        files.retain(|file| !file.starts_with("/dev/"));
        if files.is_empty() {
            return;
        }
        let content = match if is_tee { input.clone() } else { self.written_output(by, input) } {
            Input::Text(text) | Input::Piped(text) => Content::Text(text),
            Input::From(from @ (CodeFrom::Network | CodeFrom::Decoded), ..) => Content::From(from),
            Input::From(CodeFrom::Stdin, ..) | Input::Session => return,
        };
        for file in files {
            self.note_file(file, content.clone());
        }
    }

    /// Remembers the files that a download writes.
    pub(super) fn note_fetched(&mut self, by: usize) {
        let Some(run) = self.runs.get(by) else { return };
        let is_wget = match run.name().as_deref() {
            Some("wget") => true,
            Some("curl" | "http" | "xh" | "aria2c") => false,
            _ => return,
        };
        let mut files: Vec<String> = Vec::new();
        let mut words = run.args.iter();
        while let Some(word) = words.next() {
            let Some(text) = word.known() else { continue };
            if let Some((_, value)) = text.split_once('=').filter(|_| text.starts_with("--output"))
            {
                files.push(value.to_owned());
            } else if text.starts_with('-') && !text.starts_with("--") && text.ends_with(['o', 'O'])
                || text == "--output"
            {
                let next = words.clone().next().and_then(Word::known);
                // `curl -O URL`: the last name of the address.
                files.extend(next.as_deref().and_then(last_name));
                files.extend(next.map(Into::into));
            } else if let Some(value) = text.strip_prefix("-o").or_else(|| text.strip_prefix("-O"))
            {
                files.push(value.to_owned());
            } else if is_wget {
                files.extend(last_name(&text));
            }
        }
        for file in files {
            self.note_file(file, Content::From(CodeFrom::Network));
        }
    }

    fn note_file(&mut self, name: String, content: Content) {
        if self.files.len() < MOST_FILES {
            let path = join(self.state.cwd.as_deref(), &name);
            self.files.push(WrittenFile { name, path, content });
        }
    }

    fn written_as(&self, file: &Word) -> impl Iterator<Item = &Content> {
        let name = if self.files.is_empty() { None } else { file.known() };
        let path = name.as_ref().and_then(|name| join(self.state.cwd.as_deref(), name));
        // It may have been copied or linked since.
        let behind = path.as_ref().and_then(|path| self.names.program(&Word::text(path.clone())));
        let behind = behind.and_then(|behind| behind.known().map(std::borrow::Cow::into_owned));
        let files = self.files.iter().filter(move |file| {
            let is_it = name.as_ref().is_some_and(|name| file.is(name, path.as_deref()));
            is_it || behind.is_some() && file.path == behind
        });
        files.map(|file| &file.content)
    }

    /// Where a script comes from, if it was written before.
    pub(super) fn script_source(&self, script: &Word) -> Option<CodeFrom> {
        let from = self.written_as(script).filter_map(|content| match content {
            Content::From(from) => Some(*from),
            Content::Text(_) => None,
        });
        from.reduce(|one, other| if one == CodeFrom::Network { one } else { other })
    }

    /// The texts that were written to a file before, as far as they are known.
    pub(super) fn script_texts(&self, script: &Word) -> Vec<Word> {
        let texts = self.written_as(script).filter_map(|content| match content {
            Content::Text(text) => Some(text.clone()),
            Content::From(_) => None,
        });
        texts.collect()
    }

    /// Goes through the code of a file that was written before and that a shell runs now.
    pub(super) fn written_script(&mut self, file: &Word, by: usize) {
        for code in self.script_texts(file) {
            let name = self.name_of(by);
            if names_shell(&code) {
                self.complete = false;
                let zero = Some(file.clone());
                self.run_by(&name, |walker| walker.code_in_new_shell(&code, by, zero, None, &[]));
            } else {
                self.foreign_code(by, code);
            }
        }
    }
}

/// Whether the first line names no interpreter, or a shell.
pub(super) fn names_shell(code: &Word) -> bool {
    let first = code.known_prefix().lines().next().unwrap_or_default();
    let name = first.trim_end().rsplit(['/', ' ']).next().unwrap_or_default();
    !first.starts_with("#!") || crate::shell_names::is_shell(name) || first.contains("sh -")
}

fn last_name(url: &str) -> Option<String> {
    let path = url.split(['?', '#']).next()?;
    let name = path.rsplit('/').next()?;
    (path.contains('/') && !name.is_empty()).then(|| name.to_owned())
}
