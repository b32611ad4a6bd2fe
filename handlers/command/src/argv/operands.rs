//! What stands behind the options: a script, program text and files, or a command.

use std::path::{Path, PathBuf};

use super::names::{assigned, beside, is_stdin, relative_entry};
use super::options::Seen;
use super::syntax::Syntax;
use super::{DEEPEST, Reader, Word};
use crate::program::{self, ProgramError};

impl Reader<'_> {
    /// The script of an interpreter.
    pub(super) fn script(
        &mut self,
        syntax: &'static Syntax,
        program: &Path,
        index: usize,
        seen: &Seen,
    ) -> Result<(), ProgramError> {
        if seen.operand_is_code {
            let text = self.word(index).unwrap_or_default().to_owned();
            self.done(index);
            self.code("-c", &text);
            return Ok(());
        }
        if seen.has_program {
            return Ok(());
        }
        match self.word(index) {
            None => return Err(ProgramError::Envelope(program.display().to_string())),
            Some(script) if is_stdin(script) => {
                return Err(ProgramError::Envelope(format!("{} {script}", program.display())));
            }
            Some(script) if syntax.urls && script.contains("://") => {
                self.done(index);
                return Ok(());
            }
            Some(_) => {}
        }
        if let Some(option) = &seen.unknown {
            self.undecided(option, program, index)?;
        }
        self.open(index, 0)
    }

    /// Behind an option that is not known stands its argument or an operand. Either must not
    /// depend on the session.
    fn undecided(&self, option: &str, program: &Path, index: usize) -> Result<(), ProgramError> {
        let is_safe =
            |word: &str| Path::new(word).is_absolute() || beside(word, self.base, false).is_some();
        for index in [index, index + 1] {
            let Some(word) = self.word(index) else { continue };
            if !is_safe(word) && !word.starts_with('-') {
                return Err(ProgramError::Undecided {
                    option: option.to_owned(),
                    program: program.display().to_string(),
                    word: word.to_owned(),
                });
            }
        }
        Ok(())
    }

    /// Program text and then files, as of `awk` and `jq`.
    pub(super) fn code_and_files(
        &mut self,
        syntax: &'static Syntax,
        program: &Path,
        first: usize,
        seen: &mut Seen,
    ) -> Result<(), ProgramError> {
        let mut operands = Vec::new();
        let mut index = first;
        while index < self.words.len() {
            operands.push(index);
            index += 1;
            if syntax.permutes {
                index = self.options(syntax, index, seen)?;
            }
        }
        let mut operands = operands.into_iter();
        if seen.nothing {
            return Ok(());
        }
        if seen.operand_is_file || !seen.has_program {
            let Some(index) = operands.next() else { return Ok(()) };
            let text = self.word(index).unwrap_or_default().to_owned();
            self.done(index);
            if seen.operand_is_file {
                if is_stdin(&text) {
                    return Err(ProgramError::Envelope(format!("{} {text}", program.display())));
                }
                self.open(index, 0)?;
            } else {
                self.code(&program.display().to_string(), &text);
            }
        }
        // `jq --args` takes what follows as text.
        let is_text = |word: &Word| word.text == "--args" || word.text == "--jsonargs";
        if self.words.get(first..).unwrap_or_default().iter().any(is_text) {
            return Ok(());
        }
        for index in operands {
            let text = self.word(index).unwrap_or_default();
            // Neither stdin nor, in awk, a variable is a file.
            if !is_stdin(text) && !text.contains('=') && !text.is_empty() {
                self.done(index);
                self.open(index, 0)?;
            }
        }
        Ok(())
    }

    /// The command of a wrapper.
    pub(super) fn command(
        &mut self,
        wrapper: &Path,
        from: usize,
        operands: usize,
        seen: &Seen,
    ) -> Result<(), ProgramError> {
        let mut index = from;
        for _ in 0..operands {
            self.done(index);
            index += 1;
        }
        while let Some((name, value)) = self.word(index).and_then(assigned) {
            if let Some(entry) = relative_entry(name, value) {
                return Err(ProgramError::Assigned { name: name.to_owned(), entry });
            }
            self.done(index);
            index += 1;
        }
        let Some(name) = self.word(index).map(str::to_owned) else { return Ok(()) };
        if let Some(option) = &seen.unknown {
            self.undecided(option, wrapper, index)?;
        }
        if self.depth >= DEEPEST {
            return Err(ProgramError::Deep { program: name, most: DEEPEST });
        }
        self.depth += 1;
        self.done(index);
        // Who becomes somebody else looks elsewhere.
        let other_path = (from..index)
            .any(|place| self.word(place).is_some_and(|word| word.starts_with("PATH=")))
            || wrapper.file_name().is_some_and(|name| name == "sudo" || name == "doas");
        let program = match program::find(&name, self.base) {
            Ok(program) => program,
            Err(ProgramError::NotInPath(_)) if other_path => PathBuf::from(&name),
            Err(error) => return Err(error),
        };
        if program.is_absolute() && !other_path {
            self.put(index, 0, &program);
            self.resolved.programs.push(program.clone());
        }
        self.first_line(&program)?;
        self.program(&program, index + 1)
    }
}
