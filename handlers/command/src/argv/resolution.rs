//! Words that name files and folders, resolved against the folder of the config.

use std::path::{Path, PathBuf};

use super::names::{self, beside, is_stdin};
use super::syntax::Syntax;
use super::{Reader, text};
use crate::program::{self, ProgramError};

impl Reader<'_> {
    /// A file that is opened: one of the config's folder, or an absolute path.
    pub(super) fn open(&mut self, index: usize, start: usize) -> Result<(), ProgramError> {
        let Some(text) = self.word(index).and_then(|word| word.get(start..)) else {
            return Ok(());
        };
        if is_stdin(text) {
            return Ok(());
        }
        let path = program::file(text, self.base)?;
        self.done(index);
        self.put(index, start, &path);
        self.script_found(path);
        Ok(())
    }

    fn script_found(&mut self, path: PathBuf) {
        if !self.resolved.scripts.contains(&path) {
            self.resolved.scripts.push(path);
        }
    }

    pub(super) fn folders(
        &mut self,
        option: &str,
        index: usize,
        start: usize,
    ) -> Result<(), ProgramError> {
        let text = self.word(index).and_then(|word| word.get(start..)).unwrap_or_default();
        let mut found = Vec::new();
        for entry in text.split(':') {
            let path = self.base.join(entry);
            if Path::new(entry).is_absolute() {
                found.push(entry.to_owned());
            } else if !entry.is_empty() && !names::is_dots(entry) && path.exists() {
                found.push(path.components().collect::<PathBuf>().display().to_string());
            } else {
                return Err(ProgramError::Folder {
                    option: option.to_owned(),
                    folder: entry.to_owned(),
                });
            }
        }
        let found = found.join(":");
        self.put(index, start, Path::new(&found));
        Ok(())
    }

    /// A module: a path, or a name that must not be looked for in the folder of the session.
    pub(super) fn module(
        &mut self,
        syntax: &Syntax,
        option: &str,
        index: usize,
        start: usize,
    ) -> Result<(), ProgramError> {
        let text = self.word(index).and_then(|word| word.get(start..)).unwrap_or_default();
        if names::is_builtin_module(syntax.names, text) {
            return Ok(());
        }
        let is_path = text.starts_with('/') || beside(text, self.base, false).is_some();
        if !is_path {
            return Err(ProgramError::Module {
                option: option.to_owned(),
                module: text.to_owned(),
            });
        }
        self.open(index, start)
    }

    /// Whatever else names something beside the config means that.
    pub(super) fn rest(&mut self, program: &Path) {
        for index in 0..self.words.len() {
            let after_option = index
                .checked_sub(1)
                .and_then(|before| self.words.get(before))
                .is_some_and(|before| before.text.starts_with('-') && !before.text.contains('='));
            let Some(word) = self.words.get(index).filter(|word| !word.done) else { continue };
            let start = names::value_start(&word.text);
            let text = word.text.get(start..).unwrap_or_default();
            if let Some(path) = beside(text, self.base, after_option) {
                if !text.contains(['/', '.']) {
                    self.resolved.warnings.push(format!(
                        "`{text}` is handed to `{}` as the file of that name beside the config: \
                         rename the file if the word means something else",
                        program.display()
                    ));
                }
                self.put(index, start, &path);
                // Rules and scripts are a part of the hook; what else it names it may change itself.
                if text::is_script_name(&path) {
                    self.script_found(path);
                } else {
                    self.resolved.others.push(path);
                }
            } else if text.starts_with("./") && text != "./" || text.starts_with("../") {
                self.resolved.warnings.push(format!(
                    "`{text}` is not beside the config, so `{}` looks for it in the folder of the \
                     session: write an absolute path if you mean another",
                    program.display()
                ));
            }
        }
    }

    pub(super) fn put(&mut self, index: usize, start: usize, path: &Path) {
        if let (Some(word), Some(path)) = (self.words.get_mut(index), path.to_str()) {
            word.text.replace_range(start.., path);
            word.done = true;
        }
    }
}
