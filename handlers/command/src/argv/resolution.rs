//! Words that name files and folders, resolved against the folder of the config.
//!
//! Two rules apply. A word that *is* a file by the syntax of its program must be found, or the hook does
//! not load. Any other word becomes a path only if a file of that name is beside the config, and is
//! left alone otherwise.

use std::path::{Path, PathBuf};

use super::modules::is_builtin_module;
use super::paths::{beside_config, is_dots, is_stdin, value_start};
use super::syntax::Syntax;
use super::{Resolver, code_text};
use crate::program::{self, ProgramError};

impl Resolver<'_> {
    /// Resolves a file that is opened: one of the config's folder, or an absolute path.
    pub(super) fn resolve_file(&mut self, index: usize, start: usize) -> Result<(), ProgramError> {
        let Some(text) = self.text_at(index).and_then(|arg| arg.get(start..)) else {
            return Ok(());
        };
        if is_stdin(text) {
            return Ok(());
        }
        let path = program::find_file(text, self.base)?;
        self.mark_read(index);
        self.replace_with_path(index, start, &path);
        self.add_script(path);
        Ok(())
    }

    fn add_script(&mut self, path: PathBuf) {
        if !self.resolved.scripts.contains(&path) {
            self.resolved.scripts.push(path);
        }
    }

    /// Resolves a list of folders with `:` between. Each must be absolute or beside the config.
    pub(super) fn resolve_folders(
        &mut self,
        option: &str,
        index: usize,
        start: usize,
    ) -> Result<(), ProgramError> {
        let text = self.text_at(index).and_then(|arg| arg.get(start..)).unwrap_or_default();
        let mut found = Vec::new();
        for entry in text.split(':') {
            let path = self.base.join(entry);
            if Path::new(entry).is_absolute() {
                found.push(entry.to_owned());
            } else if !entry.is_empty() && !is_dots(entry) && path.exists() {
                found.push(path.components().collect::<PathBuf>().display().to_string());
            } else {
                return Err(ProgramError::Folder {
                    option: option.to_owned(),
                    folder: entry.to_owned(),
                });
            }
        }
        let found = found.join(":");
        self.replace_with_path(index, start, Path::new(&found));
        Ok(())
    }

    /// Resolves a module: a path, or a name that is not looked for in the folder of the session.
    pub(super) fn resolve_module(
        &mut self,
        syntax: &Syntax,
        option: &str,
        index: usize,
        start: usize,
    ) -> Result<(), ProgramError> {
        let text = self.text_at(index).and_then(|arg| arg.get(start..)).unwrap_or_default();
        if is_builtin_module(syntax, text) {
            return Ok(());
        }
        let is_path = text.starts_with('/') || beside_config(text, self.base, false).is_some();
        if !is_path {
            return Err(ProgramError::Module {
                option: option.to_owned(),
                module: text.to_owned(),
            });
        }
        self.resolve_file(index, start)
    }

    /// Resolves whatever else names something beside the config; it runs last.
    pub(super) fn resolve_remaining(&mut self, program: &Path) {
        for index in 0..self.arguments.len() {
            let after_option = index
                .checked_sub(1)
                .and_then(|before| self.arguments.get(before))
                .is_some_and(|before| before.text.starts_with('-') && !before.text.contains('='));
            let Some(argument) = self.arguments.get(index).filter(|argument| !argument.is_read)
            else {
                continue;
            };
            let start = value_start(&argument.text);
            let text = argument.text.get(start..).unwrap_or_default().to_owned();
            if let Some(path) = beside_config(&text, self.base, after_option) {
                self.resolve_word(program, index, start, path, &text);
            } else if text.starts_with("./") && text != "./" || text.starts_with("../") {
                self.resolved.warnings.push(format!(
                    "`{text}` is not beside the config, so `{}` looks for it in the folder of the \
                     session: write an absolute path if you mean another",
                    program.display()
                ));
            }
        }
    }

    /// Replaces a word by the file of that name beside the config, and warns if it looks like any
    /// other word.
    fn resolve_word(
        &mut self,
        program: &Path,
        index: usize,
        start: usize,
        path: PathBuf,
        text: &str,
    ) {
        if !text.contains(['/', '.']) {
            self.resolved.warnings.push(format!(
                "`{text}` is handed to `{}` as the file of that name beside the config: rename the \
                 file if the word means something else",
                program.display()
            ));
        }
        self.replace_with_path(index, start, &path);
        // Rules and scripts are a part of the hook; it may change the other files itself.
        if code_text::is_script_name(&path) {
            self.add_script(path);
        } else {
            self.resolved.others.push(path);
        }
    }

    /// Replaces the end of an argument, from `start` on, by a path.
    pub(super) fn replace_with_path(&mut self, index: usize, start: usize, path: &Path) {
        if let (Some(argument), Some(path)) = (self.arguments.get_mut(index), path.to_str()) {
            argument.text.replace_range(start.., path);
            argument.is_read = true;
        }
    }
}
