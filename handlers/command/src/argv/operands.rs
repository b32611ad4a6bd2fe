//! What follows the options: a script, program text and files, or a command.
//!
//! An interpreter without a script reads its program from stdin, and there is the envelope: text that
//! the agent has written. So that is an error in every form (no operand, `-`, `/dev/stdin`).

use std::path::{Path, PathBuf};

use super::options::Seen;
use super::paths::{beside_config, is_stdin};
use super::syntax::Syntax;
use super::variables::{assignment, relative_entry};
use super::{Argument, DEEPEST, Resolver};
use crate::program::{self, ProgramError};

impl Resolver<'_> {
    /// Reads the script of an interpreter.
    ///
    /// # Errors
    /// If there is no script, so that the interpreter would run the envelope from stdin.
    pub(super) fn read_script(
        &mut self,
        syntax: &'static Syntax,
        program: &Path,
        index: usize,
        seen: &Seen,
    ) -> Result<(), ProgramError> {
        if seen.operand_is_code {
            let text = self.text_at(index).unwrap_or_default().to_owned();
            self.mark_read(index);
            self.read_code("-c", &text);
            return Ok(());
        }
        if seen.has_program {
            return Ok(());
        }
        match self.text_at(index) {
            None => return Err(ProgramError::Envelope(program.display().to_string())),
            Some(script) if is_stdin(script) => {
                return Err(ProgramError::Envelope(format!("{} {script}", program.display())));
            }
            Some(script) if syntax.urls && script.contains("://") => {
                self.mark_read(index);
                return Ok(());
            }
            Some(_) => {}
        }
        if let Some(option) = &seen.unknown {
            self.check_after_unknown(option, program, index)?;
        }
        self.resolve_file(index, 0)
    }

    /// Checks the words behind an option that is not in the catalogue. The first is its argument or
    /// an operand; neither may depend on the session.
    fn check_after_unknown(
        &self,
        option: &str,
        program: &Path,
        index: usize,
    ) -> Result<(), ProgramError> {
        let is_safe = |arg: &str| {
            Path::new(arg).is_absolute() || beside_config(arg, self.base, false).is_some()
        };
        for index in [index, index + 1] {
            let Some(arg) = self.text_at(index) else { continue };
            if !is_safe(arg) && !arg.starts_with('-') {
                return Err(ProgramError::Undecided {
                    option: option.to_owned(),
                    program: program.display().to_string(),
                    argument: arg.to_owned(),
                });
            }
        }
        Ok(())
    }

    /// Reads program text and then files, as of `awk` and `jq`.
    pub(super) fn read_code_and_files(
        &mut self,
        syntax: &'static Syntax,
        program: &Path,
        first: usize,
        seen: &mut Seen,
    ) -> Result<(), ProgramError> {
        let mut operands = Vec::new();
        let mut index = first;
        while index < self.arguments.len() {
            operands.push(index);
            index += 1;
            if syntax.permutes {
                index = self.read_options(syntax, index, seen)?;
            }
        }
        let mut operands = operands.into_iter();
        if seen.exits {
            return Ok(());
        }
        if seen.operand_is_file || !seen.has_program {
            let Some(index) = operands.next() else { return Ok(()) };
            self.read_filter_program(program, index, seen.operand_is_file)?;
        }
        // `jq --args` takes what follows as text.
        let takes_text =
            |argument: &Argument| argument.text == "--args" || argument.text == "--jsonargs";
        if self.arguments.get(first..).unwrap_or_default().iter().any(takes_text) {
            return Ok(());
        }
        for index in operands {
            let text = self.text_at(index).unwrap_or_default();
            // Neither stdin nor, in awk, a variable is a file.
            if !is_stdin(text) && !text.contains('=') && !text.is_empty() {
                self.mark_read(index);
                self.resolve_file(index, 0)?;
            }
        }
        Ok(())
    }

    /// Reads the operand of a filter that is its program: a file, or text.
    fn read_filter_program(
        &mut self,
        program: &Path,
        index: usize,
        is_file: bool,
    ) -> Result<(), ProgramError> {
        let text = self.text_at(index).unwrap_or_default().to_owned();
        self.mark_read(index);
        if !is_file {
            self.read_code(&program.display().to_string(), &text);
            return Ok(());
        }
        if is_stdin(&text) {
            return Err(ProgramError::Envelope(format!("{} {text}", program.display())));
        }
        self.resolve_file(index, 0)
    }

    /// Reads the command of a wrapper: its operands, assignments, and then a program.
    pub(super) fn read_command(
        &mut self,
        wrapper: &Path,
        from: usize,
        operands: usize,
        seen: &Seen,
    ) -> Result<(), ProgramError> {
        (from..from + operands).for_each(|index| self.mark_read(index));
        let index = self.read_assignments(from + operands)?;
        let Some(name) = self.text_at(index).map(str::to_owned) else { return Ok(()) };
        if let Some(option) = &seen.unknown {
            self.check_after_unknown(option, wrapper, index)?;
        }
        if self.depth >= DEEPEST {
            return Err(ProgramError::Deep { program: name, most: DEEPEST });
        }
        self.depth += 1;
        self.mark_read(index);
        // With a PATH of its own, or as another user, the program is looked for elsewhere.
        let has_other_path = (from..index)
            .any(|at| self.text_at(at).is_some_and(|arg| arg.starts_with("PATH=")))
            || wrapper.file_name().is_some_and(|name| name == "sudo" || name == "doas");
        let program = match program::find_program(&name, self.base) {
            Ok(program) => program,
            Err(ProgramError::NotInPath(_)) if has_other_path => PathBuf::from(&name),
            Err(error) => return Err(error),
        };
        if program.is_absolute() && !has_other_path {
            self.replace_with_path(index, 0, &program);
            self.resolved.programs.push(program.clone());
        }
        self.check_first_line(&program)?;
        self.read_program(&program, index + 1)
    }

    /// Reads `NAME=value` words; returns the index behind them.
    fn read_assignments(&mut self, mut index: usize) -> Result<usize, ProgramError> {
        while let Some((name, value)) = self.text_at(index).and_then(assignment) {
            if let Some(entry) = relative_entry(name, value) {
                return Err(ProgramError::Assigned { name: name.to_owned(), entry });
            }
            self.mark_read(index);
            index += 1;
        }
        Ok(index)
    }
}
