//! What a list of arguments runs and opens.
//!
//! A program runs in the folder of the session, which the judged party can write to. So whatever it
//! would run or open by a relative path is made absolute when the table is built, or refused.

mod interpreters;
mod names;
mod operands;
mod options;
mod resolution;
mod syntax;
mod text;
mod warnings;
mod wrappers;

use std::path::{Path, PathBuf};

use crate::program::ProgramError;
pub(crate) use names::{first_line, is_list, relative_entry};
use options::Seen;
use syntax::{Syntax, Then, Verb};
pub(crate) use text::{relative_path, warning};

/// Arguments in which nothing is left that the folder of the session could decide.
#[derive(Debug, Default)]
pub(crate) struct Resolved {
    pub(crate) args: Vec<String>,
    /// The programs that the first one runs.
    pub(crate) programs: Vec<PathBuf>,
    /// What is run or read as a part of a program: scripts, libraries, settings.
    pub(crate) scripts: Vec<PathBuf>,
    /// Other files of the config's folder that are named.
    pub(crate) others: Vec<PathBuf>,
    pub(crate) warnings: Vec<String>,
}

/// Finds what the arguments of a program name from the folder of the config.
///
/// # Errors
/// Where the program would run or open something by a relative path, and it is not there.
pub(crate) fn resolve(
    program: &Path,
    args: &[&str],
    base: &Path,
) -> Result<Resolved, ProgramError> {
    if base.to_str().is_none() {
        return Err(ProgramError::Base(base.to_owned()));
    }
    let mut reader = Reader {
        base,
        depth: 0,
        words: args.iter().map(|arg| Word { text: (*arg).to_owned(), done: false }).collect(),
        resolved: Resolved::default(),
    };
    reader.first_line(program)?;
    reader.program(program, 0)?;
    reader.rest(program);
    let Reader { words, mut resolved, .. } = reader;
    resolved.args = words.into_iter().map(|word| word.text).collect();
    Ok(resolved)
}

/// One argument.
struct Word {
    text: String,
    /// Whether it is known what it is.
    done: bool,
}

/// So many programs may stand one in the other: `env nice sh guard.sh` has three. A script whose first
/// line names itself would never come to an end.
const DEEPEST: usize = 16;

struct Reader<'a> {
    base: &'a Path,
    /// How many programs stand around the one that is read.
    depth: usize,
    words: Vec<Word>,
    resolved: Resolved,
}

impl Reader<'_> {
    fn word(&self, index: usize) -> Option<&str> {
        self.words.get(index).map(|word| word.text.as_str())
    }

    fn done(&mut self, index: usize) {
        if let Some(word) = self.words.get_mut(index) {
            word.done = true;
        }
    }

    /// Reads the arguments of a program, which begin at an index.
    fn program(&mut self, program: &Path, from: usize) -> Result<(), ProgramError> {
        if syntax::is_local(program) && !self.is_own_script(program) {
            self.resolved.warnings.push(format!(
                "`{}` takes what it runs from the folder of the session, where the judged party \
                 writes: name a program of your own",
                program.display()
            ));
        }
        match syntax::of(program).filter(|_| !self.is_own_script(program)) {
            Some(syntax) => self.arguments(syntax, program, from),
            None => self.unknown_program(program, from),
        }
    }

    /// Whether a program is a script beside the config. It may be called like another program.
    fn is_own_script(&self, program: &Path) -> bool {
        let real = |path: &Path| path.canonicalize().ok();
        let beside = real(program).zip(real(self.base)).is_some_and(|(it, at)| it.starts_with(at));
        beside && first_line(program).is_some()
    }

    /// An unknown program may be one that runs another.
    fn unknown_program(&mut self, program: &Path, from: usize) -> Result<(), ProgramError> {
        if syntax::is_remote(program) {
            return Ok(());
        }
        let named = |word: &str| {
            let name = Path::new(word).file_name()?.to_str()?;
            (!word.starts_with('-')).then(|| syntax::named(name))?
        };
        let found =
            (from..self.words.len()).find_map(|index| Some((index, named(self.word(index)?)?)));
        let Some((index, syntax)) = found else { return Ok(()) };
        // It may as well be any other word. What is certain is that nobody means a script of the
        // session.
        let before = (self.resolved.scripts.len(), self.resolved.warnings.len());
        let texts: Vec<_> = self.words.iter().map(|word| word.text.clone()).collect();
        let read = self.arguments(syntax, program, index + 1);
        match read {
            Err(ProgramError::Missing(path)) if text::is_script_name(&path) => {
                return Err(ProgramError::Missing(path));
            }
            Ok(()) => return Ok(()),
            Err(_) => {}
        }
        self.resolved.scripts.truncate(before.0);
        self.resolved.warnings.truncate(before.1);
        self.words = texts.into_iter().map(|text| Word { text, done: false }).collect();
        Ok(())
    }

    fn arguments(
        &mut self,
        syntax: &'static Syntax,
        program: &Path,
        from: usize,
    ) -> Result<(), ProgramError> {
        let mut seen = Seen::default();
        let mut index = self.options(syntax, from, &mut seen)?;
        if seen.nothing || seen.over {
            return Ok(());
        }
        match syntax.then {
            Then::Script => {
                while let Some((_, verb)) =
                    syntax.verbs.iter().find(|(verb, _)| Some(*verb) == self.word(index))
                {
                    self.done(index);
                    match verb {
                        Verb::Run => {}
                        Verb::Code => seen.operand_is_code = true,
                        Verb::Local => {
                            self.local(program, self.word(index).unwrap_or_default().to_owned());
                            return Ok(());
                        }
                    }
                    index = self.options(syntax, index + 1, &mut seen)?;
                }
                self.script(syntax, program, index, &seen)
            }
            Then::CodeAndFiles => self.code_and_files(syntax, program, index, &mut seen),
            Then::Command(operands) => self.command(program, index, operands, &seen),
            Then::Applet => {
                let name = self.word(index).map(str::to_owned);
                self.done(index);
                match name.as_deref().and_then(syntax::named) {
                    Some(applet) => self.arguments(applet, program, index + 1),
                    None => Ok(()),
                }
            }
        }
    }

    /// The first line of a script may name a relative path, too.
    fn first_line(&self, program: &Path) -> Result<(), ProgramError> {
        let Some(line) = names::first_line(program) else { return Ok(()) };
        let (interpreter, argument) = match line.split_once([' ', '\t']) {
            Some((interpreter, argument)) => (interpreter, argument.trim()),
            None => (line.as_str(), ""),
        };
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
        let mut reader = Reader {
            // Nothing is found here: each relative path is an error.
            base: Path::new("/nonexistent/hookgate"),
            depth: self.depth + 1,
            words: args.iter().map(|arg| Word { text: (*arg).to_owned(), done: false }).collect(),
            resolved: Resolved::default(),
        };
        match syntax::of(path).map(|syntax| reader.arguments(syntax, path, 0)) {
            Some(Err(
                error @ (ProgramError::Missing(_)
                | ProgramError::Module { .. }
                | ProgramError::Folder { .. }
                | ProgramError::Split(_)
                | ProgramError::Assigned { .. }),
            )) => Err(wrong(&error.named().unwrap_or_else(|| argument.to_owned()))),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
