//! The options of a program: what they take, up to the first operand.
//!
//! Three forms are read, as the syntax says: long options (`--rcfile=x`, `--rcfile x`), words of short
//! options (`-euo pipefail`), and long words behind one dash (`-jar`). An option that is not in the
//! catalogue is remembered ([`Seen::unknown`]), because the word behind it may be its argument or the
//! script: `node --frobnicate 5 guard.js`. Such a word must be safe in both readings.

use std::path::Path;

use super::paths::is_stdin;
use super::syntax::{Syntax, Takes, Then};
use super::{Argument, Resolver};
use crate::program::ProgramError;

/// What was read from the options of a program.
#[derive(Default)]
pub(super) struct Seen {
    /// The program text was given, or a file with it.
    pub(super) has_program: bool,
    /// The first operand is program text.
    pub(super) operand_is_code: bool,
    /// The first operand is a file with program text.
    pub(super) operand_is_file: bool,
    /// The program prints something and exits.
    pub(super) exits: bool,
    /// An option that is not known: the next word may be its argument or the first operand.
    pub(super) unknown: Option<String>,
    /// Everything that follows is for the script.
    pub(super) over: bool,
    /// Python ignores the current folder (`-I`, `-P`).
    isolated: bool,
}

impl Resolver<'_> {
    /// Reads options up to the first operand; returns its index.
    pub(super) fn read_options(
        &mut self,
        syntax: &'static Syntax,
        from: usize,
        seen: &mut Seen,
    ) -> Result<usize, ProgramError> {
        let mut index = from;
        while let Some(arg) = self.text_at(index).map(str::to_owned) {
            let plus = syntax.plus && arg.starts_with('+') && arg.len() > 1;
            if arg == "--" {
                self.mark_read(index);
                seen.unknown = None;
                return Ok(index + 1);
            }
            if arg == "-" && matches!(syntax.then, Then::Command(_)) {
                index += 1;
                continue;
            }
            if !plus && (!arg.starts_with('-') || arg.len() == 1) {
                return Ok(index);
            }
            seen.unknown = None;
            index = if syntax.words || arg.starts_with("--") {
                self.read_long_option(syntax, index, &arg, seen)?
            } else {
                self.read_short_options(syntax, index, &arg, seen)?
            };
            if seen.over {
                break;
            }
        }
        Ok(index)
    }

    /// Reads a long option; returns the index of the next word.
    fn read_long_option(
        &mut self,
        syntax: &'static Syntax,
        index: usize,
        arg: &str,
        seen: &mut Seen,
    ) -> Result<usize, ProgramError> {
        let (name, value) =
            arg.split_once('=').map_or((arg, None), |(name, _)| (name, Some(name.len() + 1)));
        let lower = name.to_ascii_lowercase();
        let name = if syntax.words && syntax.find(name).is_none() { &lower } else { name };
        if let Some(takes) = syntax.find(name) {
            return self.read_option(syntax, name, takes, index, value, seen);
        }
        if value.is_none() && !syntax.stands_alone(name) {
            seen.unknown = Some(name.to_owned());
        }
        Ok(index + 1)
    }

    /// Reads a word of short options; returns the index of the next word.
    fn read_short_options(
        &mut self,
        syntax: &'static Syntax,
        index: usize,
        arg: &str,
        seen: &mut Seen,
    ) -> Result<usize, ProgramError> {
        if let Some(takes) = syntax.find(arg) {
            return self.read_option(syntax, arg, takes, index, None, seen);
        }
        let sign = arg.chars().next().unwrap_or('-');
        for (at, letter) in arg.char_indices().skip(1) {
            let option = format!("{sign}{letter}");
            let rest = at + letter.len_utf8();
            if let Some(takes) = syntax.find(&option) {
                let value = (rest < arg.len() && !takes.is_flag()).then_some(rest);
                let next = self.read_option(syntax, &option, takes, index, value, seen)?;
                if !takes.is_flag() {
                    return Ok(next);
                }
            } else if syntax.glued.contains(letter) {
                if matches!(letter, 'M' | 'm') {
                    check_perl_lib(&option, arg.get(rest..).unwrap_or_default())?;
                }
                break;
            } else if syntax.flags.contains(letter) {
                seen.isolated |= letter == 'I' || letter == 'P';
            } else {
                seen.unknown = Some(arg.to_owned());
                break;
            }
        }
        Ok(index + 1)
    }

    /// Reads an option and its argument, which is in the same word from `value` on or is the next
    /// word; returns the index of the word behind both.
    fn read_option(
        &mut self,
        syntax: &'static Syntax,
        option: &str,
        takes: Takes,
        index: usize,
        value: Option<usize>,
        seen: &mut Seen,
    ) -> Result<usize, ProgramError> {
        match takes {
            Takes::OperandIsCode => seen.operand_is_code = true,
            Takes::OperandIsFile => seen.operand_is_file = true,
            Takes::Exits => seen.exits = true,
            Takes::Stdin => return Err(ProgramError::Envelope(option.to_owned())),
            Takes::Local => {
                self.warn_of_local(Path::new(syntax.first_name()), option);
                seen.over = true;
            }
            _ => {
                let (at, start) = value.map_or((index + 1, 0), |start| (index, start));
                return self.read_option_value(syntax, (option, index), takes, at, start, seen);
            }
        }
        Ok(index + 1)
    }

    /// Reads the argument of an option, from `start` on in the word at `at`.
    fn read_option_value(
        &mut self,
        syntax: &'static Syntax,
        (option, index): (&str, usize),
        takes: Takes,
        at: usize,
        start: usize,
        seen: &mut Seen,
    ) -> Result<usize, ProgramError> {
        let text = self.text_at(at).and_then(|arg| arg.get(start..)).map(str::to_owned);
        let Some(text) = text else { return Ok(at) };
        (at..at + takes.count()).for_each(|at| self.mark_read(at));
        match takes {
            Takes::File => self.resolve_file(at, start)?,
            Takes::Program if is_stdin(&text) => {
                return Err(ProgramError::Envelope(format!("{option} {text}")));
            }
            Takes::Program => {
                self.resolve_file(at, start)?;
                seen.has_program = true;
                // What follows is for the script.
                seen.over = syntax.then == Then::Script;
            }
            Takes::Folders => self.resolve_folders(option, at, start)?,
            Takes::Code | Takes::LastCode => {
                seen.has_program = true;
                seen.over = takes == Takes::LastCode;
                self.read_code(option, &text);
            }
            Takes::LastModule => {
                seen.over = true;
                self.warn_of_python_module(&text, seen.isolated);
            }
            Takes::Module => self.resolve_module(syntax, option, at, start)?,
            Takes::Split => return self.split_argument(at, start, index).map(|()| index),
            Takes::NameAndFile => self.resolve_file(at + 1, 0)?,
            _ => {}
        }
        Ok(at + takes.count())
    }

    /// Splits `env -S "python3 guard.py"` into the words of the text.
    fn split_argument(
        &mut self,
        index: usize,
        start: usize,
        option: usize,
    ) -> Result<(), ProgramError> {
        let Some(arg) = self.text_at(index).map(str::to_owned) else { return Ok(()) };
        let text = arg.get(start..).unwrap_or_default();
        if text.contains(['\'', '"', '\\', '$', '#']) {
            return Err(ProgramError::Split(text.to_owned()));
        }
        let mut words: Vec<Argument> = text.split_whitespace().map(Argument::new).collect();
        // Options in the same word come before: `-iS`.
        let option_word = self.text_at(option).unwrap_or_default();
        let before = if option == index {
            option_word.get(..start).unwrap_or_default()
        } else {
            option_word
        };
        let before = before.trim_end_matches("--split-string=").trim_end_matches("--split-string");
        let before = before.strip_suffix('S').unwrap_or(before);
        if before.len() > 1 {
            words.insert(0, Argument { text: before.to_owned(), is_read: true });
        }
        self.arguments.splice(option..=index, words);
        Ok(())
    }
}

/// Refuses relative folders in `-Mlib=folder` of Perl, which is another way to write `-Ifolder`.
fn check_perl_lib(option: &str, module: &str) -> Result<(), ProgramError> {
    let Some(folders) = module.strip_prefix("lib=") else { return Ok(()) };
    match folders.split(',').find(|folder| !Path::new(folder).is_absolute()) {
        None => Ok(()),
        Some(folder) => {
            Err(ProgramError::Folder { option: format!("{option}lib"), folder: folder.to_owned() })
        }
    }
}
