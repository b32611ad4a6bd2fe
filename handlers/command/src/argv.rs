//! What a list of arguments runs and opens.
//!
//! # The problem
//! A program runs in the folder of the session, and the agent can write there. `python3 guard.py`
//! would run the `guard.py` of the session, so the agent could replace its own guard. Neither a fixed
//! working folder (guards need the folder of the session) nor a check for a leading `./` (options and
//! wrappers take paths, too) solves it.
//!
//! # What is done
//! When the table is built, the arguments are read as the program itself would read them:
//!
//! 1. The program is looked up in a [catalogue](catalogue) of interpreters and wrappers.
//! 2. Its options are read by its [syntax](syntax): which take a file, a folder, program text.
//! 3. The script is found in the folder of the config, and the argument becomes an absolute path.
//! 4. The command of a wrapper (`env`, `timeout`) is read again from step 1.
//! 5. Any other argument that names a file beside the config becomes an absolute path, too.
//!
//! | finding | result |
//! |---|---|
//! | a file that the program would open is beside the config | an absolute path |
//! | such a file is missing | an error: the hook does not load |
//! | an option that is not in the catalogue comes before a relative path | an error |
//! | program text (`-c`, `-e`) names a relative path | a warning |
//! | the program takes its rules from the project (`make`, `npm`) | a warning |
//! | a word is also the name of a file beside the config | an absolute path and a warning |
//!
//! # What it costs
//! It happens once per build of a table, never in a dispatch: a few `stat` calls per argument.
//!
//! # Limits
//! What a script opens itself is not followed, and program text is searched for paths, not parsed.

mod catalogue;
mod code_text;
mod interpreters;
mod modules;
mod operands;
mod options;
mod paths;
mod resolution;
mod shebang;
mod syntax;
mod unknown;
mod variables;
mod warnings;
mod wrappers;

use std::path::{Path, PathBuf};

use crate::program::ProgramError;
pub(crate) use code_text::{named_scripts, relative_path, relative_path_warning};
use options::Seen;
pub(crate) use shebang::first_line;
use syntax::{Syntax, Then, Verb};
pub(crate) use variables::{lists_folders, relative_entry};

/// Arguments in which nothing is left that the folder of the session could decide.
#[derive(Debug, Default)]
pub(crate) struct ResolvedArgs {
    /// The arguments, with absolute paths for all that was found.
    pub(crate) args: Vec<String>,
    /// The programs that the first one runs.
    pub(crate) programs: Vec<PathBuf>,
    /// Files that are run or read as a part of a program: scripts, libraries, settings.
    pub(crate) scripts: Vec<PathBuf>,
    /// Other files of the config's folder that are named.
    pub(crate) others: Vec<PathBuf>,
    /// What could not be decided, each a sentence with advice.
    pub(crate) warnings: Vec<String>,
}

/// Finds what the arguments of a program name from the folder of the config.
///
/// # Errors
/// If the program would run or open something by a relative path and that is not beside the config,
/// or if it cannot be told what it would run.
pub(crate) fn resolve(
    program: &Path,
    args: &[&str],
    base: &Path,
) -> Result<ResolvedArgs, ProgramError> {
    if base.to_str().is_none() {
        return Err(ProgramError::Base(base.to_owned()));
    }
    let mut resolver = Resolver::new(base, 0, args);
    resolver.check_first_line(program)?;
    resolver.read_program(program, 0)?;
    resolver.resolve_remaining(program);
    let Resolver { arguments, mut resolved, .. } = resolver;
    resolved.args = arguments.into_iter().map(|argument| argument.text).collect();
    Ok(resolved)
}

/// One argument of the command line.
struct Argument {
    text: String,
    /// Whether it has been read, so that the last pass leaves it alone.
    is_read: bool,
}

impl Argument {
    fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_read: false }
    }
}

/// How many programs may be nested: `env nice sh guard.sh` has three. A script whose first line names
/// itself would never come to an end.
const DEEPEST: usize = 16;

/// Reads arguments from left to right, and replaces what names a file.
///
/// Its methods are spread over the files of this room by what they read: options, operands, files,
/// warnings.
struct Resolver<'a> {
    /// The folder of the config.
    base: &'a Path,
    /// How many programs enclose the one that is read.
    depth: usize,
    arguments: Vec<Argument>,
    resolved: ResolvedArgs,
}

