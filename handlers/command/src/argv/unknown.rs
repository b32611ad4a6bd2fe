//! The arguments of a program that is not in the catalogue.
//!
//! It may be a private wrapper: `strange --quiet sh guard.sh`. Then the words behind the
//! name of an interpreter are the arguments of that interpreter. But the word may as well be data
//! (`--language python`). So they are read on trial: if that works, the result is kept; if a *script*
//! is missing, that is an error, since a script of the session is never meant; with any other error the
//! words stay as they were.

use std::path::Path;

use super::syntax::Syntax;
use super::{Argument, Resolver, catalogue, code_text};
use crate::program::ProgramError;

impl Resolver<'_> {
    /// Reads the arguments of a program that is not in the catalogue and may run another one.
    pub(super) fn read_unknown_program(
        &mut self,
        program: &Path,
        from: usize,
    ) -> Result<(), ProgramError> {
        if catalogue::is_remote(program) {
            return Ok(());
        }
        let Some((index, syntax)) = self.find_interpreter(from) else { return Ok(()) };
        let (scripts, warnings) = (self.resolved.scripts.len(), self.resolved.warnings.len());
        let texts: Vec<_> = self.arguments.iter().map(|argument| argument.text.clone()).collect();
        match self.read_arguments(syntax, program, index + 1) {
            Err(ProgramError::Missing(path)) if code_text::is_script_name(&path) => {
                return Err(ProgramError::Missing(path));
            }
            Ok(()) => return Ok(()),
            Err(_) => {}
        }
        self.resolved.scripts.truncate(scripts);
        self.resolved.warnings.truncate(warnings);
        self.arguments = texts.into_iter().map(Argument::new).collect();
        Ok(())
    }

    /// Returns the first word that is the name of a known program, and its syntax.
    fn find_interpreter(&self, from: usize) -> Option<(usize, &'static Syntax)> {
        let syntax_of_word = |arg: &str| {
            let name = Path::new(arg).file_name()?.to_str()?;
            (!arg.starts_with('-')).then(|| catalogue::syntax_named(name))?
        };
        (from..self.arguments.len())
            .find_map(|index| Some((index, syntax_of_word(self.text_at(index)?)?)))
    }
}