impl<'a> Resolver<'a> {
    fn new(base: &'a Path, depth: usize, args: &[&str]) -> Self {
        let arguments = args.iter().copied().map(Argument::new).collect();
        Self { base, depth, arguments, resolved: ResolvedArgs::default() }
    }

    fn text_at(&self, index: usize) -> Option<&str> {
        self.arguments.get(index).map(|argument| argument.text.as_str())
    }

    fn mark_read(&mut self, index: usize) {
        if let Some(argument) = self.arguments.get_mut(index) {
            argument.is_read = true;
        }
    }

    /// Reads the arguments of a program, which begin at an index.
    fn read_program(&mut self, program: &Path, from: usize) -> Result<(), ProgramError> {
        if catalogue::is_local(program) && !self.is_own_script(program) {
            self.warn_of_local_program(program);
        }
        match catalogue::syntax_of(program).filter(|_| !self.is_own_script(program)) {
            Some(syntax) => self.read_arguments(syntax, program, from),
            None => self.read_unknown_program(program, from),
        }
    }

    /// Returns whether a program is a script beside the config. It may have the name of another
    /// program.
    fn is_own_script(&self, program: &Path) -> bool {
        let real = |path: &Path| path.canonicalize().ok();
        let beside = real(program).zip(real(self.base)).is_some_and(|(it, at)| it.starts_with(at));
        beside && first_line(program).is_some()
    }

    fn read_arguments(
        &mut self,
        syntax: &'static Syntax,
        program: &Path,
        from: usize,
    ) -> Result<(), ProgramError> {
        let mut seen = Seen::default();
        let index = self.read_options(syntax, from, &mut seen)?;
        if seen.exits || seen.over {
            return Ok(());
        }
        match syntax.then {
            Then::Script => self.read_verbs_and_script(syntax, program, index, &mut seen),
            Then::CodeAndFiles => self.read_code_and_files(syntax, program, index, &mut seen),
            Then::Command(operands) => self.read_command(program, index, operands, &seen),
            Then::Applet => {
                let name = self.text_at(index).map(str::to_owned);
                self.mark_read(index);
                match name.as_deref().and_then(catalogue::syntax_named) {
                    Some(applet) => self.read_arguments(applet, program, index + 1),
                    None => Ok(()),
                }
            }
        }
    }

    /// Reads words such as `run` before the script, each with options behind it, and then the script.
    fn read_verbs_and_script(
        &mut self,
        syntax: &'static Syntax,
        program: &Path,
        mut index: usize,
        seen: &mut Seen,
    ) -> Result<(), ProgramError> {
        while let Some((_, verb)) =
            syntax.verbs.iter().find(|(verb, _)| Some(*verb) == self.text_at(index))
        {
            self.mark_read(index);
            match verb {
                Verb::Run => {}
                Verb::Code => seen.operand_is_code = true,
                Verb::Local => {
                    let verb = self.text_at(index).unwrap_or_default().to_owned();
                    self.warn_of_local(program, &verb);
                    return Ok(());
                }
            }
            index = self.read_options(syntax, index + 1, seen)?;
        }
        self.read_script(syntax, program, index, seen)
    }

    /// Refuses a script whose first line names a relative path.
    fn check_first_line(&self, program: &Path) -> Result<(), ProgramError> {
        let Some(line) = first_line(program) else { return Ok(()) };
        let (interpreter, argument) = shebang::split_line(&line);
        let wrong = |named: &str| ProgramError::FirstLine {
            path: program.to_owned(),
            named: named.to_owned(),
        };
        let path = Path::new(interpreter);
        if !path.is_absolute() {
            return Err(wrong(interpreter));
        }
        let Some(script) = program.to_str() else { return Ok(()) };
        let args: Vec<&str> =
            [argument, script].into_iter().filter(|arg| !arg.is_empty()).collect();
        // No file is found in this folder: each relative path is an error.
        let nowhere = Path::new("/nonexistent/hookgate");
        let mut resolver = Resolver::new(nowhere, self.depth + 1, &args);
        match catalogue::syntax_of(path).map(|syntax| resolver.read_arguments(syntax, path, 0)) {
            Some(Err(
                error @ (ProgramError::Missing(_)
                | ProgramError::Module { .. }
                | ProgramError::Folder { .. }
                | ProgramError::Split(_)
                | ProgramError::Assigned { .. }),
            )) => Err(wrong(&error.relative_name().unwrap_or_else(|| argument.to_owned()))),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
